#pragma once
/// Spring and damper along the axis of a sliding joint [TranslationalSpringEquations].

#include "core/measure_interaction.hpp"
#include "elements/forces/force_equations.hpp"
#include "elements/joints/joint_side.hpp"

namespace emmy {

class TranslationalSpringDamper final : public InteractionOf<TranslationalSpringEquations> {
public:
  /// Refuses a stiffness or damping below zero.
  TranslationalSpringDamper(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                            const SpringLaw& law);

  std::string row_name(Index) const override { return "spring force"; }

  /// Mean force over the step against the growth of the displacement [N].
  double force(const MovedStep& s) const { return response(natural_step(s)).F[0]; }
  /// Displacement at the end of the step [m].
  double displacement(const MovedStep& s) const;
};

std::unique_ptr<TranslationalSpringDamper> translational_spring_damper(std::string name, const Ports& ports,
                                                                       const JointSide& I, const JointSide& J,
                                                                       const SpringLaw& law);

} // namespace emmy
