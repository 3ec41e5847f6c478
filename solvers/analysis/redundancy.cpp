#include "solvers/analysis/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

namespace emmy {

namespace {

constexpr double least_epsilon = 1e-12;
constexpr double largest_epsilon = 1e-6;
/// Energy error, relative to that of the model, that rows which disagree may cause in a run [S6].
constexpr double energy_tolerance = 1e-9;

/// True if every unknown moves a body rigidly, as those of frames do. Otherwise rows that repeat each other may differ
/// by what would deform a body, and a proximal block, which wants them to agree in all directions, does not fit.
bool all_unknowns_are_rigid(const Model& model, const State& state) {
  return std::all_of(model.bodies().begin(), model.bodies().end(),
                     [&](const Body* body) { return body->multipliers() == 0 && body->rigidity(state).e.size() == 0; });
}

bool has_unknown_multipliers(const Model& model, const Element& element) {
  return element.multipliers() > 0 && model.enforcement(element).method == EnforcementMethod::lagrange;
}

} // namespace

Proximal proximal_block(const Model& model, const State& state, const ConstraintAnalysis& analysis, double h) {
  Proximal block;
  if (std::none_of(model.elements().begin(), model.elements().end(),
                   [&](const auto& element) { return has_unknown_multipliers(model, *element); }))
    return block;
  block.scales = proximal_scales(model, state);
  if (!all_unknowns_are_rigid(model, state)) {
    block.left_out = repeated_rows(model, state);
    return block;
  }
  const std::unordered_set<std::string> redundant(analysis.redundant.begin(), analysis.redundant.end());
  const auto is_redundant = [&](const Element& element) {
    return has_unknown_multipliers(model, element) && redundant.count(element.name()) > 0;
  };
  block.always = std::any_of(model.elements().begin(), model.elements().end(),
                             [&](const auto& element) { return is_redundant(*element); });
  if (!block.always)
    return block;
  const StepBooks books = model.books_at(state);
  const double mass = model.mean_mass(), gap = analysis.position_violation;
  constexpr double creep = 1e-3; // [m/s]: a model at rest with its potential at the datum has some energy too
  const double energy = std::max(std::abs(books.kinetic) + std::abs(books.potential), mass * creep * creep);
  block.epsilon = std::clamp(mass * gap * gap / (10 * h * h * energy_tolerance * energy), least_epsilon,
                             largest_epsilon); // [S6]
  block.redundant.assign(static_cast<std::size_t>(model.multipliers()), false);
  for (const auto& element : model.elements())
    if (is_redundant(*element))
      for (Index i = 0; i < element->multipliers(); ++i)
        block.redundant[static_cast<std::size_t>(element->first_multiplier() + i)] = true;
  return block;
}

} // namespace emmy
