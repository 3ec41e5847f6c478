#include "solvers/eigenpairs.hpp"

#include "solvers/slepc.hpp"

#include <algorithm>

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

PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  PetscFunctionBeginUser;
  Product* product = nullptr;
  PetscCall(MatShellGetContext(matrix, &product));
  const VecX result = (*product)(copy(x));
  double* values = nullptr;
  PetscCall(VecGetArrayWrite(y, &values));
  Eigen::Map<VecX>(values, result.size()) = result;
  PetscCall(VecRestoreArrayWrite(y, &values));
  PetscFunctionReturn(0);
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

std::vector<Eigenpair> largest_eigenpairs(const Product& A, Index size, Index count) {
  const SlepcSession session;
  const auto n = static_cast<PetscInt>(size), wanted = static_cast<PetscInt>(count);
  Product product = A;
  PetscMatrix matrix;
  check(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, &product, matrix.out()));
  check(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  SlepcEigen solver;
  check(EPSCreate(PETSC_COMM_SELF, solver.out()));
  check(EPSSetOperators(solver, matrix, nullptr));
  check(EPSSetProblemType(solver, EPS_HEP));
  check(EPSSetWhichEigenpairs(solver, EPS_LARGEST_REAL));
  check(EPSSetDimensions(solver, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
  check(EPSSetTolerances(solver, 1e-13, 1000));
  check(EPSSolve(solver));
  return real_eigenpairs(solver, matrix, wanted);
}

} // namespace emmy
