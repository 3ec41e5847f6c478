#pragma once
/// What is known of an element or a port when it is made, and never changes. Its author states it. Nothing here has a
/// default: a default that nobody thought of would be believed.

#include "core/types.hpp"

#include <utility>
#include <vector>

namespace emmy {

/// What makes the equations of an element nonlinear.
enum class Nonlinear {
  in_turns,        ///< turns of bodies alone, times displacements, multipliers or other turns: inertia
  in_displacements ///< displacements too: Newton's method must then know Element::bending_length()
};

/// Who finds the rates of the unknowns of a body at the end of a step.
enum class Rates {
  by_integrator, ///< with its mean rule
  by_body        ///< in Element::advance()
};

/// Whether a body knows its inertia at an instant, in Body::evaluate_inertia(). Its unknowns are then coordinates that
/// no internal constraint binds.
enum class InertiaAtInstant { known, unknown };

/// Where the effects of an interaction come from.
enum class Acts {
  between_bodies, ///< they exchange momentum, and only what the ground takes is external
  from_outside,   ///< as gravity does: its impulse is external
  /// Between bodies, by constraints alone. Energy is stored, given or lost only by how these are enforced. Their values
  /// and rates at the end of a step depend on the motion there alone.
  as_constraint,
  as_motor ///< between bodies, by a constraint that moves by itself: its multipliers do work from outside
};

/// What the forces of an interaction at an instant depend on.
enum class Forces {
  constant, ///< the residual in natural variables is always the same, as a weight is: no tangent, no multipliers
  of_configuration, ///< where bodies are
  of_time,          ///< they change while the bodies stay where they are
  of_rates          ///< velocities, as those of dampers do
};

/// Whether the ground bears part of what acts on a port, without a joint: see Connectivity::add_support().
enum class Grounding { none, partly };

/// The bound of a one-sided constraint on a coordinate y.
struct RowBound {
  double sign;    ///< of y: +1 at an upper bound, -1 at a lower one
  double bound;   ///< [m] or [rad]
  bool is_length; ///< phi = sign (y² - bound²) / (2 bound); otherwise sign (y - bound)

  /// How far y is beyond the bound where the constraint has the value phi, in the unit of y.
  double beyond(double phi) const;
};

/// The constraints of an element, with a multiplier each.
class ConstraintRows {
public:
  static ConstraintRows none() { return ConstraintRows(0, {}, 1); }
  /// phi = 0.
  static ConstraintRows equations(Index count) { return ConstraintRows(count, {}, 1); }
  /// They only push: phi <= 0 with lambda >= 0, phi = -gap [A1]. `restitution` is the rate at which they part relative
  /// to the rate at which they closed, 0 to 1 [A18].
  static ConstraintRows one_sided(std::vector<RowBound> bounds, double restitution) {
    const auto count = static_cast<Index>(bounds.size());
    return ConstraintRows(count, std::move(bounds), restitution);
  }

  Index count() const { return count_; }
  bool is_one_sided() const { return !bounds_.empty(); }
  const std::vector<RowBound>& bounds() const { return bounds_; }
  double restitution() const { return restitution_; }

private:
  ConstraintRows(Index count, std::vector<RowBound> bounds, double restitution)
      : count_(count), bounds_(std::move(bounds)), restitution_(restitution) {}
  Index count_;
  std::vector<RowBound> bounds_; ///< of one-sided rows
  double restitution_;
};

/// The history of an element that remembers nothing.
inline constexpr Index no_history = 0;

struct ElementFacts {
  ConstraintRows rows;
  Index history; ///< numbers that it remembers from step to step
  Nonlinear nonlinear;
  Rates rates;
};

struct InteractionFacts {
  ConstraintRows rows;
  Index history;
  Acts acts;
  Forces forces;
  Nonlinear nonlinear;
};

struct BodyFacts {
  ConstraintRows rows;
  Index history;
  Nonlinear nonlinear;
  Rates rates;
  InertiaAtInstant inertia;
};

} // namespace emmy
