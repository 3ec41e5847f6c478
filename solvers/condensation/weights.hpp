#pragma once
/// Constant forces on the centres of bodies: who evaluates many bodies at once takes these along.

#include "core/model.hpp"

#include <optional>

namespace emmy {

struct Weight {
  Index port; ///< of the body
  Vec3 r;     ///< with the sign of a residual [N]
};

/// An element as a weight, if it is one: a force off the centre is none, since it has a moment.
inline std::optional<Weight> as_weight(const Model& model, const Element& element) {
  const Interaction* force = model.interaction(element);
  if (force == nullptr || force->forces() != Forces::constant || force->variables().size() != 1 ||
      force->variables().front().w != Vec4(1, 0, 0, 0))
    return std::nullopt;
  NaturalStep step;
  step.q_n = step.q_n1 = step.q_m = NaturalVector::Zero(3);
  NaturalSystem natural = force->natural_system(false);
  force->evaluate_natural(step, natural);
  return Weight{force->variables().front().port, natural.r.head<3>()};
}

} // namespace emmy
