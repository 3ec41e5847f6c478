#include "elements/bodies/spring_tetra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

/// Second moments below this part of their sum are zero.
constexpr double no_moment = 1e-12;

Eigen::Map<const Mat3> base_vectors(const Vec12& q) {
  return Eigen::Map<const Mat3>(q.data() + 3);
}

/// Principal axis of the largest second moment, and whether there is no other.
std::pair<Vec3, bool> rod_axis(const Mat3& E) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(E);
  return {solver.eigenvectors().col(2), solver.eigenvalues()[1] <= no_moment * E.trace()};
}

Mat3 nearest_rotation(const Mat3& Q) {
  const Eigen::JacobiSVD<Mat3> svd(Q, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 sign = Vec3::Ones();
  sign[2] = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  return svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
}

std::vector<BodySlot> own_slots(Model& model, const MatX& basis) {
  std::vector<BodySlot> slots;
  for (Index b = 0; b < basis.cols(); ++b)
    slots.push_back({basis.col(b), {{model.add_node(NodeKind::point), 1.0}}, {}});
  return slots;
}

} // namespace

Mat3 SpringTetra::second_moments(const std::string& name, const Mat3& J) {
  const Mat3 E = J.trace() / 2 * Mat3::Identity() - J; // [T2]
  if (Eigen::SelfAdjointEigenSolver<Mat3>(E).eigenvalues()[0] < -no_moment * J.trace())
    throw std::invalid_argument("body '" + name +
                                "': no distribution of mass has this inertia, one of its principal moments is larger "
                                "than the sum of the others");
  return E;
}

MatX SpringTetra::basis(const Mat3& E) {
  const auto [axis, is_rod] = rod_axis(E);
  if (!is_rod)
    return MatX::Identity(4, 4);
  MatX basis = MatX::Zero(4, 2);
  basis(0, 0) = 1;
  basis.block<3, 1>(1, 1) = axis;
  return basis;
}

std::vector<Vec3> SpringTetra::standard_springs(const Mat3& E) {
  const auto [axis, is_rod] = rod_axis(E);
  if (is_rod)
    return {axis};
  const Vec3 e1 = Vec3::UnitX(), e2 = Vec3::UnitY(), e3 = Vec3::UnitZ();
  return {e1, e2, e3, e2 - e1, e3 - e1, e3 - e2}; // [T8]
}

SpringTetra& SpringTetra::add_to(Model& model, std::string name, double mass, const Mat3& J,
                                 const SpringTetraOptions& options) {
  const Mat3 E = second_moments(name, J);
  return add_to(model, std::move(name), mass, J, options, own_slots(model, basis(E)), standard_springs(E));
}

SpringTetra& SpringTetra::add_to(Model& model, std::string name, double mass, const Mat3& J,
                                 const SpringTetraOptions& options, const std::vector<BodySlot>& slots,
                                 const std::vector<Vec3>& springs) {
  auto connectivity = AffineConnectivity::from_slots(slots, basis(second_moments(name, J)));
  const AffineConnectivity& of_body = *connectivity;
  const Index port = model.add_port(std::move(connectivity));
  return model.add(std::make_unique<SpringTetra>(std::move(name), of_body, port, mass, J, options, slots, springs));
}

SpringTetra::SpringTetra(std::string name, const AffineConnectivity& connectivity, Index port, double mass,
                         const Mat3& J, const SpringTetraOptions& options, std::vector<BodySlot> slots,
                         const std::vector<Vec3>& springs)
    : Body(std::move(name), slots.size() == 2 ? "spring rod body" : "spring tetrahedron body", connectivity.nodes(),
           port, mass, options.evaluation == SpringEvaluation::mixed ? static_cast<Index>(springs.size()) : 0,
           options.evaluation == SpringEvaluation::closed_form ? 0 : static_cast<Index>(springs.size())),
      connectivity_(connectivity), slots_(std::move(slots)), options_(options),
      compliance_(options.rigid ? 0 : 1 / options.stiffness), J_(J), E_(second_moments(this->name(), J)) {
  enforce(options.enforcement);
  if (options.rigid ? !mixed() : !(options.stiffness > 0))
    throw std::invalid_argument("body '" + this->name() +
                                "': a spring body needs a stiffness above zero, or to be rigid in mixed form");
  if (springs.size() > max_springs)
    throw std::length_error("body '" + this->name() + "' has too many springs");
  J_inverse_ = J.completeOrthogonalDecomposition().pseudoInverse(); // a rod has no moment about its axis
  mass4_.setZero();
  mass4_(0, 0) = mass;
  mass4_.bottomRightCorner<3, 3>() = E_;
  const auto& W = connectivity_.W();
  node_mass_ = W.transpose() * mass4_ * W; // [T5]
  for (const Vec3& g : springs)
    springs_.push_back({g, g.norm(), W.bottomRows<3>().transpose() * g});
}

SpringTetra::Stretch SpringTetra::stretch(const Step& s, const Vec12& q_n, const Vec12& dq, Index i) const {
  const Spring& spring = springs_[static_cast<std::size_t>(i)];
  Stretch t;
  t.d_n = base_vectors(q_n) * spring.g;
  t.dd = base_vectors(dq) * spring.g;
  t.d_n1 = t.d_n + t.dd;
  t.d_m = t.d_n + t.dd / 2;
  t.L_n1 = t.d_n1.norm();
  const double L_n = t.d_n.norm();
  t.l = L_n + t.L_n1;
  t.e_n = history() > 0 ? s.n.history[first_history() + i] : L_n - spring.L0;
  t.e_n1 = t.e_n + t.dd.dot(2 * t.d_n + t.dd) / t.l; // [T13]
  const Vec3 along = t.d_n1 / t.L_n1;
  const double k = options_.stiffness;
  switch (options_.evaluation) {
  case SpringEvaluation::closed_form:
    t.S = k * (1 - 2 * spring.L0 / t.l);               // [T10]
    t.dS_dd = 2 * k * spring.L0 / (t.l * t.l) * along; // [T12]
    break;
  case SpringEvaluation::increments:
    t.S = k * (t.e_n + t.e_n1) / t.l; // [T13]
    t.dS_dd = (k - t.S) / t.l * along;
    break;
  case SpringEvaluation::mixed:
    t.S = 2 * s.lambda[first_multiplier() + i] / t.l; // [T14]
    t.dS_dd = -t.S / t.l * along;                     // [T15]
    break;
  }
  return t;
}

/// z/h - rates in the variables of the port: the very bracket by which the rates are updated [T11].
Vec12 SpringTetra::bracket(const Step& s) const {
  Vec12 q = Vec12::Zero();
  const auto& W = connectivity_.W();
  for (Index a = 0; a < W.cols(); ++a) {
    const Index u = nodes()[static_cast<std::size_t>(a)].unknown;
    const Vec3 b = s.z.segment<3>(u) * s.inv_h - s.n.rates.segment<3>(u);
    for (int i = 0; i < 4; ++i)
      q.segment<3>(3 * i) += W(i, a) * b;
  }
  return q;
}

Vec12 SpringTetra::port_residual(const Step& s) const {
  const Vec12 b = bracket(s), q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  Vec12 r;
  Eigen::Map<Eigen::Matrix<double, 3, 4>> columns(r.data());
  columns = 2 * s.inv_h * Eigen::Map<const Eigen::Matrix<double, 3, 4>>(b.data()) * mass4_; // [T11]
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Stretch t = stretch(s, q_n, dq, static_cast<Index>(i));
    columns.rightCols<3>() += t.S * t.d_m * springs_[i].g.transpose(); // [T10]
  }
  return r;
}

/// [T14]; a rigid body keeps the length at the end of the step: of the mean, errors within a tolerance would alternate
/// and grow, e_n1 = 2 c - e_n.
double SpringTetra::length_row(const Stretch& t, double lambda) const {
  return options_.rigid ? t.e_n1 : (t.e_n + t.e_n1) / 2 - lambda * compliance_;
}

void SpringTetra::evaluate(const Step& s, const PortMotions&, LocalSystem& out) const {
  const Vec12 r = port_residual(s);
  const auto& W = connectivity_.W();
  const Index n = W.cols(), nz = unknowns();
  for (Index a = 0; a < n; ++a)
    for (int i = 0; i < 4; ++i)
      out.r.segment<3>(3 * a) += W(i, a) * r.segment<3>(3 * i);
  if (!mixed() && !out.tangent)
    return;
  const Vec12 q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  if (out.tangent)
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b)
        out.k.block<3, 3>(3 * a, 3 * b).diagonal().array() += 2 * s.inv_h * s.inv_h * node_mass_(a, b);
  for (std::size_t e = 0; e < springs_.size(); ++e) {
    const auto i = static_cast<Index>(e);
    const NodeWeights& B = springs_[e].B;
    const Stretch t = stretch(s, q_n, dq, i);
    if (mixed())
      out.r[nz + i] += length_row(t, s.lambda[first_multiplier() + i]);
    if (!out.tangent)
      continue;
    Mat3 k = t.d_m * t.dS_dd.transpose(); // [T12], [T15]
    k.diagonal().array() += t.S / 2;
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b)
        out.k.block<3, 3>(3 * a, 3 * b) += B[a] * B[b] * k;
    if (!mixed())
      continue;
    for (Index a = 0; a < n; ++a) { // [T15]
      out.k.block<3, 1>(3 * a, nz + i) += 2 * B[a] / t.l * t.d_m;
      out.k.block<1, 3>(nz + i, 3 * a) += B[a] * (options_.rigid ? 1.0 : 0.5) / t.L_n1 * t.d_n1.transpose();
    }
    out.k(nz + i, nz + i) -= compliance_;
  }
}

Pattern SpringTetra::pattern() const {
  const Index n = node_mass_.rows(), nz = unknowns();
  Pattern k = Pattern::Zero(nz + multipliers(), nz + multipliers());
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      if (node_mass_(a, b) != 0)
        k.block<3, 3>(3 * a, 3 * b).setIdentity();
  for (std::size_t e = 0; e < springs_.size(); ++e) {
    const Pattern B = (springs_[e].B.array() != 0).cast<int>();
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b)
        if (B(a, 0) && B(b, 0))
          k.block<3, 3>(3 * a, 3 * b).setOnes();
    if (!mixed())
      continue;
    const Index row = nz + static_cast<Index>(e);
    for (Index a = 0; a < n; ++a)
      if (B(a, 0)) {
        k.block<1, 3>(row, 3 * a).setOnes();
        k.block<3, 1>(3 * a, row).setOnes();
      }
    k(row, row) = 1;
  }
  return k;
}

void SpringTetra::add_magnitude(const Step& s, const PortMotions&, VectorRef size) const {
  const auto& W = connectivity_.W();
  const Index n = W.cols();
  const Vec12 q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  const double inv_h = std::abs(s.inv_h);
  NodeWeights rate(n), increment(n); // lengths of whole vectors, since a component may be small by its direction
  for (Index a = 0; a < n; ++a) {
    const Index u = nodes()[static_cast<std::size_t>(a)].unknown;
    increment[a] = s.z.segment<3>(u).norm();
    rate[a] = increment[a] * inv_h + s.n.rates.segment<3>(u).norm();
  }
  const Eigen::Matrix<double, 4, 1> inertia = 2 * inv_h * mass4_.cwiseAbs() * (W.cwiseAbs() * rate);
  for (Index a = 0; a < n; ++a)
    size.segment<3>(3 * a).array() += W.col(a).cwiseAbs().dot(inertia);
  for (std::size_t e = 0; e < springs_.size(); ++e) {
    const Stretch t = stretch(s, q_n, dq, static_cast<Index>(e));
    const NodeWeights B = springs_[e].B.cwiseAbs();
    const double dd = B.dot(increment), k = options_.stiffness;
    double force = std::abs(t.S) * t.d_m.norm();
    if (options_.evaluation == SpringEvaluation::closed_form)
      force += 2 * k * springs_[e].L0; // two lengths that cancel, each known to eps L
    if (options_.evaluation == SpringEvaluation::increments)
      force += k * (std::abs(t.e_n) + dd);
    for (Index a = 0; a < n; ++a)
      size.segment<3>(3 * a).array() += B[a] * force;
    if (mixed())
      size[unknowns() + static_cast<Index>(e)] +=
          std::abs(t.e_n) + dd + std::abs(s.lambda[first_multiplier() + static_cast<Index>(e)]) * compliance_;
  }
}

void SpringTetra::begin(const Step&, const PortMotions&, State& state) const {
  const Vec12 q = connectivity_.port(state.values);
  for (Index i = 0; i < history(); ++i) {
    const Spring& spring = springs_[static_cast<std::size_t>(i)];
    // A rigid body keeps the shape that it starts with.
    state.history[first_history() + i] = options_.rigid ? 0 : (base_vectors(q) * spring.g).norm() - spring.L0;
  }
}

void SpringTetra::advance(const Step& s, const PortMotions&, State& n1) const {
  const Vec12 q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  for (Index i = 0; i < history(); ++i)
    n1.history[first_history() + i] = stretch(s, q_n, dq, i).e_n1; // [T13]
}

double SpringTetra::strain_energy(const State& state) const {
  const bool penalised = enforcement().method == EnforcementMethod::penalty;
  if (options_.rigid && !penalised)
    return 0;
  const double k = options_.rigid ? enforcement().stiffness : options_.stiffness; // [A20], [T8]
  const Vec12 q = connectivity_.port(state.values);
  double V = 0;
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Spring& spring = springs_[i];
    const double e = history() > 0 ? state.history[first_history() + static_cast<Index>(i)]
                                   : (base_vectors(q) * spring.g).norm() - spring.L0;
    V += k * e * e / 2;
  }
  return V;
}

Vec3 SpringTetra::spin_momentum(const Vec12& q, const Vec12& q_dot) const {
  const Mat3 p = base_vectors(q_dot) * E_; // conjugate to the base vectors [T2]
  Vec3 l = Vec3::Zero();
  for (int i = 0; i < 3; ++i)
    l += base_vectors(q).col(i).cross(p.col(i));
  return l;
}

void SpringTetra::book(const Step& s, const PortMotions&, const State& n1, StepBooks& books) const {
  Vec12 q, q_dot;
  connectivity_.at(n1, q, q_dot);
  const auto Q_dot = base_vectors(q_dot);
  const Vec3 v = q_dot.head<3>(), p = mass() * v;
  const Vec3 l = q.head<3>().cross(p) + spin_momentum(q, q_dot);
  const double V = strain_energy(n1);
  books.kinetic += (p.dot(v) + (Q_dot * E_).cwiseProduct(Q_dot).sum()) / 2; // [T2]
  books.potential += V;
  books.strain += V;
  if (!is_rod()) { // the port of a rod has no volume, and no angles between its base vectors
    const auto Q = base_vectors(q);
    if (!options_.rigid)
      books.least_volume = std::min(books.least_volume, Q.determinant());
    books.rigidity_violation =
        std::max(books.rigidity_violation, (Q.transpose() * Q - Mat3::Identity()).cwiseAbs().maxCoeff());
  }
  books.linear_momentum += p;
  books.angular_momentum += l;
  books.linear_momentum_sum += p.norm();
  books.angular_momentum_sum += l.norm();
  book_support(connectivity_, s.h, port_residual(s), Vec3::Zero(), books); // inner forces have no moment
}

std::string SpringTetra::row_name(Index i) const {
  if (i >= unknowns())
    return "length of spring " + std::to_string(i - unknowns() + 1);
  return "force on node " + std::to_string(i / 3 + 1) + " along " + "xyz"[i % 3];
}

/// Springs hardly change their length: what moves a base vector by as much turns it.
double SpringTetra::bending_length(const Step&, const PortMotions&) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Spring& spring : springs_)
    least = std::min(least, spring.L0 / spring.B.norm());
  return least;
}

BodyMotion SpringTetra::motion(const State& state) const {
  Vec12 q, q_dot;
  connectivity_.at(state, q, q_dot);
  const auto Q = base_vectors(q);
  Quaternion orientation;
  if (is_rod()) { // Q = d a^T
    const Vec3 a = springs_.empty() ? rod_axis(E_).first : springs_.front().g;
    orientation = Quaternion::FromTwoVectors(a, Q * a);
  } else {
    orientation = Quaternion(nearest_rotation(Q));
  }
  const Vec3 L = orientation.conjugate() * spin_momentum(q, q_dot);
  return {q.head<3>(), orientation, q_dot.head<3>(), orientation * (J_inverse_ * L)};
}

void SpringTetra::set_motion(const BodyMotion& motion, State& state) const {
  const Mat3 Q = motion.orientation.normalized().toRotationMatrix();
  for (const BodySlot& slot : slots_) {
    if (slot.nodes.size() != 1 || slot.nodes.front().second != 1 || !slot.supports.empty())
      continue;
    const Node& node = slot.nodes.front().first;
    const Vec3 r = Q * slot.column.tail<3>();
    state.values.segment<3>(node.value) = slot.column[0] * motion.position + r;
    state.rates.segment<3>(node.unknown) = slot.column[0] * motion.velocity + motion.angular_velocity.cross(r);
  }
}

Rigidity SpringTetra::rigidity(const State& state) const {
  const Index rows = mixed() ? 0 : static_cast<Index>(springs_.size());
  Rigidity rigidity{VecX(rows), MatX::Zero(rows, unknowns()), false};
  const Vec12 q = connectivity_.port(state.values);
  for (Index i = 0; i < rows; ++i) {
    const Spring& spring = springs_[static_cast<std::size_t>(i)];
    const Vec3 d = base_vectors(q) * spring.g;
    rigidity.e[i] = d.norm() - spring.L0;
    for (Index a = 0; a < spring.B.size(); ++a)
      rigidity.C.block<1, 3>(i, 3 * a) = spring.B[a] * d.normalized().transpose();
  }
  return rigidity;
}

double SpringTetra::rotation_in(const Step& s) const {
  const Vec12 q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  const Mat3 Q_m = base_vectors(q_n) + base_vectors(dq) / 2, B = Q_m * Q_m.transpose();
  Vec3 moment = Vec3::Zero();
  for (int i = 0; i < 3; ++i)
    moment += Q_m.col(i).cross(base_vectors(dq).col(i));
  const Mat3 S = B.trace() * Mat3::Identity() - B; // [T17]; singular for a rod, of which the smallest solution is right
  return 2 * std::atan(S.completeOrthogonalDecomposition().solve(moment).norm() / 2);
}

} // namespace emmy
