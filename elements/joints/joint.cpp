#include "elements/joints/joint.hpp"

#include <utility>

namespace emmy {

namespace {

Index total_rows(const std::vector<Primitive>& primitives) {
  Index sum = 0;
  for (const Primitive& p : primitives)
    sum += rows(p);
  return sum;
}

} // namespace

Joint::Joint(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
             std::vector<Primitive> primitives)
    : Interaction(std::move(name), std::move(kind), ports, std::move(variables), total_rows(primitives)),
      primitives_(std::move(primitives)) {}

void Joint::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  Index row = 0;
  for (const Primitive& p : primitives_) {
    add_value(p, s.q_n1, row, out.phi);
    add_gradient(p, s.q_m, row, out.G_bar); // [D15]
    if (out.tangent) {
      add_gradient(p, s.q_n1, row, out.G);
      add_hessian(p, 0.5, row, s.lambda, out.k); // [D16]: the mean moves half as far as the end point
    }
    row += rows(p);
  }
}

NaturalPattern Joint::natural_pattern() const {
  const auto n = static_cast<Index>(3 * variables().size());
  NaturalPattern pattern{Pattern::Zero(n, n), Pattern::Zero(multipliers(), n)};
  Index row = 0;
  for (const Primitive& p : primitives_) {
    add_pattern(p, row, pattern);
    row += rows(p);
  }
  return pattern;
}

std::string Joint::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  Index row = i - unknowns();
  for (const Primitive& p : primitives_) {
    if (row < rows(p))
      return emmy::row_name(p, row);
    row -= rows(p);
  }
  return {};
}

Reaction Joint::reaction_on_second(const Step& s, const PortMotions& motions) const {
  return reaction(s, motions, variables()[1].port, 1);
}

std::unique_ptr<Joint> spherical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return std::make_unique<Joint>(std::move(name), "spherical joint", ports,
                                 std::vector<NaturalVariable>{body_point(I.port, I.at), body_point(J.port, J.at)},
                                 std::vector<Primitive>{Coincidence{0, 1}});
}

std::unique_ptr<Joint> revolute_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  const std::vector<NaturalVariable> variables{body_point(I.port, I.at), body_point(J.port, J.at),
                                               body_direction(I.port, I.axes.col(0)),  // 2: n
                                               body_direction(J.port, J.axes.col(1)),  // 3: t1
                                               body_direction(J.port, J.axes.col(2))}; // 4: t2
  return std::make_unique<Joint>(std::move(name), "revolute joint", ports, variables,
                                 std::vector<Primitive>{Coincidence{0, 1}, Dot{2, 3}, Dot{2, 4}});
}

std::unique_ptr<Joint> fixed_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  std::vector<NaturalVariable> variables{body_point(I.port, I.at), body_point(J.port, J.at)};
  for (int k = 0; k < 3; ++k)
    variables.push_back(body_direction(I.port, I.axes.col(k))); // 2, 3, 4: n, s1, s2
  for (int k = 0; k < 3; ++k)
    variables.push_back(body_direction(J.port, J.axes.col(k))); // 5, 6, 7: the same triad fixed in J
  return std::make_unique<Joint>(std::move(name), "fixed joint", ports, variables,
                                 std::vector<Primitive>{Coincidence{0, 1}, Dot{2, 6}, Dot{3, 7}, Dot{4, 5}});
}

} // namespace emmy
