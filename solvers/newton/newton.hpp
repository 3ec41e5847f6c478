#pragma once
/// Newton's method on the assembled system: takes a step from its start values to its solution.
///
/// An attempt goes one of five ways. The iteration of its own is judged by increments (IncrementTest). PETSc's SNES
/// runs it on request, where joints are enforced by stiffness, where a tolerance is given, and where forces that are
/// switched on and off want a line search; there residuals are judged (ResidualTest). Multipliers of augmented
/// Lagrangians are found on the way, in three forms (AugmentedLoops). A step that the first attempt does not solve
/// climbs a ladder of others, which is a table in newton.cpp.

#include "solvers/newton/augmented_loops.hpp"
#include "solvers/newton/block_system.hpp"
#include "solvers/newton/increment_test.hpp"
#include "solvers/newton/start_values.hpp"

#include <memory>

namespace emmy {

/// Where the iteration begins: at what the steps before lead to, or at the last solution, of a step that hardly
/// differs.
enum class StartFrom { steps_before, last_solution };

class Newton {
public:
  Newton(Assembler& assembler, const NewtonOptions& options);

  /// One step from `n`: the solution is in assembler.step() afterwards. Starts from extrapolated values if there is
  /// `memory` for them, one of start_values(), otherwise from free motion, under `accelerations` if they are known.
  StepReport solve(const State& n, double h, const double* memory = nullptr, const VecX* accelerations = nullptr,
                   StartFrom start = StartFrom::steps_before);
  /// The next step is the first of a run, whatever was found out before.
  void forget();
  const StartValues& start_values() const { return start_values_; }
  const StepNorm& norm() const { return norm_; }
  /// Unknowns of the last step and what was found out in it, for start values to remember: a run that goes on from a
  /// stored state then takes the same steps.
  const double* solution() const { return at_.x.data(); }
  Index findings_size() const { return Findings::size(norm_.parts()); }
  void write_findings(VectorRef out) const;

  /// How the iteration is run and linear systems are solved: "Newton, block LU".
  std::string method() const;
  /// True once `automatic` had to give up the factorisation without pivoting.
  bool fell_back() const { return pivoting_ && may_pivot_; }

  /// Residual before the first and after each iteration of the last solve by SNES, relative to its largest terms: shows
  /// quadratic convergence.
  const std::vector<double>& residuals() const { return residual_test_.residuals(); }

private:
  /// What is to be solved, and what is known about it.
  struct Task {
    const State& n;
    double h;
    const double* memory;
    const VecX* accelerations;
    StartFrom start;

    Task from_free_motion() const { return {n, h, nullptr, nullptr, StartFrom::steps_before}; }
  };
  /// Who runs the iteration and says when it ends: this class by increments, SNES by residuals, or AugmentedLoops.
  enum class Way { increments, snes, merged, nested, linearised };
  Way way() const;

  // attempts
  StepReport attempt(const Task& task);
  StepReport go(const Task& task);
  StepReport iterate_by_increments();
  SNESConvergedReason reduce_increments(int& iterations);
  StepReport solve_by_snes();
  void recall(const double* memory);
  void write_start(const Task& task);

  // the ladder
  struct Rung {
    bool (Newton::*applies)(const Task& task) const;
    StepReport (Newton::*climb)(const Task& task);
    bool is_told; ///< if it fails: why, instead of why others did
  };
  static const Rung ladder[];
  bool was_led(const Task& task) const;
  bool pushes(const Task& task) const;
  bool may_start_to_pivot(const Task& task) const;
  bool has_proximal_block(const Task& task) const;
  bool merges(const Task& task) const;
  StepReport start_anew(const Task& task);
  StepReport search(const Task& task);
  StepReport pivot(const Task& task);
  StepReport change_block(const Task& task);
  StepReport nest(const Task& task);
  int patience() const;
  std::string describe_fallback(double time) const;

  // linear systems
  bool uses_blocks() const;
  LinearSystem& system();
  void use_factorisation(bool pivoting, double epsilon);

  bool is_near_floor(double band);
  void explain_failure(SNESConvergedReason reason, StepReport& report);
  StepReport shown(StepReport report);

  Assembler& assembler_;
  NewtonOptions options_;
  PetscWishes wishes_;
  StepNorm norm_;
  Findings findings_;
  StartValues start_values_;
  Iterate at_;
  BlockSystem blocks_;
  IncrementTest increments_;
  ResidualTest residual_test_;
  AugmentedLoops loops_;
  std::unique_ptr<SnesAdapter> snes_;         ///< only where it is used: its matrices take as much memory as our own
  std::unique_ptr<Spectator> spectator_;      ///< if somebody looks at an iteration that PETSc does not run
  double base_epsilon_ = 0;                   ///< of the proximal block in ordinary steps
  bool pivoting_ = false, may_pivot_ = false; ///< `automatic` may change to a factorisation that pivots
  bool searches_ = false;                     ///< SNES runs the iteration for once
  bool linear_failed_ = false;                ///< in the last attempt
};

} // namespace emmy
