#include "solvers/assembly/numbering.hpp"

namespace emmy {

Numbering::Numbering(const Model& model, const BlockGraph& graph, const BlockMatrix& matrix)
    : equations(matrix.rows()), row_of_unknown(static_cast<std::size_t>(model.unknowns())),
      row_of_multiplier(static_cast<std::size_t>(model.multipliers())) {
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = model.nodes()[i];
    int block = graph.first_node[i];
    for (Index done = 0; done < node.unknowns(); ++block)
      for (int k = 0; k < graph.nodes[static_cast<std::size_t>(block)].size; ++k)
        row_of_unknown[static_cast<std::size_t>(node.unknown + done++)] = matrix.row_of(block) + k;
  }
  Index behind = equations;
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const Element& element = *model.elements()[e];
    const int node = graph.multiplier_node[e];
    for (Index i = 0; i < element.multipliers(); ++i)
      row_of_multiplier[static_cast<std::size_t>(element.first_multiplier() + i)] =
          node >= 0 ? matrix.row_of(node) + i : behind++;
  }
}

} // namespace emmy
