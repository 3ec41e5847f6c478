#include "elements/bodies/director.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace emmy {

namespace {

using Mat39 = Eigen::Matrix<double, 3, 9>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

Mat3 base_vectors(const VecX& all, Index first) {
  return Eigen::Map<const Mat3>(all.data() + first + 3);
}

/// Base vectors over one step, and the rigid motions of their mean: W w = (w x q_i), S = W^T W = tr(B) 1 - B [T17].
struct DirectorStep {
  Mat3 Q_n, dQ, Q_n1, Q_m, S_inverse;
  Vec3 psi; ///< rotation that fits dQ best: exact where dQ keeps the base vectors orthonormal

  DirectorStep(const Step& s, const Node& node)
      : Q_n(base_vectors(s.n.values, node.value)), dQ(base_vectors(s.z, node.unknown)), Q_n1(Q_n + dQ),
        Q_m(Q_n + dQ / 2) {
    const Mat3 B = Q_m * Q_m.transpose();
    S_inverse = (B.trace() * Mat3::Identity() - B).inverse();
    psi = S_inverse * moment(dQ);
  }

  /// Sum of q_i x f_i at the mean.
  Vec3 moment(const Mat3& f) const {
    return Q_m.col(0).cross(f.col(0)) + Q_m.col(1).cross(f.col(1)) + Q_m.col(2).cross(f.col(2));
  }

  /// Derivative of y = S^-1 g with respect to dq, where that of g is dg.
  Mat39 solve_derivative(const Vec3& y, const Mat39& dg) const {
    Mat39 right = dg;
    for (int i = 0; i < 3; ++i)
      right.middleCols<3>(3 * i) += (skew(y.cross(Q_m.col(i))) - skew(Q_m.col(i)) * skew(y)) / 2;
    return S_inverse * right;
  }

  Mat39 psi_derivative() const {
    Mat39 dg;
    for (int i = 0; i < 3; ++i)
      dg.middleCols<3>(3 * i) = skew(Q_m.col(i)) - skew(dQ.col(i)) / 2;
    return solve_derivative(psi, dg);
  }

  /// Adds the derivative of W S^-1 g, a moment spread on the base vectors: y = S^-1 g, dg the derivative of g.
  void add_spread_derivative(const Vec3& y, const Mat39& dg, MatrixRef k) const {
    const Mat39 dy = solve_derivative(y, dg);
    for (int i = 0; i < 3; ++i) {
      k.middleRows<3>(3 * i).noalias() -= skew(Q_m.col(i)) * dy;
      k.block<3, 3>(3 * i, 3 * i) += skew(y) / 2;
    }
  }
};

/// Half of Q^T Q - 1: the conditions of [D2] as a symmetric matrix.
Mat3 strain(const Mat3& Q) {
  return (Q.transpose() * Q - Mat3::Identity()) / 2;
}

Mat3 symmetric(const Mat3& a) {
  return (a + a.transpose()) / 2;
}

Pattern centre_and_base_vectors() {
  Pattern pattern = Pattern::Identity(12, 12);
  pattern.bottomRightCorner<9, 9>().setOnes();
  return pattern;
}

} // namespace

DirectorConnectivity::DirectorConnectivity(const Node& node) : Connectivity({node}) {}

void DirectorConnectivity::move(const Step& s, PortMotion& m) const {
  place(s, m);
  m.D.setIdentity(12, 12);
  m.P_bar.setIdentity(12, 12);
  const DirectorStep d(s, nodes().front());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) // [D7]
      m.P_bar.block<3, 3>(3 + 3 * i, 3 + 3 * j).noalias() = -skew(d.Q_m.col(i)) * d.S_inverse * skew(d.Q_m.col(j));
}

void DirectorConnectivity::place(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  m.q_n = s.n.values.segment<12>(node.value);
  m.q_n1 = m.q_n + s.z.segment<12>(node.unknown);
}

void DirectorConnectivity::add_geometric(const Step& s, const PortMotion&, const Vec12& r, MatrixRef k) const {
  const DirectorStep d(s, nodes().front());
  const Mat3 f = Eigen::Map<const Mat3>(r.data() + 3);
  Mat39 dg;
  for (int i = 0; i < 3; ++i)
    dg.middleCols<3>(3 * i) = -skew(f.col(i)) / 2;
  d.add_spread_derivative(d.S_inverse * d.moment(f), dg, k.bottomRightCorner<9, 9>());
}

Pattern DirectorConnectivity::map_pattern() const {
  return centre_and_base_vectors();
}

Pattern DirectorConnectivity::geometric_pattern(const PortPattern& r) const {
  Pattern k = Pattern::Zero(12, 12);
  if (r.tail<9>().any()) // a force on the centre has no moment
    k.bottomRightCorner<9, 9>().setOnes();
  return k;
}

void DirectorConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  q = state.values.segment<12>(nodes().front().value);
  q_dot = state.rates.segment<12>(nodes().front().unknown);
}

DirectorBody& DirectorBody::add_to(Model& model, std::string name, double mass, const Mat3& J) {
  const Node node = model.add_node(NodeKind::director);
  const Index port = model.add_port(std::make_unique<DirectorConnectivity>(node));
  return model.add(std::make_unique<DirectorBody>(std::move(name), node, port, mass, J));
}

DirectorBody::DirectorBody(std::string name, const Node& node, Index port, double mass, const Mat3& J)
    : Body(std::move(name), "director body", {node}, port, mass), J_(J) {}

Vec3 DirectorBody::convected_spin(const State& state) const {
  const Mat3 W = base_vectors(state.values, node().value).transpose() * base_vectors(state.rates, node().unknown);
  return Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)) / 2; // [D1]
}

void DirectorBody::evaluate(const Step& s, const PortMotions&, LocalSystem& out) const {
  const Index u = node().unknown;
  const DirectorStep d(s, node());
  // dx/h - v and Theta/h - Omega are also what the update of the rates adds, to the last bit.
  out.r.segment<3>(0) += 2 * mass() * s.inv_h * (s.z.segment<3>(u) * s.inv_h - s.n.rates.segment<3>(u));
  const Vec3 Omega_n = convected_spin(s.n);
  const Vec3 gain = J_ * (d.Q_n.transpose() * d.psi * s.inv_h - Omega_n); // half of what L gains
  const Vec3 L_n = J_ * Omega_n;
  const Vec3 torque = s.inv_h * (2 * d.Q_n1 * gain + d.dQ * L_n); // (l_n1 - l_n)/h [D9]
  const Vec3 y = d.S_inverse * torque;
  const double alpha = J_.trace() * s.inv_h * s.inv_h;
  const Mat3 E = strain(d.Q_n) + symmetric(d.Q_m.transpose() * d.dQ); // that of the end of the step, by increments
  const Mat3 r = skew(y) * d.Q_m + alpha * d.Q_m * E;                 // [D9]
  out.r.segment<9>(3) += Eigen::Map<const Eigen::Matrix<double, 9, 1>>(r.data());
  if (!out.tangent)
    return;

  out.k.block<3, 3>(0, 0).diagonal().array() += 2 * mass() * s.inv_h * s.inv_h;
  Mat39 d_torque = 2 * s.inv_h * s.inv_h * d.Q_n1 * J_ * d.Q_n.transpose() * d.psi_derivative();
  for (int i = 0; i < 3; ++i)
    d_torque.middleCols<3>(3 * i).diagonal().array() += s.inv_h * (2 * gain[i] + L_n[i]);
  auto k = out.k.block<9, 9>(3, 3);
  d.add_spread_derivative(y, d_torque, k);
  const Mat3 QQ = d.Q_m * d.Q_n1.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      k.block<3, 3>(3 * i, 3 * j) += alpha / 2 * d.Q_m.col(j) * d.Q_n1.col(i).transpose();
      k.block<3, 3>(3 * i, 3 * j).diagonal().array() += alpha / 2 * E(i, j);
      if (i == j)
        k.block<3, 3>(3 * i, 3 * i) += alpha / 2 * QQ;
    }
}

Pattern DirectorBody::pattern() const {
  return centre_and_base_vectors();
}

void DirectorBody::add_magnitude(const Step& s, const PortMotions&, VectorRef size) const {
  const Index u = node().unknown;
  const DirectorStep d(s, node());
  const double inv_h = std::abs(s.inv_h);
  const Vec3 rate = s.z.segment<3>(u).cwiseAbs() * inv_h + s.n.rates.segment<3>(u).cwiseAbs();
  size.segment<3>(0) += 2 * mass() * inv_h * rate;
  // Lengths of whole vectors, since a base vector may be turned anywhere. A spread moment of size t is at most t on
  // each base vector of length one.
  const double spin = d.psi.norm() * inv_h + convected_spin(s.n).norm();
  const double torque = inv_h * J_.norm() * (2 * d.Q_n1.norm() + d.dQ.norm()) * spin;
  const double alpha = J_.trace() * inv_h * inv_h;
  const double E = strain(d.Q_n).norm() + d.Q_m.norm() * d.dQ.norm();
  size.segment<9>(3).array() += d.Q_m.norm() * (d.S_inverse.norm() * torque + alpha * E); // [D9]
}

Eigen::Matrix<double, 6, 1> DirectorBody::momentum_condition(const State& state) const {
  const Mat3 Q = base_vectors(state.values, node().value);
  const Mat3 P = Q * skew(J_ * convected_spin(state)) / 2; // [D3]
  const Mat3 S = symmetric(Q.transpose() * P);
  Eigen::Matrix<double, 6, 1> Cp;
  Cp << S.diagonal(), 2 * S(1, 2), 2 * S(2, 0), 2 * S(0, 1);
  return Cp;
}

void DirectorBody::advance(const Step& s, const PortMotions&, State& n1) const {
  const DirectorStep d(s, node());
  const Vec3 Omega_n = convected_spin(s.n);
  const Vec3 Omega = Omega_n + 2 * (d.Q_n.transpose() * d.psi * s.inv_h - Omega_n); // [F2]
  Eigen::Map<Mat3>(n1.rates.data() + node().unknown + 3) = base_vectors(n1.values, node().value) * skew(Omega);
}

void DirectorBody::book(const Step&, const PortMotions&, const State& n1, StepBooks& books) const {
  const Vec3 x = n1.values.segment<3>(node().value), v = n1.rates.segment<3>(node().unknown);
  const Vec3 Omega = convected_spin(n1), L = J_ * Omega, p = mass() * v;
  const Mat3 Q = base_vectors(n1.values, node().value);
  const Vec3 l = x.cross(p) + Q * L;
  books.kinetic += (p.dot(v) + L.dot(Omega)) / 2; // [D3]
  books.linear_momentum += p;
  books.angular_momentum += l;
  books.linear_momentum_sum += p.norm();
  books.angular_momentum_sum += l.norm();
  books.rigidity_violation =
      std::max(books.rigidity_violation, (Q.transpose() * Q - Mat3::Identity()).cwiseAbs().maxCoeff()); // 2 e of [D2]
}

std::string DirectorBody::row_name(Index i) const {
  static const char* const of[] = {"force along ", "force on base vector 1 along ", "force on base vector 2 along ",
                                   "force on base vector 3 along "};
  return std::string(of[i / 3]) + "xyz"[i % 3];
}

BodyMotion DirectorBody::motion(const State& state) const {
  const Mat3 Q = base_vectors(state.values, node().value);
  return {state.values.segment<3>(node().value), Quaternion(Q).normalized(), state.rates.segment<3>(node().unknown),
          Q * convected_spin(state)};
}

void DirectorBody::set_motion(const BodyMotion& motion, State& state) const {
  const Mat3 Q = motion.orientation.normalized().toRotationMatrix();
  state.values.segment<3>(node().value) = motion.position;
  state.rates.segment<3>(node().unknown) = motion.velocity;
  Eigen::Map<Mat3>(state.values.data() + node().value + 3) = Q;
  Eigen::Map<Mat3>(state.rates.data() + node().unknown + 3) = skew(motion.angular_velocity) * Q;
}

Rigidity DirectorBody::rigidity(const State& state) const {
  const Mat3 Q = base_vectors(state.values, node().value), E = strain(Q);
  Rigidity r{VecX(6), MatX::Zero(6, 12), true};
  r.e << E(0, 0), E(1, 1), E(2, 2), 2 * E(1, 2), 2 * E(2, 0), 2 * E(0, 1); // [D2]
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r.C.block<1, 3>(i, 3 + 3 * i) = Q.col(i).transpose();
    r.C.block<1, 3>(3 + i, 3 + 3 * j) = Q.col(k).transpose();
    r.C.block<1, 3>(3 + i, 3 + 3 * k) = Q.col(j).transpose();
  }
  return r;
}

double DirectorBody::rotation_in(const Step& s) const {
  return 2 * std::atan(DirectorStep(s, node()).psi.norm() / 2);
}

} // namespace emmy
