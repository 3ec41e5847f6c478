#pragma once
/// Spring and damper between two points of bodies or of the ground [SpringDamperEquations].

#include "core/measure_interaction.hpp"
#include "elements/forces/force_equations.hpp"

namespace emmy {

class SpringDamper final : public InteractionOf<SpringDamperEquations> {
public:
  /// `a` and `b` are points: body_point().
  SpringDamper(std::string name, const Ports& ports, const NaturalVariable& a, const NaturalVariable& b,
               const SpringLaw& law)
      : InteractionOf(std::move(name), "spring damper", ports, {a, b}, law,
                      spring_facts<SpringDamperEquations>(
                          law.c != 0, law.y0 != 0 || law.c != 0 ? Nonlinear::in_displacements : Nonlinear::in_turns)) {}

  std::string row_name(Index) const override { return "spring force"; }

  /// Mean tension over the step [N].
  double force(const MovedStep& s) const;
  /// Length at the end of the step [m].
  double length(const MovedStep& s) const;
};

} // namespace emmy
