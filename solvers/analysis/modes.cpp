#include "solvers/analysis/modes.hpp"

#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/analysis/eigenpairs.hpp"
#include "solvers/analysis/response.hpp"
#include "solvers/analysis/static_equilibrium.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace emmy {

namespace {

using Complex = std::complex<double>;

constexpr double pi = 3.14159265358979323846;
/// Rank of the constraints, as in the analysis of constraints.
constexpr double rank_tolerance = 1e-10;
/// Squares of frequencies below this share of the largest stiffness per mass are zero; what is not symmetric beyond
/// `asymmetric` has no potential.
constexpr double negligible = 1e-11, asymmetric = 1e-9;
/// Models with more unknowns are not made dense; so many modes are then given. With dampers matrices are twice as large
/// and not symmetric: dense ones only pay for small models, or where all modes are asked for.
constexpr Index dense_limit = 1000, damped_dense_limit = 300, default_count = 20;

/// Everything about the model at its state.
struct Linear {
  Linear(const Model& model, const State& state)
      : metric(model, state), loaded(state), M(mass_matrix(model, state)), C(damping_matrix(model, state)) {
    const VecX l = balancing_multipliers(model, state);
    loaded.multipliers = l.head(model.multipliers());
    s = linearise_statics(model, loaded, l.tail(l.size() - model.multipliers()));
    const VecX D = metric.diagonal;
    forces = s.f_size.cwiseQuotient(D.cwiseSqrt()).norm();
    stiffness = std::max(s.K.diagonal().cwiseAbs().cwiseQuotient(D).maxCoeff(),
                         forces / std::sqrt(D.maxCoeff())); // at a length of 1 m
  }
  MassMetric metric;
  State loaded;
  SparseMatrix M, C;
  Statics s;
  double forces = 0, stiffness = 0;
};

/// The model in coordinates y of the motions that its constraints admit, q = Z y, with the unit matrix as mass.
struct Reduced {
  MatX Z; ///< unknowns x freedoms
  MatX C, K;
};

/// Motions that the rows without compliance admit, in coordinates in which the mass matrix is the unit matrix.
MatX admitted_motions(const Statics& s, const SparseMatrix& M, const MassMetric& metric) {
  const VecX scale = metric.diagonal.cwiseSqrt().cwiseInverse();
  const VecX F = s.F.diagonal();
  MatX rows = MatX(s.G) * scale.asDiagonal();
  for (Index i = 0; i < rows.rows(); ++i) {
    const double norm = rows.row(i).norm();
    rows.row(i) *= F[i] > 0 || norm == 0 ? 0 : 1 / norm;
  }
  const Index n = rows.cols();
  MatX Q = MatX::Identity(n, n);
  Index rank = 0;
  if (rows.rows() > 0) {
    Eigen::ColPivHouseholderQR<MatX> qr(rows.transpose());
    qr.setThreshold(rank_tolerance);
    rank = qr.rank();
    Q = qr.householderQ();
  }
  const MatX Z = scale.asDiagonal() * Q.rightCols(n - rank);
  // A lamina that is rigid has mass in every motion that is left; one on springs has not.
  Eigen::LLT<MatX> mass(Z.transpose() * (M * Z));
  if (mass.info() != Eigen::Success || mass.rcond() < rank_tolerance)
    mass.compute(Z.transpose() * (metric.W * Z));
  return mass.matrixL().solve(Z.transpose()).transpose();
}

Reduced reduce(const Linear& linear) {
  Reduced r;
  r.Z = admitted_motions(linear.s, linear.M, linear.metric);
  r.K = r.Z.transpose() * (linear.s.K * r.Z);
  r.C = r.Z.transpose() * (linear.C * r.Z);
  const MatX GZ = linear.s.G * r.Z;
  for (Index i = 0; i < GZ.rows(); ++i)
    if (linear.s.F.coeff(i, i) > 0)
      r.K += GZ.row(i).transpose() * GZ.row(i) / linear.s.F.coeff(i, i);
  return r;
}

/// `x` has modal mass one already.
Mode mode_of(Complex s, const Eigen::VectorXcd& x) {
  Mode mode;
  mode.eigenvalue = s;
  mode.omega = s.imag();
  mode.frequency = mode.omega / (2 * pi);
  mode.damping_ratio = s == 0.0 ? 0 : -s.real() / std::abs(s);
  Index largest = 0;
  x.cwiseAbs().maxCoeff(&largest);
  mode.shape = x * (std::conj(x[largest]) / std::abs(x[largest]));
  mode.shape[largest] = std::abs(x[largest]);
  return mode;
}

/// Mode without damping, s² = -square.
Mode undamped_mode(double square, double stiffness, const VecX& x) {
  const double kept = std::abs(square) <= negligible * stiffness ? 0 : square;
  return mode_of(std::sqrt(Complex(-kept)), x.cast<Complex>());
}

/// Basis of the motions that meet neither stiffness nor damper, and of those orthogonal to them: s = 0 twice, which
/// rounding would split into s = ±sqrt(eps).
std::pair<MatX, MatX> split_free_motions(const Reduced& r, double stiffness) {
  MatX both(2 * r.K.rows(), r.K.cols());
  const double damping = r.C.cwiseAbs().maxCoeff();
  both << r.K / (stiffness > 0 ? stiffness : 1), r.C / (damping > 0 ? damping : 1);
  Eigen::ColPivHouseholderQR<MatX> qr(both.transpose());
  qr.setThreshold(negligible);
  const MatX Q = qr.householderQ();
  return {Q.rightCols(Q.cols() - qr.rank()), Q.leftCols(qr.rank())};
}

/// Modes without damping by dense matrices.
std::vector<Mode> all_modes(const Reduced& r, double stiffness) {
  std::vector<Mode> modes;
  for (const Eigenpair& pair : symmetric_eigenpairs(r.K))
    modes.push_back(undamped_mode(pair.value.real(), stiffness, r.Z * pair.vector.real().normalized()));
  return modes;
}

std::vector<Mode> damped_modes(const Reduced& r, double stiffness) {
  std::vector<Mode> modes;
  const auto [free, held] = split_free_motions(r, stiffness);
  for (Index i = 0; i < free.cols(); ++i)
    modes.push_back(mode_of(0.0, (r.Z * free.col(i)).cast<Complex>()));
  if (held.cols() == 0)
    return modes;
  const auto pairs = quadratic_eigenpairs(held.transpose() * r.C * held, held.transpose() * r.K * held);
  double fastest = 0;
  for (const auto& pair : pairs)
    fastest = std::max(fastest, std::abs(pair.value));
  for (const auto& [found, y] : pairs) {
    // What is slower than this is rounding: a motion that decays to another place of rest.
    const Complex value = std::abs(found) > 1e-12 * fastest ? found : Complex(0.0);
    // forces without potential may carry free motions along: s² w + N^T (C s + K) H y = 0
    const Eigen::VectorXcd push = free.transpose() * ((r.C * held) * y * value + (r.K * held) * y);
    const Complex square = value * value;
    const Eigen::VectorXcd all = held * y - (square == 0.0 ? 0.0 : 1.0 / square) * (free * push);
    modes.push_back(mode_of(value, r.Z * all.normalized()));
  }
  return modes;
}

/// The lowest modes without damping, by iteration with sparse matrices. Springs in the rows cost no digits.
std::vector<Mode> lowest_modes(const Linear& linear, Index count, const GoOn& go_on = {}) {
  const double shift = linear.stiffness > 0 ? 1e-4 * linear.stiffness : 1; // [1/s²] where nothing holds the model
  const Response response(linear.s, linear.metric, linear.stiffness, shift);
  std::vector<Mode> modes;
  for (const Eigenpair& pair :
       largest_eigenpairs([&](const VecX& v) { return response * v; }, response.size(), count, go_on)) {
    VecX x, l;
    response.solve(pair.vector.real(), x, l);
    modes.push_back(undamped_mode(1 / pair.value.real() - response.shift(), linear.stiffness,
                                  x / std::sqrt(x.dot(linear.metric.W * x))));
  }
  return modes;
}

/// Motions that meet neither stiffness nor damper, at most `most`; one after the other, since iteration finds equal
/// eigenvalues only once.
MatX free_motions(const Model& model, const Linear& linear, double imbalance, Index most, const GoOn& go_on) {
  const double damping = linear.C.diagonal().cwiseAbs().cwiseQuotient(linear.metric.diagonal).maxCoeff();
  const double largest = linear.stiffness > 0 ? linear.stiffness : 1;
  Statics held = linear.s;
  held.K += largest / damping * linear.C;
  const Response response(held, linear.metric, largest, 1e-7 * largest);
  MatX found(response.size(), 0), motions(response.size(), 0);
  while (motions.cols() < most) {
    const auto others = [&](const VecX& v) -> VecX { return v - found * (found.transpose() * v); };
    const auto pairs =
        largest_eigenpairs([&](const VecX& v) { return others(response * others(v)); }, response.size(), 1, go_on);
    if (pairs.empty())
      break; // stopped
    VecX x, l;
    response.solve(others(pairs.front().vector.real()), x, l);
    if (!stiffness_of(x, l, model, held, linear.metric, largest, imbalance).is_none())
      break;
    found.conservativeResize(Eigen::NoChange, found.cols() + 1);
    found.rightCols(1) = pairs.front().vector.real().normalized();
    motions.conservativeResize(Eigen::NoChange, motions.cols() + 1);
    motions.rightCols(1) = x / std::sqrt(x.dot(linear.metric.W * x));
  }
  return motions;
}

/// The lowest modes with damping, by iteration with sparse matrices.
std::vector<Mode> lowest_damped_modes(const Model& model, const Linear& linear, double imbalance, Index count,
                                      const GoOn& go_on) {
  std::vector<Mode> modes;
  const MatX free = free_motions(model, linear, imbalance, count, go_on);
  for (const auto& x : free.colwise())
    modes.push_back(mode_of(0.0, x.cast<Complex>()));
  const double shift = std::sqrt(1e-10 * (linear.stiffness > 0 ? linear.stiffness : 1));
  const DampedResponse response(linear.s, linear.C, linear.metric, linear.stiffness, shift, free);
  for (const Eigenpair& pair : eigenpairs_near_zero([&](const VecX& w) { return response * w; }, response.size(),
                                                    count - free.cols(), response.shift(), go_on)) {
    const Eigen::VectorXcd x = response.shape(pair.vector);
    const double mass = x.dot(linear.metric.W * x).real();
    // Relative to the shift eigenvalues are known to the tolerance of the iteration.
    const Complex value = std::abs(pair.value) > 1e-9 * response.shift() ? pair.value : Complex(0.0);
    modes.push_back(mode_of(value, x / std::sqrt(mass)));
  }
  return modes;
}

/// True if there are potentials for the stiffness and the damping, as far as rounding tells.
bool is_symmetric(const Linear& linear) {
  const auto is = [](const SparseMatrix& A) {
    return SparseMatrix(A - SparseMatrix(A.transpose())).coeffs().cwiseAbs().maxCoeff() <=
           asymmetric * A.coeffs().cwiseAbs().maxCoeff();
  };
  return is(linear.s.K) && is(linear.C);
}

void sort(std::vector<Mode>& modes) {
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    return std::make_tuple(std::abs(a.eigenvalue), a.eigenvalue.real()) <
           std::make_tuple(std::abs(b.eigenvalue), b.eigenvalue.real());
  });
}

/// Dense matrices with very stiff springs do not know the low frequencies to the last digits; iteration does.
void sharpen_low_modes(const Linear& linear, std::vector<Mode>& modes) {
  constexpr double low = 1e-2; // of the highest frequency
  if (linear.s.F.nonZeros() == 0 || modes.empty())
    return;
  const double limit = low * std::abs(modes.back().eigenvalue);
  const auto end =
      std::find_if(modes.begin(), modes.end(), [&](const Mode& mode) { return std::abs(mode.eigenvalue) >= limit; });
  std::vector<Mode> sharp = lowest_modes(linear, end - modes.begin());
  sort(sharp);
  if (static_cast<std::ptrdiff_t>(sharp.size()) == end - modes.begin())
    std::copy(sharp.begin(), sharp.end(), modes.begin());
}

} // namespace

ModalReport find_modes(const Model& model, const State& state, const ModalOptions& options) {
  Linear linear(model, state);
  if (!options.damping)
    linear.C.setZero();
  ModalReport report;
  const double missing = linear.s.f.cwiseQuotient(linear.metric.diagonal.cwiseSqrt()).norm();
  report.imbalance = linear.forces > 0 ? missing / linear.forces : 0;
  report.damped = linear.C.norm() > 0;
  const GoOn go_on = [&](Index found) {
    report.stopped = report.stopped || (options.go_on && !options.go_on(found));
    return !report.stopped;
  };
  const Index limit = report.damped && options.count > 0 ? damped_dense_limit : dense_limit;
  if (model.unknowns() > limit && (!report.damped || is_symmetric(linear))) {
    report.degrees_of_freedom = analyse_constraints(model, state).degrees_of_freedom();
    const Index count = std::min(options.count > 0 ? options.count : default_count, report.degrees_of_freedom);
    report.modes = report.damped ? lowest_damped_modes(model, linear, report.imbalance, count, go_on)
                                 : lowest_modes(linear, count, go_on);
    sort(report.modes);
    return report;
  }
  const Reduced r = reduce(linear);
  report.degrees_of_freedom = r.Z.cols();
  if (r.Z.cols() == 0)
    return report;
  report.damped = report.damped || (r.K - r.K.transpose()).cwiseAbs().maxCoeff() > asymmetric * linear.stiffness;
  report.modes = report.damped ? damped_modes(r, linear.stiffness) : all_modes(r, linear.stiffness);
  sort(report.modes);
  if (!report.damped)
    sharpen_low_modes(linear, report.modes);
  go_on(static_cast<Index>(report.modes.size()));
  if (options.count > 0)
    report.modes.resize(std::min(report.modes.size(), static_cast<std::size_t>(options.count)));
  return report;
}

} // namespace emmy
