#include "core/natural_interaction.hpp"

namespace emmy {

const NaturalInteraction* NaturalInteraction::of(const Element& element) {
  return dynamic_cast<const NaturalInteraction*>(&element);
}

void NaturalInteraction::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  NaturalStep still;
  still.q_n = still.q_n1 = still.q_m = s.q;
  NaturalSystem natural = natural_system(false);
  equations_->evaluate(still, numbers(s.from, s.to), natural);
  (equations_->instant == InstantPart::elastic ? out.elastic : out.given) += natural.r;
}

} // namespace emmy
