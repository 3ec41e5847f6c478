#include "io/audit.hpp"

#include "io/report.hpp"
#include "io/time_stepping.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <optional>

namespace emmy {

namespace {
/// Without a limit in the deck: a run that conserves no better than this, where the integrator conserves by
/// construction, is not to be trusted. Steps so small that the rounding of positions, divided by the step, shows in the
/// velocities are the usual reason.
constexpr double conserving_limit = 1e-6;
/// The same where an integrator keeps the imbalance bounded, of the order of the step squared.
constexpr double bounded_limit = 1e-2;
} // namespace

std::string early_end(const Simulation& simulation) {
  const Outcome& outcome = simulation.outcome();
  if (outcome.completed || !outcome.failure.empty())
    return outcome.failure;
  return formatted("interrupted at t = %.9g s", simulation.state().time);
}

nlohmann::ordered_json audit_json(const Simulation& simulation, const ConstraintAnalysis& analysis, bool has_strain,
                                  const DirectorMonitor& directors, double wall_seconds) {
  const Ledger& ledger = simulation.ledger();
  const Outcome& outcome = simulation.outcome();
  nlohmann::ordered_json audit;
  audit["completed"] = outcome.completed;
  audit["steps"] = outcome.steps;
  audit["divided_steps"] = outcome.divided_steps;
  audit["rejected_steps"] = outcome.rejected_steps;
  audit["rescued_steps"] = outcome.rescued_steps;
  audit["end_time"] = simulation.state().time;
  audit["energy"] = {{"initial", ledger.initial().energy()},
                     {"final", ledger.last().energy()},
                     {"work", ledger.work()},
                     {"dissipation", ledger.dissipation()},
                     {"scale", ledger.energy_scale()},
                     {"max_imbalance", ledger.max_energy_imbalance()},
                     {"max_relative_imbalance", ledger.relative_energy_imbalance()}};
  audit["linear_momentum"] = {{"scale", ledger.linear_scale()},
                              {"max_imbalance", ledger.max_linear_imbalance()},
                              {"max_relative_imbalance", ledger.relative_linear_imbalance()}};
  audit["angular_momentum"] = {{"scale", ledger.angular_scale()},
                               {"max_imbalance", ledger.max_angular_imbalance()},
                               {"max_relative_imbalance", ledger.relative_angular_imbalance()}};
  audit["constraints"] = {{"max_position_violation", ledger.max_position_violation()},
                          {"max_velocity_violation", ledger.max_velocity_violation()},
                          {"max_rigidity_violation", ledger.max_rigidity_violation()},
                          {"max_penetration", ledger.max_penetration()},
                          {"equations", analysis.equations},
                          {"redundant", analysis.redundancy()},
                          {"redundant_joints", analysis.redundant}};
  if (!directors.empty())
    audit["constraints"]["max_momentum_condition"] = directors.largest();
  if (has_strain)
    audit["strain"] = {{"max_ratio", ledger.strain_ratio()}, {"least_volume", ledger.least_volume()}};
  audit["newton"] = {{"mean_iterations", outcome.mean_iterations()}, {"max_iterations", outcome.max_iterations}};
  if (outcome.sweeps > 0)
    audit["augmented_lagrangian"] = {{"mean_sweeps", outcome.mean_sweeps()},
                                     {"max_sweeps", outcome.max_sweeps},
                                     {"max_violation", outcome.max_violation}};
  audit["wall_time"] = {{"total", wall_seconds},
                        {"per_step", outcome.steps > 0 ? wall_seconds / static_cast<double>(outcome.steps) : 0.0}};
  if (const std::string why = early_end(simulation); !why.empty())
    audit["failure"] = why;
  return audit;
}

Verdict judge(const Ledger& ledger, const deck::Deck& deck) {
  const IntegratorTraits traits = traits_of(deck);
  const deck::Audit& limits = deck.audit;
  Verdict verdict;
  const auto compare = [&](const char* what, double found, const std::optional<double>& limit, bool conserves) {
    const double allowed = limit.value_or(conserves ? conserving_limit : bounded_limit);
    if (found <= allowed)
      return;
    char text[160];
    std::snprintf(text, sizeof text, "relative imbalance of %s %.2e exceeds %s %.2e", what, found,
                  limit       ? "the audit's limit"
                  : conserves ? "what rounding explains,"
                              : "what a step of good length leaves,",
                  allowed);
    verdict.findings.emplace_back(text);
    verdict.fail = verdict.fail || (limit && limits.fail);
  };
  compare("energy", ledger.relative_energy_imbalance(), limits.max_energy_imbalance, traits.conserves_energy);
  compare("linear momentum", ledger.relative_linear_imbalance(), limits.max_momentum_imbalance,
          traits.conserves_momentum);
  compare("angular momentum", ledger.relative_angular_imbalance(), limits.max_momentum_imbalance,
          traits.conserves_momentum);
  return verdict;
}

} // namespace emmy
