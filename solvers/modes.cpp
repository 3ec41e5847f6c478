#include "solvers/modes.hpp"

#include "solvers/saddle.hpp"
#include "solvers/slepc.hpp"
#include "solvers/static_equilibrium.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

using Complex = std::complex<double>;

constexpr double pi = 3.14159265358979323846;
constexpr double eps = std::numeric_limits<double>::epsilon();
/// Rank of the constraints, as in the analysis of constraints.
constexpr double rank_tolerance = 1e-10;
/// Squares of frequencies below this share of the largest stiffness per mass are zero; what is not symmetric beyond it
/// has no potential.
constexpr double negligible = 1e-11;

/// The model in coordinates y of the motions that its constraints admit, q = Z y, with the unit matrix as mass.
struct Reduced {
  MatX Z; ///< unknowns x freedoms
  MatX C, K;
  double stiffness = 0; ///< size of K without springs in the rows
};

PetscMatrix petsc(const MatX& A) {
  PetscMatrix matrix;
  const auto rows = static_cast<PetscInt>(A.rows()), columns = static_cast<PetscInt>(A.cols());
  check(MatCreateSeqDense(PETSC_COMM_SELF, rows, columns, nullptr, matrix.out()));
  double* values = nullptr;
  check(MatDenseGetArrayWrite(matrix, &values));
  Eigen::Map<MatX>(values, A.rows(), A.cols()) = A;
  check(MatDenseRestoreArrayWrite(matrix, &values));
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

VecX copy(Vec v) {
  PetscInt size = 0;
  check(VecGetSize(v, &size));
  const double* values = nullptr;
  check(VecGetArrayRead(v, &values));
  const VecX result = Eigen::Map<const VecX>(values, size);
  check(VecRestoreArrayRead(v, &values));
  return result;
}

struct Eigenpair {
  Complex value;
  Eigen::VectorXcd vector;
};

/// All eigenvalues of a symmetric matrix.
std::vector<Eigenpair> symmetric_eigenpairs(const MatX& A) {
  const PetscMatrix matrix = petsc((A + A.transpose()) / 2);
  SlepcEigen solver;
  check(EPSCreate(PETSC_COMM_SELF, solver.out()));
  check(EPSSetOperators(solver, matrix, nullptr));
  check(EPSSetProblemType(solver, EPS_HEP));
  check(EPSSetType(solver, EPSLAPACK));
  check(EPSSetDimensions(solver, static_cast<PetscInt>(A.rows()), PETSC_DEFAULT, PETSC_DEFAULT));
  check(EPSSolve(solver));
  PetscInt count = 0;
  check(EPSGetConverged(solver, &count));
  PetscVector x;
  check(MatCreateVecs(matrix, x.out(), nullptr));
  std::vector<Eigenpair> pairs;
  for (PetscInt i = 0; i < count; ++i) {
    double value = 0;
    check(EPSGetEigenpair(solver, i, &value, nullptr, x, nullptr));
    pairs.push_back({value, copy(x).cast<Complex>()});
  }
  return pairs;
}

/// All eigenvalues of s² + C s + K, of pairs the one with Im s > 0.
std::vector<Eigenpair> quadratic_eigenpairs(const MatX& C, const MatX& K) {
  PetscMatrix k = petsc(K), c = petsc(C), m = petsc(MatX::Identity(K.rows(), K.rows()));
  Mat coefficients[] = {k, c, m};
  SlepcPolynomial solver;
  check(PEPCreate(PETSC_COMM_SELF, solver.out()));
  check(PEPSetOperators(solver, 3, coefficients));
  check(PEPSetProblemType(solver, PEP_GENERAL));
  check(PEPSetType(solver, PEPLINEAR));
  check(PEPLinearSetExplicitMatrix(solver, PETSC_TRUE));
  EPS linear = nullptr; // owned by the polynomial solver
  check(PEPLinearGetEPS(solver, &linear));
  check(EPSSetType(linear, EPSLAPACK));
  check(PEPSetScale(solver, PEP_SCALE_SCALAR, PETSC_DECIDE, nullptr, nullptr, PETSC_DECIDE, PETSC_DECIDE));
  check(PEPSetDimensions(solver, static_cast<PetscInt>(2 * K.rows()), PETSC_DEFAULT, PETSC_DEFAULT));
  check(PEPSolve(solver));
  PetscInt count = 0;
  check(PEPGetConverged(solver, &count));
  PetscVector re, im;
  check(MatCreateVecs(k, re.out(), im.out()));
  std::vector<Eigenpair> pairs;
  for (PetscInt i = 0; i < count; ++i) {
    double real = 0, imaginary = 0;
    check(PEPGetEigenpair(solver, i, &real, &imaginary, re, im));
    if (imaginary < 0)
      continue;
    Eigen::VectorXcd vector = copy(re).cast<Complex>();
    if (imaginary > 0)
      vector += Complex(0, 1) * copy(im).cast<Complex>();
    pairs.push_back({Complex(real, imaginary), vector});
  }
  return pairs;
}

/// Motions that the rows without compliance admit, in coordinates in which the mass matrix is the unit matrix.
MatX admitted_motions(const Statics& s, const MassMetric& metric) {
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
  const Eigen::LLT<MatX> mass(Z.transpose() * (metric.W * Z));
  return mass.matrixL().solve(Z.transpose()).transpose();
}

Reduced reduce(const Model& model, const State& state, const Statics& s, const MassMetric& metric, bool damping) {
  Reduced r;
  r.Z = admitted_motions(s, metric);
  r.K = r.Z.transpose() * (s.K * r.Z);
  const double forces =
      std::sqrt(s.f_size.cwiseAbs2().cwiseQuotient(metric.diagonal).sum() / metric.diagonal.maxCoeff());
  r.stiffness = std::max(r.K.size() > 0 ? r.K.cwiseAbs().maxCoeff() : 0, forces); // at a length of 1 m
  const MatX GZ = s.G * r.Z;
  for (Index i = 0; i < GZ.rows(); ++i)
    if (s.F.coeff(i, i) > 0)
      r.K += GZ.row(i).transpose() * GZ.row(i) / s.F.coeff(i, i);
  r.C = damping ? MatX(r.Z.transpose() * (damping_matrix(model, state) * r.Z)) : MatX::Zero(r.K.rows(), r.K.rows());
  return r;
}

/// Largest entry real and positive, x^H M x = 1.
Eigen::VectorXcd normalised(Eigen::VectorXcd x, const SparseMatrix& M) {
  Index largest = 0;
  x.cwiseAbs().maxCoeff(&largest);
  const double mass = std::real(x.dot(M * x));
  return x * (std::conj(x[largest]) / std::abs(x[largest]) / std::sqrt(mass));
}

Mode mode_of(Complex s, const Eigen::VectorXcd& y, const MatX& Z, const SparseMatrix& M) {
  Mode mode;
  mode.eigenvalue = s;
  mode.omega = s.imag();
  mode.frequency = mode.omega / (2 * pi);
  mode.damping_ratio = s == 0.0 ? 0 : -s.real() / std::abs(s);
  mode.shape = normalised(Z * y, M);
  return mode;
}

/// Basis of the motions that meet neither stiffness nor damper, and of those orthogonal to them: s = 0 twice, which
/// rounding would split into s = ±sqrt(eps).
std::pair<MatX, MatX> split_free_motions(const Reduced& r) {
  MatX both(2 * r.K.rows(), r.K.cols());
  const double damping = r.C.cwiseAbs().maxCoeff();
  both << r.K / r.stiffness, r.C / (damping > 0 ? damping : 1);
  Eigen::ColPivHouseholderQR<MatX> qr(both.transpose());
  qr.setThreshold(negligible);
  const MatX Q = qr.householderQ();
  return {Q.rightCols(Q.cols() - qr.rank()), Q.leftCols(qr.rank())};
}

} // namespace

ModalReport find_modes(const Model& model, const State& state, const ModalOptions& options) {
  const SlepcSession slepc;
  const MassMetric metric(model, state);
  State loaded = state;
  const VecX l = balancing_multipliers(model, state);
  loaded.multipliers = l.head(model.multipliers());
  const Statics s = linearise_statics(model, loaded, l.tail(l.size() - model.multipliers()));
  const Reduced r = reduce(model, loaded, s, metric, options.damping);

  ModalReport report;
  report.degrees_of_freedom = r.Z.cols();
  const double forces = s.f_size.cwiseQuotient(metric.diagonal.cwiseSqrt()).norm();
  report.imbalance = forces > 0 ? s.f.cwiseQuotient(metric.diagonal.cwiseSqrt()).norm() / forces : 0;
  if (r.Z.cols() == 0)
    return report;
  const bool has_potential = (r.K - r.K.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * r.stiffness;
  report.damped = r.C.cwiseAbs().maxCoeff() > 0 || !has_potential;
  if (!report.damped) {
    for (const Eigenpair& pair : symmetric_eigenpairs(r.K)) {
      const double square = std::abs(pair.value.real()) <= negligible * r.stiffness ? 0 : pair.value.real();
      report.modes.push_back(mode_of(std::sqrt(Complex(-square)), pair.vector, r.Z, metric.W));
    }
  } else {
    const auto [free, held] = split_free_motions(r);
    for (Index i = 0; i < free.cols(); ++i)
      report.modes.push_back(mode_of(0, free.col(i).cast<Complex>(), r.Z, metric.W));
    if (held.cols() > 0)
      for (const auto& [value, y] :
           quadratic_eigenpairs(held.transpose() * r.C * held, held.transpose() * r.K * held)) {
        // forces without potential may carry free motions along: s² w + N^T (C s + K) H y = 0
        const Eigen::VectorXcd push = free.transpose() * ((r.C * held) * y * value + (r.K * held) * y);
        const Complex s2 = value * value;
        report.modes.push_back(mode_of(value, held * y - (s2 == 0.0 ? 0.0 : 1.0 / s2) * (free * push), r.Z, metric.W));
      }
  }
  std::sort(report.modes.begin(), report.modes.end(), [](const Mode& a, const Mode& b) {
    const double x = std::abs(a.eigenvalue), y = std::abs(b.eigenvalue);
    return x != y ? x < y : a.eigenvalue.real() < b.eigenvalue.real();
  });
  return report;
}

} // namespace emmy
