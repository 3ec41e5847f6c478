#include "solvers/linear/block_preconditioner.hpp"

#include "solvers/linear/block_solver.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

namespace emmy {

namespace {

constexpr const char* attachment = "emmy_blocks";

/// What one PC keeps.
struct Preconditioner {
  BlockMatrix* blocks = nullptr;
  std::unique_ptr<BlockSolver> solver;
  std::vector<int> from, to; ///< places of the numbers in the AIJ matrix and in the blocks
};

PetscErrorCode destroy(void* self) {
  PetscFunctionBegin;
  delete static_cast<Preconditioner*>(self);
  PetscFunctionReturn(0);
}

/// PETSc hands the context of a shell to shells by that name only, so it is attached to the PC.
PetscErrorCode find(PC pc, Preconditioner** self) {
  PetscObject container = nullptr;
  void* found = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(pc), block_preconditioner_name, &container));
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &found));
  *self = static_cast<Preconditioner*>(found);
  PetscFunctionReturn(0);
}

/// Where the numbers of the blocks are in an AIJ matrix, once for its structure.
PetscErrorCode find_places(const BlockMatrix& layout, const PetscInt* start, const PetscInt* column,
                           Preconditioner& self) {
  PetscFunctionBegin;
  std::vector<int> row_of, column_of;
  layout.entries(row_of, column_of);
  self.from.clear();
  self.to.clear();
  for (std::size_t e = 0; e < row_of.size(); ++e) {
    if (row_of[e] < 0)
      continue;
    const PetscInt *first = column + start[row_of[e]], *last = column + start[row_of[e] + 1];
    const PetscInt* found = std::lower_bound(first, last, column_of[e]);
    PetscCheck(found != last && *found == column_of[e], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "the matrix is not assembled from the blocks that are attached to it");
    self.from.push_back(static_cast<int>(found - column));
    self.to.push_back(static_cast<int>(e));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode set_up(PC pc) {
  Preconditioner* self = nullptr;
  Mat matrix = nullptr;
  PetscObject container = nullptr;
  PetscFunctionBegin;
  PetscCall(find(pc, &self));
  PetscCall(PCGetOperators(pc, nullptr, &matrix));
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(matrix), attachment, &container));
  PetscCheck(container != nullptr, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "PC emmy needs a matrix of emmy");
  void* blocks = nullptr;
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &blocks));
  const PetscInt *start = nullptr, *column = nullptr;
  PetscInt rows = 0;
  PetscBool done = PETSC_FALSE;
  const PetscScalar* numbers = nullptr;
  PetscCall(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "PC emmy needs a matrix of type AIJ");
  if (self->blocks != blocks) {
    try { // no exception may pass through PETSc
      auto& layout = *static_cast<BlockMatrix*>(blocks);
      self->solver = std::make_unique<BlockSolver>(layout, best_instructions());
      PetscCall(find_places(layout, start, column, *self));
      self->blocks = &layout;
    } catch (const std::exception& failure) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "%s", failure.what());
    }
  }
  PetscCall(MatSeqAIJGetArrayRead(matrix, &numbers));
  double* values = self->blocks->values();
  for (std::size_t i = 0; i < self->from.size(); ++i)
    values[self->to[i]] = numbers[self->from[i]];
  PetscCall(MatSeqAIJRestoreArrayRead(matrix, &numbers));
  PetscCall(MatRestoreRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  self->solver->factorise();
  PetscFunctionReturn(0);
}

PetscErrorCode apply(PC pc, Vec b, Vec x) {
  Preconditioner* self = nullptr;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  PetscCall(find(pc, &self));
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  self->solver->solve(from, to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscFunctionReturn(0);
}

/// A shell with everything filled in.
PetscErrorCode create(PC pc) {
  PetscErrorCode (*create_shell)(PC) = nullptr;
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PCList, PCSHELL, &create_shell));
  PetscCall(create_shell(pc));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, new Preconditioner));
  PetscCall(PetscContainerSetUserDestroy(container, destroy));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), block_preconditioner_name,
                               reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(PCShellSetName(pc, "block LU of emmy"));
  PetscCall(PCShellSetSetUp(pc, set_up));
  PetscCall(PCShellSetApply(pc, apply));
  PetscFunctionReturn(0);
}

} // namespace

void attach_blocks(Mat matrix, BlockMatrix& blocks) {
  PetscContainer container = nullptr;
  check(PetscContainerCreate(PETSC_COMM_SELF, &container));
  check(PetscContainerSetPointer(container, &blocks));
  check(
      PetscObjectCompose(reinterpret_cast<PetscObject>(matrix), attachment, reinterpret_cast<PetscObject>(container)));
  check(PetscContainerDestroy(&container));
}

void register_block_preconditioner() {
  check(PCRegister(block_preconditioner_name, create));
}

} // namespace emmy
