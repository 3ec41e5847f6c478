#include "elements/bodies/director.hpp"

#include "elements/bodies/book_momenta.hpp"
#include "elements/bodies/director_equations.hpp"
#include "elements/bodies/frame_equations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace emmy {

namespace {

Mat3 base_vectors(const VecX& all, Index first) {
  return Eigen::Map<const Mat3>(all.data() + first + 3);
}

DirectorStep<double> director_step(const Step& s, const Node& node) {
  return director_step(plain(base_vectors(s.n.values, node.value)), plain(base_vectors(s.z, node.unknown)));
}

/// Adds three times three blocks.
void add_blocks(const M3<double>* blocks, MatrixRef k) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      k.block<3, 3>(3 * i, 3 * j) += of_eigen(blocks[i + 3 * j]);
}

Pattern centre_and_base_vectors() {
  Pattern pattern = Pattern::Identity(12, 12);
  pattern.bottomRightCorner<9, 9>().setOnes();
  return pattern;
}

} // namespace

DirectorConnectivity::DirectorConnectivity(const Node& node) : Connectivity({node}, Grounding::none) {}

void DirectorConnectivity::move(const Step& s, PortMotion& m) const {
  place(s, m);
  m.D.setIdentity(12, 12);
  m.P_bar.setIdentity(12, 12);
  const DirectorStep<double> d = director_step(s, nodes().front());
  for (int j = 0; j < 3; ++j) { // [D7]: spread what a force on base vector j has as moment
    const M3<double> y = d.S_inverse * skew_of(column(d.Q_m, j));
    for (int i = 0; i < 3; ++i)
      m.P_bar.block<3, 3>(3 + 3 * i, 3 + 3 * j) = -of_eigen(cross(column(d.Q_m, i), y));
  }
}

void DirectorConnectivity::place(const Step& s, PortMotion& m) const {
  const Node& node = nodes().front();
  m.q_n = s.n.values.segment<12>(node.value);
  m.q_n1 = m.q_n + s.z.segment<12>(node.unknown);
}

void DirectorConnectivity::add_geometric(const Step& s, const PortMotion&, const Vec12& r, MatrixRef k) const {
  const DirectorStep<double> d = director_step(s, nodes().front());
  M3<double> f, dm[3], blocks[9];
  Eigen::Map<Mat3>(f.m) = Eigen::Map<const Mat3>(r.data() + 3);
  for (int j = 0; j < 3; ++j)
    dm[j] = skew_of(-0.5 * column(f, j)); // the mean moves half as far as the end
  spread_derivative(d, d.S_inverse * moment_of(d.Q_m, f), dm, blocks);
  add_blocks(blocks, k.bottomRightCorner<9, 9>());
}

MapPattern DirectorConnectivity::map_pattern() const {
  return {centre_and_base_vectors(), Pattern::Identity(12, 12)};
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
    : Body(std::move(name), "director body", {node}, port, mass,
           {ConstraintRows::none(), no_history, Nonlinear::in_turns, Rates::by_body, InertiaAtInstant::unknown}),
      J_(J) {}

Vec3 DirectorBody::convected_spin(const State& state) const {
  return of_eigen(emmy::convected_spin(plain(base_vectors(state.values, node().value)),
                                       plain(base_vectors(state.rates, node().unknown))));
}

void DirectorBody::evaluate(const MovedStep& s, LocalSystem& out) const {
  const Index u = node().unknown;
  const double inv_h = s.inv_h, rate = 2 * inv_h;
  const Vec3 dx = s.z.segment<3>(u), v_n = s.n.rates.segment<3>(u);
  out.r.segment<3>(0) += of_eigen(balance_of_forces(mass(), rate, inv_h, plain(dx), plain(v_n)));
  const DirectorStep<double> d = director_step(s, node());
  const M3<double> J = plain(J_), nothing{};
  const DirectorBalance<double> b = director_balance(d, J, plain(convected_spin(s.n)), inv_h, rate, nothing);
  out.r.segment<9>(3) += Eigen::Map<const Eigen::Matrix<double, 9, 1>>(b.r.m);
  if (!out.tangent)
    return;
  out.k.block<3, 3>(0, 0).diagonal().array() += rate * inv_h * mass();
  M3<double> dm[3], blocks[9];
  moment_derivative(d, b, J, inv_h, rate, nothing, dm);
  director_tangent(d, b, dm, blocks);
  add_blocks(blocks, out.k.block<9, 9>(3, 3));
}

Pattern DirectorBody::pattern() const {
  return centre_and_base_vectors();
}

void DirectorBody::add_magnitude(const MovedStep& s, VectorRef size) const {
  const Index u = node().unknown;
  const DirectorStep<double> d = director_step(s, node());
  const double inv_h = std::abs(s.inv_h);
  const Vec3 rate = s.z.segment<3>(u).cwiseAbs() * inv_h + s.n.rates.segment<3>(u).cwiseAbs();
  size.segment<3>(0) += 2 * mass() * inv_h * rate;
  // Lengths of whole vectors, since a base vector may be turned anywhere. A spread moment of size t is at most t on
  // each base vector of length one.
  const double Q_m = of_eigen(d.Q_m).norm(), dQ = of_eigen(d.dQ).norm();
  const double spin = of_eigen(d.psi).norm() * inv_h + convected_spin(s.n).norm();
  const double torque = inv_h * J_.norm() * (2 * of_eigen(d.Q_n1).norm() + dQ) * spin;
  const double alpha = J_.trace() * inv_h * inv_h;
  const double E = of_eigen(strain(d.Q_n)).norm() + Q_m * dQ;
  size.segment<9>(3).array() += Q_m * (of_eigen(d.S_inverse).norm() * torque + alpha * E); // [D9]
}

Eigen::Matrix<double, 6, 1> DirectorBody::momentum_condition(const State& state) const {
  const Mat3 Q = base_vectors(state.values, node().value);
  const Mat3 P = Q * skew(J_ * convected_spin(state)) / 2; // [D3]
  const Mat3 S = (Q.transpose() * P + P.transpose() * Q) / 2;
  Eigen::Matrix<double, 6, 1> Cp;
  Cp << S.diagonal(), 2 * S(1, 2), 2 * S(2, 0), 2 * S(0, 1);
  return Cp;
}

void DirectorBody::advance(const MovedStep& s, State& n1) const {
  const V3<double> Omega = spin_at_end(director_step(s, node()), plain(convected_spin(s.n)), s.inv_h);
  Eigen::Map<Mat3>(n1.rates.data() + node().unknown + 3) =
      of_eigen(times_skew(plain(base_vectors(n1.values, node().value)), Omega));
}

void DirectorBody::book(const MovedStep&, const State& n1, StepBooks& books) const {
  const Vec3 x = n1.values.segment<3>(node().value), v = n1.rates.segment<3>(node().unknown);
  const M3<double> Q = plain(base_vectors(n1.values, node().value));
  book_momenta(rigid_momenta(mass(), plain(J_), plain(x), Q, plain(v), plain(convected_spin(n1))), books);
  books.rigidity_violation = std::max(books.rigidity_violation, rigidity_violation(Q));
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
  if (state.remainders.size() == state.values.size()) // by motion from elsewhere
    state.remainders.segment<12>(node().value).setZero();
  Eigen::Map<Mat3>(state.values.data() + node().value + 3) = Q;
  Eigen::Map<Mat3>(state.rates.data() + node().unknown + 3) = skew(motion.angular_velocity) * Q;
}

void DirectorBody::add_velocity(const Vec3& v, const Vec3& omega, State& state) const {
  state.rates.segment<3>(node().unknown) += v;
  const Mat3 Q = base_vectors(state.values, node().value);
  const Vec3 Omega = convected_spin(state) + Q.transpose() * omega; // as advance() writes it: C(q) p = 0
  Eigen::Map<Mat3>(state.rates.data() + node().unknown + 3) = Q * skew(Omega);
}

Rigidity DirectorBody::rigidity(const State& state) const {
  const Mat3 Q = base_vectors(state.values, node().value), E = of_eigen(strain(plain(Q)));
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
  return 2 * std::atan(of_eigen(director_step(s, node()).psi).norm() / 2);
}

} // namespace emmy
