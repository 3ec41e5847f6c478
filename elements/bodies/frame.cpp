#include "elements/bodies/frame.hpp"

#include "elements/bodies/book_momenta.hpp"
#include "elements/bodies/frame_equations.hpp"
#include "elements/bodies/rotation_step.hpp"

#include <cmath>
#include <utility>

namespace emmy {

FrameConnectivity::FrameConnectivity(const Node& node) : Connectivity({node}, Grounding::none) {}

namespace {
void place_centre(const Step& s, const Node& node, PortMotion& m) {
  m.q_n.head<3>() = s.n.values.segment<3>(node.value);
  m.q_n1.head<3>() = m.q_n.head<3>() + s.z.segment<3>(node.unknown);
}
} // namespace

void FrameConnectivity::move(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  place_centre(s, node, m);
  m.P_bar.setZero(12, 6);
  m.D.setZero(12, 6);
  m.P_bar.topLeftCorner<3, 3>().setIdentity();
  m.D.topLeftCorner<3, 3>().setIdentity();
  rotation_step::move_base_vectors(s.n.values.segment<4>(node.value + 3), s.z.segment<3>(node.unknown + 3), 3, m);
}

void FrameConnectivity::place(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  place_centre(s, node, m);
  rotation_step::place_base_vectors(s.n.values.segment<4>(node.value + 3), s.z.segment<3>(node.unknown + 3), m);
}

void FrameConnectivity::add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const {
  k.block<3, 3>(3, 3) += rotation_step::geometric(s.z.segment<3>(nodes().front().unknown + 3), m, 3, r);
}

MapPattern FrameConnectivity::map_pattern() const {
  Pattern map = Pattern::Zero(12, 6);
  map.topLeftCorner<3, 3>().setIdentity(); // the centre moves with dx
  map.bottomRightCorner<9, 3>().setOnes(); // the base vectors turn with Theta
  return {map, map};
}

Pattern FrameConnectivity::geometric_pattern(const PortPattern& r) const {
  Pattern k = Pattern::Zero(6, 6);
  if (r.tail<9>().any()) // a force on the centre has no moment
    k.bottomRightCorner<3, 3>().setOnes();
  return k;
}

void FrameConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  const Node& node = nodes().front();
  const Mat3 Q = rotation_step::orientation(state.values, node.value + 3);
  q.head<3>() = state.values.segment<3>(node.value);
  rotation_step::base_vectors(q) = Q;
  q_dot.head<3>() = state.rates.segment<3>(node.unknown);
  const Vec3 Omega = state.rates.segment<3>(node.unknown + 3);
  for (int i = 0; i < 3; ++i) { // Q skew(Omega) [E1]
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    rotation_step::base_vectors(q_dot).col(i) = Omega[k] * Q.col(j) - Omega[j] * Q.col(k);
  }
}

FrameBody& FrameBody::add_to(Model& model, std::string name, double mass, const Mat3& J) {
  const Node node = model.add_node(NodeKind::frame);
  const Index port = model.add_port(std::make_unique<FrameConnectivity>(node));
  return model.add(std::make_unique<FrameBody>(std::move(name), node, port, mass, J));
}

FrameBody::FrameBody(std::string name, const Node& node, Index port, double mass, const Mat3& J)
    : Body(std::move(name), "frame body", {node}, port, mass,
           {ConstraintRows::none(), no_history, Nonlinear::in_turns, Rates::by_integrator, InertiaAtInstant::unknown}),
      J_(J) {}

void FrameBody::evaluate(const MovedStep& s, LocalSystem& out) const {
  const Index u = node().unknown;
  const Vec3 dx = s.z.segment<3>(u), Theta = s.z.segment<3>(u + 3);
  const Vec3 v_n = s.n.rates.segment<3>(u), Omega_n = s.n.rates.segment<3>(u + 3);
  out.r.segment<3>(0) += of_eigen(balance_of_forces(mass(), 2 * s.inv_h, s.inv_h, plain(dx), plain(v_n))); // [D11]
  out.r.segment<3>(3) += rotation_step::residual(J_, Theta, Omega_n, s.inv_h);
  if (!out.tangent)
    return;
  out.k.block<3, 3>(0, 0).diagonal().array() += 2 * mass() * s.inv_h * s.inv_h;
  out.k.block<3, 3>(3, 3) += rotation_step::tangent(J_, Theta, s.inv_h); // [D14]
}

Pattern FrameBody::pattern() const {
  Pattern k = Pattern::Identity(6, 6);
  k.bottomRightCorner<3, 3>().setOnes();
  return k;
}

void FrameBody::add_magnitude(const MovedStep& s, VectorRef size) const {
  const Index u = node().unknown;
  const double inv_h = std::abs(s.inv_h);
  const Vec3 rate = s.z.segment<3>(u).cwiseAbs() * inv_h + s.n.rates.segment<3>(u).cwiseAbs();
  size.segment<3>(0) += 2 * mass() * inv_h * rate;
  size.segment<3>(3) +=
      rotation_step::magnitude(J_, s.z.segment<3>(u + 3), s.n.rates.segment<3>(u + 3), s.inv_h); // [D11]
}

void FrameBody::book(const MovedStep&, const State& n1, StepBooks& books) const {
  const Vec3 x = n1.values.segment<3>(node().value), v = n1.rates.segment<3>(node().unknown);
  const Vec3 Omega = n1.rates.segment<3>(node().unknown + 3);
  const Mat3 Q = rotation_step::orientation(n1.values, node().value + 3);
  book_momenta(rigid_momenta(mass(), plain(J_), plain(x), plain(Q), plain(v), plain(Omega)), books);
}

std::string FrameBody::row_name(Index i) const {
  static const char* const forces[] = {"force along x", "force along y", "force along z"};
  return i < 3 ? forces[i] : rotation_step::row_name(i - 3);
}

BodyMotion FrameBody::motion(const State& state) const {
  const Quaternion q = from_wxyz(state.values.segment<4>(node().value + 3));
  return {state.values.segment<3>(node().value), q, state.rates.segment<3>(node().unknown),
          q.toRotationMatrix() * state.rates.segment<3>(node().unknown + 3)};
}

void FrameBody::set_motion(const BodyMotion& motion, State& state) const {
  const Quaternion q = motion.orientation.normalized();
  state.values.segment<3>(node().value) = motion.position;
  state.values.segment<4>(node().value + 3) = to_wxyz(q);
  if (state.remainders.size() == state.values.size()) // by motion from elsewhere
    state.remainders.segment<7>(node().value).setZero();
  state.rates.segment<3>(node().unknown) = motion.velocity;
  state.rates.segment<3>(node().unknown + 3) = q.toRotationMatrix().transpose() * motion.angular_velocity;
}

void FrameBody::add_velocity(const Vec3& v, const Vec3& omega, State& state) const {
  state.rates.segment<3>(node().unknown) += v;
  state.rates.segment<3>(node().unknown + 3) += motion(state).orientation.conjugate() * omega;
}

double FrameBody::rotation_in(const Step& s) const {
  return rotation_step::angle(s.z.segment<3>(node().unknown + 3));
}

} // namespace emmy
