#pragma once
/// A motor: prescribes the angle or the displacement of body J seen from body I as a function of time, by one
/// constraint. It comes beside the joint that leaves this coordinate free, and works with any of them.
///
///   f   target       prescribed angle [rad] or displacement [m], 0 where the triads and points coincide
///   y   coordinate   angle with turns counted [D18], or displacement n . (X_J - X_I)
///
///   Phi = y - f,   discrete derivative that of y,   work of the motor -lambda (f_n1 - f_n), exactly             [D17]
///
/// At the start an angle is taken as that of the turns which is nearest to the target. A step of half a turn or more is
/// ambiguous, as for every angle.

#include "core/measure_interaction.hpp"
#include "core/time_function.hpp"
#include "elements/joints/joint_side.hpp"

namespace emmy {

class Drive final : public MeasureInteraction {
public:
  enum class Coordinate { angle, displacement };
  /// What the function of time is: the coordinate itself, or its rate. A coordinate must have a rate; a rate is added
  /// up from the coordinate at the start, and may jump.
  enum class Prescribes { value, rate };

  Drive(std::string name, const Ports& ports, const JointSide& I, const JointSide& J, Coordinate coordinate,
        Prescribes prescribes, TimeFunction function);

  void recall(double t, double h, const double* history, double* memory) const override;
  std::string row_name(Index i) const override;
  Coordinate coordinate() const { return coordinate_; }

  /// Torque [N m] or force [N] of the motor along its coordinate, mean over the step: positive if it accelerates the
  /// coordinate. Times the change of the target it is the work of the step, exactly.
  double effort(const MovedStep& s) const;

  /// What it prescribes at the ends of a step.
  struct Targets {
    double f_n, f_n1;
  };
  /// Of a step of length h from a state.
  Targets targets(const State& n, double h) const;
  double target_rate(double t) const;

  /// Force and moment that the drive exerts on its second body, as of a joint.
  Reaction reaction_on_second(const MovedStep& s) const;

private:
  Targets targets(double t, double h, const double* history) const;
  bool turns() const { return coordinate_ == Coordinate::angle; }
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  void begin_history(const NaturalStep& still, HistoryVector& history) const override;
  void advance_history(const NaturalStep& s, HistoryVector& history) const override;

  Coordinate coordinate_;
  Prescribes prescribes_;
  TimeFunction function_;
};

} // namespace emmy
