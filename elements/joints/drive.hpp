#pragma once
/// A motor: prescribes the angle or the displacement of body J seen from body I as a function of time, by one
/// constraint. It comes beside the joint that leaves this coordinate free, and works with any of them.
///
///   f       target      prescribed angle [rad] or displacement [m], 0 where the triads and points coincide
///   angle:         Phi = (-sin f s1 + cos f s2) . t1       never degenerate, also holds half a turn away   [D17]
///   displacement:  Phi = n . (X_J - X_I) - f
///
/// The coefficients change in time, and their means over the step make the discrete derivative exact at fixed time; the
/// work of the motor is exactly the multiplier times the change of Phi that time alone makes [D17].
///
/// A start half a turn off meets the constraint of an angle as well as one that fits: compare the coordinate of the
/// joint with the target. So does a target that moves by more than a quarter turn in one step, where the iteration may
/// end on the wrong side.

#include "core/time_function.hpp"
#include "elements/joints/joint.hpp"

namespace emmy {

class Drive final : public Interaction {
public:
  enum class Coordinate { angle, displacement };
  /// What the function of time is: the coordinate itself, or its rate. A rate is added up from the coordinate at the
  /// start.
  enum class Prescribes { value, rate };

  Drive(std::string name, const Ports& ports, const JointSide& I, const JointSide& J, Coordinate coordinate,
        Prescribes prescribes, TimeFunction function);

  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override;
  NaturalPattern natural_pattern() const override;
  std::string row_name(Index i) const override;

  /// Torque [N m] or force [N] of the motor along its coordinate, mean over the step: positive if it accelerates the
  /// coordinate. Times the change of the target it is the work of the step, exactly.
  double effort(const Step& s, const PortMotions& motions) const;

  /// Force and moment that the drive exerts on its second body, as of a joint.
  Reaction reaction_on_second(const Step& s, const PortMotions& motions) const;

private:
  /// Phi = coefficients . (values of the primitives, 1).
  struct Targets {
    double f_n, f_n1;
  };
  Targets targets(const NaturalStep& s) const;
  Vec3 coefficients(double f) const;
  Vec3 slopes(double f) const; // of the coefficients by f
  Vec3 values(const NaturalVector& q) const;
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  void begin_history(const NaturalStep& still, HistoryVector& history) const override;
  void advance_history(const NaturalStep& s, HistoryVector& history) const override;

  Coordinate coordinate_;
  Prescribes prescribes_;
  TimeFunction function_;
  std::vector<Primitive> primitives_; // angle: c and s [D18]; displacement: one slide
};

} // namespace emmy
