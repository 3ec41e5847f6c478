#include "elements/bodies/pivoted.hpp"

#include "elements/bodies/book_momenta.hpp"
#include "elements/bodies/rotation_step.hpp"

#include <utility>

namespace emmy {

PivotedConnectivity::PivotedConnectivity(const Node& node, const Vec3& X_p, const Vec3& c)
    : Connectivity({node}, Grounding::partly), X_p_(X_p), c_(c) {}

void PivotedConnectivity::move(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  m.P_bar.resize(12, 3);
  m.D.resize(12, 3);
  rotation_step::move_base_vectors(s.n.values.segment<4>(node.value), s.z.segment<3>(node.unknown), 0, m);
  place_centre(m);
  const auto centre = [this](const PortMap& map) -> Mat3 {
    return c_[0] * map.middleRows<3>(3) + c_[1] * map.middleRows<3>(6) + c_[2] * map.middleRows<3>(9);
  };
  m.P_bar.topRows<3>() = centre(m.P_bar);
  m.D.topRows<3>() = centre(m.D);
}

void PivotedConnectivity::place(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  rotation_step::place_base_vectors(s.n.values.segment<4>(node.value), s.z.segment<3>(node.unknown), m);
  place_centre(m);
}

void PivotedConnectivity::place_centre(PortMotion& m) const {
  m.q_n.head<3>() = X_p_ + rotation_step::base_vectors(m.q_n) * c_; // [F12]
  m.q_n1.head<3>() = X_p_ + rotation_step::base_vectors(m.q_n1) * c_;
}

void PivotedConnectivity::add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const {
  Vec12 on_base_vectors = r;
  for (int i = 0; i < 3; ++i)
    on_base_vectors.segment<3>(3 + 3 * i) += c_[i] * r.head<3>(); // [F12]
  k += rotation_step::geometric(s.z.segment<3>(nodes().front().unknown), m, 0, on_base_vectors);
}

MapPattern PivotedConnectivity::map_pattern() const {
  Pattern map = Pattern::Ones(12, 3);
  if (is_central())
    map.topRows<3>().setZero();
  return {map, map};
}

Pattern PivotedConnectivity::geometric_pattern(const PortPattern& r) const {
  const bool has_moment = r.tail<9>().any() || (r.head<3>().any() && !is_central());
  return has_moment ? Pattern::Ones(3, 3) : Pattern::Zero(3, 3);
}

void PivotedConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  const Node& node = nodes().front();
  const Mat3 Q = rotation_step::orientation(state.values, node.value);
  const Mat3 Q_dot = Q * skew(state.rates.segment<3>(node.unknown)); // [E1]
  q.head<3>() = X_p_ + Q * c_;
  rotation_step::base_vectors(q) = Q;
  q_dot.head<3>() = Q_dot * c_;
  rotation_step::base_vectors(q_dot) = Q_dot;
}

/// The acting force on the body is -r_0; the ground holds it at the fixed point [F12].
void PivotedConnectivity::add_support(const Vec12& r, const Vec3&, Vec3& force, Vec3& moment) const {
  force += r.head<3>();
  moment += X_p_.cross(r.head<3>());
}

PivotedBody& PivotedBody::add_to(Model& model, std::string name, double mass, const Mat3& J, const Vec3& pivot,
                                 const Vec3& X_p) {
  const Node node = model.add_node(NodeKind::rotation);
  const Index port = model.add_port(std::make_unique<PivotedConnectivity>(node, X_p, -pivot));
  return model.add(std::make_unique<PivotedBody>(std::move(name), node, port, mass, J, pivot, X_p));
}

PivotedBody::PivotedBody(std::string name, const Node& node, Index port, double mass, const Mat3& J, const Vec3& pivot,
                         const Vec3& X_p)
    : Body(std::move(name), "pivoted body", {node}, port, mass,
           {ConstraintRows::none(), no_history, Nonlinear::in_turns, Rates::by_integrator, InertiaAtInstant::unknown}),
      J_(J + mass * (pivot.squaredNorm() * Mat3::Identity() - pivot * pivot.transpose())), X_p_(X_p), c_(-pivot) {}

void PivotedBody::evaluate(const MovedStep& s, LocalSystem& out) const {
  const Index u = node().unknown;
  const Vec3 Theta = s.z.segment<3>(u);
  out.r += rotation_step::residual(J_, Theta, s.n.rates.segment<3>(u), s.inv_h); // [D11]
  if (out.tangent)
    out.k += rotation_step::tangent(J_, Theta, s.inv_h); // [D14]
}

void PivotedBody::add_magnitude(const MovedStep& s, VectorRef size) const {
  const Index u = node().unknown;
  size += rotation_step::magnitude(J_, s.z.segment<3>(u), s.n.rates.segment<3>(u), s.inv_h);
}

void PivotedBody::book(const MovedStep& s, const State& n1, StepBooks& books) const {
  const BodyMotion m = motion(n1);
  const Vec3 Omega = n1.rates.segment<3>(node().unknown);
  const BodyMomenta<double> momenta = pivoted_momenta(
      mass(), plain(J_), plain(X_p_), plain(m.orientation.toRotationMatrix()), plain(m.velocity), plain(Omega));
  book_momenta(momenta, books);
  // The ground gives what the momentum of the body gains; what else acts books the answer of the ground itself [F12].
  const Vec3 impulse = of_eigen(momenta.linear) - mass() * motion(s.n).velocity;
  book_answer_of_ground(impulse, X_p_.cross(impulse), books);
}

std::string PivotedBody::row_name(Index i) const {
  return rotation_step::row_name(i);
}

BodyMotion PivotedBody::motion(const State& state) const {
  const Quaternion q = from_wxyz(state.values.segment<4>(node().value));
  const Mat3 Q = q.toRotationMatrix();
  const Vec3 Omega = state.rates.segment<3>(node().unknown);
  return {X_p_ + Q * c_, q, Q * Omega.cross(c_), Q * Omega}; // [F12]
}

void PivotedBody::set_motion(const BodyMotion& motion, State& state) const {
  const Quaternion q = motion.orientation.normalized();
  state.values.segment<4>(node().value) = to_wxyz(q);
  state.rates.segment<3>(node().unknown) = q.toRotationMatrix().transpose() * motion.angular_velocity;
}

void PivotedBody::add_velocity(const Vec3&, const Vec3& omega, State& state) const {
  state.rates.segment<3>(node().unknown) += motion(state).orientation.conjugate() * omega;
}

double PivotedBody::rotation_in(const Step& s) const {
  return rotation_step::angle(s.z.segment<3>(node().unknown));
}

} // namespace emmy
