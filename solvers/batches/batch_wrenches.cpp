// The part of Batches that hands its bodies and joints over to WrenchSystem.
#include "core/measure_interaction.hpp"
#include "core/model_parts.hpp"
#include "solvers/batches/batches.hpp"
#include "solvers/batches/body_blocks.hpp"
#include "solvers/condensation/wrench_system.hpp"

#include <algorithm>

namespace emmy {

/// Whether all that a part of the model has can be eliminated onto wrenches, and whether some joint of it transmits
/// moments.
std::vector<bool> Batches::suit_wrenches(const Model& model, const ModelParts& parts,
                                         std::vector<bool>& has_moments) const {
  std::vector<bool> suits(parts.count, true);
  std::vector<int> ports(bodies_.size() + 1, 0);
  for (std::size_t e = 0; e < taken_.size(); ++e)
    if (const Element& element = *model.elements()[e]; !taken_[e] && !element.nodes().empty())
      suits[parts.of(element.nodes().front())] = false;
  for (const Group& group : groups_) {
    if (group.is_load())
      continue;
    const bool is_ball = !group.is_natural() && is_ball_joint(group.elements.front().of->equations());
    const bool is_other =
        group.is_natural() || group.is_handed || (!is_ball && !WrenchSystem::takes(group.kernels->name));
    for (const TakenElement& joint : group.elements) {
      for (const int b : joint.body)
        ++ports[static_cast<std::size_t>(b)];
      const std::size_t part = parts.of(model.elements()[joint.element]->nodes().front());
      suits[part] = suits[part] && !is_other;
      has_moments[part] = has_moments[part] || !is_ball;
    }
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (ports[b] > most_wrench_ports || !FrameCondensation::gives_way(bodies_[b].mass, bodies_[b].J))
      suits[parts.of(model.nodes()[bodies_[b].node])] = false;
  return suits;
}

/// Parts of the model in which some joint transmits moments, if all they have suits. Others on ball joints alone are
/// faster by condensation(), unless nothing else is beside the wrenches.
void Batches::choose_wrenches(const Model& model, const ConstraintSet& constraints, BlockGraph& graph) {
  const ModelParts parts(model, [&](std::size_t e) { return !constraints.leaves_out(e); });
  std::vector<bool> has_moments(parts.count, false);
  const std::vector<bool> suits = suit_wrenches(model, parts, has_moments);
  const bool all_suit = std::find(suits.begin(), suits.end(), false) == suits.end(),
             some_have = std::find(has_moments.begin(), has_moments.end(), true) != has_moments.end();
  const auto mark = [&](int node) { graph.nodes[static_cast<std::size_t>(node)].is_elsewhere = true; };
  for (TakenBody& of : bodies_) {
    const std::size_t part = parts.of(model.nodes()[of.node]);
    of.on_wrenches = suits[part] && (all_suit ? some_have : has_moments[part]);
    if (!of.on_wrenches)
      continue;
    has_wrenches_ = true;
    for (const int node : BodyBlocks(graph, of.node).nodes())
      mark(node);
  }
  for (const Group& group : groups_)
    for (const TakenElement& joint : group.elements)
      if (!group.is_load() && is_on_wrenches(joint))
        mark(graph.multiplier_node[joint.element]);
}

bool Batches::is_on_wrenches(const TakenElement& joint) const {
  return std::any_of(std::begin(joint.body), std::end(joint.body),
                     [&](int b) { return b != ground() && body(b).on_wrenches; });
}

std::unique_ptr<WrenchSystem> Batches::wrenches(const BlockGraph& graph, const BlockMatrix& matrix, double mean_mass,
                                                const KernelOptions& options) const {
  if (!has_wrenches_)
    return nullptr;
  std::vector<WrenchSystem::Body> bodies;
  int loads = 0;           // numbered as they are in fill()
  std::vector<int> number; // of each body there
  for (const TakenBody& of : bodies_) {
    const int load = is_in(BatchScope::loads, of) ? loads++ : -1;
    number.push_back(of.on_wrenches ? static_cast<int>(bodies.size()) : WrenchSystem::ground);
    if (!of.on_wrenches)
      continue;
    const BodyBlocks blocks(graph, of.node);
    const BodyPart turn = blocks.rotation();
    bodies.push_back({of.value, of.unknown, load, matrix.row_of(blocks.centre().node),
                      matrix.row_of(turn.node) + turn.offset, of.mass, of.J, of.weight});
  }
  number.push_back(WrenchSystem::ground);
  std::vector<WrenchSystem::Joint> joints;
  for (const Group& group : groups_) {
    if (group.is_load())
      continue;
    for (const TakenElement& taken : group.elements) {
      if (!is_on_wrenches(taken))
        continue;
      const std::vector<NaturalVariable>& variables = taken.of->variables(); // the points, then directions
      const auto end = [&](std::size_t side) {
        return WrenchSystem::End{number[static_cast<std::size_t>(taken.body[side])], variables[side].w.tail<3>()};
      };
      WrenchSystem::Joint joint{group.kernels->name,
                                static_cast<int>(taken.of->multipliers()),
                                matrix.row_of(graph.multiplier_node[taken.element]),
                                {end(0), end(1)},
                                {}};
      for (std::size_t v = 2; v < variables.size(); ++v)
        joint.directions.push_back(variables[v].w.tail<3>());
      joints.push_back(std::move(joint));
    }
  }
  return std::make_unique<WrenchSystem>(bodies, joints, body_loads(), matrix.rows(), mean_mass, options);
}

} // namespace emmy
