#pragma once
/// What implicit integrators have in common: one nonlinear system in the increments z and the multipliers of a step.
///
/// A model with constraints that only push has two such systems: with these constraints, and without. Which of the two
/// a step takes is known before it is solved; only where springs push must its end be looked at. So a model with a wall
/// is solved like one without, as long as nothing touches the wall.

#include "solvers/integrators/integrator.hpp"
#include "solvers/newton/newton.hpp"

#include <memory>

namespace emmy {

class StepSolver {
public:
  /// Solves `equations`, which must outlive it.
  StepSolver(StepEquations& equations, const NewtonOptions& options);

  /// Solves the step from `state`, of which it keeps a copy. Starts from extrapolated values if there is `memory` for
  /// them.
  StepReport solve(const State& state, double h, const double* memory = nullptr, const VecX* accelerations = nullptr,
                   StartFrom start = StartFrom::steps_before);

  /// Writes configuration, multipliers, time and history at the end of the solved step. Rates are those of the
  /// integrator, and must stand there already: some bodies write theirs otherwise.
  void finish(State& state) const;

  /// solve() and finish(), with rates at the end by the mean rule, rates_n + 2 (z/h - rates_n) [D11], [T11]. Start
  /// values are those that `memory` remembers, or free motion, under `accelerations` if they are known.
  StepReport advance_by_mean_rule(State& state, double h, const double* memory, const VecX* accelerations = nullptr,
                                  StartFrom start = StartFrom::steps_before);
  /// The same for an integrator of one stage, whose memory is this alone.
  StepReport advance_by_mean_rule(State& state, double h);

  /// The next step is the first of a run: a state has no memory, whatever other states had.
  void forget();
  /// Numbers that are remembered for the start values of a stage; zero at first.
  Index memory_size() const;
  /// What was found out in the last step, and its increments and multipliers, to be remembered for one of the same
  /// length h.
  Index solution_size() const;
  void write_solution(VectorRef out) const;
  /// `free_error` is what free motion had missed it by, of free_error().
  void remember(double h, const ConstVectorRef& solution, double free_error, double* memory) const;
  /// By how much free motion, under `accelerations` if they are known, missed the step that led to `state` by the mean
  /// rule.
  double free_error(const State& state, double h, const VecX* accelerations = nullptr) const;

  // the solved step
  const State& start() const { return start_; }
  Step step() const { return taken_->assembler.step(); }
  MovedStep moved_step() const { return {step(), taken_->assembler.motions()}; }
  /// With ports at both ends of it, for books; their maps may be of another step.
  MovedStep placed_step() const { return placed_step(every_port_); }
  /// Its books, but for what strategies of constraints did.
  StepBooks books(const State& n1) const;
  const ConstraintSet& constraints() const { return taken_->assembler.constraints(); }

  const Newton& newton() const { return whole_.newton; }
  /// "Newton, block LU, 12 unknowns"
  std::string description() const;

private:
  /// One of the systems, and the elements that have to be asked one by one.
  struct System {
    System(StepEquations& equations, const NewtonOptions& options, OneSided one_sided);

    Assembler assembler;
    Newton newton;
    std::vector<const Element*> advancing, booked_singly;
    std::vector<Index> advancing_ports, booked_ports;
    Index memory_at = 0; ///< where its memory begins in that of the solver
  };

  bool solve_at_rest(double h, const double* memory, const VecX* accelerations, const System* last, StepReport& report);
  static StartFrom start_of(const System& system, const System* last);
  void remember(const System& system, double h, const double* findings, const double* solution, double free_error,
                double* memory) const;
  void conclude(State& state) const;
  MovedStep placed_step(const std::vector<Index>& ports) const;

  StepEquations& equations_;
  const Model& model_;
  System whole_;
  std::unique_ptr<System> at_rest_; ///< without what only pushes; null where nothing does
  System* taken_ = &whole_;         ///< in the last step
  const VectorKernels& vectors_;
  State start_;
  std::vector<Index> every_port_;
  VecX findings_;
  VecX unknown_weight_; // of the norm, for each unknown of the model
};

} // namespace emmy
