/// The block LU as a package of factors of PETSc: an ordinary direct solver.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/linear/block_mat_solver.hpp"
#include "verification/support/joints.hpp"
#include "verification/unit/solvers/system.hpp"

#include <boost/test/unit_test.hpp>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <limits>
#include <numeric>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

using PetscSolver = PetscHandle<KSP, KSPDestroy>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A chain on hinges somewhere near free motion, with its matrix.
struct Chain {
  explicit Chain(unsigned seed)
      : random(seed),
        system(mechanism, random.numbers(mechanism.model->unknowns() + mechanism.model->multipliers(), 1e-2)) {
    system.assembler.fill_matrix();
    matrix = system.assembler.matrix();
  }

  /// What is coupled stays so, and pivots stay what they are.
  void change_numbers() {
    MatInfo info;
    check(MatGetInfo(matrix, MAT_LOCAL, &info));
    const auto count = static_cast<Index>(info.nz_used);
    double* numbers = nullptr;
    check(MatSeqAIJGetArray(matrix, &numbers));
    Eigen::Map<Eigen::ArrayXd>(numbers, count) *= 2 + random.numbers(count, 0.1).array();
    check(MatSeqAIJRestoreArray(matrix, &numbers));
  }

  Mechanism mechanism = hanging_chain(4, ChainJoint::revolute);
  Random random;
  System system;
  Mat matrix = nullptr;
};

MatX dense(Mat matrix) {
  PetscInt n = 0;
  check(MatGetSize(matrix, &n, nullptr));
  std::vector<PetscInt> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  RowMajor A(n, n);
  check(MatGetValues(matrix, n, all.data(), n, all.data(), A.data()));
  return A;
}

/// LU by emmy, asked for as by options.
void set_up(PetscSolver& ksp, Mat matrix, KSPType type = KSPPREONLY) {
  PC pc = nullptr;
  check(KSPCreate(PETSC_COMM_SELF, ksp.out()));
  check(KSPSetOperators(ksp, matrix, matrix));
  check(KSPSetType(ksp, type));
  check(KSPGetPC(ksp, &pc));
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, block_solver_name));
}

void fill(Vec vector, const VecX& numbers) {
  double* to = nullptr;
  check(VecGetArrayWrite(vector, &to));
  std::copy_n(numbers.data(), numbers.size(), to);
  check(VecRestoreArrayWrite(vector, &to));
}

VecX numbers_of(Vec vector) {
  PetscInt n = 0;
  const double* from = nullptr;
  check(VecGetSize(vector, &n));
  check(VecGetArrayRead(vector, &from));
  const VecX numbers = Eigen::Map<const VecX>(from, n);
  check(VecRestoreArrayRead(vector, &from));
  return numbers;
}

VecX solve(KSP ksp, const VecX& right) {
  PetscVector b, x;
  check(VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(right.size()), b.out()));
  check(VecDuplicate(b, x.out()));
  fill(b, right);
  check(KSPSolve(ksp, b, x));
  return numbers_of(x);
}

double condition(const MatX& A) {
  const VecX singular = Eigen::BDCSVD<MatX>(A).singularValues();
  return singular[0] / singular[singular.size() - 1];
}

/// True if A x = right to rounding.
bool is_solution(const MatX& A, const VecX& x, const VecX& right) {
  const VecX exact = A.fullPivLu().solve(right);
  return (x - exact).norm() <= 100 * eps * condition(A) * exact.norm();
}

/// The text of PETSc's error.
template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const PetscFailure& failure) {
    return failure.what();
  }
  return "none";
}

/// Ten steps of a chain, and how they were solved.
std::pair<State, std::string> run(bool by_snes, const std::vector<std::pair<const char*, const char*>>& options = {}) {
  for (const auto& [name, value] : options)
    check(PetscOptionsSetValue(nullptr, name, value));
  Mechanism m = hanging_chain(4, ChainJoint::revolute);
  NewtonOptions choice;
  choice.by_snes = by_snes;
  EnergyMomentum integrator(*m.model, choice);
  for (int i = 0; i < 10; ++i) {
    const StepReport report = integrator.step(m.initial, 0.01);
    BOOST_REQUIRE_MESSAGE(report.converged, report.why);
    BOOST_TEST(report.warning == "");
  }
  for (const auto& option : options)
    check(PetscOptionsClearValue(nullptr, option.first));
  return {m.initial, integrator.description()};
}

} // namespace

BOOST_AUTO_TEST_SUITE(BlockMatSolver)

// SNES takes it unless something else is asked for, and options name it like every other package.
BOOST_AUTO_TEST_CASE(options_choose_it_like_any_other_package) {
  const char *type = "-pc_type", *package = "-pc_factor_mat_solver_type", *krylov = "-ksp_type";
  const auto [own, own_text] = run(false);
  BOOST_TEST(own_text.find("Newton, block LU") != std::string::npos, own_text);
  struct Choice {
    bool by_snes;
    std::vector<std::pair<const char*, const char*>> options;
    const char* text;
  };
  for (const Choice& choice : {Choice{true, {}, "Newton by SNES, preonly/lu by emmy"},
                               {false, {{type, "lu"}, {package, "emmy"}}, "Newton, preonly/lu by emmy"},
                               {true, {{type, "lu"}, {package, "emmy"}}, "Newton by SNES, preonly/lu by emmy"},
                               {false, {{package, "emmy"}}, "Newton, preonly/lu by emmy"},
                               {false, {{krylov, "gmres"}}, "Newton, gmres/lu by emmy"},
                               {false, {{krylov, "gmres"}, {type, "lu"}, {package, "emmy"}}, "gmres/lu by emmy"},
                               {true, {{krylov, "gmres"}, {package, "emmy"}}, "Newton by SNES, gmres/lu by emmy"},
                               {false, {{type, "lu"}}, "Newton, preonly/lu by petsc"},
                               {false, {{package, "klu"}}, "Newton, preonly/lu by klu"}}) {
    const auto [other, text] = run(choice.by_snes, choice.options);
    BOOST_TEST(text.find(choice.text) != std::string::npos, text);
    // ten steps, each solved to eps times the condition number [S1]
    BOOST_TEST((own.values - other.values).cwiseAbs().maxCoeff() <= 10 * 3e4 * eps);
  }
}

// It solves with the numbers of the matrix that it is given, whatever its blocks held before, and with others when
// these change.
BOOST_AUTO_TEST_CASE(solves_with_the_matrix_that_petsc_gives_it) {
  Chain chain(67);
  const VecX held =
      Eigen::Map<const VecX>(chain.system.assembler.blocks().values(), chain.system.assembler.blocks().stored());
  for (KSPType type : {KSPPREONLY, KSPGMRES}) {
    PetscSolver ksp;
    set_up(ksp, chain.matrix, type);
    for (int change = 0; change < 2; ++change) {
      chain.change_numbers();
      const VecX right = chain.random.numbers(chain.system.assembler.size());
      BOOST_TEST(is_solution(dense(chain.matrix), solve(ksp, right), right));
    }
  }
  BOOST_TEST(
      (held == Eigen::Map<const VecX>(chain.system.assembler.blocks().values(), held.size()))); // nor changes them
}

// Factors serve many right sides, and stay what they are while the model goes on.
BOOST_AUTO_TEST_CASE(factors_are_kept_for_several_right_sides) {
  Chain chain(68);
  PetscSolver ksp;
  set_up(ksp, chain.matrix);
  check(KSPSetUp(ksp));
  check(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  const MatX A = dense(chain.matrix);
  const Index n = A.rows();
  for (int i = 0; i < 3; ++i) {
    const VecX right = chain.random.numbers(n);
    BOOST_TEST(is_solution(A, solve(ksp, right), right));
    chain.change_numbers(); // of the matrix, and of the blocks:
    chain.system.x += chain.random.numbers(n, 1e-2);
    BOOST_TEST_REQUIRE(chain.system.assembler.evaluate_closely(chain.system.x.data(), chain.system.f.data()));
  }
  // The same at once.
  PC pc = nullptr;
  Mat factors = nullptr;
  check(KSPGetPC(ksp, &pc));
  check(PCFactorGetMatrix(pc, &factors));
  MatX right(n, 3), found = MatX::Zero(n, 3);
  for (Index i = 0; i < 3; ++i)
    right.col(i) = chain.random.numbers(n);
  PetscMatrix B, X;
  const auto rows = static_cast<PetscInt>(n);
  check(MatCreateSeqDense(PETSC_COMM_SELF, rows, 3, right.data(), B.out()));
  check(MatCreateSeqDense(PETSC_COMM_SELF, rows, 3, found.data(), X.out()));
  for (Mat dense : {static_cast<Mat>(B), static_cast<Mat>(X)}) {
    check(MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY));
  }
  check(MatMatSolve(factors, B, X));
  for (Index i = 0; i < 3; ++i)
    BOOST_TEST(is_solution(A, found.col(i), right.col(i)));
}

// Two solvers on one matrix, factorised at different times, do not disturb one another; nor do two matrices of one
// model, or those of two models.
BOOST_AUTO_TEST_CASE(solvers_of_the_same_model_are_independent) {
  Chain chain(69), other(70);
  PetscSolver first, second, third;
  set_up(first, chain.matrix);
  check(KSPSetUp(first));
  check(KSPSetReusePreconditioner(first, PETSC_TRUE));
  const MatX before = dense(chain.matrix);
  chain.change_numbers();
  set_up(second, chain.matrix);
  set_up(third, other.matrix);
  const MatX after = dense(chain.matrix);
  for (int i = 0; i < 2; ++i) {
    const VecX right = chain.random.numbers(before.rows());
    BOOST_TEST(is_solution(before, solve(first, right), right));
    BOOST_TEST(is_solution(after, solve(second, right), right));
    BOOST_TEST(is_solution(dense(other.matrix), solve(third, right), right));
  }
  // A solver that is given another matrix of other blocks.
  check(KSPSetOperators(second, other.matrix, other.matrix));
  const VecX right = chain.random.numbers(before.rows());
  BOOST_TEST(is_solution(dense(other.matrix), solve(second, right), right));
}

// As PETSc's own LU and MUMPS do it: a failure that can be asked for, and that a KSP passes on. What comes after is
// solved again.
BOOST_AUTO_TEST_CASE(a_singular_matrix_is_reported) {
  Chain chain(71);
  for (KSPType type : {KSPPREONLY, KSPGMRES}) {
    PetscSolver ksp;
    PC pc = nullptr;
    Mat factors = nullptr;
    MatFactorError error = MAT_FACTOR_NOERROR;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    set_up(ksp, chain.matrix, type);
    const VecX right = chain.random.numbers(chain.system.assembler.size());
    check(MatZeroEntries(chain.matrix));
    solve(ksp, right);
    check(KSPGetPC(ksp, &pc));
    check(PCFactorGetMatrix(pc, &factors));
    check(MatFactorGetError(factors, &error));
    check(KSPGetConvergedReason(ksp, &reason));
    BOOST_TEST(error == MAT_FACTOR_NUMERIC_ZEROPIVOT);
    BOOST_TEST(reason == KSP_DIVERGED_PC_FAILED);
    chain.system.assembler.fill_matrix();
    check(KSPSetOperators(ksp, chain.matrix, chain.matrix)); // or KSP does not set itself up anew
    BOOST_TEST(is_solution(dense(chain.matrix), solve(ksp, right), right));
    check(MatFactorGetError(factors, &error));
    BOOST_TEST(error == MAT_FACTOR_NOERROR);
  }
}

// Without pivoting, a body of no mass beside 1 kg takes all digits of its neighbours: the pivot is zero. KLU takes over
// from SNES as from the iteration of emmy's own, since a KSP sees that factors failed.
BOOST_AUTO_TEST_CASE(klu_takes_over_where_a_pivot_is_zero) {
  for (const bool by_snes : {false, true}) {
    Mechanism m;
    Index last = Model::ground;
    for (const double mass : {1.0, 1e-40, 1.0}) {
      m.bodies.push_back(
          &FrameBody::add_to(*m.model, "body" + std::to_string(m.bodies.size()), mass, mass * Mat3::Identity()));
      const Index port = m.bodies.back()->port();
      m.model->add(spherical_joint("ball", m.model->ports(),
                                   {last, last == Model::ground ? Vec3::Zero() : Vec3(0, 0, -1)}, {port, {0, 0, 1}}));
      m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), port, mass, Vec3(0, 1, -9)));
      last = port;
    }
    m.initial = m.model->rest_state();
    m.initial.multipliers.setZero(m.model->multipliers());
    for (std::size_t i = 0; i < 3; ++i)
      m.bodies[i]->set_motion(
          {{0, 0, -1 - 2.0 * static_cast<double>(i)}, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, m.initial);
    NewtonOptions options;
    options.by_snes = by_snes;
    EnergyMomentum integrator(*m.model, options);
    const StepReport report = integrator.step(m.initial, 0.01);
    BOOST_TEST(report.converged, report.why);
    BOOST_TEST(report.warning.find("the factorisation without pivoting") == 0, report.warning);
    BOOST_TEST(integrator.description().find("preonly/lu by klu") != std::string::npos, integrator.description());
  }
}

BOOST_AUTO_TEST_CASE(what_it_cannot_do_is_an_error_of_petsc) {
  Chain chain(72);
  PetscMatrix foreign;
  PetscSolver ksp;
  check(MatDuplicate(chain.matrix, MAT_COPY_VALUES, foreign.out()));
  set_up(ksp, foreign);
  const std::string refused = error_of([&] { check(KSPSetUp(ksp)); });
  BOOST_TEST(refused.find("factorises matrices that emmy assembled from its blocks") != std::string::npos, refused);
  // transposed systems
  set_up(ksp, chain.matrix);
  PetscVector b, x;
  check(MatCreateVecs(chain.matrix, x.out(), b.out()));
  check(VecSet(b, 1));
  const std::string transposed = error_of([&] { check(KSPSolveTranspose(ksp, b, x)); });
  BOOST_TEST(transposed.find("No support for this operation") != std::string::npos, transposed);
  // factors of other kinds
  Mat factors = nullptr;
  const std::string cholesky =
      error_of([&] { check(MatGetFactor(chain.matrix, block_solver_name, MAT_FACTOR_CHOLESKY, &factors)); });
  BOOST_TEST(cholesky.find("does not support factorization type CHOLESKY") != std::string::npos, cholesky);
  // factors that are not made yet
  PetscMatrix empty;
  check(MatGetFactor(chain.matrix, block_solver_name, MAT_FACTOR_LU, empty.out()));
  BOOST_TEST(error_of([&] { check(MatSolve(empty, b, x)); }).find("not factorised yet") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_how_large_its_factors_are) {
  Chain chain(73);
  PetscSolver ksp;
  PC pc = nullptr;
  Mat factors = nullptr;
  MatSolverType package = nullptr;
  MatInfo of_matrix, of_factors;
  set_up(ksp, chain.matrix);
  check(KSPSetUp(ksp));
  check(KSPGetPC(ksp, &pc));
  check(PCFactorGetMatrix(pc, &factors));
  check(MatFactorGetSolverType(factors, &package));
  check(MatGetInfo(chain.matrix, MAT_LOCAL, &of_matrix));
  check(MatGetInfo(factors, MAT_LOCAL, &of_factors));
  BOOST_TEST(package == std::string("emmy"));
  BOOST_TEST(of_factors.nz_used >= of_matrix.nz_used);
  BOOST_TEST(of_factors.fill_ratio_needed == of_factors.nz_used / of_matrix.nz_used);
}

BOOST_AUTO_TEST_SUITE_END()
