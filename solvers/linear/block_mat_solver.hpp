#pragma once
/// The block LU as PETSc knows its packages of factors: a MatSolverType, for AIJ matrices that were assembled from a
/// BlockMatrix. `-pc_type lu -pc_factor_mat_solver_type emmy`.
///
/// Factors have numbers of their own. Whatever is evaluated or factorised elsewhere, they stay those of the matrix that
/// they were made of; as many as are wanted may be made of one model.

#include "solvers/linear/block_matrix.hpp"
#include "solvers/petsc/petsc.hpp"

namespace emmy {

/// Its name as a MatSolverType.
inline constexpr const char* block_solver_name = "emmy";

/// Tells a matrix which blocks it consists of, whose layout its factors take over; they must live as long as the
/// matrix. PETSc knows the package from then on.
void attach_blocks(Mat matrix, const BlockMatrix& blocks);

/// From now on these factors of the package are not made: whoever solves with them is given what `solution` holds. For
/// those who show PETSc what was solved without it.
void let_hand_out(Mat factors, Vec solution);

} // namespace emmy
