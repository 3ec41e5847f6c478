#include "solvers/analysis/eigenpairs.hpp"

#include "solvers/petsc/slepc.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

using Complex = std::complex<double>;
using Product = std::function<VecX(const VecX&)>;

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

std::vector<Eigenpair> real_eigenpairs(EPS solver, Mat matrix, PetscInt count) {
  PetscInt converged = 0;
  check(EPSGetConverged(solver, &converged));
  PetscVector x;
  check(MatCreateVecs(matrix, x.out(), nullptr));
  std::vector<Eigenpair> pairs;
  for (PetscInt i = 0; i < std::min(count, converged); ++i) {
    double value = 0;
    check(EPSGetEigenpair(solver, i, &value, nullptr, x, nullptr));
    pairs.push_back({value, copy(x).cast<Complex>()});
  }
  return pairs;
}

/// A matrix that is known by its products, and whether there shall be more of them.
struct Operator {
  Product product;
  GoOn go_on;
  PetscInt found = 0;
  bool stopped = false;
};

PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  PetscFunctionBeginUser;
  Operator* A = nullptr;
  PetscCall(MatShellGetContext(matrix, &A));
  A->stopped = A->go_on && !A->go_on(A->found);
  if (A->stopped)
    PetscFunctionReturn(PETSC_ERR_USER); // the way out of an iteration that may take long between its own questions
  const VecX result = A->product(copy(x));
  double* values = nullptr;
  PetscCall(VecGetArrayWrite(y, &values));
  Eigen::Map<VecX>(values, result.size()) = result;
  PetscCall(VecRestoreArrayWrite(y, &values));
  PetscFunctionReturn(0);
}

PetscErrorCode count_found(EPS, PetscInt, PetscInt found, PetscScalar*, PetscScalar*, PetscReal*, PetscInt,
                           void* operation) {
  PetscFunctionBeginUser;
  static_cast<Operator*>(operation)->found = found;
  PetscFunctionReturn(0);
}

/// False if it was stopped.
bool solve(EPS solver, Operator& A) {
  check(EPSMonitorSet(solver, count_found, &A, nullptr));
  const PetscErrorCode code = EPSSolve(solver);
  if (!A.stopped)
    check(code);
  return !A.stopped;
}

/// SLEPc's question which of two eigenvalues of an inverse is wanted more: that nearer to zero before it was inverted.
PetscErrorCode nearer_to_zero(PetscReal a, PetscReal a_im, PetscReal b, PetscReal b_im, PetscInt* answer, void* shift) {
  PetscFunctionBeginUser;
  const auto distance = [&](Complex theta) {
    return theta == 0.0 ? HUGE_VAL : std::abs(*static_cast<const double*>(shift) + 1.0 / theta);
  };
  const double first = distance({a, a_im}), second = distance({b, b_im});
  *answer = first < second ? -1 : first > second ? 1 : 0;
  PetscFunctionReturn(0);
}

PetscMatrix shell(Operator& A, PetscInt size) {
  PetscMatrix matrix;
  check(MatCreateShell(PETSC_COMM_SELF, size, size, size, size, &A, matrix.out()));
  check(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  return matrix;
}

} // namespace

std::vector<Eigenpair> symmetric_eigenpairs(const MatX& A) {
  const SlepcSession session;
  const auto size = static_cast<PetscInt>(A.rows());
  const PetscMatrix matrix = petsc((A + A.transpose()) / 2);
  SlepcEigen solver;
  check(EPSCreate(PETSC_COMM_SELF, solver.out()));
  check(EPSSetOperators(solver, matrix, nullptr));
  check(EPSSetProblemType(solver, EPS_HEP));
  check(EPSSetType(solver, EPSLAPACK));
  check(EPSSetDimensions(solver, size, PETSC_DEFAULT, PETSC_DEFAULT));
  check(EPSSolve(solver));
  return real_eigenpairs(solver, matrix, size);
}

std::vector<Eigenpair> quadratic_eigenpairs(const MatX& C, const MatX& K) {
  const SlepcSession session;
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
  if (K.cwiseAbs().maxCoeff() > 0) // the scale is taken from mass and stiffness
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

std::vector<Eigenpair> largest_eigenpairs(const Product& A, Index size, Index count, const GoOn& go_on) {
  const SlepcSession session;
  const auto n = static_cast<PetscInt>(size), wanted = static_cast<PetscInt>(count);
  Operator operation{A, go_on};
  const PetscMatrix matrix = shell(operation, n);
  SlepcEigen solver;
  check(EPSCreate(PETSC_COMM_SELF, solver.out()));
  check(EPSSetOperators(solver, matrix, nullptr));
  check(EPSSetProblemType(solver, EPS_HEP));
  check(EPSSetWhichEigenpairs(solver, EPS_LARGEST_REAL));
  check(EPSSetDimensions(solver, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
  check(EPSSetTolerances(solver, 1e-13, 1000));
  if (!solve(solver, operation))
    return {};
  return real_eigenpairs(solver, matrix, wanted);
}

std::vector<Eigenpair> eigenpairs_near_zero(const Product& inverse, Index size, Index count, double shift,
                                            const GoOn& go_on) {
  const SlepcSession session;
  Operator operation{inverse, go_on ? [&](Index found) { return go_on(found / 2); } : GoOn()};
  const auto wanted = static_cast<PetscInt>(std::min(2 * count, size)); // conjugates count
  const PetscMatrix matrix = shell(operation, static_cast<PetscInt>(size));
  SlepcEigen solver;
  check(EPSCreate(PETSC_COMM_SELF, solver.out()));
  check(EPSSetOperators(solver, matrix, nullptr));
  check(EPSSetProblemType(solver, EPS_NHEP));
  check(EPSSetWhichEigenpairs(solver, EPS_WHICH_USER));
  check(EPSSetEigenvalueComparison(solver, nearer_to_zero, &shift));
  check(EPSSetDimensions(solver, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
  check(EPSSetTolerances(solver, 1e-12, 1000));
  if (!solve(solver, operation))
    return {};
  PetscInt converged = 0;
  check(EPSGetConverged(solver, &converged));
  PetscVector re, im;
  check(MatCreateVecs(matrix, re.out(), im.out()));
  std::vector<Eigenpair> pairs;
  for (PetscInt i = 0; i < converged && static_cast<Index>(pairs.size()) < count; ++i) {
    double real = 0, imaginary = 0;
    check(EPSGetEigenpair(solver, i, &real, &imaginary, re, im));
    if (imaginary > 0) // of the inverse: the conjugate that follows is wanted
      continue;
    Eigen::VectorXcd vector = copy(re).cast<Complex>();
    if (imaginary < 0)
      vector += Complex(0, 1) * copy(im).cast<Complex>();
    pairs.push_back({shift + 1.0 / Complex(real, imaginary), vector});
  }
  return pairs;
}

} // namespace emmy
