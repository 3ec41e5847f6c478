#include "solvers/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace emmy {

namespace {
/// Beyond this rotation in one step [rad] the second-order accuracy of the step means nothing.
constexpr double coarse_rotation = 1.0;
/// Energy in the springs of bodies that should be rigid, relative to the largest kinetic energy, that is worth a
/// warning [T16].
constexpr double large_strain = 1e-3;
/// A change of velocities within one step is abrupt if it is this share of the step and this many times what it was on
/// average; over so many steps.
constexpr double abrupt_share = 0.3;
constexpr double abrupt_factor = 20;
constexpr long settled_steps = 20;
} // namespace

Simulation::Simulation(const Model& model, State initial, Integrator& integrator, const SimulationOptions& options)
    : model_(model), state_(std::move(initial)), integrator_(integrator), options_(options),
      planned_(std::lround(std::ceil(options.end / options.step * (1 - 1e-12)))), warned_(model.bodies().size(), false),
      has_limits_(std::any_of(model.elements().begin(), model.elements().end(),
                              [](const auto& element) { return element->is_one_sided(); })) {
  integrator.begin(state_);
  ledger_.open(model.books_at(state_));
}

Outcome Simulation::run() {
  const double start = state_.time;
  for (const Observer& observer : observers_)
    observer(*this, 0);
  for (long i = 1; i <= planned_; ++i) {
    if (stop_ && stop_())
      return outcome_;
    // Times are products, not sums, so that a million steps end where they should; the last step may be shorter.
    const double target = std::min(start + static_cast<double>(i) * options_.step, start + options_.end);
    const double h = i < planned_ ? options_.step : options_.end - static_cast<double>(i - 1) * options_.step;
    if (!advance(h, options_.max_halvings)) {
      judge_strain();
      outcome_.failure = describe_failure(i, failed_h_, why_);
      return outcome_;
    }
    state_.time = target;
    for (const Observer& observer : observers_)
      observer(*this, i);
  }
  outcome_.completed = true;
  judge_strain();
  return outcome_;
}

bool Simulation::advance(double h, int halvings) {
  StepReport report = integrator_.step(state_, h);
  has_step_ = report.converged;
  if (!report.converged) {
    ++outcome_.rejected_steps;
    why_ = std::move(report.why);
    failed_h_ = h;
    return halvings > 0 && advance(h / 2, halvings - 1) && advance(h / 2, halvings - 1);
  }
  ++outcome_.steps;
  outcome_.iterations += report.iterations;
  outcome_.max_iterations = std::max(outcome_.max_iterations, report.iterations);
  outcome_.sweeps += report.sweeps;
  outcome_.max_sweeps = std::max(outcome_.max_sweeps, report.sweeps);
  outcome_.max_violation = std::max(outcome_.max_violation, report.violation);
  ledger_.add(integrator_.books(state_));
  if (!report.warning.empty() && warn_)
    warn_(report.warning);
  watch_rotations();
  watch_branch(report.rescued);
  return true;
}

/// Where branches of motion meet, a step may leave on another one: velocities then change within one step, by as much
/// as they are large, where before they changed little.
void Simulation::watch_branch(bool rescued) {
  if (model_.multipliers() == 0 || has_limits_)
    return;
  if (rescued && outcome_.rescued_steps++ == 0 && warn_) {
    char text[120];
    std::snprintf(text, sizeof text,
                  "passed near a singular configuration at t = %.6g s; largest reaction: ", state_.time);
    warn_(text + most_loaded_joint());
  }
  const Step s = integrator_.last_step();
  const double jump = (s.z - s.h * s.n.rates).cwiseAbs().maxCoeff(), size = s.z.cwiseAbs().maxCoeff();
  const bool abrupt = outcome_.steps > settled_steps && jump > abrupt_share * size && jump > abrupt_factor * mean_jump_;
  if (abrupt && !singular_warned_ && warn_) {
    singular_warned_ = true;
    char text[160];
    std::snprintf(text, sizeof text,
                  "velocities change abruptly at t = %.6g s: the mechanism may have left a singular configuration on "
                  "another branch; largest reaction: ",
                  state_.time);
    warn_(text + most_loaded_joint());
  }
  mean_jump_ += (jump - mean_jump_) / static_cast<double>(std::min(outcome_.steps, settled_steps));
}

std::string Simulation::most_loaded_joint() const {
  const Step s = integrator_.last_step();
  const Element* most = nullptr;
  double largest = -1;
  for (const auto& element : model_.elements()) {
    if (element->multipliers() == 0)
      continue;
    const double load = s.lambda.segment(element->first_multiplier(), element->multipliers()).cwiseAbs().maxCoeff();
    if (load > largest) {
      largest = load;
      most = element.get();
    }
  }
  return "'" + most->name() + "' (" + most->kind() + ")";
}

void Simulation::judge_strain() const {
  if (ledger_.least_volume() <= 0 && warn_)
    warn_(
        "a body was turned inside out: its springs hold the mirror image as well; use a larger stiffness or a smaller "
        "step");
  if (ledger_.strain_ratio() <= large_strain || !warn_)
    return;
  char text[200];
  std::snprintf(text, sizeof text,
                "the springs of rigid bodies held up to %.1e of the largest kinetic energy: use a larger stiffness, or "
                "'rigid' by multipliers",
                ledger_.strain_ratio());
  warn_(text);
}

void Simulation::watch_rotations() {
  const Step s = integrator_.last_step();
  for (std::size_t b = 0; b < warned_.size(); ++b) {
    if (warned_[b])
      continue;
    const double angle = model_.bodies()[b]->rotation_in(s);
    if (angle <= coarse_rotation)
      continue;
    warned_[b] = true;
    char text[160];
    std::snprintf(text, sizeof text, " turns by %.2f rad in one step at t = %.6g s: use a smaller step (h = %.3g s)",
                  angle, state_.time, s.h / (2 * angle));
    if (warn_)
      warn_("body '" + model_.bodies()[b]->name() + "'" + text);
  }
}

std::string Simulation::describe_failure(long step, double h, const std::string& why) const {
  char head[96], tail[240];
  std::snprintf(head, sizeof head, "t = %.9g s, step %ld: ", state_.time, step);
  std::snprintf(tail, sizeof tail,
                "\n  halving is allowed %d times; the last attempt was h = %.3g s\n  try a smaller step "
                "(integrator.step, now %.3g "
                "s), or check the data of what is named here",
                options_.max_halvings, h, options_.step);
  return head + why + tail;
}

} // namespace emmy
