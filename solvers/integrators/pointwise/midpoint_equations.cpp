#include "solvers/integrators/pointwise/midpoint_equations.hpp"

#include <algorithm>
#include <stdexcept>

namespace emmy {

MidpointEquations::MidpointEquations(const Model& model) : PointwiseEquations(model, 0.5, "midpoint") {
  const auto is_director = [](const Node& node) { return node.kind == NodeKind::director; };
  for (const Body* body : model.bodies())
    if (!body->has_inertia_at_instant() && !std::all_of(body->nodes().begin(), body->nodes().end(), is_director))
      throw std::invalid_argument("body '" + body->name() + "' (" + body->kind() +
                                  ") cannot be moved by midpoint: expected point masses, director bodies and links of "
                                  "planar chains");
}

} // namespace emmy
