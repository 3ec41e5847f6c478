#include "io/audit.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace emmy {

nlohmann::ordered_json audit_json(const Simulation& simulation, double wall_seconds) {
  const Ledger& ledger = simulation.ledger();
  const Outcome& outcome = simulation.outcome();
  nlohmann::ordered_json audit;
  audit["completed"] = outcome.completed;
  audit["steps"] = outcome.steps;
  audit["rejected_steps"] = outcome.rejected_steps;
  audit["end_time"] = simulation.state().time;
  audit["energy"] = {{"initial", ledger.initial().energy()},
                     {"final", ledger.last().energy()},
                     {"work", ledger.work()},
                     {"dissipation", ledger.dissipation()},
                     {"scale", ledger.energy_scale()},
                     {"max_imbalance", ledger.max_energy_imbalance()},
                     {"max_relative_imbalance", relative(ledger.max_energy_imbalance(), ledger.energy_scale())}};
  audit["linear_momentum"] = {
      {"scale", ledger.linear_scale()},
      {"max_imbalance", ledger.max_linear_imbalance()},
      {"max_relative_imbalance", relative(ledger.max_linear_imbalance(), ledger.linear_scale())}};
  audit["angular_momentum"] = {
      {"scale", ledger.angular_scale()},
      {"max_imbalance", ledger.max_angular_imbalance()},
      {"max_relative_imbalance", relative(ledger.max_angular_imbalance(), ledger.angular_scale())}};
  audit["constraints"] = {{"max_position_violation", ledger.max_position_violation()},
                          {"max_velocity_violation", ledger.max_velocity_violation()}};
  audit["newton"] = {{"mean_iterations", outcome.mean_iterations()}, {"max_iterations", outcome.max_iterations}};
  audit["wall_time"] = {{"total", wall_seconds},
                        {"per_step", outcome.steps > 0 ? wall_seconds / static_cast<double>(outcome.steps) : 0.0}};
  if (!outcome.failure.empty())
    audit["failure"] = outcome.failure;
  return audit;
}

std::vector<std::string> exceeded_limits(const Ledger& ledger, const deck::Audit& limits) {
  std::vector<std::string> exceeded;
  const auto compare = [&](const char* what, double imbalance, double scale, const std::optional<double>& limit) {
    const double found = relative(imbalance, scale);
    if (!limit || found <= *limit)
      return;
    char text[128];
    std::snprintf(text, sizeof text, "relative imbalance of %s %.2e exceeds the audit's limit %.2e", what, found,
                  *limit);
    exceeded.emplace_back(text);
  };
  compare("energy", ledger.max_energy_imbalance(), ledger.energy_scale(), limits.max_energy_imbalance);
  compare("linear momentum", ledger.max_linear_imbalance(), ledger.linear_scale(), limits.max_momentum_imbalance);
  compare("angular momentum", ledger.max_angular_imbalance(), ledger.angular_scale(), limits.max_momentum_imbalance);
  return exceeded;
}

} // namespace emmy
