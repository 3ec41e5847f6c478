#include "elements/bodies/planar_chain.hpp"

#include "core/mean_rule.hpp"
#include "elements/bodies/book_momenta.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

/// Numbers of State that belong to the nodes of a link.
LinkVector values_of(const std::vector<Node>& nodes, const VecX& values) {
  LinkVector own(static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    own[static_cast<Index>(i)] = values[nodes[i].value];
  return own;
}

/// Likewise of increments, rates and accelerations.
LinkVector unknowns_of(const std::vector<Node>& nodes, const VecX& unknowns) {
  LinkVector own(static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    own[static_cast<Index>(i)] = unknowns[nodes[i].unknown];
  return own;
}

/// Secant over derivative at the mean, sin(d/2) / (d/2): the change of sin and cos over a step d of the angle [A23].
double chord(double d) {
  const double x = d / 2;
  return x == 0 ? 1 : std::sin(x) / x;
}

/// Its derivative by d. (x cos x - sin x)/x² loses all digits at x = 0; below 0.05 the first term that is left out of
/// the series is 1e-16 of the sum.
double chord_derivative(double d) {
  const double x = d / 2, x2 = x * x;
  if (std::abs(x) < 0.05)
    return -x / 2 * (1.0 / 3 - x2 * (1.0 / 30 - x2 * (1.0 / 840 - x2 / 45360)));
  return (x * std::cos(x) - std::sin(x)) / (2 * x2);
}

/// Inertia of one link at an instant, its part of [A6]: f_i = m b_i u'_i . x'', and I a_j on the angle of the link
/// itself, with x'' = sum of b_k (a_k u'_k - v_k² u_k).
struct LinkInertia {
  double m, I;
  LinkVector v, a;
  LinkArms arms;
  Vec3 x_ddot;

  LinkInertia(double mass, double inertia, const LinkArms& arms_, const LinkVector& v_, const LinkVector& a_)
      : m(mass), I(inertia), v(v_), a(a_), arms(arms_), x_ddot(arms.dw * a - arms.w * v.cwiseAbs2()) {}

  void add_f(VectorRef f) const {
    f += m * arms.dw.transpose() * x_ddot;
    f[f.size() - 1] += I * a[a.size() - 1];
  }
  /// Derivatives of f by a, v and theta [A7], times a factor.
  void add_M(double factor, MatrixRef k) const {
    k.noalias() += factor * m * arms.dw.transpose() * arms.dw;
    k(k.rows() - 1, k.cols() - 1) += factor * I;
  }
  void add_C(double factor, MatrixRef k) const {
    k.noalias() -= 2 * factor * m * arms.dw.transpose() * (arms.w * v.asDiagonal());
  }
  void add_K(double factor, MatrixRef k) const {
    const PointMap dx_ddot = -arms.w * a.asDiagonal() - arms.dw * v.cwiseAbs2().asDiagonal();
    k.noalias() += factor * m * arms.dw.transpose() * dx_ddot;
    k.diagonal() -= factor * m * arms.w.transpose() * x_ddot; // the arm of row i turns with angle i
  }
};

BodyMomenta<double> momenta_of_link(double mass, double inertia, const BodyMotion& m) {
  const V3<double> v = plain(m.velocity), omega = plain(m.angular_velocity), pi = inertia * omega;
  return momenta_of(plain(m.position), mass * v, v, pi, pi, omega);
}

} // namespace

Vec3 ChainPlane::direction(double theta) const {
  return std::sin(theta) * across + std::cos(theta) * down;
}

Vec3 ChainPlane::turned(double theta) const {
  return std::cos(theta) * across - std::sin(theta) * down;
}

LinkConnectivity::LinkConnectivity(std::vector<Node> nodes, const ChainPlane& plane, const LinkVector& b)
    : Connectivity(std::move(nodes), Grounding::partly), plane_(plane), b_(b) {}

LinkArms LinkConnectivity::arms(const LinkVector& theta) const {
  LinkArms arms{PointMap(3, b_.size()), PointMap(3, b_.size())};
  for (Index i = 0; i < b_.size(); ++i) {
    arms.w.col(i) = b_[i] * plane_.direction(theta[i]);
    arms.dw.col(i) = b_[i] * plane_.turned(theta[i]);
  }
  return arms;
}

Vec12 LinkConnectivity::port(const LinkVector& theta) const {
  const Index j = b_.size() - 1;
  Vec3 x = plane_.pivot;
  for (Index i = 0; i <= j; ++i)
    x += b_[i] * plane_.direction(theta[i]);
  Vec12 q;
  q << x, plane_.direction(theta[j]), plane_.turned(theta[j]), plane_.normal();
  return q;
}

void LinkConnectivity::place(const Step& s, PortMotion& m) const {
  const LinkVector theta_n = values_of(nodes(), s.n.values);
  m.q_n = port(theta_n);
  m.q_n1 = port(theta_n + unknowns_of(nodes(), s.z));
}

void LinkConnectivity::move(const Step& s, PortMotion& m) const {
  const LinkVector theta_n = values_of(nodes(), s.n.values), z = unknowns_of(nodes(), s.z), theta_n1 = theta_n + z;
  m.q_n = port(theta_n);
  m.q_n1 = port(theta_n1);
  const Index j = b_.size() - 1;
  m.P_bar.setZero(12, j + 1);
  m.D.setZero(12, j + 1);
  for (Index i = 0; i <= j; ++i) {
    m.P_bar.block<3, 1>(0, i) = b_[i] * chord(z[i]) * plane_.turned(theta_n[i] + z[i] / 2); // [A23]
    m.D.block<3, 1>(0, i) = b_[i] * plane_.turned(theta_n1[i]);
  }
  const double theta_m = theta_n[j] + z[j] / 2;
  m.P_bar.block<3, 1>(3, j) = chord(z[j]) * plane_.turned(theta_m);
  m.P_bar.block<3, 1>(6, j) = -chord(z[j]) * plane_.direction(theta_m);
  m.D.block<3, 1>(3, j) = plane_.turned(theta_n1[j]);
  m.D.block<3, 1>(6, j) = -plane_.direction(theta_n1[j]);
}

void LinkConnectivity::add_geometric(const Step& s, const PortMotion&, const Vec12& r, MatrixRef k) const {
  const LinkVector theta_n = values_of(nodes(), s.n.values), z = unknowns_of(nodes(), s.z);
  const Index j = b_.size() - 1;
  // Column i of P_bar depends on z_i alone: chord(z_i) (u'_i . f - u_i . g), f along u and g along u' [A23].
  for (Index i = 0; i <= j; ++i) {
    const Vec3 u = plane_.direction(theta_n[i] + z[i] / 2), du = plane_.turned(theta_n[i] + z[i] / 2);
    Vec3 f = b_[i] * r.segment<3>(0), g = Vec3::Zero();
    if (i == j) {
      f += r.segment<3>(3);
      g += r.segment<3>(6);
    }
    k(i, i) += chord_derivative(z[i]) * (du.dot(f) - u.dot(g)) - chord(z[i]) / 2 * (u.dot(f) + du.dot(g));
  }
}

MapPattern LinkConnectivity::map_pattern() const {
  Pattern map = Pattern::Zero(12, unknowns());
  map.topRows<3>().setOnes();
  map.col(unknowns() - 1).segment<6>(3).setOnes(); // base vectors turn with the link's own angle, but for the normal
  return {map, map};
}

Pattern LinkConnectivity::geometric_pattern(const PortPattern& r) const {
  Pattern k = Pattern::Zero(unknowns(), unknowns());
  if (r.head<3>().any())
    k.diagonal().setOnes();
  else if (r.segment<6>(3).any())
    k(unknowns() - 1, unknowns() - 1) = 1;
  return k;
}

void LinkConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  const LinkVector theta = values_of(nodes(), state.values), v = unknowns_of(nodes(), state.rates);
  const Index j = b_.size() - 1;
  q = port(theta);
  q_dot << arms(theta).dw * v, v[j] * plane_.turned(theta[j]), -v[j] * plane_.direction(theta[j]), Vec3::Zero();
}

void LinkConnectivity::add_support(const Vec12& r, const Vec3& moment_of_r, Vec3& force, Vec3& moment) const {
  force += r.head<3>(); // [A25]
  moment += moment_of_r;
}

ChainLink::ChainLink(const LinkProperties& properties, Index port, const LinkConnectivity& connectivity)
    : Body(properties.name, "chain link", connectivity.nodes(), port, properties.mass,
           {ConstraintRows::none(), no_history, Nonlinear::in_turns, Rates::by_integrator, InertiaAtInstant::known}),
      connectivity_(connectivity), inertia_(properties.inertia) {}

void ChainLink::evaluate(const MovedStep& s, LocalSystem& out) const {
  const LinkVector z = unknowns_of(nodes(), s.z), v_n = unknowns_of(nodes(), s.n.rates);
  const LinkVector theta_m = values_of(nodes(), s.n.values) + z / 2, v_m = z * s.inv_h;
  const LinkVector a = 2 * s.inv_h * half_gain(v_n, z, s.inv_h); // [A24]
  const LinkInertia link(mass(), inertia_, connectivity_.arms(theta_m), v_m, a);
  link.add_f(out.r);
  if (!out.tangent)
    return;
  link.add_M(2 * s.inv_h * s.inv_h, out.k);
  link.add_C(s.inv_h, out.k);
  link.add_K(0.5, out.k);
}

void ChainLink::add_magnitude(const MovedStep& s, VectorRef size) const {
  const double inv_h = std::abs(s.inv_h);
  const LinkVector v_m = unknowns_of(nodes(), s.z).cwiseAbs() * inv_h;
  const LinkVector a = 2 * inv_h * (v_m + unknowns_of(nodes(), s.n.rates).cwiseAbs());
  const LinkVector b = connectivity_.b().cwiseAbs();
  size += mass() * b.dot(a + v_m.cwiseAbs2()) * b; // [A24], every product as if the arms were parallel
  size[size.size() - 1] += inertia_ * a[a.size() - 1];
}

void ChainLink::evaluate_inertia(const MotionAt& at, InertiaSystem& out) const {
  const LinkInertia link(mass(), inertia_, connectivity_.arms(values_of(nodes(), at.values)),
                         unknowns_of(nodes(), at.v), unknowns_of(nodes(), at.a));
  link.add_f(out.f); // [A6]
  if (!out.tangent)
    return;
  link.add_M(1, out.M);
  link.add_C(1, out.C);
  link.add_K(1, out.K);
}

void ChainLink::book(const MovedStep& s, const State& n1, StepBooks& books) const {
  const BodyMomenta<double> after = momenta_of_link(mass(), inertia_, motion(n1)),
                            before = momenta_of_link(mass(), inertia_, motion(s.n));
  book_momenta(after, books);
  book_answer_of_ground(of_eigen(after.linear) - of_eigen(before.linear),
                        of_eigen(after.angular) - of_eigen(before.angular), books); // [A25]
}

std::string ChainLink::row_name(Index i) const {
  return "moment on link " + std::to_string(i + 1) + " of the chain";
}

BodyMotion ChainLink::motion(const State& state) const {
  Vec12 q, q_dot;
  connectivity_.at(state, q, q_dot);
  const Mat3 Q = Eigen::Map<const Mat3>(q.data() + 3);
  return {q.head<3>(), Quaternion(Q).normalized(), q_dot.head<3>(),
          angular_velocity(state) * connectivity_.plane().normal()};
}

void ChainLink::set_angle(double angle, double angular_velocity, State& state) const {
  state.values[own().value] = angle;
  state.rates[own().unknown] = angular_velocity;
}

void ChainLink::set_motion(const BodyMotion& motion, State& state) const {
  const ChainPlane& plane = connectivity_.plane();
  const Mat3 R = motion.orientation.normalized().toRotationMatrix();
  // The largest sum of the cosines between base vectors as asked for and u, u'.
  const double theta = std::atan2(R.col(0).dot(plane.across) - R.col(1).dot(plane.down),
                                  R.col(0).dot(plane.down) + R.col(1).dot(plane.across));
  const double turn = std::remainder(theta - angle(state), 2 * std::acos(-1.0));
  set_angle(angle(state) + turn, motion.angular_velocity.dot(plane.normal()), state);
}

double ChainLink::rotation_in(const Step& s) const {
  return std::abs(s.z[own().unknown]);
}

std::vector<const ChainLink*> PlanarChain::add_to(Model& model) const {
  if (links.size() > max_links)
    throw std::length_error("a planar chain may have at most " + std::to_string(max_links) + " links, this one has " +
                            std::to_string(links.size()));
  std::vector<Node> nodes;
  std::vector<const ChainLink*> added;
  for (std::size_t j = 0; j < links.size(); ++j) {
    nodes.push_back(model.add_node(NodeKind::scalar));
    LinkVector b(static_cast<Index>(j) + 1);
    for (std::size_t i = 0; i <= j; ++i)
      b[static_cast<Index>(i)] = i < j ? links[i].length : links[j].centre;
    auto connectivity = std::make_unique<LinkConnectivity>(nodes, plane, b);
    const LinkConnectivity& of_link = *connectivity;
    const Index port = model.add_port(std::move(connectivity));
    added.push_back(&model.add(std::make_unique<ChainLink>(links[j], port, of_link)));
  }
  return added;
}

} // namespace emmy
