#pragma once
/// Assembles the elements into one sparse residual and tangent. It alone talks to PETSc matrices.
///
/// Unknowns x: the increments z of all nodes and mu = lambda / s, s = 2 m / h² with m the mean mass of the bodies. The
/// force balance is divided by s, so the matrix is [K/s, G_bar^T; G, 0] and its condition does not depend on h [S1].
///
/// Constraints that are enforced otherwise than by unknown multipliers at any time have a strategy, which changes the
/// equations of their element before they are summed.
///
/// Every element writes a small dense block, of which the entries in its pattern are kept at addresses fixed at setup;
/// PETSc sums them by its COO lists. Nothing is allocated after construction.

#include "solvers/constraints/constraint_set.hpp"
#include "solvers/discretisation.hpp"
#include "solvers/numbering.hpp"
#include "solvers/petsc.hpp"
#include "solvers/residual_gauge.hpp"

namespace emmy {

class Assembler {
public:
  /// Of the equations of `discretisation`, which must outlive it.
  explicit Assembler(Discretisation& discretisation, const AugmentedLagrangianOptions& options = {});

  Index size() const { return numbering_.equations; }
  Mat matrix() const { return matrix_; }

  /// Prepares the matrix with the proximal block [S4], -epsilon S_i on the diagonal of multiplier i, for `scales` S_i.
  /// Multipliers that are marked `cold` start every step from zero: the part of them that does nothing then cannot
  /// grow from step to step.
  void prepare_proximal(const VecX& scales, const std::vector<bool>& cold);
  /// Multipliers that stay zero, and whose rows are left out.
  void leave_out(const std::vector<bool>& multipliers);
  void set_epsilon(double epsilon) { epsilon_ = epsilon; }
  double epsilon() const { return epsilon_; }
  /// What is factorised: the matrix itself while epsilon is 0.
  Mat factorised() const { return epsilon_ > 0 ? proximal_ : matrix_; }

  /// Constraints with strategies of their own; their multipliers are no part of x if condensed.
  ConstraintSet& constraints() { return constraints_; }
  const ConstraintSet& constraints() const { return constraints_; }
  /// Constraints of augmented Lagrangians count as met within `tolerance`: see ResidualGauge::admit().
  void admit_violation(double tolerance) { gauge_.admit(tolerance); }
  /// Lets the multipliers of merged augmented Lagrangians follow the solution of a linear system, x <- x - dx.
  void follow(const double* dx);

  /// Starts a step from `n`; writes the start values to x: free motion with the last reactions.
  void begin_step(const State& n, double h, double* x);

  /// Evaluates the residual of all elements at x and, unless told otherwise, their tangent; writes the residual to f.
  /// False if x is beyond all bounds, or if an element returned something that is not finite: see non_finite().
  bool evaluate(const double* x, double* f, bool tangent = true);

  /// The residual of the last evaluation as it is to be judged by the gauge: without the stiffness of merged augmented
  /// Lagrangians, with their constraints behind the equations.
  const double* balance() const { return balance_.data(); }

  /// True if the last evaluation included the tangent.
  bool has_tangent() const { return has_tangent_; }

  /// Hands the tangent of the last evaluation to the PETSc matrices.
  void fill_matrix();

  /// Element that returned something not finite in the last evaluation, or null.
  const Element* non_finite() const { return non_finite_; }

  /// True if x of the last evaluation made no sense: the linear solve failed, not an element.
  bool beyond_bounds() const { return beyond_bounds_; }

  /// Size of the residual against the terms that cancel in it, which are measured in the second evaluation of a step:
  /// the start values may lack the very forces that will cancel.
  const ResidualGauge& gauge() const { return gauge_; }
  /// Measures them once more in the next evaluation.
  void measure_again() { evaluations_ = 1; }

  /// "'crank' (frame body), moment about its y axis": what an equation belongs to.
  std::string row_name(std::size_t row) const;

  // The step as of the last evaluation.
  Step step() const { return {*n_, h_, inv_h_, z_, lambda_}; }
  const PortMotions& motions() const { return discretisation_.motions(); }

private:
  struct Block {
    const Element* element;
    ConstraintStrategy* strategy; ///< or null
    Index size;                   ///< unknowns + multipliers
    Index equations;              ///< those of them that are rows of the system
    std::size_t first_row;        ///< in rows_
    std::size_t first_entry;      ///< in values_: forces by unknowns, which are divided by s, come first
    std::size_t other_entry;      ///< forces by multipliers and constraints by unknowns
    std::size_t compliance_entry; ///< constraints by multipliers
    std::size_t end_entry;
  };

  void number_blocks();
  /// True if a multiplier is an unknown of the system.
  bool is_unknown(std::size_t multiplier) const {
    return numbering_.row_of_multiplier[multiplier] < numbering_.equations;
  }
  void preallocate(PetscMatrix& matrix) const;
  void scatter(const double* x);
  void evaluate_with_strategy(const Block& block, bool tangent);
  void add_to_balance(const Block& block, const VecX& judged);
  void keep_entries(const Block& block);
  const Element* first_not_finite() const;
  void measure_magnitudes();

  Discretisation& discretisation_;
  const Model& model_;
  ConstraintSet constraints_;
  Numbering numbering_;
  ResidualGauge gauge_;
  std::vector<Block> blocks_;
  std::vector<PetscInt> rows_; // global row of each local row, block after block
  std::vector<double> values_; // of the matrix, block after block
  std::vector<int> place_;     // of each of the values in the dense block of its element
  VecX local_, local_k_;       // residual and tangent of one element
  VecX local_balance_;         // its residual as it is to be judged
  VecX balance_, dz_;
  VecX global_size_; // magnitude of each global row
  PetscMatrix matrix_, proximal_;
  std::vector<std::size_t> pivot_entry_; // in values_: diagonal of each multiplier that is an unknown
  std::vector<std::size_t> cleared_;     // in values_: entries of what is left out
  std::vector<std::size_t> left_out_;    // multipliers
  VecX scales_;                          // S of [S4], for each multiplier
  std::vector<bool> cold_;
  double epsilon_ = 0;

  double mean_mass_ = 1, h_ = 0, inv_h_ = 0, s_ = 1;
  const State* n_ = nullptr;
  VecX z_, lambda_;
  const Element* non_finite_ = nullptr;
  bool beyond_bounds_ = false;
  int evaluations_ = 0; ///< in this step
  bool has_tangent_ = false;
};

} // namespace emmy
