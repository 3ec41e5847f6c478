#pragma once
/// Assembles the elements into one residual and one tangent.
///
/// Unknowns x: the increments z of all nodes and mu = lambda / s, s = 2 m / h² with m the mean mass of the bodies. The
/// force balance is divided by s, so the matrix is [K/s, G_bar^T; G, 0] and its condition does not depend on h [S1].
///
/// Constraints that are enforced otherwise than by unknown multipliers at any time have a strategy, which changes the
/// equations of their element before they are summed.
///
/// Every element writes small dense blocks to addresses of the block matrix that are fixed at setup: rigid bodies and
/// elements between them many at a time (batches/), others one by one. PETSc gets the same numbers as an AIJ matrix
/// where it is asked for one. Nothing is allocated after construction.

#include "solvers/assembly/numbering.hpp"
#include "solvers/assembly/residual_gauge.hpp"
#include "solvers/assembly/step_equations.hpp"
#include "solvers/batches/batches.hpp"
#include "solvers/condensation/affine_condensation.hpp"
#include "solvers/condensation/wrench_system.hpp"
#include "solvers/enforcement/constraint_set.hpp"
#include "solvers/petsc/petsc.hpp"

namespace emmy {

class Assembler {
public:
  /// Assembles `equations`, which must outlive it.
  explicit Assembler(StepEquations& equations, const AugmentedLagrangianOptions& options = {},
                     const KernelOptions& kernels = {}, OneSided one_sided = OneSided::present);

  Index size() const { return numbering_.equations; }
  const Numbering& numbering() const { return numbering_; }
  const Model& model() const { return model_; }

  /// The blocks, with the tangent of the last evaluation that included it.
  BlockMatrix& blocks() { return blocks_; }
  /// The same for PETSc, as of the last fill_matrix().
  Mat matrix();

  /// Prepares the proximal block [S4], -epsilon S_i on the diagonal of multiplier i, for `scales` S_i.
  /// Multipliers that are marked `redundant` start freely from zero.
  void prepare_proximal(const VecX& scales, const std::vector<bool>& redundant);
  /// Multipliers that stay zero, and whose rows are left out.
  void leave_out(const std::vector<bool>& multipliers);
  void set_epsilon(double epsilon) { epsilon_ = epsilon; }
  double epsilon() const { return epsilon_; }
  /// What PETSc factorises: the matrix itself while epsilon is 0.
  Mat factorised();
  /// Adds the proximal block, or takes it away again.
  void add_proximal(double sign);
  /// For a solve at x with the factors of the proximal block: adds -epsilon S mu to the rows of constraints of its
  /// right side b. The part of the multipliers that does nothing then ends at zero, wherever it began [S20].
  void pull_idle(const double* x, double* b) const;

  /// Constraints with strategies of their own; their multipliers are no part of x if folded.
  ConstraintSet& constraints() { return constraints_; }
  const ConstraintSet& constraints() const { return constraints_; }
  /// Constraints of augmented Lagrangians count as met within `tolerance`: see ResidualGauge::admit().
  void admit_violation(double tolerance) { gauge_.admit(tolerance); }
  /// Lets the multipliers of merged augmented Lagrangians follow the solution of a linear system, x <- x - dx.
  void follow(const double* dx);

  /// Starts a step from `n`.
  void begin_step(const State& n, double h);
  /// Writes start values to x: free motion with the last reactions, under accelerations if they are known. Redundant
  /// multipliers begin at zero.
  void start_freely(double* x, const VecX* accelerations = nullptr) const;

  /// Numbers behind the last row that kernels may read and write: one more joint, and the rest of a pack.
  static constexpr Index room_behind = 12;

  /// Evaluates the residual of all elements at x and, unless told otherwise, their tangent; writes the residual to f.
  /// Both have room behind their ends. False if x is beyond all bounds, or if an element returned something that is not
  /// finite: see non_finite().
  bool evaluate(const double* x, double* f, bool tangent = true);
  /// The same for vectors without such room.
  bool evaluate_closely(const double* x, double* f, bool tangent = true);

  /// True if bodies can be eliminated as they are evaluated: a cheaper way from an iterate to Newton's increment. It
  /// begins with evaluate_condensed(), goes on with BlockSolver for what is left and ends with expand().
  bool condenses() const {
    return wrenches_ != nullptr ? !leaves_out_wrenches_
                                : !keeps_blocks() && (!batch_.condensation().empty() || !affine_.empty());
  }
  /// Not null if there are parts of the model whose bodies are all eliminated onto the wrenches of their joints. Its
  /// factorise() and solve() then follow evaluate_condensed(). Of f it has the rows of bodies only, and these if there
  /// is a proximal block.
  WrenchSystem* wrenches() { return wrenches_.get(); }
  /// Rows of the whole that are solved so: the first ones.
  Index rows_on_wrenches() const { return blocks_.rows_elsewhere(); }
  /// True if there are other parts. After evaluate_condensed() BlockSolver goes on with what is left of these; or with
  /// all that is in them, if they keep their blocks.
  bool has_beside() const { return has_beside_; }
  bool keeps_blocks() const { return epsilon_ > 0 || !left_out_.empty(); }
  /// S of [S4] in the rows of multipliers.
  const double* scale_of_rows() const { return scale_of_rows_.data(); }
  /// The same as evaluate(), but without the rows and blocks of the bodies that are eliminated; what they add to the
  /// equations of others is in the right side of the blocks. The residual is not judged.
  bool evaluate_condensed(const double* x, double* f, bool tangent);
  /// Of it what wrenches() solves, and nothing else is touched.
  void evaluate_wrenches(const double* x, double* f, bool tangent);
  /// True if something besides these bodies is evaluated too; otherwise f is not touched.
  bool has_rest() const { return batch_.has(BatchScope::rest) || !all_condensed_; }
  /// Takes any right side b of the whole system, with room behind its end, instead of a residual, with the tangent of
  /// evaluate_condensed(), and finds what the eliminated bodies leave of it to the rest.
  void reduce(const double* b);
  /// Completes dx, the solution of what was left.
  void expand(double* dx) {
    batch_.condensation().expand(condensed_evaluation(), dx);
    if (!affine_.empty())
      affine_.expand(affine_evaluation(), dx);
  }

  /// Makes x the iterate of step(), whether or not anything was evaluated there.
  void settle(const double* x);

  /// Configuration and rates at the end of the step, by the mean rule, rates_n + 2 (z/h - rates_n) [D11], [T11].
  void advance_by_mean_rule(State& state) const;
  /// True if that, and count_turns(), leave nothing for Element::advance() to do.
  bool advances(std::size_t element) const { return affine_.takes(element) || batch_.advances(element); }
  /// Counts the turns of joints in batches, once the configuration at the end of the step is known.
  void count_turns(State& state) const { batch_.count_turns(*n_, state); }

  /// True if an element of the model is evaluated with others of its kind.
  bool is_batched(std::size_t element) const { return batch_.takes(element); }

  /// True if book() enters this element of the model.
  bool books(std::size_t element) const { return batch_.books(element) || affine_.takes(element); }
  /// Enters what kernels evaluate in the books of a step that ended in `n1`.
  void book(const State& n1, StepBooks& books) const;
  /// Where the bending length of an element of a batch is found; null of others.
  const double* bending_length(std::size_t element) const { return batch_.length_of(element); }

  /// The residual of the last evaluation as it is to be judged by the gauge: without the stiffness of merged augmented
  /// Lagrangians, with their constraints behind the equations.
  const double* balance() const { return constraints_.empty() ? f_ : balance_.data(); }

  /// True if the last evaluation included the tangent.
  bool has_tangent() const { return has_tangent_; }

  /// Hands the tangent of the last evaluation to the PETSc matrices.
  void fill_matrix();

  /// Element that returned something not finite in the last evaluation, or null; looks for it in the tangent, too.
  const Element* non_finite();

  /// True if x of the last evaluation made no sense: the linear solve failed, not an element.
  bool beyond_bounds() const { return beyond_bounds_; }

  /// True if the last evaluation was at x.
  bool is_at(const double* x) const;

  /// Size of the residual against the terms that cancel in it. Whoever iterates says at which iterate they are
  /// measured: the start values may lack the very forces that will cancel, and others evaluate at points that are no
  /// iterates.
  const ResidualGauge& gauge() const { return gauge_; }
  /// Takes the residual of the last evaluation as that of the start values.
  void note_first() { gauge_.note_first(balance()); }
  /// Measures the terms at the last evaluation.
  void measure_magnitudes();

  /// "'crank' (frame body), moment about its y axis": what an equation belongs to.
  std::string row_name(std::size_t row) const;

  // The step as of the last evaluation, or as settled since.
  Step step() const {
    scatter();
    return {*n_, h_, inv_h_, z_, lambda_};
  }
  double step_length() const { return h_; }
  /// All multipliers of the model.
  void write_multipliers(VecX& out) const;
  /// Lets multipliers that were updated after the last evaluation stand for the forces that it pulled with.
  void take_updated_multipliers() { constraints_.write_multipliers(lambda_); }
  const PortMotions& motions() const;
  /// The same without moving anything: of elements outside the batch they are where the last evaluation was.
  const PortMotions& evaluated_ports() const { return equations_.motions(); }

private:
  /// A block of the matrix to which an element adds.
  struct Target {
    int i, j, rows, columns; ///< in the dense matrix of the element
    int at, stride;
    bool is_diagonal;
    int multiplier_sides; ///< 0: force by unknown, 2: constraint by multiplier
  };
  struct Block {
    const Element* element;
    ConstraintStrategy* strategy; ///< or null
    Index size;                   ///< unknowns + multipliers
    Index equations;              ///< those of them that are rows of the system
    std::size_t first_row;        ///< in rows_
    std::size_t first_target, end_target;
    bool absent;    ///< takes no part in the equations
    bool batched;   ///< evaluated with others
    bool handed;    ///< with its rows handed over
    bool condensed; ///< the same where bodies are eliminated
  };

  void number_blocks(const BlockGraph& graph);
  void find_ports();
  void find_pivots(const BlockGraph& graph);
  /// True if a multiplier is an unknown of the system.
  bool is_unknown(std::size_t multiplier) const {
    return numbering_.row_of_multiplier[multiplier] < numbering_.equations;
  }
  void preallocate(PetscMatrix& matrix);
  BatchEvaluation batch_evaluation();
  BatchEvaluation solved_step() const;
  CondensedEvaluation condensed_evaluation();
  AffineEvaluation affine_evaluation(double* matrix, double* right_side) const;
  AffineEvaluation affine_evaluation() { return affine_evaluation(blocks_.values(), blocks_.right_side()); }
  void scatter() const;
  enum class Evaluated { all, not_batched, not_condensed };
  void evaluate_elements(bool tangent, Evaluated which);
  bool evaluate_blocks(bool tangent, BatchScope scope);
  void add_wrenches(const double* x, double* f, bool tangent);
  bool evaluate_rest(bool tangent);
  void evaluate_batch(bool tangent, BatchScope scope);
  void pull_handed(const BatchEvaluation& e, BatchScope scope);
  void add_handed(bool tangent);
  void evaluate_with_strategy(const Block& block, bool tangent);
  void absorb(const Block& block, LocalSystem& local);
  void add_equations(const Block& block, bool has_entries);
  void add_to_balance(const Block& block, const VecX& judged);
  void add_entries(const Block& block);
  void move_ports();

  StepEquations& equations_;
  const Model& model_;
  ConstraintSet constraints_;
  BlockGraph graph_;
  Batches batch_;
  AffineCondensation affine_;
  BlockMatrix blocks_;
  std::unique_ptr<WrenchSystem> wrenches_;
  Numbering numbering_;
  ResidualGauge gauge_;
  std::vector<Block> elements_;
  std::vector<int> rows_; // global row of each local row, element after element
  std::vector<Target> targets_;
  std::vector<Index> ports_;           // that elements outside the batch look at
  std::vector<std::size_t> own_nodes_; // of the model, that the batch does not move
  std::vector<std::size_t> handed_;    // elements of the batch that hand their rows over
  bool all_batched_ = false, all_condensed_ = false, has_beside_ = true;
  VecX local_, local_k_;   // residual and tangent of one element
  VecX local_balance_;     // its residual as it is to be judged
  VecX roomy_x_, roomy_f_; // iterate and residual of those who have no room
  const double* x_ = nullptr;
  double* f_ = nullptr;
  VecX balance_, dz_;
  VecX global_size_; // magnitude of each global row
  PetscMatrix matrix_, proximal_;
  std::vector<int> pivot_at_;         // of each multiplier that is an unknown: its diagonal, -1: none
  std::vector<int> cleared_;          // entries of what is left out
  std::vector<std::size_t> left_out_; // multipliers
  bool leaves_out_wrenches_ = false;  // some of them are on wrenches
  VecX scales_;                       // S of [S4], for each multiplier
  VecX scale_of_rows_;                // the same by rows
  std::vector<bool> redundant_;
  double epsilon_ = 0;

  double mean_mass_ = 1, h_ = 0, inv_h_ = 0, s_ = 1;
  const State* n_ = nullptr;
  mutable VecX z_, lambda_;
  mutable bool scattered_ = true;   ///< the iterate is in z_ and lambda_
  mutable bool ports_stale_ = true; ///< not all ports have been moved to the iterate
  bool not_finite_ = false;
  const Element* non_finite_ = nullptr;
  bool beyond_bounds_ = false;
  bool has_tangent_ = false;
};

} // namespace emmy
