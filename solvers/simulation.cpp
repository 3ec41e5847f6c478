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
/// step; it is repeated in two parts, so often at most, the first of this share: not the half, which would end at the
/// configuration that the whole had in its middle.
constexpr double spike = 1e3;
constexpr double spoilt_energy = 1e-13;
constexpr int most_repeats = 2;
constexpr double first_part = 0.4;
/// Passages of singular configurations, and changes of branch in a part of the model, that are told one by one; joints
/// that are named at each.
constexpr long told_passages = 10;
constexpr std::size_t named_joints = 12;
constexpr const char* not_told = "; further ones are not told";
} // namespace

Simulation::Simulation(const Model& model, State initial, Integrator& integrator, const SimulationOptions& options)
    : model_(model), state_(std::move(initial)), initial_(state_), integrator_(integrator), options_(options),
      planned_(std::lround(std::ceil(options.end / options.step * (1 - 1e-12)))), course_{{}, {}, BranchWatch(model)},
      is_watched_(model.multipliers() > 0 &&
                  std::none_of(model.elements().begin(), model.elements().end(),
                               [](const auto& element) { return element->is_one_sided(); })) {
  integrator.begin(state_);
  course_.ledger.open(model.books_at(state_));
}

Outcome Simulation::run() {
  const double start = state_.time;
  for (const Observer& observer : observers_)
    observer(*this, 0);
  for (long i = 1; i <= planned_; ++i) {
    if (stop_ && stop_())
      return course_.outcome;
    // Times are products, not sums, so that a million steps end where they should; the last step may be shorter.
    const double target = std::min(start + static_cast<double>(i) * options_.step, start + options_.end);
    const double h = i < planned_ ? options_.step : options_.end - static_cast<double>(i - 1) * options_.step;
    const long done = course_.outcome.steps;
    if (!advance(h, options_.max_halvings)) {
      judge_strain();
      course_.outcome.failure = describe_failure(i, failed_h_, why_);
      return course_.outcome;
    }
    state_.time = target;
    ++course_.outcome.whole_steps;
    course_.outcome.divided_steps += course_.outcome.steps > done + 1 ? 1 : 0;
    for (const Observer& observer : observers_)
      observer(*this, i);
  }
  course_.outcome.completed = true;
  judge_strain();
  return course_.outcome;
}

bool Simulation::advance(double h, int halvings) {
  if (is_watched_)
    before_ = state_; // same sizes: copies without allocating
  StepReport report = integrator_.step(state_, h);
  has_step_ = report.converged;
  if (!report.converged) {
    why_ = std::move(report.why);
    failed_h_ = h;
    return advance_in_parts(h, h / 2, report.is_final ? 0 : halvings);
  }
  if (halvings > options_.max_halvings - most_repeats && halvings > 0 && is_watched_ &&
      is_spoilt(integrator_.last_step()))
    return repeat_in_parts(h, halvings);
  accept(report);
  return true;
}

void Simulation::accept(const StepReport& report) {
  ++course_.outcome.steps;
  course_.outcome.iterations += report.iterations;
  course_.outcome.max_iterations = std::max(course_.outcome.max_iterations, report.iterations);
  course_.outcome.sweeps += report.sweeps;
  course_.outcome.max_sweeps = std::max(course_.outcome.max_sweeps, report.sweeps);
  course_.outcome.max_violation = std::max(course_.outcome.max_violation, report.violation);
  course_.ledger.add(integrator_.books(state_));
  if (!report.warning.empty() && warn_)
    warn_(report.warning);
  if (is_watched_)
    watch_branch(report.rescued);
  if (part_observer_)
    part_observer_(*this);
}

bool Simulation::advance_in_parts(double h, double first, int halvings) {
  ++course_.outcome.rejected_steps;
  return halvings > 0 && advance(first, halvings - 1) && advance(h - first, halvings - 1);
}

/// Takes a step that is spoilt once more, in parts. If one of these fails, the whole, which had been solved, is still
/// better than none.
bool Simulation::repeat_in_parts(double h, int halvings) {
  const State start = before_; // parts have starts of their own
  const Course course = course_;
  state_ = start;
  if (advance_in_parts(h, first_part * h, halvings))
    return true;
  const long rejected = course_.outcome.rejected_steps;
  course_ = course;
  course_.outcome.rejected_steps = rejected;
  state_ = start;
  const StepReport report = integrator_.step(state_, h); // the same as before, since it starts from the same state
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
  if (course_.outcome.steps <= settled_steps)
    return false;
  const double rounded = std::numeric_limits<double>::epsilon() * s.lambda.lpNorm<1>() * s.z.cwiseAbs().maxCoeff();
  return s.lambda.cwiseAbs().maxCoeff() > spike * course_.mean_load &&
         rounded > spoilt_energy * course_.ledger.energy_scale();
}

void Simulation::watch_branch(bool rescued) {
  if (rescued)
    note_passage();
  const Step s = integrator_.last_step();
  take_into_mean(s.lambda.cwiseAbs().maxCoeff(), course_.outcome.steps, course_.mean_load);
  for (const BranchWatch::Event& event : course_.branches.look(s)) {
    if (event.earlier >= told_passages || !warn_)
      continue;
    char text[160];
    std::snprintf(text, sizeof text,
                  "velocities change abruptly at t = %.6g s: the mechanism may have left a singular configuration on "
                  "another branch; largest reaction: ",
                  state_.time);
    warn_(text + most_loaded_joint(event.part) + (event.earlier + 1 == told_passages ? not_told : ""));
  }
}

/// Steps that had to be rescued close to one another are one passage.
void Simulation::note_passage() {
  const bool is_new = course_.outcome.rescued_steps == 0 || course_.outcome.steps > course_.last_rescued + usual_steps;
  ++course_.outcome.rescued_steps;
  course_.last_rescued = course_.outcome.steps;
  if (is_new)
    tell_passage("passed near a singular configuration");
}

void Simulation::tell_passage(const std::string& what) {
  if (++passages_ > told_passages || !warn_)
    return;
  char text[80];
  std::snprintf(text, sizeof text, " at t = %.6g s; largest reaction: ", state_.time);
  warn_(what + text + most_loaded_joint() + (passages_ == told_passages ? not_told : ""));
}

std::string Simulation::most_loaded_joint(std::optional<std::size_t> part) const {
  const Element* most = nullptr;
  double largest = -1;
  for (const auto& element : model_.elements()) {
    if (element->multipliers() == 0 || (part && !course_.branches.is_in(*part, *element)))
      continue;
    const double load =
        state_.multipliers.segment(element->first_multiplier(), element->multipliers()).cwiseAbs().maxCoeff();
    if (load > largest) {
      largest = load;
      most = element.get();
    }
  }
  return "'" + most->name() + "' (" + most->kind() + ")";
}

/// A line about the singular configuration that state_ is close to; empty if there is none.
std::string Simulation::singular_configuration() const {
  if (model_.multipliers() == 0)
    return {};
  const SingularConfiguration found = find_singular(model_, initial_, state_);
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
  if (course_.ledger.least_volume() <= 0 && warn_)
    warn_(
        "a body was turned inside out: its springs hold the mirror image as well; use a larger stiffness or a smaller "
        "step");
  if (course_.ledger.strain_ratio() <= large_strain || !warn_)
    return;
  char text[200];
  std::snprintf(text, sizeof text,
                "the springs of rigid bodies held up to %.1e of the largest kinetic energy: use a larger stiffness, or "
                "'rigid' by multipliers",
                course_.ledger.strain_ratio());
  warn_(text);
}

std::string Simulation::describe_failure(long step, double h, const std::string& why) const {
  char head[96], tail[240];
  std::snprintf(head, sizeof head, "t = %.9g s, step %ld: ", state_.time, step);
  std::snprintf(tail, sizeof tail,
                "\n  halving is allowed %s; the last attempt was h = %.3g s\n  try a smaller step "
                "(integrator.step, now %.3g "
                "s), or check the data of what is named here",
                counted(options_.max_halvings, "time", "times").c_str(), h, options_.step);
  return head + why + singular_configuration() + tail;
}

} // namespace emmy
