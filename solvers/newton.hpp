#pragma once
/// Newton's method on the assembled system.
///
/// The iteration of its own goes by the increments. It measures how fast they shrink, |dz_2| = C |dz_1| (|dz_1| +
/// |dmu_1|): equations are bilinear in increments and multipliers. A step is done when what C predicts to be left is
/// below rounding of the step, without another evaluation to see it, and a tangent is kept for a second iteration if it
/// is good enough for that. Energy errs by residual times increment, with the same sign in many steps, so nothing is
/// gained by stopping earlier. An iteration that no longer makes progress is judged by its residual.
///
/// PETSc's SNES runs the iteration on request, and where forces are switched on and off or a tolerance is given. There
/// the residual is brought down to its rounding floor, which the assembler knows from the size of the terms that
/// cancel. An iteration that no longer makes progress within a narrow band above the floor has converged as well; one
/// that stalls higher up has failed.
///
/// Multipliers of augmented Lagrangians are found on the way: with every linear solve (merged [A22]), or in a loop
/// around Newton (nested [A4]), which is also what a step is left to where the merged form fails. Without Newton, one
/// linear solve about the start is the step, and they are improved once after it (linearised [A26]).

#include "solvers/assembler.hpp"
#include "solvers/bending.hpp"
#include "solvers/blocks/block_solver.hpp"
#include "solvers/petsc_options.hpp"
#include "solvers/spectator.hpp"
#include "solvers/start_values.hpp"

#include <limits>
#include <memory>

namespace emmy {

/// `automatic` is our own block LU, and KLU in the same order if that fails.
enum class LinearSolver { automatic, block, petsc, klu, umfpack, mumps };

/// The proximal block: what makes dependent constraints solvable without changing the solution
/// (docs/theory/redundancy.md). Without scales there is none.
struct Proximal {
  VecX scales;                 ///< S of [S4], for each multiplier
  double epsilon = 1e-12;      ///< below the weakest mode of a mechanism, above rounding
  bool always = false;         ///< constraints are redundant everywhere; otherwise only where a step fails without it
  std::vector<bool> redundant; ///< multipliers of redundant joints, which are not unique
  std::vector<bool> left_out;  ///< multipliers that stay zero: their rows are met because others are
};

struct NewtonOptions {
  LinearSolver linear = LinearSolver::automatic;
  int max_iterations = 20;
  double tolerance = 0; ///< residual relative to its largest term; 0: down to the rounding floor
  Proximal proximal{};
  AugmentedLagrangianOptions augmented{};
  bool by_snes = false; ///< PETSc runs the iteration, judged by residuals
  KernelOptions kernels{};
};

struct NewtonReport {
  bool converged = false;
  int iterations = 0;
  std::string why;      ///< of a failure: what happened, how far it got, where
  bool rescued = false; ///< solved only with more regularisation than usual: near a singular configuration
  int sweeps = 0;       ///< updates of the multipliers of augmented Lagrangians
  double violation = 0; ///< what is left of their constraints, e of [A4]
  std::string warning;  ///< something that a person should know
};

class Newton {
public:
  Newton(Assembler& assembler, const NewtonOptions& options);

  /// One step from `n`: the solution is in assembler.step() afterwards. Starts from extrapolated values if there is
  /// `memory` for them, one of start_values(), otherwise from free motion, under `accelerations` if they are known.
  NewtonReport solve(const State& n, double h, const double* memory = nullptr, const VecX* accelerations = nullptr);
  const StartValues& start_values() const { return start_values_; }
  const StepNorm& norm() const { return norm_; }
  /// Unknowns of the last step and what was found out in it, for start values to remember: a run that goes on from a
  /// stored state then takes the same steps.
  const double* solution() const { return x_.data(); }
  Index findings_size() const { return fixed_findings + findings_of_part * static_cast<Index>(norm_.parts()); }
  void write_findings(VectorRef out) const;

  /// How the iteration is run and linear systems are solved: "Newton, block LU".
  std::string method() const;
  /// True once `automatic` had to give up the factorisation without pivoting.
  bool fell_back() const { return pivoting_ && may_pivot_; }

  /// Residual before the first and after each iteration of the last solve by SNES, relative to its largest terms: shows
  /// quadratic convergence.
  const std::vector<double>& history() const { return history_; }

private:
  static PetscErrorCode form_function(SNES, Vec x, Vec f, void* self);
  static PetscErrorCode form_jacobian(SNES, Vec x, Mat, Mat, void* self);
  static PetscErrorCode test_convergence(SNES, PetscInt it, PetscReal, PetscReal, PetscReal, SNESConvergedReason*,
                                         void* self);
  void create_snes();
  SNESConvergedReason judge(PetscInt iteration);
  bool is_balanced(bool stalled, bool last) const;
  double excess_of(double residual) const { return residual / wanted(); } ///< at most 1 is converged
  bool accept_foreign();
  bool evaluate_at(const double* x, bool tangent);
  double wanted() const; ///< relative residual
  double predicted_residual(std::size_t k) const;
  NewtonReport attempt(const State& n, double h, const double* memory, const VecX* accelerations = nullptr);
  NewtonReport solve_directly();
  NewtonReport watched(NewtonReport report);
  NewtonReport solve_by_snes();
  NewtonReport solve_merged();
  NewtonReport solve_nested();
  NewtonReport solve_linearised();
  NewtonReport solve_with_strategies();
  std::string explain_sweeps(const NewtonReport& report, double tolerance, double contraction) const;

  void recall(const double* memory);
  static constexpr Index fixed_findings = 6; ///< besides those of every part
  static constexpr Index findings_of_part = 3;

  // the iteration of its own
  enum class Verdict { done, chord, newton };
  bool measure_increments();
  bool is_wild() const;
  Verdict judge_increments(int iteration, bool fresh);
  bool is_near_floor(double band);
  void note_contraction(std::size_t part);
  void measure_coordinates(const State& n);
  bool runs_directly() const;

  // linear systems
  bool uses_blocks() const;
  bool is_regularised() const { return assembler_.epsilon() > 0; }
  void factorise();
  void solve_with_factors();
  bool refine_if_needed();
  void measure_unsolved(const double* correction);
  void measure_reactions();
  bool solve_linear();
  void solve_condensed(bool fresh);
  void solve_wrenches(bool fresh);
  void check_wrenches();
  bool find_increments(bool fresh);
  bool is_checked(long solve) const { return solve <= first_checks || solve - checked_ >= check_every; }
  bool may_condense() const;
  bool ksp_solve(bool reuse);
  struct Standstill {                                           ///< of an iteration of the merged form
    double error = std::numeric_limits<double>::infinity();     ///< of joints
    double equations = std::numeric_limits<double>::infinity(); ///< relative residual of all others
  };
  bool is_contradiction(const Standstill& before, const Standstill& now, double moved) const;
  void search_by_halving();
  static PetscErrorCode halve(SNESLineSearch search, void* self);
  std::string explain(SNESConvergedReason reason, PetscInt iterations);
  std::string describe_fallback(double time) const;
  int patience() const; ///< steps in a row whose linear systems fail before `automatic` stays with one that pivots
  void use_factorisation(bool pivoting, double epsilon);

  Assembler& assembler_;
  NewtonOptions options_;
  BlockSolver blocks_;
  StepNorm norm_;
  Bending bending_;
  StartValues start_values_;
  VecX x_, f_, dx_;
  PetscVector x_vec_, f_vec_, dx_vec_; ///< the same numbers for PETSc
  VecX scratch_;                       ///< for numbers that are wanted on the way
  VecX spare_;                         ///< likewise, with room behind them
  PetscNewton snes_;
  PetscWishes wishes_;
  std::unique_ptr<Spectator> spectator_;      ///< if somebody looks at an iteration that PETSc does not run
  double base_epsilon_ = 0;                   ///< of the proximal block in ordinary steps
  bool pivoting_ = false, may_pivot_ = false; ///< `automatic` may change to a factorisation that pivots
  bool converged_ = false;                    ///< by our own judgement
  bool measures_again_ = false;               ///< the terms that cancel, at the next iterate
  double last_excess_ = 0;                    ///< residual over target after the previous iteration
  bool was_shortened_ = false;                ///< the last correction, by our line search: it gains little anywhere
  double enough_ = 0;                         ///< change of x at which the loop around Newton needs no more of it
  bool nearly_done_ = false; ///< the next residual is expected to be the last: its tangent would be for nothing
  bool contradiction_told_ = false;
  std::vector<double> history_;
  long solves_ = 0, coordinates_measured_ = 0;
  long checked_ = 0, looked_ = 0; ///< solves when one was last refined, and when two iterations were last compared
  bool linear_failed_ = false;    ///< in the last attempt
  int linear_failures_ = 0;       ///< steps in a row
  KSPConvergedReason ksp_reason_ = KSP_CONVERGED_ITERATING; ///< of the last linear solve by PETSc
  bool is_direct_ = true;                                   ///< linear systems are solved by factors, not by iteration

  // of the iteration of its own, for each part of the model
  std::vector<StepNorm::Size> moved_, moved_before_;
  std::vector<double> size_;      ///< of the increments of the step
  std::vector<double> curvature_; ///< C
  std::vector<double> rounding_;  ///< increments below it are rounding
  /// Relative error of a linear solve, as last measured; with a proximal block, that of wrenches against the whole.
  double linear_error_ = 1;
  bool is_first_solve_ = false; ///< of a step whose idle multipliers are pulled to zero
  // of solves with a proximal block
  std::vector<StepNorm::Size> corrected_; ///< by refinement
  std::vector<double> reactions_;         ///< how far those of a step move bodies, as last measured
  std::vector<double> block_rate_;        ///< part of an error that a solve leaves, kappa of [S5]
  std::vector<double> unsolved_;          ///< what refinement leaves of the increments
  std::vector<StepNorm::Force> forces_;
  VecX force_;             ///< in every row
  bool condensed_ = false; ///< the factors are of what is left when bodies are eliminated
  bool stands_ = false;    ///< increments are small and no longer shrink
  double step_length_ = 0;
  /// A sum of about ten rounded terms per row is not known better than this many units in the last place.
  static constexpr double floor_factor = 8;
  /// A residual this many times above its floor that no longer falls is at the floor: the conditioning of the linear
  /// solve adds that much to the rounding of the residual itself.
  static constexpr double stall_band = 1e4;
  /// A linear solve is checked, and refined, in so many to begin with, and in every so many later.
  static constexpr long first_checks = 4, check_every = 64;
  /// Until convergence has been seen, any is possible; finite, so that no increment at all is none.
  static constexpr double unknown_curvature = 1e200;
};

} // namespace emmy
