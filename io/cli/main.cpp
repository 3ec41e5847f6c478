/// The emmy program.

#include "io/cli/commands.hpp"
#include "io/deck/hints.hpp"
#include "io/text_file.hpp"
#include "solvers/petsc/petsc.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>

namespace {

/// Everything behind a lone "--" belongs to PETSc.
std::vector<std::string> split_petsc_options(int& argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--") == 0) {
      std::vector<std::string> options(argv + i + 1, argv + argc);
      argc = i;
      return options;
    }
  return {};
}

/// Words that begin with a dash may be followed by one that does not, their value; the first one that is out of place.
std::string stray_word(const std::vector<std::string>& options) {
  bool takes_value = false;
  for (const std::string& word : options) {
    const bool is_name = word.size() > 1 && word[0] == '-';
    if (!is_name && !takes_value)
      return word;
    takes_value = is_name;
  }
  return {};
}

/// What is said about words on the command line that CLI11 finds wrong.
std::string complaint(const CLI::App* app, const CLI::Error& error) {
  const auto chosen = app->get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
  return std::string("emmy: error: ") + error.what() + "\n  'emmy" + command + " --help' tells what is expected\n";
}

/// What is said about a first word that is no command; empty if it is one, or an option.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (word[0] == '-' || std::find(names.begin(), names.end(), word) != names.end())
    return {};
  std::string text = "emmy: error: unknown command '" + word + "'\n";
  for (const std::string& note : emmy::deck::notes_for(word, names))
    text += "  " + note + "\n";
  return text;
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a disk that is full
  const std::vector<std::string> petsc_options = split_petsc_options(argc, argv);
  CLI::App app{"emmy " EMMY_VERSION ": energy-momentum multibody simulation", "emmy"};
  app.set_version_flag("--version", "emmy " EMMY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Write a deck as docs/deck.md says, look at it with 'emmy check deck.yaml', then 'emmy run deck.yaml'.\n"
      "A run that was stopped goes on with 'emmy run --restart deck.out'.\n\n"
      "PETSc options follow a lone --, for example: emmy run deck.yaml -- -pc_factor_mat_solver_type mumps\n\n"
      "Exit codes: 0 done, 1 verification failed or interrupted, 2 bad input, 3 not converged, 4 an audit limit of\n"
      "the deck was exceeded.");
  if (const std::string word = stray_word(petsc_options); !word.empty()) {
    std::cerr << "emmy: error: '" << word << "' behind -- is neither an option of PETSc nor the value of one\n"
              << "  expected options as in -- -pc_type lu -ksp_view\n";
    return 2;
  }
  int result = 0;
  emmy::cli::add_commands(app, petsc_options, result);
  app.failure_message(complaint);
  if (argc == 1) {
    std::cerr << app.help();
    return 2;
  }
  if (const std::string text = unknown_command(app, argv[1]); !text.empty()) {
    std::cerr << text;
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const emmy::FileError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const emmy::PetscFailure& error) {
    std::cerr << "emmy: error: " << error.what() << "\n";
    for (const std::string& option : petsc_options)
      std::cerr << "  PETSc option given: " << option << "\n";
    return petsc_options.empty() ? 1 : 2;
  } catch (const std::exception& error) {
    std::cerr << "emmy: error: " << error.what() << "\n";
    return 1;
  }
  return result;
}
