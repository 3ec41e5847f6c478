#pragma once
/// The equations of a model about a state in which nothing moves (docs/theory/statics.md):
///   M q'' + C q' + K q + G^T l = -f,      G q - F l = -phi
/// with f and phi what is left of force balance and constraints there. Everything is read off the elements: a step that
/// does not move, z = 0, has the tangent 2 M / h^2 + C / h + K / 2, whatever 1/h is, and 1/h = 0 is statics.

#include "core/model.hpp"

#include <Eigen/SparseCore>

#include <string>
#include <vector>

namespace emmy {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Where a row of G comes from.
struct ConstraintRow {
  enum class Kind {
    joint,  ///< multiplier of an element between bodies
    limit,  ///< multiplier of one that only pushes
    body,   ///< multiplier of a body, such as the force in a spring that holds it together
    exact,  ///< rigidity that a body meets as part of its own equations of motion
    elastic ///< rigidity that springs of the body provide
  };
  const Element* owner;
  Index local; ///< among the multipliers, or rigidity conditions, of the owner
  Kind kind;

  /// "'A' (revolute joint), position along x [m]"
  std::string name() const;
};

/// Static part. Rows: all multipliers in the order of State, then exact rigidity. The multipliers of the latter are no
/// part of State, for bodies keep them to themselves; here they are given. Limits hold nothing: their rows are empty,
/// and closed, unless they are asked for.
struct Statics {
  SparseMatrix K;        ///< stiffness, with the part that stems from multipliers (geometric stiffness)
  SparseMatrix G;        ///< rows x unknowns
  SparseMatrix F;        ///< rows x rows, compliance: the constraint is G q = F l
  VecX f;                ///< residual of the force balance: gradient of potentials, minus loads, + G^T l
  VecX phi;              ///< residual of the constraints
  VecX f_size, phi_size; ///< largest terms that were summed in them: eps times it is the rounding
  std::vector<ConstraintRow> rows;
};

Statics linearise_statics(const Model& model, const State& state, const VecX& rigidity_multipliers = {},
                          bool limits = false);

/// Mass matrix [kg, kg m²] in the unknowns. Elements that share nodes add up.
SparseMatrix mass_matrix(const Model& model, const State& state);

/// Damping matrix. Bodies have none.
SparseMatrix damping_matrix(const Model& model, const State& state);

/// How fast dampers may take the velocity of bodies: a bound of the eigenvalues of M^-1 C at a state [S18].
struct DampingBound {
  double rate = 0;                      ///< [1/s]; 0 without dampers
  const Interaction* element = nullptr; ///< the damper with the largest part in it
};
DampingBound damping_bound(const Model& model, const State& state);

/// Partial derivative by time of every multiplier's constraint: what drives prescribe.
VecX constraint_time_rates(const Model& model, const State& state);

/// Diagonal of the mass matrix, positive everywhere: directions in which a body has no mass, such as those across a
/// lamina, take the mean of its others.
VecX positive_mass_diagonal(const Model& model, const SparseMatrix& M);

/// Rigidity conditions of the bodies and their owners; `elastic` asks for those that are held by springs too.
struct RigidityRows {
  SparseMatrix C;
  VecX e;
  std::vector<ConstraintRow> rows;
};
RigidityRows rigidity_rows(const Model& model, const State& state, bool elastic);

/// Step by the increments z in which time stands still.
Step still_step(const State& state, const VecX& z);

/// First element that acts on an unknown, and what it balances there: "'link' (frame body), force along x".
std::string name_of_unknown(const Model& model, Index unknown);

/// State after the increments z from `state`, at rest and at the same time. Elements remember it as they would a step,
/// so that angles go on counting turns.
State moved(const Model& model, const State& state, const VecX& z);

} // namespace emmy
