#include "verification/support/affine_body.hpp"

#include <utility>

namespace emmy::test {

namespace {

using Mat12 = Eigen::Matrix<double, 12, 12>;

/// Columns (1, r) of the four points, not symmetric in any way [T4].
Eigen::Matrix4d points() {
  Eigen::Matrix4d A;
  A << 1, 1, 1, 1, -0.3, 1, 0, 0.1, -0.2, 0, 1.2, 0, -0.1, 0.1, 0, 0.8;
  return A;
}

Mat12 times_unit_matrix(const Eigen::Matrix4d& a) {
  Mat12 m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      m.block<3, 3>(3 * i, 3 * j) = a(i, j) * Mat3::Identity();
  return m;
}

Vec12 local_part(const std::vector<Node>& nodes, const VecX& all, bool unknowns) {
  Vec12 part;
  for (std::size_t a = 0; a < 4; ++a)
    part.segment<3>(static_cast<Index>(3 * a)) = all.segment<3>(unknowns ? nodes[a].unknown : nodes[a].value);
  return part;
}

} // namespace

AffineConnectivity::AffineConnectivity(std::vector<Node> points, const Eigen::Matrix4d& A_inverse)
    : Connectivity(std::move(points)), P_(times_unit_matrix(A_inverse.transpose())) {}

void AffineConnectivity::move(const Step& s, PortMotion& m) const {
  const Vec12 u_n = local_part(nodes(), s.n.values, false);
  m.q_n = P_ * u_n;
  m.q_n1 = P_ * (u_n + local_part(nodes(), s.z, true));
  m.P_bar = P_;
  m.D = P_;
}

void AffineConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  q = P_ * local_part(nodes(), state.values, false);
  q_dot = P_ * local_part(nodes(), state.rates, true);
}

AffineBody& AffineBody::add_to(Model& model, std::string name, double mass, const Mat3& J) {
  std::vector<Node> nodes;
  for (int a = 0; a < 4; ++a)
    nodes.push_back(model.add_node(NodeKind::point));
  auto connectivity = std::make_unique<AffineConnectivity>(nodes, points().inverse());
  const AffineConnectivity& of_body = *connectivity;
  const Index port = model.add_port(std::move(connectivity));
  return model.add(std::make_unique<AffineBody>(std::move(name), of_body, port, mass, J));
}

AffineBody::AffineBody(std::string name, const AffineConnectivity& connectivity, Index port, double mass, const Mat3& J)
    : Body(std::move(name), "affine body", connectivity.nodes(), port, mass), connectivity_(connectivity) {
  Eigen::Matrix4d inertia = Eigen::Matrix4d::Zero();
  inertia(0, 0) = mass;
  inertia.bottomRightCorner<3, 3>() = J.trace() / 2 * Mat3::Identity() - J; // [T2]
  C_ = times_unit_matrix(inertia);
  M_star_ = connectivity_.P().transpose() * C_ * connectivity_.P();
}

void AffineBody::evaluate(const Step& s, const PortMotions&, LocalSystem& out) const {
  const Vec12 z = local_part(nodes(), s.z, true), v_n = local_part(nodes(), s.n.rates, true);
  out.r += 2 * s.inv_h * (M_star_ * (z * s.inv_h - v_n)); // [T9]
  if (out.tangent)
    out.k += 2 * s.inv_h * s.inv_h * M_star_;
}

void AffineBody::add_magnitude(const Step& s, const PortMotions&, VectorRef size) const {
  const Vec12 z = local_part(nodes(), s.z, true), v_n = local_part(nodes(), s.n.rates, true);
  size += 2 * s.inv_h * (M_star_.cwiseAbs() * (z.cwiseAbs() * s.inv_h + v_n.cwiseAbs()));
}

void AffineBody::book(const Step&, const PortMotions&, const State& n1, StepBooks& books) const {
  Vec12 q, q_dot;
  connectivity_.at(n1, q, q_dot);
  const Vec12 p = C_ * q_dot;
  Vec3 l = Vec3::Zero();
  for (int i = 0; i < 4; ++i)
    l += Vec3(q.segment<3>(3 * i)).cross(Vec3(p.segment<3>(3 * i)));
  books.kinetic += q_dot.dot(p) / 2;
  books.linear_momentum += p.head<3>();
  books.angular_momentum += l;
  books.linear_momentum_sum += p.head<3>().norm();
  books.angular_momentum_sum += l.norm();
}

std::string AffineBody::row_name(Index i) const {
  return "force on point " + std::to_string(i / 3);
}

BodyMotion AffineBody::motion(const State& state) const {
  Vec12 q, q_dot;
  connectivity_.at(state, q, q_dot);
  const Eigen::Map<const Mat3> Q(q.data() + 3), Q_dot(q_dot.data() + 3);
  const Mat3 W = Q_dot * Q.transpose(); // skew(omega) if the body is rigid
  return {q.head<3>(), Quaternion(Mat3(Q)), q_dot.head<3>(), Vec3(W(2, 1), W(0, 2), W(1, 0))};
}

void AffineBody::set_motion(const BodyMotion& motion, State& state) const {
  const Mat3 Q = motion.orientation.normalized().toRotationMatrix();
  const Mat3 Q_dot = skew(motion.angular_velocity) * Q;
  const Eigen::Matrix4d A = points();
  for (std::size_t a = 0; a < 4; ++a) {
    const Vec3 r = A.block<3, 1>(1, static_cast<Index>(a));
    state.values.segment<3>(nodes()[a].value) = motion.position + Q * r;
    state.rates.segment<3>(nodes()[a].unknown) = motion.velocity + Q_dot * r;
  }
}

double AffineBody::rotation_in(const Step&) const {
  return 0; // has no limit
}

} // namespace emmy::test
