#include "io/checkpoint/restart.hpp"

#include "io/channels/catalogue.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/mesh_loading.hpp"
#include "io/report.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace emmy {

namespace {

namespace fs = std::filesystem;

std::vector<ReferredFile> files_of(const deck::Deck& deck) {
  std::vector<ReferredFile> files;
  for (const deck::Surface& surface : deck.contact.surfaces) {
    if (surface.mesh_file.empty())
      continue;
    const std::string path = mesh_path(deck, surface);
    const auto is_same = [&](const ReferredFile& file) { return file.path == path; };
    if (std::none_of(files.begin(), files.end(), is_same))
      files.push_back({path, mark_of(path).value_or(FileMark{})});
  }
  return files;
}

/// What a restart may change: everything else would make another run of it.
bool may_change(const std::string& assignment) {
  const std::string path = assignment.substr(0, assignment.find('='));
  const auto is_below = [&](const char* section) {
    return path == section || path.compare(0, std::string(section).size() + 1, std::string(section) + ".") == 0;
  };
  return path == "integrator.end" || is_below("output") || is_below("audit") || is_below("checkpoint");
}

std::string overrides_problem(const std::vector<std::string>& overrides) {
  std::string text;
  for (const std::string& one : overrides)
    if (!may_change(one))
      text += "--set " + one +
              ": error: a run that goes on keeps what it is\n"
              "  expected a change of integrator.end, output, audit or checkpoint, or a new run\n";
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
  for (std::size_t i = 0; i < was.files.size(); ++i) // one deck refers to as many files, in one order
    if (const FileMark& then = was.files[i].mark, &now = is.files.at(i).mark;
        then.bytes != now.bytes || then.digest != now.digest)
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

/// Whether `output` still asks for impacts.csv, or not; and why it cannot be added to.
std::string impacts_problem(const Restart& restart, const Loaded& m) {
  const FileMark& mark = restart.checkpoint.recorders.contacts.file;
  if (ContactLog::writes(m.built.scene, m.deck.output.contacts) != (mark.bytes > 0))
    return restart.directory +
           ": error: 'output' now asks for impacts.csv where there was none, or the other way round\n"
           "  expected -o DIR, where new files begin\n";
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
    return restart.directory + ": error: 'output' now asks for other columns or intervals than the files here have\n"
                               "  expected -o DIR, where new files begin\n";
  std::string text;
  for (const RowsMark& mark : marks)
    text += file_problem(restart.directory + "/" + mark.name, mark.all.file);
  return text;
}

} // namespace

RunIdentity identity_of(const Loaded& m, const std::vector<std::string>& overrides,
                        const std::vector<std::string>& petsc_options) {
  const State& initial = m.built.initial;
  return {EMMY_VERSION,
          fs::absolute(m.deck.file).lexically_normal().string(),
          m.deck.text,
          overrides,
          petsc_options,
          files_of(m.deck),
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
  if (const std::string problem = overrides_problem(request.overrides); !problem.empty()) {
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
    err << request.restart << ": error: the run had other options of PETSc: " << joined(was.petsc_options)
        << "\n  expected these, or none: a restart knows them\n";
    return std::nullopt;
  }
  Restart restart{std::move(*checkpoint), request.restart, goes_on_in_place(request), {}};
  if (request.directory.empty())
    request.directory = request.restart;
  restart.overrides = restart.checkpoint.identity.overrides;
  restart.overrides.insert(restart.overrides.end(), request.overrides.begin(), request.overrides.end());
  return restart;
}

std::optional<Loaded> load_again(const Restart& restart, const RunRequest& request, std::ostream& err) {
  const RunIdentity& was = restart.checkpoint.identity;
  const std::string name = request.deck.empty() ? was.deck : request.deck;
  std::optional<Loaded> m = load_text(name, was.text, restart.overrides, err);
  if (m && m->deck.integrator.automatic_step) // it was chosen for the run as it began
    m->deck.integrator.step = was.step;
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
  if (const std::string problem = model_problem(was, identity_of(m, {}, {})); !problem.empty())
    return restart.directory + ": error: this is not the run of the checkpoint: " + problem + "\n";
  if (restart.checkpoint.run.state.time > m.deck.integrator.end * (1 + rounding_of_times))
    return restart.directory +
           formatted(": error: the run has come to t = %.9g s already, beyond integrator.end = %.9g s\n",
                     restart.checkpoint.run.state.time, m.deck.integrator.end);
  return restart.in_place ? rows_problem(restart, m) + impacts_problem(restart, m) : "";
}

} // namespace emmy
