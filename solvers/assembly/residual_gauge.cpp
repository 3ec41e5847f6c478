#include "solvers/assembly/residual_gauge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace emmy {

ResidualGauge::ResidualGauge(const Model& model, const Numbering& numbering, const ConstraintSet& constraints) {
  const ModelParts parts(model);
  for (const Node& node : model.nodes()) {
    const auto unknown = static_cast<std::size_t>(node.unknown);
    const auto first = static_cast<std::size_t>(numbering.row_of_unknown[unknown]);
    const auto size = static_cast<std::size_t>(node.unknowns());
    const std::size_t part = parts.of_unknown[unknown];
    if (node.kind == NodeKind::frame || node.kind == NodeKind::director) { // centre and rotation, or base vectors
      const auto turns = static_cast<std::size_t>(numbering.row_of_unknown[unknown + 3]);
      groups_.push_back({first, 3, RowClass::force, part, 0, 0, true});
      groups_.push_back({turns, size - 3, RowClass::moment, part, 0, 0, true});
    } else {
      const bool turns = node.kind == NodeKind::rotation || node.kind == NodeKind::scalar;
      groups_.push_back({first, size, turns ? RowClass::moment : RowClass::force, part, 0, 0, true});
    }
  }
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const Element& element = *model.elements()[e];
    const ConstraintStrategy* strategy = constraints.of(e);
    const bool is_equation = strategy == nullptr || !strategy->is_folded();
    if (element.multipliers() == 0 || element.nodes().empty() || constraints.leaves_out(e) ||
        (!is_equation && !strategy->iterates()))
      continue;
    const Index row = numbering.row_of_multiplier[static_cast<std::size_t>(element.first_multiplier())];
    const std::size_t part = parts.of_unknown[static_cast<std::size_t>(element.nodes().front().unknown)];
    groups_.push_back({static_cast<std::size_t>(row), static_cast<std::size_t>(element.multipliers()),
                       RowClass::constraint, part, 0, 0, is_equation});
  }
  largest_.resize(parts.count);
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
  for (auto& largest : largest_)
    largest.fill(0);
  for (const Group& group : groups_) {
    double& largest = largest_[group.part][static_cast<std::size_t>(group.row_class)];
    largest = std::max(largest,
                       row_sizes.segment(static_cast<Index>(group.first), static_cast<Index>(group.count)).maxCoeff());
  }
  for (Group& group : groups_)
    group.magnitude =
        std::max(largest_[group.part][static_cast<std::size_t>(group.row_class)], group.is_equation ? 0 : admitted_);
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

double ResidualGauge::relative(const Group& group, const double* f) const {
  const double size = norm(group, f);
  return !group.is_equation && size <= admitted_ ? 0 : ratio(size, group.magnitude);
}

double ResidualGauge::relative(const double* f) const {
  double largest = 0;
  for (const Group& group : groups_)
    largest = std::max(largest, relative(group, f));
  return largest;
}

bool ResidualGauge::admits(const double* f, double rounding) const {
  return admitted_ == 0 || std::all_of(groups_.begin(), groups_.end(), [&](const Group& group) {
           return group.is_equation || norm(group, f) <= std::max(admitted_, rounding * group.magnitude);
         });
}

double ResidualGauge::relative_equations(const double* f) const {
  double largest = 0;
  for (const Group& group : groups_)
    if (group.is_equation)
      largest = std::max(largest, ratio(norm(group, f), group.magnitude));
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
