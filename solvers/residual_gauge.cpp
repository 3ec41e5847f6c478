#include "solvers/residual_gauge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

ResidualGauge::ResidualGauge(const Model& model, const Numbering& numbering) {
  for (const Node& node : model.nodes()) {
    const auto first = static_cast<std::size_t>(numbering.row_of_unknown[static_cast<std::size_t>(node.unknown)]);
    const auto size = static_cast<std::size_t>(node.unknowns());
    if (node.kind == NodeKind::frame) {
      groups_.push_back({first, 3, RowClass::force, 0, 0});
      groups_.push_back({first + 3, 3, RowClass::moment, 0, 0});
    } else {
      groups_.push_back({first, size, node.kind == NodeKind::scalar ? RowClass::moment : RowClass::force, 0, 0});
    }
  }
  for (const auto& element : model.elements())
    if (element->multipliers() > 0) {
      const Index row = numbering.row_of_multiplier[static_cast<std::size_t>(element->first_multiplier())];
      groups_.push_back({static_cast<std::size_t>(row), static_cast<std::size_t>(element->multipliers()),
                         RowClass::constraint, 0, 0});
    }
}

void ResidualGauge::begin_step(double s) {
  s_ = s;
  measured_ = false;
}

void ResidualGauge::note_first(const double* f) {
  for (Group& group : groups_)
    group.first_norm = norm(group, f);
}

void ResidualGauge::measure(const VecX& row_sizes) {
  of_model_.fill(0);
  for (Group& group : groups_) {
    group.magnitude = row_sizes.segment(static_cast<Index>(group.first), static_cast<Index>(group.count)).maxCoeff();
    double& largest = of_model_[static_cast<std::size_t>(group.row_class)];
    largest = std::max(largest, group.magnitude);
  }
  for (Group& group : groups_) // nothing acts there: rounding of the rest is all that may appear
    if (group.magnitude == 0)
      group.magnitude = of_model_[static_cast<std::size_t>(group.row_class)];
  measured_ = true;
}

double ResidualGauge::norm(const Group& group, const double* f) const {
  double largest = 0;
  for (std::size_t row = group.first; row < group.first + group.count; ++row)
    largest = std::max(largest, std::abs(f[row]));
  return group.row_class == RowClass::constraint ? largest : s_ * largest;
}

double ResidualGauge::ratio(double norm, double magnitude) {
  return norm > 0 ? norm / std::max(magnitude, std::numeric_limits<double>::min()) : 0;
}

double ResidualGauge::relative(const double* f) const {
  double largest = 0;
  for (const Group& group : groups_)
    largest = std::max(largest, ratio(norm(group, f), group.magnitude));
  return largest;
}

double ResidualGauge::relative_to_model(const double* f) const {
  double largest = 0;
  for (const Group& group : groups_)
    largest = std::max(largest, ratio(norm(group, f), of_model_[static_cast<std::size_t>(group.row_class)]));
  return largest;
}

double ResidualGauge::relative_first() const {
  double largest = 0;
  for (const Group& group : groups_)
    largest = std::max(largest, ratio(group.first_norm, group.magnitude));
  return largest;
}

ResidualGauge::Worst ResidualGauge::worst(const double* f) const {
  Worst worst;
  double largest = -1;
  for (const Group& group : groups_) {
    const double size = norm(group, f), magnitude = measured_ ? group.magnitude : 1;
    if (ratio(size, magnitude) <= largest)
      continue;
    largest = ratio(size, magnitude);
    const double* begin = f + group.first;
    const double* row =
        std::max_element(begin, begin + group.count, [](double a, double b) { return std::abs(a) < std::abs(b); });
    worst = {static_cast<std::size_t>(row - f), group.row_class, size, measured_ ? group.magnitude : 0};
  }
  return worst;
}

} // namespace emmy
