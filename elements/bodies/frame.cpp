#include "elements/bodies/frame.hpp"

#include <cmath>
#include <utility>

namespace emmy {

namespace {

Mat3 orientation(const VecX& values, const Node& node) {
  return from_wxyz(values.segment<4>(node.value + 3)).toRotationMatrix();
}

Eigen::Map<const Mat3> directors(const Vec12& q) {
  return Eigen::Map<const Mat3>(q.data() + 3);
}

} // namespace

FrameConnectivity::FrameConnectivity(const Node& node) : Connectivity({node}) {}

void FrameConnectivity::move(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  const Vec3 Theta = s.z.segment<3>(node.unknown + 3);
  const Quaternion r_n = from_wxyz(s.n.values.segment<4>(node.value + 3));
  // The very configuration that retract() will store: rounding of Q then telescopes over the steps instead of adding
  // up.
  const Mat3 Q_n = r_n.toRotationMatrix();
  const Mat3 Q_n1 = (r_n * cayley(Theta)).normalized().toRotationMatrix(); // [F1]
  m.q_n.head<3>() = s.n.values.segment<3>(node.value);
  m.q_n1.head<3>() = m.q_n.head<3>() + s.z.segment<3>(node.unknown);
  Eigen::Map<Mat3>(m.q_n.data() + 3) = Q_n;
  Eigen::Map<Mat3>(m.q_n1.data() + 3) = Q_n1;

  const Mat3 A_inverse = half_cayley_inverse(Theta);
  const Mat3 Q_m = Q_n * A_inverse;                            // [D12]
  const Mat3 N_T = Q_n * (Mat3::Identity() + skew(Theta) / 2); // Q_n A^T
  m.P_bar.setZero(12, 6);
  m.D.setZero(12, 6);
  m.P_bar.topLeftCorner<3, 3>().setIdentity();
  m.D.topLeftCorner<3, 3>().setIdentity();
  for (int k = 0; k < 3; ++k) {
    m.P_bar.block<3, 3>(3 + 3 * k, 3).noalias() = -skew(Q_m.col(k)) * N_T;   // [D13]
    m.D.block<3, 3>(3 + 3 * k, 3).noalias() = -Q_m * skew(A_inverse.col(k)); // [D12]
  }
}

void FrameConnectivity::add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const {
  const Node& node = nodes().front();
  const Vec3 Theta = s.z.segment<3>(node.unknown + 3);
  const auto Q_n = directors(m.q_n);
  // P_bar^T r = A n with n = Q_n^T sum of q_m x r_k; A and q_m change with Theta [D14].
  Vec3 moment = Vec3::Zero();
  Mat3 dmoment = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 r_i = r.segment<3>(3 + 3 * i);
    moment += (m.q_n.segment<3>(3 + 3 * i) + m.q_n1.segment<3>(3 + 3 * i)).cross(r_i) / 2;
    dmoment.noalias() -= skew(r_i) * m.D.block<3, 3>(3 + 3 * i, 3) / 2;
  }
  const Vec3 n = Q_n.transpose() * moment;
  const Mat3 A = Mat3::Identity() - skew(Theta) / 2;
  k.block<3, 3>(3, 3) += skew(n) / 2 + A * (Q_n.transpose() * dmoment);
}

Pattern FrameConnectivity::map_pattern() const {
  Pattern map = Pattern::Zero(12, 6);
  map.topLeftCorner<3, 3>().setIdentity(); // the centre moves with dx
  map.bottomRightCorner<9, 3>().setOnes(); // the base vectors turn with Theta
  return map;
}

Pattern FrameConnectivity::geometric_pattern(const PortPattern& r) const {
  Pattern k = Pattern::Zero(6, 6);
  if (r.tail<9>().any()) // a force on the centre has no moment
    k.bottomRightCorner<3, 3>().setOnes();
  return k;
}

void FrameConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  const Node& node = nodes().front();
  const Mat3 Q = orientation(state.values, node);
  q.head<3>() = state.values.segment<3>(node.value);
  Eigen::Map<Mat3>(q.data() + 3) = Q;
  q_dot.head<3>() = state.rates.segment<3>(node.unknown);
  Eigen::Map<Mat3>(q_dot.data() + 3) = Q * skew(state.rates.segment<3>(node.unknown + 3)); // [E1]
}

FrameBody& FrameBody::add_to(Model& model, std::string name, double mass, const Mat3& J) {
  const Node node = model.add_node(NodeKind::frame);
  const Index port = model.add_port(std::make_unique<FrameConnectivity>(node));
  return model.add(std::make_unique<FrameBody>(std::move(name), node, port, mass, J));
}

FrameBody::FrameBody(std::string name, const Node& node, Index port, double mass, const Mat3& J)
    : Body(std::move(name), "frame body", {node}, port, mass), J_(J) {}

void FrameBody::evaluate(const Step& s, const PortMotions&, LocalSystem& out) const {
  const Index u = node().unknown;
  const Vec3 dx = s.z.segment<3>(u), Theta = s.z.segment<3>(u + 3);
  const Vec3 v_n = s.n.rates.segment<3>(u), Omega_n = s.n.rates.segment<3>(u + 3);
  const Vec3 J_Theta = J_ * Theta * s.inv_h;
  // [D11]; dx/h - v and Theta/h - Omega are also what the update of the rates adds, to the last bit.
  out.r.segment<3>(0) += 2 * mass() * s.inv_h * (dx * s.inv_h - v_n);
  out.r.segment<3>(3) += 2 * s.inv_h * (J_ * (Theta * s.inv_h - Omega_n) + Theta.cross(J_Theta) / 2);
  if (!out.tangent)
    return;
  out.k.block<3, 3>(0, 0).diagonal().array() += 2 * mass() * s.inv_h * s.inv_h;
  out.k.block<3, 3>(3, 3) += 2 * s.inv_h * (J_ * s.inv_h + (skew(Theta) * J_ * s.inv_h - skew(J_Theta)) / 2); // [D14]
}

Pattern FrameBody::pattern() const {
  Pattern k = Pattern::Identity(6, 6);
  k.bottomRightCorner<3, 3>().setOnes();
  return k;
}

void FrameBody::add_magnitude(const Step& s, const PortMotions&, VectorRef size) const {
  const Index u = node().unknown;
  const Vec3 rate = s.z.segment<3>(u).cwiseAbs() * s.inv_h + s.n.rates.segment<3>(u).cwiseAbs();
  const Vec3 Theta = s.z.segment<3>(u + 3);
  const Vec3 turn = Theta.cwiseAbs() * s.inv_h;
  const Vec3 spin = turn + s.n.rates.segment<3>(u + 3).cwiseAbs();
  size.segment<3>(0) += 2 * mass() * s.inv_h * rate;
  size.segment<3>(3) +=
      2 * s.inv_h * (J_.cwiseAbs() * spin + skew(Theta).cwiseAbs() * (J_.cwiseAbs() * turn) / 2); // [D11]
}

void FrameBody::book(const Step&, const PortMotions&, const State& n1, StepBooks& books) const {
  const BodyMotion m = motion(n1);
  const Vec3 Omega = n1.rates.segment<3>(node().unknown + 3);
  const Vec3 L = J_ * Omega;
  const Vec3 p = mass() * m.velocity;
  const Vec3 l = m.position.cross(p) + m.orientation.toRotationMatrix() * L;
  books.kinetic += (p.dot(m.velocity) + L.dot(Omega)) / 2;
  books.linear_momentum += p;
  books.angular_momentum += l;
  books.linear_momentum_sum += p.norm();
  books.angular_momentum_sum += l.norm();
}

std::string FrameBody::row_name(Index i) const {
  static const char* const rows[] = {"force along x",           "force along y",           "force along z",
                                     "moment about its x axis", "moment about its y axis", "moment about its z axis"};
  return rows[i];
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
  state.rates.segment<3>(node().unknown) = motion.velocity;
  state.rates.segment<3>(node().unknown + 3) = q.toRotationMatrix().transpose() * motion.angular_velocity;
}

double FrameBody::rotation_in(const Step& s) const {
  return 2 * std::atan(s.z.segment<3>(node().unknown + 3).norm() / 2);
}

} // namespace emmy
