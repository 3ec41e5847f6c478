#include "solvers/newton/step_norm.hpp"

#include "core/model_parts.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "solvers/newton/choose_vector_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

StepNorm::StepNorm(const Model& model, const Numbering& numbering, Instructions instructions)
    : instructions_(instructions), weight_(VecX::Zero(numbering.equations)),
      is_multiplier_(VecX::Ones(numbering.equations)), turns_(VecX::Zero(numbering.equations)),
      part_of_row_(static_cast<std::size_t>(numbering.equations), 0) {
  const VecX mass = positive_mass_diagonal(model, mass_matrix(model, model.rest_state())) / model.mean_mass();
  const ModelParts parts(model);
  parts_ = std::max<std::size_t>(parts.count, 1); // also of nothing
  for (std::size_t i = 0; i < numbering.row_of_unknown.size(); ++i) {
    const Index row = numbering.row_of_unknown[i];
    weight_[row] = mass[static_cast<Index>(i)];
    is_multiplier_[row] = 0;
    part_of_row_[static_cast<std::size_t>(row)] = parts.of_unknown[i];
  }
  inverse_weight_ = (weight_.array() > 0).select(weight_.cwiseInverse(), 0.0);
  for (const Node& node : model.nodes())
    for (Index i = node.kind == NodeKind::frame || node.kind == NodeKind::director ? 3 : 0;
         node.kind != NodeKind::point && i < node.unknowns(); ++i)
      turns_[numbering.row_of_unknown[static_cast<std::size_t>(node.unknown + i)]] = 1;
  for (const auto& element : model.elements())
    if (!element->nodes().empty())
      for (Index i = 0; i < element->multipliers(); ++i) {
        const auto multiplier = static_cast<std::size_t>(element->first_multiplier() + i);
        if (const Index row = numbering.row_of_multiplier[multiplier]; row < numbering.equations)
          part_of_row_[static_cast<std::size_t>(row)] =
              parts.of_unknown[static_cast<std::size_t>(element->nodes().front().unknown)];
      }
}

void StepNorm::measure(const double* x, std::vector<Size>& sizes) const {
  if (parts_ <= 1) {
    double found[5];
    vector_kernels(instructions_).measure(x, weight_.data(), turns_.data(), weight_.size(), found);
    sizes[0] = {std::sqrt(found[0]), std::sqrt(found[1]), std::sqrt(found[2]), found[3], found[4]};
    sizes[0].reaction = {sizes[0].multipliers, sizes[0].largest_multiplier};
    return;
  }
  for (Size& size : sizes)
    size = {};
  for (Index i = 0; i < weight_.size(); ++i) {
    Size& size = sizes[part_of_row_[static_cast<std::size_t>(i)]];
    const double multiplier = is_multiplier_[i] * x[i], turn = turns_[i] * x[i];
    size.increments += weight_[i] * x[i] * x[i];
    size.multipliers += multiplier * multiplier;
    size.turns += turn * turn;
    size.largest_multiplier = std::max(size.largest_multiplier, std::abs(multiplier));
    size.largest_turn = std::max(size.largest_turn, std::abs(turn));
  }
  for (Size& size : sizes) {
    size.increments = std::sqrt(size.increments);
    size.multipliers = std::sqrt(size.multipliers);
    size.turns = std::sqrt(size.turns);
    size.reaction = {size.multipliers, size.largest_multiplier};
  }
}

template <class ForceOf>
void StepNorm::measure_parts(ForceOf force_of, std::vector<Force>& forces) const {
  for (Force& force : forces)
    force = {};
  for (Index i = 0; i < weight_.size(); ++i) {
    const double one = force_of(i), square = inverse_weight_[i] * one * one;
    Force& force = forces[part_of_row_[static_cast<std::size_t>(i)]];
    force.size += square;
    force.largest = std::max(force.largest, square);
  }
  for (Force& force : forces)
    force = {std::sqrt(force.size), std::sqrt(force.largest)};
}

void StepNorm::measure_forces(const double* f, std::vector<Force>& forces) const {
  measure_parts([&](Index i) { return f[i]; }, forces);
}

void StepNorm::measure_balance(const double* f, const double* dx, std::vector<Force>& forces) const {
  if (parts_ > 1)
    return measure_parts([&](Index i) { return f[i] - weight_[i] * dx[i]; }, forces);
  double found[2];
  vector_kernels(instructions_).measure_balance(f, dx, weight_.data(), inverse_weight_.data(), weight_.size(), found);
  forces[0] = {std::sqrt(found[0]), std::sqrt(found[1])};
}

void StepNorm::advance(double* x, const double* dx, std::vector<double>& increments) const {
  if (parts_ <= 1) {
    increments[0] = std::sqrt(vector_kernels(instructions_).advance(x, dx, weight_.data(), weight_.size()));
    return;
  }
  std::fill(increments.begin(), increments.end(), 0.0);
  for (Index i = 0; i < weight_.size(); ++i) {
    x[i] -= dx[i];
    increments[part_of_row_[static_cast<std::size_t>(i)]] += weight_[i] * x[i] * x[i];
  }
  for (double& size : increments)
    size = std::sqrt(size);
}

double StepNorm::total(const double* x) const {
  const Eigen::Map<const Eigen::ArrayXd> v(x, weight_.size());
  return std::sqrt(((weight_ + is_multiplier_).array() * v.square()).sum());
}

} // namespace emmy
