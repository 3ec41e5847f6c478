#include "core/model_parts.hpp"

#include <numeric>

namespace emmy {

ModelParts::ModelParts(const Model& model) : ModelParts(model, [](std::size_t) { return true; }) {}

ModelParts::ModelParts(const Model& model, const std::function<bool(std::size_t)>& connects) {
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
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (connects(e))
      for (const Node& node : model.elements()[e]->nodes())
        join(node.unknown, model.elements()[e]->nodes().front().unknown);
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
