#include "io/checkpoint/fit.hpp"

#include "io/report.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace emmy {

namespace {

/// The first thing that does not fit.
class Findings {
public:
  void require(bool is_good, const std::string& problem) {
    if (!is_good && first_.empty())
      first_ = problem;
  }
  void require_size(Index size, Index expected, const std::string& what) {
    require(size == expected, formatted("%s has %ld numbers, and the model has %ld", what.c_str(),
                                        static_cast<long>(size), static_cast<long>(expected)));
  }
  /// Number of something that there is; -1 is nothing, where that may be.
  void require_index(long index, std::size_t count, const std::string& what, bool may_be_none = true) {
    require(index >= (may_be_none ? -1 : 0) && index < static_cast<long>(count),
            formatted("%s has the number %ld, and the model has %zu", what.c_str(), index, count));
  }
  void require_time(double time, const std::string& what) {
    require(std::isfinite(time), what + formatted(" is at %g s", time));
  }
  const std::string& first() const { return first_; }

private:
  std::string first_;
};

void check_sizes(const State& state, const State& model, const std::string& what, Findings& findings) {
  findings.require_time(state.time, what);
  findings.require_size(state.values.size(), model.values.size(), what);
  findings.require_size(state.remainders.size(), model.remainders.size(), "what rounding took from " + what);
  findings.require_size(state.rates.size(), model.rates.size(), "the velocity of " + what);
  findings.require_size(state.multipliers.size(), model.multipliers.size(), "the reaction of " + what);
  findings.require_size(state.history.size(), model.history.size(), "the history of " + what);
  findings.require(state.values.allFinite() && state.rates.allFinite() && state.memory.numbers.allFinite(),
                   what + " has numbers that are not finite");
}

void check_state(const RunState& run, const Loaded& m, Findings& findings) {
  check_sizes(run.start, m.built.initial, "the start", findings);
  check_sizes(run.state, m.built.initial, "the state", findings);
  for (const State* state : {&run.start, &run.state})
    for (const ContactRecord& contact : state->contacts)
      for (const std::int32_t surface : {contact.key.slave, contact.key.master})
        findings.require_index(surface, m.built.scene.surfaces.size(), "a surface in contact", false);
}

void check_progress(const RunState& run, double step, Findings& findings) {
  const Outcome& outcome = run.outcome;
  for (const long count : {outcome.steps, outcome.whole_steps, outcome.divided_steps, outcome.rejected_steps,
                           outcome.rescued_steps, outcome.iterations, outcome.sweeps})
    findings.require(count >= 0, formatted("a count of steps is %ld", count));
  // The last step may be a part of one.
  const double steps = (run.state.time - run.start.time) / step;
  findings.require(std::abs(steps - static_cast<double>(outcome.whole_steps)) <= 1 + rounding_of_times * steps,
                   formatted("it is at step %ld and t = %.9g s", outcome.whole_steps, run.state.time));
}

void check_watches(const RunState& run, const Model& model, Findings& findings) {
  const BranchWatch::Seen expected = BranchWatch(model).begin();
  findings.require_size(static_cast<Index>(run.branches.parts.size()), static_cast<Index>(expected.parts.size()),
                        "what is known of branches");
  findings.require_size(static_cast<Index>(run.branches.targets.size()), static_cast<Index>(expected.targets.size()),
                        "what is known of drives");
  for (const auto& push : run.branches.pushes)
    if (push.v.size() > 0)
      findings.require_size(push.v.size(), model.unknowns(), "the last push");
  findings.require_index(run.turns.largest.body, model.bodies().size(), "the body that turned most");
  findings.require_time(run.turns.largest.time, "its turn");
}

void check_recorders(const RecorderState& recorders, const contact::Scene& scene, Findings& findings) {
  const auto rules = static_cast<Index>(scene.rules.size());
  const ContactLog::Seen& contacts = recorders.contacts;
  findings.require_size(static_cast<Index>(contacts.totals.size()), rules, "what is known of contact");
  findings.require_size(static_cast<Index>(recorders.tunnels_told.size()), rules, "what was told of contact");
  for (const int surface : {contacts.worst.first, contacts.worst.second})
    findings.require_index(surface, scene.surfaces.size(), "the surface that was deepest", contacts.worst.depth <= 0);
  for (const double time : {contacts.piece_start, contacts.step_length, contacts.worst_time, contacts.residual_time})
    findings.require_time(time, "what is known of contact");
  findings.require(contacts.lines >= 0, formatted("impacts.csv has %ld lines", contacts.lines));
  for (const RowsMark& file : recorders.history)
    for (const RowsEnd* end : {&file.all, &file.due}) {
      findings.require(end->rows >= 0, file.name + formatted(" has %ld rows", end->rows));
      findings.require_time(end->last_time, "the last row of " + file.name);
    }
  findings.require(std::isfinite(recorders.wall) && recorders.wall >= 0, formatted("it took %g s", recorders.wall));
}

} // namespace

std::string state_problem(const Checkpoint& checkpoint, const Loaded& m) {
  Findings findings;
  check_state(checkpoint.run, m, findings);
  check_progress(checkpoint.run, checkpoint.identity.step, findings);
  check_watches(checkpoint.run, *m.built.model, findings);
  check_recorders(checkpoint.recorders, m.built.scene, findings);
  return findings.first();
}

} // namespace emmy
