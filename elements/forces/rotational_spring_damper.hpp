#pragma once
/// Spring and damper about the axis of a joint: V = k (phi - phi0)²/2 and the moment c dphi/dt, phi the angle of the
/// joint [D18] with turns counted. Friction in a bearing that grows with speed is its damper alone.
///
///   theta   angle of the step; the mean angle is phi_n + theta/2
///   M       mean moment against the growth of phi, see SpringLaw [N m]
///
/// r = M times the discrete gradient of phi, which does the work M theta and gives no net moment. Turns are remembered,
/// so the spring winds up over any number of them; a single step must stay below half a turn. At the start phi lies in
/// (-pi, pi].

#include "core/interaction.hpp"
#include "elements/forces/spring_law.hpp"
#include "elements/joints/joint.hpp"

namespace emmy {

class RotationalSpringDamper final : public Interaction {
public:
  RotationalSpringDamper(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                         const SpringLaw& law);
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override; // [D18]
  void evaluate_instant(const NaturalInstant& s, InstantForces& out) const override;
  bool is_configurational() const override { return !depends_on_rates(); }
  bool depends_on_rates() const override { return law_.c != 0; }
  double potential(const NaturalStep& s) const override;
  std::string row_name(Index i) const override;
  bool bends() const override { return false; }

  /// Mean moment M over the step against the growth of the angle [N m]: -M about the axis acts on body J, M on body I,
  /// up to second order in the step.
  double torque(const Step& s, const PortMotions& motions) const;
  /// Angle at the end of the step, turns counted [rad].
  double angle(const Step& s, const PortMotions& motions) const;

private:
  double moment(const NaturalStep& s, double theta) const;
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  void begin_history(const NaturalStep& still, HistoryVector& history) const override;
  void advance_history(const NaturalStep& s, HistoryVector& history) const override;
  SpringLaw law_;
};

} // namespace emmy
