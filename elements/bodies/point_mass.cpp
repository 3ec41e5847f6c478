#include "elements/bodies/point_mass.hpp"

#include "elements/bodies/book_momenta.hpp"
#include "elements/bodies/frame_equations.hpp"

#include <cmath>
#include <utility>

namespace emmy {

PointMass& PointMass::add_to(Model& model, std::string name, double mass) {
  const Node node = model.add_node(NodeKind::point);
  std::vector<AffineConnectivity::SupportShare> base_vectors;
  for (int i = 0; i < 3; ++i)
    base_vectors.push_back({{Vec3::Unit(i), false}, Vec4::Unit(1 + i)});
  const AffineConnectivity::Weights centre = Vec4::Unit(0);
  const Index port =
      model.add_port(std::make_unique<AffineConnectivity>(std::vector<Node>{node}, centre, std::move(base_vectors)));
  return model.add(std::make_unique<PointMass>(std::move(name), node, port, mass));
}

PointMass::PointMass(std::string name, const Node& node, Index port, double mass)
    : Body(std::move(name), "point mass", {node}, port, mass,
           {ConstraintRows::none(), no_history, Nonlinear::in_turns, Rates::by_integrator, InertiaAtInstant::known}) {}

void PointMass::evaluate(const MovedStep& s, LocalSystem& out) const {
  const Index u = node().unknown;
  const Vec3 dx = s.z.segment<3>(u), v_n = s.n.rates.segment<3>(u);
  out.r += of_eigen(balance_of_forces(mass(), 2 * s.inv_h, s.inv_h, plain(dx), plain(v_n))); // [T11]
  if (out.tangent)
    out.k.diagonal().array() += 2 * mass() * s.inv_h * s.inv_h;
}

Pattern PointMass::pattern() const {
  return Pattern::Identity(3, 3);
}

void PointMass::add_magnitude(const MovedStep& s, VectorRef size) const {
  const Index u = node().unknown;
  const double inv_h = std::abs(s.inv_h);
  size += 2 * mass() * inv_h * (s.z.segment<3>(u).cwiseAbs() * inv_h + s.n.rates.segment<3>(u).cwiseAbs());
}

void PointMass::book(const MovedStep&, const State& n1, StepBooks& books) const {
  const Vec3 x = n1.values.segment<3>(node().value), v = n1.rates.segment<3>(node().unknown);
  book_momenta(point_momenta(mass(), plain(x), plain(v)), books);
}

std::string PointMass::row_name(Index i) const {
  return std::string("force along ") + "xyz"[i];
}

void PointMass::evaluate_inertia(const MotionAt& at, InertiaSystem& out) const {
  out.f += mass() * at.a.segment<3>(node().unknown);
  if (out.tangent)
    out.M.diagonal().array() += mass();
}

BodyMotion PointMass::motion(const State& state) const {
  return {state.values.segment<3>(node().value), Quaternion::Identity(), state.rates.segment<3>(node().unknown),
          Vec3::Zero()};
}

void PointMass::set_motion(const BodyMotion& motion, State& state) const {
  state.values.segment<3>(node().value) = motion.position;
  state.rates.segment<3>(node().unknown) = motion.velocity;
}

void PointMass::add_velocity(const Vec3& v, const Vec3&, State& state) const {
  state.rates.segment<3>(node().unknown) += v;
}

} // namespace emmy
