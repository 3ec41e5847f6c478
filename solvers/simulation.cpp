#include "solvers/simulation.hpp"

#include "core/counted.hpp"
#include "solvers/analysis/constraint_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace emmy {

namespace {
/// Energy in the springs of bodies that should be rigid, relative to the largest kinetic energy, that is worth a
/// warning [T16].
constexpr double large_strain = 1e-3;
/// A reaction this many times what was usual, of which rounding does work of this share of the model's energy, spoils a
/// step; it is repeated in two pieces, so often at most, the first of this share: not the half, which would end at the
/// configuration that the whole had in its middle.
constexpr double spike = 1e3;
constexpr double spoilt_energy = 1e-13;
constexpr int most_repeats = 2;
constexpr double first_piece = 0.4;
/// Passages of singular configurations, and changes of branch in a part of the model, that are told one by one; joints
/// that are named at each.
constexpr long told_passages = 10;
constexpr std::size_t named_joints = 12;
constexpr const char* not_told = "; further ones are not told";

/// Steps of a run that ends at `end`, the last of which may be shorter.
long steps_of(const SimulationOptions& options) {
  return std::lround(std::ceil(options.end / options.step * (1 - rounding_of_times)));
}

bool has_branches(const Model& model) {
  return model.multipliers() > 0 && std::none_of(model.elements().begin(), model.elements().end(),
                                                 [](const auto& element) { return element->is_one_sided(); });
}

RunState beginning(const Model& model, State initial, Integrator& integrator) {
  RunState run;
  run.start = initial;
  run.state = std::move(initial);
  integrator.begin(run.state);
  run.ledger.open(model.books_at(run.state));
  run.branches = BranchWatch(model).begin();
  return run;
}

} // namespace

Simulation::Simulation(const Model& model, State initial, Integrator& integrator, const SimulationOptions& options)
    : Simulation(model, beginning(model, std::move(initial), integrator), integrator, options) {}

Simulation::Simulation(const Model& model, RunState run, Integrator& integrator, const SimulationOptions& options)
    : model_(model), run_(std::move(run)), integrator_(integrator), options_(options), planned_(steps_of(options)),
      is_watched_(has_branches(model)), branches_(model) {
  run_.outcome.completed = false;
  run_.outcome.failure.clear();
  // A run may have ended with a step that was shorter; with another end the rest of that step comes first.
  const double whole = run_.start.time + static_cast<double>(run_.outcome.whole_steps) * options_.step;
  if (run_.outcome.whole_steps != planned_ && run_.state.time < whole * (1 - rounding_of_times))
    --run_.outcome.whole_steps;
}

void Simulation::watch_turns(const TurnLaw& law) {
  turns_.emplace(model_, law);
  if (!run_.has_begun)
    run_.turns = turns_->begin(run_.start, options_.step);
}

bool Simulation::ends_with_whole_step() const {
  return options_.end >= static_cast<double>(planned_) * options_.step * (1 - rounding_of_times);
}

Outcome Simulation::run() {
  Outcome& outcome = run_.outcome;
  if (!run_.has_begun)
    for (const Observer& observer : observers_)
      observer(*this, 0);
  run_.has_begun = true;
  while (outcome.whole_steps < planned_) {
    if (stop_ && stop_())
      return outcome;
    // Times are products, not sums, so that a million steps end where they should; the last step may be shorter.
    const long i = outcome.whole_steps + 1;
    const bool is_whole = i < planned_ || ends_with_whole_step();
    const double target = run_.start.time + (is_whole ? static_cast<double>(i) * options_.step : options_.end);
    const double reached = run_.start.time + static_cast<double>(i - 1) * options_.step;
    const double h = run_.state.time != reached ? target - run_.state.time // a piece of the step has been taken before
                     : is_whole                 ? options_.step
                                                : options_.end - static_cast<double>(i - 1) * options_.step;
    const long done = outcome.steps;
    if (!advance(h, options_.max_halvings)) {
      judge_strain();
      outcome.failure = describe_failure(i, failed_h_, why_);
      return outcome;
    }
    run_.state.time = target;
    ++outcome.whole_steps;
    outcome.divided_steps += outcome.steps > done + 1 ? 1 : 0;
    if (turns_)
      turns_->look(integrator_.last_step(), run_.state.time, run_.turns);
    for (const Observer& observer : observers_)
      observer(*this, i);
  }
  outcome.completed = true;
  judge_strain();
  return outcome;
}

bool Simulation::advance(double h, int halvings) {
  if (is_watched_)
    before_ = run_.state; // same sizes: copies without allocating
  StepReport report = integrator_.step(run_.state, h);
  has_step_ = report.converged;
  if (!report.converged) {
    why_ = std::move(report.why);
    failed_h_ = h;
    return advance_divided(h, h / 2, report.is_final ? 0 : halvings);
  }
  if (halvings > options_.max_halvings - most_repeats && halvings > 0 && is_watched_ &&
      is_spoilt(integrator_.last_step()))
    return repeat_divided(h, halvings);
  accept(report);
  return true;
}

void Simulation::accept(const StepReport& report) {
  ++run_.outcome.steps;
  run_.outcome.iterations += report.iterations;
  run_.outcome.max_iterations = std::max(run_.outcome.max_iterations, report.iterations);
  run_.outcome.sweeps += report.sweeps;
  run_.outcome.max_sweeps = std::max(run_.outcome.max_sweeps, report.sweeps);
  run_.outcome.max_violation = std::max(run_.outcome.max_violation, report.violation);
  run_.ledger.add(integrator_.books(run_.state));
  tell(report);
  if (is_watched_)
    watch_branch(report.rescued);
  if (piece_observer_)
    piece_observer_(*this);
}

/// What comes again and again is told once a run.
void Simulation::tell(const StepReport& report) {
  if (report.warning.empty())
    return;
  if (!report.topic.empty()) {
    if (std::find(run_.told.begin(), run_.told.end(), report.topic) != run_.told.end())
      return;
    run_.told.push_back(report.topic);
  }
  if (warn_)
    warn_(report.warning);
}

bool Simulation::advance_divided(double h, double first, int halvings) {
  ++run_.outcome.rejected_steps;
  return halvings > 0 && advance(first, halvings - 1) && advance(h - first, halvings - 1);
}

/// Takes a step that is spoilt once more, in pieces. If one of these fails, the whole, which had been solved, is still
/// better than none.
bool Simulation::repeat_divided(double h, int halvings) {
  RunState start = run_;
  start.state = before_; // pieces have starts of their own
  run_.state = start.state;
  if (advance_divided(h, first_piece * h, halvings))
    return true;
  start.outcome.rejected_steps = run_.outcome.rejected_steps;
  start.passages.told = run_.passages.told;
  start.told = run_.told;
  run_ = std::move(start);
  const StepReport report = integrator_.step(run_.state, h); // the same as before, since it starts from the same state
  has_step_ = report.converged;
  if (!report.converged)
    return false;
  tell_passage("kept a step that a singular configuration has spoilt, since parts of it failed; rounding of its "
               "reactions may show in the energy");
  accept(report);
  return true;
}

/// Where the middle of a step hits a singular configuration, reactions have no lever and grow without bound. The
/// equations may then be solved as well as rounding allows, but rounding of such reactions does work, which adds up to
/// what the ledger shows: eps |lambda| |z|, summed over all of them [S12].
bool Simulation::is_spoilt(const Step& s) const {
  if (run_.outcome.steps <= settled_steps)
    return false;
  const double rounded = std::numeric_limits<double>::epsilon() * s.lambda.lpNorm<1>() * s.z.cwiseAbs().maxCoeff();
  return s.lambda.cwiseAbs().maxCoeff() > spike * run_.passages.mean_load &&
         rounded > spoilt_energy * run_.ledger.energy_scale();
}

void Simulation::watch_branch(bool rescued) {
  if (rescued)
    note_passage();
  const Step s = integrator_.last_step();
  take_into_mean(s.lambda.cwiseAbs().maxCoeff(), run_.outcome.steps, run_.passages.mean_load);
  for (const BranchWatch::Event& event : branches_.look(s, run_.branches)) {
    if (event.earlier >= told_passages || !warn_)
      continue;
    char text[160];
    std::snprintf(text, sizeof text,
                  "velocities change abruptly at t = %.6g s: the mechanism may have left a singular configuration on "
                  "another branch; largest reaction: ",
                  run_.state.time);
    warn_(text + most_loaded_joint(event.part) + (event.earlier + 1 == told_passages ? not_told : ""));
  }
}

/// Steps that had to be rescued close to one another are one passage.
void Simulation::note_passage() {
  const bool is_new = run_.outcome.rescued_steps == 0 || run_.outcome.steps > run_.passages.last_rescued + usual_steps;
  ++run_.outcome.rescued_steps;
  run_.passages.last_rescued = run_.outcome.steps;
  if (is_new)
    tell_passage("passed near a singular configuration");
}

void Simulation::tell_passage(const std::string& what) {
  if (++run_.passages.told > told_passages || !warn_)
    return;
  char text[80];
  std::snprintf(text, sizeof text, " at t = %.6g s; largest reaction: ", run_.state.time);
  warn_(what + text + most_loaded_joint() + (run_.passages.told == told_passages ? not_told : ""));
}

std::string Simulation::most_loaded_joint(std::optional<std::size_t> part) const {
  const Element* most = nullptr;
  double largest = -1;
  for (const auto& element : model_.elements()) {
    if (element->multipliers() == 0 || (part && !branches_.is_in(*part, *element)))
      continue;
    const double load =
        run_.state.multipliers.segment(element->first_multiplier(), element->multipliers()).cwiseAbs().maxCoeff();
    if (load > largest) {
      largest = load;
      most = element.get();
    }
  }
  return "'" + most->name() + "' (" + most->kind() + ")";
}

/// A line about the singular configuration that run_.state is close to; empty if there is none.
std::string Simulation::singular_configuration() const {
  if (model_.multipliers() == 0)
    return {};
  const SingularConfiguration found = find_singular(model_, run_.start, run_.state);
  if (found.lost == 0)
    return {};
  std::string text = "\n  close to a singular configuration, where " + std::to_string(found.lost) +
                     " more of the equations of joints " + (found.lost == 1 ? "depends" : "depend") + " on others: ";
  for (std::size_t i = 0; i < std::min(found.joints.size(), named_joints); ++i)
    text += (i > 0 ? ", '" : "'") + found.joints[i] + "'";
  if (found.joints.size() > named_joints)
    text += " and " + std::to_string(found.joints.size() - named_joints) + " more";
  return text + "; largest reaction: " + most_loaded_joint() +
         "\n  the mechanism ends here, or goes on in several ways: check its lengths and drives";
}

void Simulation::judge_strain() const {
  if (run_.ledger.least_volume() <= 0 && warn_)
    warn_(
        "a body was turned inside out: its springs hold the mirror image as well; use a larger stiffness or a smaller "
        "step");
  if (run_.ledger.strain_ratio() <= large_strain || !warn_)
    return;
  char text[200];
  std::snprintf(text, sizeof text,
                "the springs of rigid bodies held up to %.1e of the largest kinetic energy: use a larger stiffness, or "
                "rigid springs",
                run_.ledger.strain_ratio());
  warn_(text);
}

std::string Simulation::describe_failure(long step, double h, const std::string& why) const {
  char head[96], tail[240];
  std::snprintf(head, sizeof head, "t = %.9g s, step %ld: ", run_.state.time, step);
  std::snprintf(tail, sizeof tail,
                "\n  halving is allowed %s; the last attempt was h = %.3g s\n  try a smaller step (%s, now %.3g s), or "
                "check the data of what is named here",
                counted(options_.max_halvings, "time", "times").c_str(), h, options_.step_name, options_.step);
  return head + why + singular_configuration() + tail;
}

} // namespace emmy
