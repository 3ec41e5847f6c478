#include "elements/forces/translational_spring_damper.hpp"

#include <stdexcept>

namespace emmy {

TranslationalSpringDamper::TranslationalSpringDamper(std::string name, const Ports& ports, const JointSide& I,
                                                     const JointSide& J, const SpringLaw& law)
    : InteractionOf(std::move(name), "translational spring damper", ports, {I.point(), J.point(), I.n()}, law,
                    spring_facts<TranslationalSpringEquations>(law.c != 0, Nonlinear::in_turns)) {
  if (!(law.k >= 0 && law.c >= 0))
    throw std::invalid_argument("the stiffness or damping of '" + this->name() + "' is negative");
}

double TranslationalSpringDamper::displacement(const MovedStep& s) const {
  Memory memory;
  return measure(natural_step(s), memory).n1[0];
}

std::unique_ptr<TranslationalSpringDamper> translational_spring_damper(std::string name, const Ports& ports,
                                                                       const JointSide& I, const JointSide& J,
                                                                       const SpringLaw& law) {
  return std::make_unique<TranslationalSpringDamper>(std::move(name), ports, I, J, law);
}

} // namespace emmy
