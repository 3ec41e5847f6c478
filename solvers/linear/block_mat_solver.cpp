#include "solvers/linear/block_mat_solver.hpp"

#include "solvers/linear/block_solver.hpp"

// Every package of factors writes into its Mat that it is ready, whose it is, and whether a pivot is zero, so that
// MatFactorGetError and with it KSP and SNES see it. PETSc has functions that read these, and none that write them.
#include <petsc/private/matimpl.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <vector>

namespace emmy {

namespace {

constexpr const char* attached_blocks = "emmy_blocks";
constexpr const char* attached_factors = "emmy_factors";

/// What one Mat of factors keeps.
struct Factors {
  const BlockMatrix* layout = nullptr; ///< the blocks of the matrix, whose numbers stay untouched
  std::unique_ptr<BlockMatrix> blocks; ///< of the same layout, for the numbers of the matrix and of its factors
  std::unique_ptr<BlockSolver> solver;
  std::vector<int> from, to; ///< places of numbers in the AIJ matrix and in the blocks
  MatInfo info{};
  Vec solution = nullptr; ///< not made, but handed out
};

PetscErrorCode attach(Mat to, const char* name, void* what, PetscErrorCode (*destroy)(void*)) {
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, what));
  PetscCall(PetscContainerSetUserDestroy(container, destroy));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(to), name, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(0);
}

/// Null if nothing of that name is attached.
template <class T>
PetscErrorCode find(Mat in, const char* name, T** what) {
  PetscObject container = nullptr;
  void* found = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(in), name, &container));
  if (container != nullptr)
    PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &found));
  *what = static_cast<T*>(found);
  PetscFunctionReturn(0);
}

PetscErrorCode destroy_factors(void* factors) {
  PetscFunctionBegin;
  delete static_cast<Factors*>(factors);
  PetscFunctionReturn(0);
}

/// The blocks that a matrix consists of, or PETSc's error if it is not one of emmy's.
PetscErrorCode blocks_of(Mat matrix, const BlockMatrix** blocks) {
  PetscFunctionBegin;
  PetscCall(find(matrix, attached_blocks, blocks));
  PetscCheck(*blocks != nullptr, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "MatSolverType emmy factorises matrices that emmy assembled from its blocks, and no others");
  PetscFunctionReturn(0);
}

/// Where the numbers of the blocks are in the AIJ matrix, once for its structure.
PetscErrorCode find_places(Mat matrix, const BlockMatrix& layout, Factors& self) {
  const PetscInt *start = nullptr, *column = nullptr;
  PetscInt rows = 0;
  PetscBool done = PETSC_FALSE;
  std::vector<int> row_of, column_of;
  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  layout.entries(row_of, column_of);
  self.from.clear();
  self.to.clear();
  for (std::size_t e = 0; e < row_of.size(); ++e) {
    if (row_of[e] < 0)
      continue;
    const PetscInt *first = column + start[row_of[e]], *last = column + start[row_of[e] + 1];
    const PetscInt* found = std::lower_bound(first, last, column_of[e]);
    PetscCheck(found != last && *found == column_of[e], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "the matrix lacks entries of the blocks that are attached to it");
    self.from.push_back(static_cast<int>(found - column));
    self.to.push_back(static_cast<int>(e));
  }
  PetscCheck(static_cast<PetscInt>(self.from.size()) == start[rows], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "the matrix has entries outside the blocks that are attached to it");
  PetscCall(MatRestoreRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  PetscFunctionReturn(0);
}

/// How many numbers the factors have.
MatInfo describe(const BlockProgram& program, std::size_t of_matrix) {
  MatInfo info{};
  info.block_size = 1;
  for (const PivotStep* step = program.steps; step != program.steps + program.count; ++step) {
    info.nz_used += step->diagonal ? step->size : step->size * step->size;
    for (const PivotNeighbour* of = program.neighbours + step->first;
         of != program.neighbours + step->first + step->count; ++of)
      info.nz_used += 2 * (step->diagonal ? step->size : step->size * of->size);
  }
  info.nz_allocated = info.nz_used;
  info.fill_ratio_needed = info.nz_used / static_cast<double>(of_matrix);
  return info;
}

// --- what PETSc calls. It is C: no exception may pass through it.

PetscErrorCode factor_symbolic(Mat factors, Mat matrix, IS, IS, const MatFactorInfo*) {
  Factors* self = nullptr;
  const BlockMatrix* layout = nullptr;
  PetscFunctionBegin;
  PetscCall(find(factors, attached_factors, &self));
  PetscCall(blocks_of(matrix, &layout));
  try {
    PetscCall(find_places(matrix, *layout, *self));
    self->solver.reset(); // refers to the blocks
    self->blocks = layout->twin();
    self->solver = std::make_unique<BlockSolver>(*self->blocks, best_instructions());
    self->layout = layout;
  } catch (const std::exception& failure) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "%s", failure.what());
  }
  self->info = describe(self->blocks->program(), self->from.size());
  PetscFunctionReturn(0);
}

/// The first node whose pivot cannot be inverted, or the end of the list.
const PivotStep* zero_pivot(const BlockProgram& program) {
  return std::find_if(program.steps, program.steps + program.count, [&](const PivotStep& step) {
    const double* inverse = program.values + step.inverse;
    const int numbers = step.diagonal ? step.size : stride_of(step.size) * step.size;
    return !std::all_of(inverse, inverse + numbers, [](double number) { return std::isfinite(number); });
  });
}

PetscErrorCode factor_numeric(Mat factors, Mat matrix, const MatFactorInfo*) {
  Factors* self = nullptr;
  const BlockMatrix* layout = nullptr;
  const PetscScalar* numbers = nullptr;
  PetscFunctionBegin;
  PetscCall(find(factors, attached_factors, &self));
  PetscCall(blocks_of(matrix, &layout));
  PetscCheck(self->layout == layout, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "the symbolic factorisation is of a matrix with other blocks");
  factors->assembled = PETSC_TRUE;
  if (self->solution != nullptr)
    PetscFunctionReturn(0);
  double* values = self->blocks->values();
  PetscCall(MatSeqAIJGetArrayRead(matrix, &numbers));
  for (std::size_t i = 0; i < self->from.size(); ++i)
    values[self->to[i]] = numbers[self->from[i]];
  PetscCall(MatSeqAIJRestoreArrayRead(matrix, &numbers));
  self->solver->factorise();
  PetscCall(MatFactorClearError(factors));
  const BlockProgram program = self->blocks->program();
  if (const PivotStep* step = zero_pivot(program); step != program.steps + program.count) {
    factors->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    factors->factorerror_zeropivot_row = step->row;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode solve(Mat factors, Vec b, Vec x) {
  Factors* self = nullptr;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  PetscCall(find(factors, attached_factors, &self));
  if (self->solution != nullptr) {
    PetscCall(VecCopy(self->solution, x));
    PetscFunctionReturn(0);
  }
  PetscCheck(self->solver != nullptr, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the matrix is not factorised yet");
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  self->solver->solve(from, to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscFunctionReturn(0);
}

PetscErrorCode get_info(Mat factors, MatInfoType, MatInfo* info) {
  Factors* self = nullptr;
  PetscFunctionBegin;
  PetscCall(find(factors, attached_factors, &self));
  *info = self->info;
  PetscFunctionReturn(0);
}

PetscErrorCode tell_package(Mat, MatSolverType* package) {
  PetscFunctionBegin;
  *package = block_solver_name;
  PetscFunctionReturn(0);
}

template <class Function>
PetscErrorCode set_operation(Mat of, MatOperation operation, Function* function) {
  return MatSetOperation(of, operation, reinterpret_cast<void (*)()>(function));
}

PetscErrorCode get_factor(Mat matrix, MatFactorType type, Mat* factors) {
  const BlockMatrix* blocks = nullptr;
  PetscInt n = 0;
  Mat made = nullptr;
  PetscFunctionBegin;
  PetscCall(blocks_of(matrix, &blocks)); // the earliest moment to refuse
  PetscCall(MatGetSize(matrix, &n, nullptr));
  PetscCall(MatCreate(PETSC_COMM_SELF, &made));
  PetscCall(MatSetSizes(made, n, n, n, n));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(made), block_solver_name));
  PetscCall(MatSetUp(made));
  // Or PETSc 3.18 takes it for symmetric and solves transposed systems as if they were not, instead of refusing.
  PetscCall(MatSetOption(made, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(MatSetFactorType(made, type));
  PetscCall(PetscStrallocpy(block_solver_name, &made->solvertype));
  PetscCall(attach(made, attached_factors, new Factors, destroy_factors));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(made), "MatFactorGetSolverType_C", tell_package));
  PetscCall(set_operation(made, MATOP_LUFACTOR_SYMBOLIC, factor_symbolic));
  PetscCall(set_operation(made, MATOP_LUFACTOR_NUMERIC, factor_numeric));
  PetscCall(set_operation(made, MATOP_SOLVE, solve));
  PetscCall(set_operation(made, MATOP_GETINFO, get_info));
  *factors = made;
  PetscFunctionReturn(0);
}

} // namespace

void attach_blocks(Mat matrix, const BlockMatrix& blocks) {
  check(MatSolverTypeRegister(block_solver_name, MATSEQAIJ, MAT_FACTOR_LU, get_factor));
  check(attach(matrix, attached_blocks, const_cast<BlockMatrix*>(&blocks), nullptr)); // containers know no const
}

void let_hand_out(Mat factors, Vec solution) {
  Factors* self = nullptr;
  check(find(factors, attached_factors, &self));
  self->solution = solution;
}

} // namespace emmy
