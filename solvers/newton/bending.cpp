#include "solvers/newton/bending.hpp"

#include "core/interaction.hpp"
#include "solvers/assembly/assembler.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Sum of squares of `map`, each column divided by the weight of its unknown: the square of how far |dz| = 1 gets.
double reach_squared(const MatX& map, const std::vector<Node>& nodes, const Numbering& numbering, const VecX& weights) {
  double sum = 0;
  Index column = 0;
  for (const Node& node : nodes)
    for (Index i = 0; i < node.unknowns(); ++i, ++column)
      sum +=
          map.col(column).squaredNorm() / weights[numbering.row_of_unknown[static_cast<std::size_t>(node.unknown + i)]];
  return sum;
}

} // namespace

Bending::Bending(const Assembler& assembler, const StepNorm& norm) : worst_(norm.parts()) {
  const Model& model = assembler.model();
  const Numbering& numbering = assembler.numbering();
  const State rest = model.rest_state();
  const VecX still = VecX::Zero(model.unknowns()), none = VecX::Zero(model.multipliers());
  PortMotions motions = model.port_motions();
  model.move_ports({rest, 1, 1, still, none}, motions);
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const auto& element = model.elements()[e];
    if (!element->bends() || element->nodes().empty() || assembler.constraints().leaves_out(e))
      continue;
    double reach = 0;
    if (const Interaction* interaction = model.interaction(*element)) {
      for (const NaturalVariable& variable : interaction->variables()) {
        const auto port = static_cast<std::size_t>(variable.port);
        reach += reach_squared(variable.rows(motions[port].D), model.ports()[port]->nodes(), numbering, norm.weights());
      }
    } else {
      reach = reach_squared(MatX::Identity(element->unknowns(), element->unknowns()), element->nodes(), numbering,
                            norm.weights());
    }
    const Index row = numbering.row_of_unknown[static_cast<std::size_t>(element->nodes().front().unknown)];
    elements_.push_back({element.get(), assembler.bending_length(e), norm.part_of(row), std::sqrt(reach)});
  }
}

void Bending::measure(const MovedStep& s) {
  std::fill(worst_.begin(), worst_.end(), Worst{});
  for (const auto& [element, batched, part, reach] : elements_) {
    const double length = batched != nullptr ? *batched : element->bending_length(s);
    Worst& worst = worst_[part];
    if (!(length > 0)) {
      worst.is_known = false;
      continue;
    }
    worst.angle = std::max(worst.angle, reach / length);
    if (element->multipliers() > 0)
      worst.multiplied = std::max(worst.multiplied, reach * reach / length);
  }
}

double Bending::rate(std::size_t part, const StepNorm::Size& moved, double size) const {
  const Worst& worst = worst_[part];
  const double known = worst.angle * moved.increments + worst.multiplied * moved.largest_multiplier;
  return worst.is_known || size == 0 ? known : std::max(known, moved.increments / size);
}

} // namespace emmy
