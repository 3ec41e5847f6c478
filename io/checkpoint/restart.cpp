#include "io/checkpoint/restart.hpp"

#include "core/instructions.hpp"
#include "io/channels/catalogue.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/checkpoint/fit.hpp"
#include "io/report.hpp"
#include "solvers/petsc/petsc_options.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace emmy {

namespace {

namespace fs = std::filesystem;

bool is_below(const std::string& assignment, const std::string& section) {
  const std::string path = assignment.substr(0, assignment.find('='));
  return path == section || path.compare(0, section.size() + 1, section + ".") == 0;
}

/// What a restart may change: everything else would make another run of it.
bool may_change(const std::string& assignment) {
  return is_below(assignment, "integrator.end") || is_below(assignment, "output") || is_below(assignment, "audit") ||
         is_below(assignment, "checkpoint");
}

/// What `output` says goes into the meaning of columns and lines, not only into their names: files that are there keep
/// what they have.
std::string overrides_problem(const std::vector<std::string>& overrides, bool in_place) {
  std::string text;
  for (const std::string& one : overrides)
    if (!may_change(one))
      text += "--set " + one +
              ": error: a run that goes on keeps what it is\n"
              "  expected a change of integrator.end, output, audit or checkpoint, or a new run\n";
    else if (in_place && is_below(one, "output"))
      text += "--set " + one +
              ": error: files that are added to keep what they have\n"
              "  expected -o DIR, where new files begin\n";
  return text;
}

/// The first line in which two texts differ, counted from 1.
int first_difference(const std::string& a, const std::string& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return 1 + static_cast<int>(std::count(a.begin(), at, '\n'));
}

/// Reads the deck that was given with the restart, which must be that of the run.
bool is_deck_of_run(const RunRequest& request, const Checkpoint& checkpoint, std::ostream& err) {
  deck::Diagnostics diagnostics;
  const deck::Deck given = deck::read_deck(request.deck, {}, diagnostics);
  if (given.text.empty()) {
    err << diagnostics.text();
    return false;
  }
  if (given.text == checkpoint.identity.text)
    return true;
  const int line = first_difference(given.text, checkpoint.identity.text);
  err << given.file << ":" << line << ":1: error: this is not the deck of the run, which differs from here on\n"
      << "  expected the deck as it was, or none: a restart has a copy of it\n";
  return false;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string or_none(const std::string& text) {
  return text.empty() ? "none" : text;
}

/// A run of another kind of step would not be the same.
std::string model_problem(const RunIdentity& was, const RunIdentity& is) {
  if (is.values != was.values || is.rates != was.rates || is.multipliers != was.multipliers)
    return formatted("its model had %ld values, %ld rates and %ld multipliers, and this one has %ld, %ld and %ld",
                     static_cast<long>(was.values), static_cast<long>(was.rates), static_cast<long>(was.multipliers),
                     static_cast<long>(is.values), static_cast<long>(is.rates), static_cast<long>(is.multipliers));
  if (is.step != was.step)
    return formatted("its step was %.17g s, and this one is %.17g s", was.step, is.step);
  if (is.files.size() != was.files.size())
    return formatted("its deck referred to %zu files, and this one to %zu", was.files.size(), is.files.size());
  for (std::size_t i = 0; i < was.files.size(); ++i) // in one order
    if (was.files[i].mark != is.files[i].mark)
      return "the file " + is.files[i].path + " has been changed";
  return {};
}

/// Why a file of results cannot be added to.
std::string file_problem(const std::string& path, const FileMark& mark) {
  const std::string problem = difference_from(path, mark);
  return problem.empty() ? ""
                         : path + ": error: the run cannot go on behind what is here: " + problem +
                               "\n  expected the file as the run left it; -o DIR begins new files instead\n";
}

/// Beyond it nothing is left to do.
bool is_at_end(const Restart& restart, const Loaded& m) {
  return restart.checkpoint.run.state.time >= m.deck.integrator.end * (1 - rounding_of_times);
}

std::string impacts_problem(const Restart& restart, const Loaded& m) {
  const FileMark& mark = restart.checkpoint.recorders.contacts.file;
  if (ContactLog::writes(m.built.scene, m.deck.output.contacts) != (mark.bytes > 0))
    return restart.directory + ": error: the checkpoint knows of another impacts.csv than the deck\n";
  return mark.bytes > 0 ? file_problem(restart.directory + "/impacts.csv", mark) : "";
}

std::string rows_problem(const Restart& restart, const Loaded& m) {
  const HistoryMark& marks = restart.checkpoint.recorders.history;
  const std::vector<ChannelSource> sources = channels_of(m.built, m.deck.output, nullptr);
  const std::vector<RowsPlan> plans = plan_rows(sources, m.deck.output, m.deck.integrator.step);
  bool is_same = plans.size() == marks.size();
  for (std::size_t i = 0; is_same && i < plans.size(); ++i)
    is_same = plans[i].name == marks[i].name && plans[i].stride == marks[i].stride &&
              plans[i].columns.head(m.deck.output.units) == marks[i].head;
  if (!is_same)
    return restart.directory + ": error: the checkpoint knows of other columns or intervals than the deck\n";
  std::string text;
  for (const RowsMark& mark : marks)
    text += file_problem(restart.directory + "/" + mark.name, mark.all.file);
  return text;
}

/// What came after the checkpoint that is there would be lost with a later restart from it.
std::string keep_problem(const Restart& restart, const Loaded& m) {
  return m.deck.checkpoint.keep > 0
             ? ""
             : restart.directory + ": error: 'checkpoint: {keep: 0}' would leave an old checkpoint here\n"
                                   "  expected at least 1, or -o DIR\n";
}

} // namespace

RunIdentity identity_of(const Loaded& m, const RunRequest& request) {
  const State& initial = m.built.initial;
  return {EMMY_VERSION,
          word_for(best_instructions()),
          fs::absolute(m.deck.file).lexically_normal().string(),
          m.deck.file,
          m.deck.text,
          request.overrides,
          request.petsc_options,
          petsc_options_in_use(),
          m.files,
          m.deck.integrator.step,
          initial.values.size(),
          initial.rates.size(),
          initial.multipliers.size()};
}

bool goes_on_in_place(const RunRequest& request) {
  std::error_code failed;
  return request.directory.empty() || fs::equivalent(request.directory, request.restart, failed);
}

std::optional<Restart> prepare_restart(RunRequest& request, std::ostream& err) {
  const bool in_place = goes_on_in_place(request);
  if (const std::string problem = overrides_problem(request.overrides, in_place); !problem.empty()) {
    err << problem;
    return std::nullopt;
  }
  std::optional<Checkpoint> checkpoint = newest_checkpoint(request.restart, err);
  if (!checkpoint || (!request.deck.empty() && !is_deck_of_run(request, *checkpoint, err)))
    return std::nullopt;
  const RunIdentity& was = checkpoint->identity;
  if (request.petsc_options.empty())
    request.petsc_options = was.petsc_options;
  if (request.petsc_options != was.petsc_options) {
    err << request.restart << ": error: the run had other options of PETSc: " << or_none(joined(was.petsc_options))
        << "\n  expected these, or none: a restart knows them\n";
    return std::nullopt;
  }
  if (request.directory.empty())
    request.directory = request.restart;
  RunIdentity identity = was;
  identity.overrides.insert(identity.overrides.end(), request.overrides.begin(), request.overrides.end());
  if (!request.deck.empty()) {
    identity.deck = fs::absolute(request.deck).lexically_normal().string();
    identity.deck_name = request.deck;
  }
  identity.instructions = word_for(best_instructions());
  return Restart{std::move(*checkpoint), request.restart, in_place, std::move(identity)};
}

std::optional<Loaded> load_again(const Restart& restart, std::ostream& err) {
  const RunIdentity& is = restart.identity;
  std::optional<Loaded> m = load_text(is.deck, is.text, is.overrides, err);
  if (!m)
    return m;
  m->deck.file = is.deck_name;
  if (m->deck.integrator.automatic_step) // it was chosen for the run as it began
    m->deck.integrator.step = is.step;
  return m;
}

void forget_end(Restart& restart, const Loaded& m) {
  if (is_at_end(restart, m))
    return;
  for (RowsMark& mark : restart.checkpoint.recorders.history)
    mark.all = mark.due;
}

std::string misfit(const Restart& restart, const Loaded& m) {
  const RunIdentity& was = restart.checkpoint.identity;
  const RunIdentity is = identity_of(m, {});
  if (is.petsc_in_use != was.petsc_in_use)
    return restart.directory + ": error: the run had other options of PETSc: " + or_none(was.petsc_in_use) +
           "\n  and now there are: " + or_none(is.petsc_in_use) +
           "\n  expected the same in PETSC_OPTIONS and in the files that PETSc reads\n";
  std::string problem = model_problem(was, is);
  if (problem.empty())
    problem = state_problem(restart.checkpoint, m);
  if (!problem.empty())
    return restart.directory + ": error: this is not the run of the checkpoint: " + problem + "\n";
  if (restart.checkpoint.run.state.time > m.deck.integrator.end * (1 + rounding_of_times))
    return restart.directory +
           formatted(": error: the run has come to t = %.9g s already, beyond integrator.end = %.9g s\n",
                     restart.checkpoint.run.state.time, m.deck.integrator.end);
  return restart.in_place ? rows_problem(restart, m) + impacts_problem(restart, m) + keep_problem(restart, m) : "";
}

std::string doubt(const Restart& restart) {
  const std::string& was = restart.checkpoint.identity.instructions;
  const std::string& is = restart.identity.instructions;
  return is == was ? ""
                   : "the run used kernels for another kind of processor (" + was + ", and now " + is +
                         "): results differ by rounding from those of a run that was never stopped";
}

} // namespace emmy
