#include "io/verify/verify.hpp"

#include "core/counted.hpp"
#include "io/deck/hints.hpp"
#include "io/interrupt.hpp"
#include "io/report.hpp"
#include "io/text_file.hpp"
#include "io/verify/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>

namespace emmy::verify {

namespace {

namespace fs = std::filesystem;

/// A directory of its own that disappears with this object.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "emmy-verify-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("cannot create a directory like " + pattern);
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// The folders of a directory in alphabetical order.
std::optional<std::vector<std::string>> folders(const std::string& directory, std::ostream& err) {
  std::error_code failed;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory, failed))
    if (entry.is_directory())
      names.push_back(entry.path().filename().string());
  if (failed || names.empty()) {
    err << directory << ": error: there are no verification cases here"
        << (failed ? ": " + failed.message() : std::string()) << "\n  give their directory with --cases DIR\n";
    return std::nullopt;
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Reads the cases that are asked for; nothing after a reported mistake.
std::optional<std::vector<Case>> read_cases(const std::string& directory, const std::vector<std::string>& wanted,
                                            std::ostream& err) {
  const auto known = folders(directory, err);
  if (!known)
    return std::nullopt;
  bool is_good = true;
  for (const std::string& name : wanted)
    if (!std::binary_search(known->begin(), known->end(), name)) {
      err << directory << ": error: there is no case '" << name << "'\n";
      for (const std::string& note : deck::notes_for(name, *known))
        err << "  " << note << "\n";
      is_good = false;
    }
  std::vector<Case> cases;
  for (const std::string& name : *known) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
      continue;
    deck::Diagnostics diagnostics;
    cases.push_back(read_case(directory + "/" + name, diagnostics));
    err << diagnostics.text();
    is_good = is_good && !diagnostics.has_errors();
  }
  return is_good ? std::optional(std::move(cases)) : std::nullopt;
}

/// Empty if interrupted: checks of a run that was cut short say nothing.
std::optional<std::vector<Row>> carry_out(const std::vector<Case>& cases, Runs& runs, bool progress, std::ostream& out,
                                          std::ostream& err) {
  const Interrupt interrupt;
  const TableText table(cases);
  out << table.header();
  std::vector<Row> rows;
  for (const Case& owner : cases)
    for (const Check& check : owner.checks) {
      if (progress)
        err << "\r  " << owner.name << ": " << check.name << " ...\033[K" << std::flush;
      rows.push_back({&owner, &check, evaluate(owner, check, runs)});
      if (progress)
        err << "\r\033[K" << std::flush;
      if (interrupt.requested())
        return std::nullopt;
      out << table.row(rows.back()) << std::flush;
    }
  return rows;
}

} // namespace

ExitCode verify(const Request& request, std::ostream& out, std::ostream& err) {
  const std::string directory = fs::path(request.cases.empty() ? EMMY_CASES_DIR : request.cases).string();
  const auto cases = read_cases(directory, request.names, err);
  if (!cases)
    return exit_bad_input;
  if (request.list) {
    out << list_text(*cases);
    return exit_ok;
  }
  if (request.before_running)
    request.before_running();
  const auto started = std::chrono::steady_clock::now();
  const TemporaryDirectory temporary;
  Runs runs(request.keep.empty() ? temporary.path() : request.keep, !request.keep.empty(), request.stops);
  const auto carried_out = carry_out(*cases, runs, request.progress, out, err);
  if (!carried_out) {
    err << "interrupted; nothing was written\n";
    return exit_failed;
  }
  const std::vector<Row>& rows = *carried_out;

  const std::string file = fs::is_directory(request.output) ? request.output + "/verification.json"
                           : request.output.empty()         ? "verification.json"
                                                            : request.output;
  replace_file(file, report_json(rows).dump(2) + "\n");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  out << "\n"
      << counted(cases->size(), "case", "cases") << ", " << counted(runs.count(), "run", "runs") << " in "
      << duration_text(seconds) << "; written to " << file << "\n"
      << closing_line(rows);
  const bool all = std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.outcome.passed; });
  return all ? exit_ok : exit_failed;
}

} // namespace emmy::verify
