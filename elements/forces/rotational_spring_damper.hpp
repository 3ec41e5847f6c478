#pragma once
/// Spring and damper about the axis of a joint [RotationalSpringEquations]. Friction in a bearing that grows with speed
/// is its damper alone.
///
/// It does the work of its mean moment on the angle of the step and gives no net moment. Turns are remembered, so the
/// spring winds up over any number of them; a single step must stay below half a turn. At the start the angle lies in
/// (-pi, pi].

#include "core/measure_interaction.hpp"
#include "elements/forces/force_equations.hpp"
#include "elements/joints/joint_side.hpp"

namespace emmy {

class RotationalSpringDamper final : public InteractionOf<RotationalSpringEquations> {
public:
  RotationalSpringDamper(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                         const SpringLaw& law)
      : InteractionOf(std::move(name), "rotational spring damper", ports, {I.s1(), I.s2(), J.s1()}, law,
                      spring_facts<RotationalSpringEquations>(law.c != 0, Nonlinear::in_turns)) {}

  std::string row_name(Index) const override { return "spring moment"; }

  /// Mean moment M over the step against the growth of the angle [N m]: -M about the axis acts on body J, M on body I,
  /// up to second order in the step.
  double torque(const MovedStep& s) const;
  /// Angle at the end of the step, turns counted [rad].
  double angle(const MovedStep& s) const;

private:
  AngleStep<double> angle_step(const NaturalStep& s) const;
  void begin_history(const NaturalStep& still, HistoryVector& history) const override;
};

} // namespace emmy
