#include "elements/bodies/spring_tetra.hpp"

#include "core/mean_rule.hpp"
#include "elements/bodies/book_momenta.hpp"
#include "elements/bodies/spring_tetra_equations.hpp"

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

/// Centre and base vectors.
struct Vectors {
  explicit Vectors(const Vec12& q) {
    for (int i = 0; i < 4; ++i)
      of[i] = plain(Vec3(q.segment<3>(3 * i)));
  }
  V3<double> of[4];
};

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

struct SpringTetra::Stretch {
  SpringStretch<double> of;
  SpringPull<double> pull;
  double e_n; // elongation at the start
  double e_n1() const { return e_n + of.gain; }
};

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
  std::vector<Vec3> springs;
  for (const SpringEnds& ends : standard_spring_ends) // [T8]
    springs.emplace_back(Vec3::Unit(ends.to) - (ends.from < 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(ends.from))));
  return springs;
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
           port, mass,
           {ConstraintRows::equations(options.evaluation == SpringEvaluation::mixed ? static_cast<Index>(springs.size())
                                                                                    : 0),
            options.evaluation == SpringEvaluation::closed_form ? no_history : static_cast<Index>(springs.size()),
            Nonlinear::in_displacements, Rates::by_integrator, InertiaAtInstant::unknown}),
      connectivity_(connectivity), slots_(std::move(slots)), options_(options),
      compliance_(options.rigid ? 0 : 1 / options.stiffness), J_(J), E_(second_moments(this->name(), J)) {
  if (options.rigid ? !mixed() : !(options.stiffness > 0))
    throw std::invalid_argument("body '" + this->name() +
                                "': a spring body needs a stiffness above zero, or to be rigid in mixed form");
  if (springs.size() > max_springs)
    throw std::length_error("body '" + this->name() + "' has too many springs");
  J_inverse_ = J.completeOrthogonalDecomposition().pseudoInverse(); // a rod has no moment about its axis
  mass4_ = Vec4(mass, 0, 0, 0).asDiagonal();
  mass4_.bottomRightCorner<3, 3>() = E_;
  const auto& W = connectivity_.W();
  node_mass_ = W.transpose() * mass4_ * W; // [T5]
  shortest_ = std::numeric_limits<double>::infinity();
  for (const Vec3& g : springs) {
    springs_.push_back({g, g.norm(), W.bottomRows<3>().transpose() * g});
    shortest_ = std::min(shortest_, g.norm() / springs_.back().B.norm());
  }
}

bool SpringTetra::is_plain() const {
  const auto& W = connectivity_.W();
  if (W.cols() != 4 || !(W.array() == MatX::Identity(4, 4).array()).all() || connectivity_.is_supported())
    return false;
  const std::vector<Vec3> standard = standard_springs(E_);
  return springs_.size() == standard_spring_count &&
         std::equal(springs_.begin(), springs_.end(), standard.begin(), standard.end(),
                    [](const Spring& spring, const Vec3& g) { return spring.g == g; });
}

SpringTetra::Stretch SpringTetra::stretch(const Step& s, const Vec12& q_n, const Vec12& dq, Index i) const {
  const Spring& spring = springs_[static_cast<std::size_t>(i)];
  Stretch t;
  t.of = emmy::stretch(plain(Vec3(base_vectors(q_n) * spring.g)), plain(Vec3(base_vectors(dq) * spring.g)));
  t.e_n = history() > 0 ? s.n.history[first_history() + i] : t.of.L_n - spring.L0;
  const double k = options_.stiffness;
  switch (options_.evaluation) {
  case SpringEvaluation::closed_form:
    t.pull = closed_form_pull(t.of, k, spring.L0);
    break;
  case SpringEvaluation::increments:
    t.pull = increment_pull(t.of, k, t.e_n);
    break;
  case SpringEvaluation::mixed:
    t.pull = mixed_pull(t.of, s.lambda[first_multiplier() + i]);
    break;
  }
  return t;
}

/// Half of what rates gain, in the variables of the port [T11].
Vec12 SpringTetra::bracket(const Step& s) const {
  Vec12 q = Vec12::Zero();
  const auto& W = connectivity_.W();
  for (Index a = 0; a < W.cols(); ++a) {
    const Index u = nodes()[static_cast<std::size_t>(a)].unknown;
    const Vec3 b = half_gain<Vec3>(s.n.rates.segment<3>(u), s.z.segment<3>(u), s.inv_h);
    for (int i = 0; i < 4; ++i)
      q.segment<3>(3 * i) += W(i, a) * b;
  }
  return q;
}

Vec12 SpringTetra::port_residual(const Step& s) const {
  const Vec12 b = bracket(s), q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  Vec12 r;
  V3<double> forces[4];
  inertia_forces(mass(), plain(E_), 2 * s.inv_h, Vectors(b).of, forces); // [T11]
  for (int i = 0; i < 4; ++i)
    r.segment<3>(3 * i) = of_eigen(forces[i]);
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Stretch t = stretch(s, q_n, dq, static_cast<Index>(i));
    Eigen::Map<Mat3>(r.data() + 3) += t.pull.S * of_eigen(t.of.d_m) * springs_[i].g.transpose(); // [T10]
  }
  return r;
}

void SpringTetra::evaluate(const MovedStep& s, LocalSystem& out) const {
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
    const double at_end = options_.rigid ? 1.0 : 0.5;
    if (mixed())
      out.r[nz + i] += length_row(t.of, at_end, t.e_n, s.lambda[first_multiplier() + i], compliance_); // [T14]
    if (!out.tangent)
      continue;
    Mat3 k = t.pull.dS_dL / t.of.L_n1 * of_eigen(t.of.d_m) * of_eigen(t.of.d_n1).transpose(); // [T12], [T15]
    k.diagonal().array() += t.pull.S / 2;
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b)
        out.k.block<3, 3>(3 * a, 3 * b) += B[a] * B[b] * k;
    if (!mixed())
      continue;
    const V3<double> pull = unit_pull(t.of), row = length_row_gradient(t.of, at_end);
    for (Index a = 0; a < n; ++a) { // [T15]
      out.k.block<3, 1>(3 * a, nz + i) += B[a] * of_eigen(pull);
      out.k.block<1, 3>(nz + i, 3 * a) += B[a] * of_eigen(row).transpose();
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

void SpringTetra::add_magnitude(const MovedStep& s, VectorRef size) const {
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
    double force = std::abs(t.pull.S) * of_eigen(t.of.d_m).norm();
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

void SpringTetra::begin(const MovedStep&, State& state) const {
  const Vec12 q = connectivity_.port(state.values);
  for (Index i = 0; i < history(); ++i) {
    const Spring& spring = springs_[static_cast<std::size_t>(i)];
    // A rigid body keeps the shape that it starts with.
    state.history[first_history() + i] = options_.rigid ? 0 : (base_vectors(q) * spring.g).norm() - spring.L0;
  }
}

void SpringTetra::advance(const MovedStep& s, State& n1) const {
  const Vec12 q_n = connectivity_.port(s.n.values), dq = connectivity_.port_change(s.z);
  for (Index i = 0; i < history(); ++i)
    n1.history[first_history() + i] = stretch(s, q_n, dq, i).e_n1(); // [T13]
}

double SpringTetra::strain_energy(const State& state) const {
  if (options_.rigid)
    return 0;
  const double k = options_.stiffness;
  const Vec12 q = connectivity_.port(state.values);
  double V = 0;
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Spring& spring = springs_[i];
    const double e = history() > 0 ? state.history[first_history() + static_cast<Index>(i)]
                                   : (base_vectors(q) * spring.g).norm() - spring.L0;
    V += spring_energy(k, e);
  }
  return V;
}

Vec3 SpringTetra::spin_momentum(const Vec12& q, const Vec12& q_dot) const {
  return of_eigen(tetra_momenta(0.0, plain(E_), Vectors(q).of, Vectors(q_dot).of).angular);
}

void SpringTetra::book(const MovedStep& s, const State& n1, StepBooks& books) const {
  Vec12 q, q_dot;
  connectivity_.at(n1, q, q_dot);
  book_momenta(tetra_momenta(mass(), plain(E_), Vectors(q).of, Vectors(q_dot).of), books);
  const double V = strain_energy(n1);
  books.potential += V;
  books.strain += V;
  if (!is_rod()) { // the port of a rod has no volume, and no angles between its base vectors
    const M3<double> Q = plain(Mat3(base_vectors(q)));
    if (!options_.rigid)
      books.least_volume = std::min(books.least_volume, determinant(Q));
    books.rigidity_violation = std::max(books.rigidity_violation, rigidity_violation(Q));
  }
  if (connectivity_.is_supported())
    book_support(connectivity_, s.h, port_residual(s), Vec3::Zero(), books); // inner forces have no moment
}

std::string SpringTetra::row_name(Index i) const {
  if (i >= unknowns())
    return "length of spring " + std::to_string(i - unknowns() + 1);
  return "force on node " + std::to_string(i / 3 + 1) + " along " + "xyz"[i % 3];
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
    if (state.remainders.size() == state.values.size()) // by motion from elsewhere
      state.remainders.segment<3>(node.value).setZero();
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
  const Vec12 dq = connectivity_.port_change(s.z), q_m = connectivity_.port(s.n.values) + dq / 2;
  const Mat3 Q_m = base_vectors(q_m), B = Q_m * Q_m.transpose();
  Vec3 moment = Vec3::Zero();
  for (int i = 0; i < 3; ++i)
    moment += Q_m.col(i).cross(base_vectors(dq).col(i));
  const Mat3 S = B.trace() * Mat3::Identity() - B; // [T17]; singular for a rod, of which the smallest solution is right
  return 2 * std::atan(S.completeOrthogonalDecomposition().solve(moment).norm() / 2);
}

} // namespace emmy
