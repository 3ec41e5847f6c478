// The part of Batches that hands its bodies and joints over to WrenchSystem.
#include "core/measure_interaction.hpp"
#include "solvers/batches/batches.hpp"
#include "solvers/batches/body_blocks.hpp"
#include "solvers/condensation/wrench_system.hpp"

#include <algorithm>

namespace emmy {

bool Batches::suits_wrenches() const {
  std::vector<int> ports(bodies_.size() + 1, 0);
  bool has_moments = false;
  for (const Group& group : groups_) {
    if (group.is_load())
      continue;
    if (group.is_natural())
      return false;
    const bool is_ball = is_ball_joint(group.elements.front().of->equations());
    if (group.is_handed || (!is_ball && !WrenchSystem::takes(group.kernels->name)))
      return false;
    has_moments = has_moments || !is_ball;
    for (const TakenElement& joint : group.elements)
      for (const int b : joint.body)
        ++ports[static_cast<std::size_t>(b)];
  }
  ports.back() = 0; // the ground may have any number
  return has_moments && std::all_of(taken_.begin(), taken_.end(), [](bool taken) { return taken; }) &&
         std::all_of(ports.begin(), ports.end(), [](int count) { return count <= most_wrench_ports; }) &&
         std::all_of(bodies_.begin(), bodies_.end(),
                     [](const TakenBody& of) { return FrameCondensation::gives_way(of.mass, of.J); });
}

std::unique_ptr<WrenchSystem> Batches::wrenches(const BlockGraph& graph, const BlockMatrix& matrix, double mean_mass,
                                                const KernelOptions& options) const {
  if (!has_wrenches_)
    return nullptr;
  std::vector<WrenchSystem::Body> bodies;
  int loads = 0;
  for (const TakenBody& of : bodies_) {
    const BodyBlocks blocks(graph, of.node);
    const BodyPart turn = blocks.rotation();
    bodies.push_back({of.value, of.unknown, is_in(BatchScope::loads, of) ? loads++ : -1,
                      matrix.row_of(blocks.centre().node), matrix.row_of(turn.node) + turn.offset, of.mass, of.J,
                      of.weight});
  }
  std::vector<WrenchSystem::Joint> joints;
  for (const Group& group : groups_) {
    if (group.is_load())
      continue;
    for (const TakenElement& taken : group.elements) {
      const std::vector<NaturalVariable>& variables = taken.of->variables(); // the points, then directions
      const auto number = [&](int b) { return b == ground() ? WrenchSystem::ground : b; };
      WrenchSystem::Joint joint{
          group.kernels->name,
          static_cast<int>(taken.of->multipliers()),
          matrix.row_of(graph.multiplier_node[taken.element]),
          {{number(taken.body[0]), variables[0].w.tail<3>()}, {number(taken.body[1]), variables[1].w.tail<3>()}},
          {}};
      for (std::size_t v = 2; v < variables.size(); ++v)
        joint.directions.push_back(variables[v].w.tail<3>());
      joints.push_back(std::move(joint));
    }
  }
  return std::make_unique<WrenchSystem>(bodies, joints, body_loads(), matrix.rows(), mean_mass, options);
}

} // namespace emmy
