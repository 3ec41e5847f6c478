#include "core/model_parts.hpp"

#include <numeric>

namespace emmy {

ModelParts::ModelParts(const Model& model) {
  std::vector<std::size_t> parent(static_cast<std::size_t>(model.unknowns()));
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  const auto join = [&](Index a, Index b) {
    parent[root(static_cast<std::size_t>(a))] = root(static_cast<std::size_t>(b));
  };
  for (const Node& node : model.nodes())
    for (Index i = 1; i < node.unknowns(); ++i)
      join(node.unknown + i, node.unknown);
  for (const auto& element : model.elements())
    for (const Node& node : element->nodes())
      join(node.unknown, element->nodes().front().unknown);
  of_unknown.resize(parent.size());
  std::vector<std::size_t> number(parent.size(), parent.size());
  for (std::size_t i = 0; i < parent.size(); ++i) {
    std::size_t& n = number[root(i)];
    if (n == parent.size())
      n = count++;
    of_unknown[i] = n;
  }
}

} // namespace emmy
