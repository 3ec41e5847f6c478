#include "solvers/linear/block_graph.hpp"

#include "core/interaction.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace emmy {

namespace {

/// Sizes of the blocks of a node: forces do not turn and moments do not shift a rigid body, so its centre and its
/// orientation are blocks of their own, unless an element makes forces depend on the configuration. The stiffness of a
/// constraint without multipliers exceeds that of inertia by orders of magnitude in some directions, which one inverse
/// of six would mix with others: its bodies stay two blocks.
std::vector<int> block_sizes(NodeKind kind, FrameShape shape) {
  switch (kind) {
  case NodeKind::frame:
    return shape == FrameShape::whole ? std::vector<int>{6} : std::vector<int>{3, 3};
  case NodeKind::director:
    return {3, 9};
  default:
    return {static_cast<int>(unknown_size(kind))};
  }
}

bool is_folded(const ConstraintStrategy* strategy) {
  return strategy != nullptr && strategy->is_folded();
}

template <class Block>
bool is_diagonal(const Block& block) {
  for (Index j = 0; j < block.cols(); ++j)
    for (Index i = 0; i < block.rows(); ++i)
      if (block(i, j) != 0 && (i != j || i >= 3))
        return false;
  return block.rows() >= 3 && block.cols() >= 3;
}

/// True if forces on the centre of a frame, whose unknowns begin at `offset` in an element, depend on more than its own
/// inertia and multipliers.
bool moves_centre(const Pattern& pattern, Index offset, Index unknowns) {
  Pattern rows = pattern.block(offset, 0, 3, unknowns), columns = pattern.block(0, offset, unknowns, 3);
  rows.middleCols<3>(offset).diagonal().setZero();
  columns.middleRows<3>(offset).diagonal().setZero();
  return !rows.isZero() || !columns.isZero();
}

/// True if the ground bears forces on a port without any joint. It holds the base vectors of a point as well, which
/// bear none.
bool is_supported(const Connectivity& port) {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  port.add_support(Vec12::LinSpaced(1, 12), Vec3::Ones(), force, moment);
  return port.fixed() || !force.isZero(0);
}

/// The bodies of a joint, or the nodes of a body that keeps itself rigid; `parts` are those of its unknowns.
std::vector<ConstraintSide> sides_of(const Element& element, const Model& model, const std::vector<ElementSlice>& parts,
                                     const Pattern& pattern) {
  std::vector<ConstraintSide> sides;
  const Pattern G = pattern.bottomLeftCorner(element.multipliers(), element.unknowns());
  const Eigen::VectorXi entries = G.rowwise().sum();
  auto part = parts.begin();
  const auto add = [&](Index unknowns) { // those of the next parts
    ConstraintSide side;
    Eigen::VectorXi elsewhere = entries;
    for (; unknowns > 0; unknowns -= part->size, ++part) {
      side.nodes.push_back(part->node);
      elsewhere -= G.middleCols(part->offset, part->size).rowwise().sum();
    }
    side.is_dispensable = (elsewhere.array() > 0).all();
    sides.push_back(std::move(side));
  };
  if (model.interaction(element) != nullptr) {
    for (const Index port : element.ports())
      add(model.ports()[static_cast<std::size_t>(port)]->unknowns());
  } else {
    while (part != parts.end())
      add(part->size);
  }
  return sides;
}

} // namespace

Pattern equations_pattern(const Element& element, const ConstraintStrategy* strategy) {
  const Index nz = element.unknowns(), m = element.multipliers();
  Pattern pattern = element.pattern();
  if (!is_folded(strategy))
    return pattern;
  // a stiffness couples whatever the constraint acts on
  return pattern.topLeftCorner(nz, nz) + pattern.topRightCorner(nz, m) * pattern.bottomLeftCorner(m, nz);
}

BlockGraph::BlockGraph(const Model& model, const ConstraintSet& constraints) {
  std::vector<std::size_t> node_at(static_cast<std::size_t>(model.unknowns()));
  for (std::size_t i = 0; i < model.nodes().size(); ++i)
    node_at[static_cast<std::size_t>(model.nodes()[i].unknown)] = i;
  shapes.assign(model.nodes().size(), FrameShape::apart);
  std::vector<Pattern> patterns;
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const Element& element = *model.elements()[e];
    patterns.push_back(equations_pattern(element, constraints.of(e)));
    if (constraints.leaves_out(e))
      continue;
    Index offset = 0;
    for (const Node& node : element.nodes()) {
      FrameShape& shape = shapes[node_at[static_cast<std::size_t>(node.unknown)]];
      if (is_folded(constraints.of(e)))
        shape = FrameShape::coupled;
      else if (node.kind == NodeKind::frame && shape == FrameShape::apart &&
               moves_centre(patterns.back(), offset, element.unknowns()))
        shape = FrameShape::whole;
      offset += node.unknowns();
    }
  }
  const auto sizes_of = [&](const Node& node) {
    return block_sizes(node.kind, shapes[node_at[static_cast<std::size_t>(node.unknown)]]);
  };
  for (const Node& node : model.nodes()) {
    first_node.push_back(static_cast<int>(nodes.size()));
    for (const int size : sizes_of(node))
      nodes.push_back({size, false});
  }
  for (const auto& port : model.ports())
    if (is_supported(*port))
      for (const Node& node : port->nodes()) {
        int block = first_node[node_at[static_cast<std::size_t>(node.unknown)]];
        for ([[maybe_unused]] const int size : sizes_of(node))
          nodes[static_cast<std::size_t>(block++)].is_supported = true;
      }
  sides.resize(nodes.size());
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i)
    couplings.push_back({i, i, nodes[static_cast<std::size_t>(i)].size == 3}); // until an element says otherwise
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const Element& element = *model.elements()[e];
    std::vector<ElementSlice> parts;
    int offset = 0;
    for (const Node& node : element.nodes()) {
      int block = first_node[node_at[static_cast<std::size_t>(node.unknown)]];
      for (const int size : sizes_of(node)) {
        parts.push_back({block++, offset, size});
        offset += size;
      }
    }
    const Pattern& pattern = patterns[e];
    multiplier_node.push_back(-1);
    if (constraints.leaves_out(e)) {
      slices_of.emplace_back();
      continue;
    }
    if (element.multipliers() > 0 && !is_folded(constraints.of(e))) {
      const auto m = static_cast<int>(element.multipliers());
      multiplier_node.back() = static_cast<int>(nodes.size());
      sides.push_back(sides_of(element, model, parts, pattern));
      parts.push_back({multiplier_node.back(), offset, m});
      couplings.push_back({multiplier_node.back(), multiplier_node.back(), m == 3});
      const auto& of_element = sides.back();
      const bool on_ground = of_element.size() < 2 || std::any_of(of_element.begin(), of_element.end(),
                                                                  [](const auto& side) { return side.nodes.empty(); });
      nodes.push_back({m, true, on_ground});
    }
    for (const ElementSlice& p : parts)
      for (const ElementSlice& q : parts) {
        const auto block = pattern.block(p.offset, q.offset, p.size, q.size);
        if (!block.isZero())
          couplings.push_back({std::min(p.node, q.node), std::max(p.node, q.node), is_diagonal(block)});
      }
    slices_of.push_back(std::move(parts));
  }
  for (const BlockNode& node : nodes)
    if (node.size > largest_block)
      throw std::length_error("an element has more multipliers than a block can hold");
  // One of each pair, diagonal only if all say so.
  const auto key = [](const Coupling& c) { return std::tie(c.a, c.b, c.is_diagonal); };
  std::sort(couplings.begin(), couplings.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
  couplings.erase(std::unique(couplings.begin(), couplings.end(),
                              [](const auto& x, const auto& y) { return x.a == y.a && x.b == y.b; }),
                  couplings.end());
}

} // namespace emmy
