#pragma once
/// The block LU as a solver of PETSc: the type "emmy" of PC, for AIJ matrices that were assembled from a BlockMatrix.

#include "solvers/linear/block_factor.hpp"
#include "solvers/linear/block_matrix.hpp"
#include "solvers/petsc/petsc.hpp"

namespace emmy {

/// Its name: `-pc_type emmy`.
inline constexpr const char* block_preconditioner_name = "emmy";

/// Tells a matrix which blocks it consists of: what a PC of this type needs to know. Their numbers are overwritten with
/// those of the matrix when it is factorised.
void attach_blocks(Mat matrix, BlockMatrix& blocks);

/// Makes the type known to PETSc; more than once does no harm.
void register_block_preconditioner();

} // namespace emmy
