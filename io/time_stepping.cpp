#include "io/time_stepping.hpp"

#include "io/contact_builder.hpp"
#include "io/remedies.hpp"
#include "io/report.hpp"
#include "solvers/analysis/redundancy.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "solvers/integrators/conserving/composition.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/integrators/explicit/explicit.hpp"
#include "solvers/integrators/explicit/explicit_euler.hpp"
#include "solvers/integrators/pointwise/acceleration_scheme.hpp"
#include "solvers/integrators/pointwise/midpoint.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace emmy {

namespace {

VelocityConstraints velocity_constraints(const deck::Deck& deck) {
  static const std::map<std::string, VelocityConstraints> names{
      {"off", VelocityConstraints::off}, {"on", VelocityConstraints::on}, {"exact", VelocityConstraints::exact}};
  return names.at(deck.integrator.velocity_constraints);
}

} // namespace

std::vector<double> stages_of(const deck::Deck& deck) {
  return stages_of_order(deck.integrator.order, velocity_constraints(deck));
}

namespace {

NewtonOptions newton_options(const Loaded& m, double step) {
  const deck::Solver& solver = m.deck.solver;
  static const std::map<std::string, LinearSolver> names{
      {"auto", LinearSolver::automatic}, {"block", LinearSolver::block},     {"petsc", LinearSolver::petsc},
      {"klu", LinearSolver::klu},        {"umfpack", LinearSolver::umfpack}, {"mumps", LinearSolver::mumps}};
  NewtonOptions options{names.at(solver.linear), solver.max_iterations, solver.tolerance,
                        proximal_block(*m.built.model, m.built.initial, m.analysis, step)};
  const deck::AugmentedLagrangian& augmented = solver.augmented_lagrangian;
  static const std::map<std::string, AugmentedForm> forms{
      {"merged", AugmentedForm::merged}, {"nested", AugmentedForm::nested}, {"linearised", AugmentedForm::linearised}};
  options.augmented.form = forms.at(augmented.form);
  options.augmented.tolerance = augmented.tolerance;
  options.augmented.max_sweeps = augmented.max_sweeps;
  options.augmented.growth = augmented.growth;
  options.augmented.augmentation = augmented.augmentation;
  options.augmented.rho = augmented.rho;
  options.augmented.relaxation = augmented.relaxation;
  options.augmented.cold = augmented.form == "merged" && m.analysis.redundancy() > 0; // disagreement would add up
  return options;
}

ExplicitOptions explicit_options(const deck::Deck& deck) {
  const deck::Integrator& integrator = deck.integrator;
  static const std::map<std::string, ExplicitMethod> methods{
      {"kick_drift_kick", ExplicitMethod::kick_drift_kick},
      {"simo_wong_explicit", ExplicitMethod::simo_wong},
      {"predictor_corrector", ExplicitMethod::predictor_corrector},
      {"staggered", ExplicitMethod::staggered},
      {"park_chiou_downer", ExplicitMethod::park_chiou_downer}};
  static const std::map<std::string, ImpulseRule> rules{{"", ImpulseRule::midpoint},
                                                        {"midpoint", ImpulseRule::midpoint},
                                                        {"symmetric_midpoint", ImpulseRule::symmetric_midpoint},
                                                        {"trapezoidal", ImpulseRule::trapezoidal}};
  return {methods.at(integrator.type),
          integrator.kernel == "lie_midpoint" ? RotationDrift::lie_midpoint : RotationDrift::split,
          rules.at(integrator.impulse),
          integrator.exact_loads,
          integrator.restart_every.value_or(0),
          integrator.restart_at,
          deck.solver.max_iterations,
          integrator.start == "predictor_corrector"};
}

/// The longest step that is not longer than `h` and of which the times of output, or else the whole, are multiples.
double fitted(double h, const deck::Deck& deck) {
  const double whole = deck.output.every > 0 ? deck.output.every : deck.integrator.end;
  return whole / std::ceil(whole / h * (1 - 1e-12));
}

/// Disagreement of redundant joints [m], [1] that a run does not notice [S6].
constexpr double harmless_misfit = 1e-11;

std::string place_of(const deck::Location& where) {
  return formatted("%s:%d:%d", where.file.c_str(), where.line, where.column);
}

/// With four digits, and not more than it is: who types them must not be refused.
double rounded_down(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)) - 3);
  return std::floor(x / unit) * unit;
}

/// Dampers bear a step of higher order up to some length only [S17].
std::string find_longest_step(Loaded& m) {
  const deck::Integrator& integrator = m.deck.integrator;
  const DampingBound bound = damping_bound(*m.built.model, m.built.initial);
  if (bound.rate == 0)
    return {};
  m.longest = {damping_limit(stages_of(m.deck)) / bound.rate, bound.element->name(), bound.rate};
  if (integrator.step <= m.longest->step)
    return {};
  const auto force = std::find_if(m.deck.forces.begin(), m.deck.forces.end(),
                                  [&](const deck::Force& f) { return f.name == m.longest->element; });
  return place_of(force == m.deck.forces.end() ? integrator.where : force->where) +
         formatted(": error: the dampers take velocities at up to %.4g /s, most of all '%s': a step of %.4g s with "
                   "'order: %d' is too long, where a stage runs back in time they would drive what they damp\n"
                   "  expected a step of at most %.4g s, less damping, or 'order: 2'\n",
                   bound.rate, m.longest->element.c_str(), integrator.step, integrator.order,
                   rounded_down(m.longest->step));
}

} // namespace

IntegratorTraits traits_of(const deck::Deck& deck) {
  const std::string& type = deck.integrator.type;
  const bool has_chains = std::any_of(deck.bodies.begin(), deck.bodies.end(),
                                      [](const deck::Body& body) { return body.formulation == "planar_chain"; });
  const bool is_conserving = deck::family_of(type) == deck::IntegratorFamily::energy_momentum;
  IntegratorTraits traits;
  traits.is_explicit = deck::family_of(type) == deck::IntegratorFamily::rigid;
  traits.conserves_energy = is_conserving && !has_chains; // which are midpoint rules in their angles [A24]
  // The others take forces at poses between which momenta were not carried along.
  traits.conserves_momentum = is_conserving || type == "kick_drift_kick" || type == "midpoint";
  traits.projects_velocities =
      type == "kick_drift_kick" || type == "predictor_corrector" || deck.integrator.velocity_constraints != "off";
  if (type == "energy_momentum")
    traits.order = deck.integrator.order;
  return traits;
}

namespace {

std::unique_ptr<Integrator> bare_integrator(const Loaded& m, double step) {
  const deck::Integrator& integrator = m.deck.integrator;
  const Model& model = *m.built.model;
  if (!m.built.scene.surfaces.empty())
    return std::make_unique<FreeBodies>(model, m.built.scene, contact_options(m.deck));
  if (traits_of(m.deck).is_explicit)
    return make_explicit(model, explicit_options(m.deck));
  const NewtonOptions options = newton_options(m, step);
  const AfterImpact after = integrator.after_impact == "keep" ? AfterImpact::keep : AfterImpact::reset;
  if (integrator.type == "linear_acceleration")
    return std::make_unique<AccelerationScheme>(model, AccelerationRule::linear_acceleration(), after, options);
  if (integrator.type == "high_order")
    return std::make_unique<AccelerationScheme>(model, AccelerationRule::high_order(), after, options);
  if (integrator.type == "midpoint")
    return std::make_unique<Midpoint>(model, options);
  if (integrator.type == "explicit_euler")
    return std::make_unique<ExplicitEuler>(model, options);
  if (integrator.order > 2)
    return std::make_unique<Composition>(model, stages_of(m.deck), options, velocity_constraints(m.deck));
  static const std::map<std::string, VelocityConstraints> velocities{
      {"off", VelocityConstraints::off}, {"on", VelocityConstraints::on}, {"exact", VelocityConstraints::exact}};
  return std::make_unique<EnergyMomentum>(model, options, velocity_constraints(m.deck));
}

} // namespace

std::unique_ptr<Integrator> make_integrator(const Loaded& m, double step) {
  return advised(bare_integrator(m, step));
}

std::string prepare_time_stepping(Loaded& m) {
  deck::Integrator& integrator = m.deck.integrator;
  if (m.deck.analysis.type != "transient")
    return {};
  if (integrator.type == "energy_momentum" && integrator.order > 2)
    return find_longest_step(m);
  if (!traits_of(m.deck).is_explicit)
    return {};
  for (const deck::Body& body : m.deck.bodies)
    if (body.formulation == "spring_tetra")
      return place_of(body.where) +
             formatted(
                 ": error: body '%s' is a 'spring_tetra', which '%s' cannot move: its points share masses, and its "
                 "springs leave next to no step\n"
                 "  expected 'formulation: frame', 'director' or 'point', or 'integrator: {type: "
                 "energy_momentum}'\n",
                 body.name.c_str(), integrator.type.c_str());
  for (const deck::Chain& chain : m.deck.chains)
    return place_of(chain.where) +
           formatted(": error: the links of chain '%s' have angles for unknowns, which '%s' cannot move: it moves free "
                     "bodies\n"
                     "  expected bodies with joints, or 'integrator: {type: energy_momentum}'\n",
                     chain.name.c_str(), integrator.type.c_str());
  m.critical = critical_step(*m.built.model, m.built.initial, integrator.type == "park_chiou_downer");
  if (!integrator.automatic_step)
    return {};
  const double critical = m.critical->smallest();
  if (std::isinf(critical))
    return place_of(integrator.where) + ": error: 'step' of 'integrator' is 'auto', but nothing in the model limits "
                                        "the step: no spring, no damper, no "
                                        "body that turns at the start\n"
                                        "  expected a number > 0 in s, as small as the motion asks for\n";
  integrator.step = fitted(std::min(integrator.safety * critical, integrator.end), m.deck);
  constexpr double most_steps = 1e12; // as for a step that is given
  if (!(integrator.end / integrator.step <= most_steps))
    return place_of(integrator.where) +
           formatted(": error: the critical step is %.3g s, set by '%s' on body '%s': %.3g steps to %g s\n"
                     "  expected at most 1e12 steps; check the stiffness, damping and mass of what is named here\n",
                     critical, m.critical->element.c_str(), m.critical->body.c_str(), integrator.end / integrator.step,
                     integrator.end);
  return {};
}

std::string critical_step_report(const Loaded& m) {
  if (m.longest)
    return formatted(
        "  longest step             %.4g s, set by '%s': dampers take velocities at up to %.4g /s at the start\n",
        rounded_down(m.longest->step), m.longest->element.c_str(), m.longest->rate);
  if (!m.critical)
    return {};
  const CriticalStep& c = *m.critical;
  std::string text;
  if (std::isinf(c.elastic))
    text = "  critical step            none: no spring or damper limits it\n";
  else
    text = formatted("  critical step            %.4g s, set by '%s' on body '%s' (%.4g rad/s%s)\n", c.elastic,
                     c.element.c_str(), c.body.c_str(), c.frequency,
                     c.damping > 0 ? formatted(", damping %.4g /s", c.damping).c_str() : "");
  if (!std::isinf(c.gyroscopic))
    text += formatted("  gyroscopic limit         %.4g s, set by the spin of body '%s', for as long as it stays\n",
                      c.gyroscopic, c.nutating.c_str());
  if (!std::isinf(c.turning))
    text += formatted("  accurate up to           %.4g s: body '%s' then turns by half a radian in a step\n", c.turning,
                      c.spinning.c_str());
  text += formatted("  step                     %.4g s%s\n", m.deck.integrator.step,
                    m.deck.integrator.automatic_step ? ", chosen by emmy" : "");
  return text;
}

std::string critical_step_warning(const Loaded& m) {
  if (!m.critical || m.deck.integrator.step <= m.critical->stability())
    return {};
  const CriticalStep& c = *m.critical;
  if (c.elastic <= c.gyroscopic)
    return formatted("the step of %.4g s is longer than the critical one, %.4g s, which '%s' sets on body '%s'",
                     m.deck.integrator.step, c.elastic, c.element.c_str(), c.body.c_str());
  return formatted("the step of %.4g s is longer than the gyroscopic limit, %.4g s, which the spin of '%s' sets",
                   m.deck.integrator.step, c.gyroscopic, c.nutating.c_str());
}

std::string misfit_warning(const Loaded& m) {
  const ConstraintAnalysis& a = m.analysis;
  if (m.deck.analysis.type != "transient" || a.redundancy() == 0 || a.position_violation <= harmless_misfit)
    return {};
  return formatted("joints with redundant equations are open by %.1e at the start, most in '%s' (%s): where they "
                   "cannot all close they work against one another, and singular configurations may stop the run; give "
                   "both sides of a joint one point and one axis%s",
                   a.position_violation, a.worst_position.c_str(), a.worst_position_row.c_str(),
                   m.assembly ? "" : ", or let 'initial: {assemble: true}' close them");
}

std::string singular_start_warning(const Loaded& m, const State& later) {
  const Index gained = analyse_constraints(*m.built.model, later).rank - m.analysis.rank;
  if (gained <= 0)
    return {};
  return formatted("the run starts in a singular configuration, where %td more of the equations of joints %s on "
                   "others than later: the mechanism could go on in several ways and took one of them; start it beside "
                   "that configuration to choose",
                   gained, gained == 1 ? "depends" : "depend");
}

} // namespace emmy
