#pragma once
/// A limit keeps a coordinate y between two bodies within bounds: it pushes where a bound is reached and does nothing
/// elsewhere. Walls, stops of joints and ropes are limits on a displacement, an angle or a length.
///
///   y     measure   angle with turns counted [D18], displacement n . (X_b - X_a), or length |X_b - X_a|
///   phi   row       -gap <= 0, one row for each bound [A1]:
///                     upper bound   y - upper,   of a length (y² - upper²) / (2 upper)
///                     lower bound   lower - y,   of a length (lower² - y²) / (2 lower)
///   λ     force     >= 0, pushes the gap open; mean over the step [N], [N m]
///
/// Each row is a function of measures [limit_equations.hpp], with the discrete derivative that it has in joints [D15],
/// [D18]. A limit does not know how it is enforced: solvers find λ, and book the energy that it takes or stores.

#include "core/measure_interaction.hpp"
#include "elements/joints/coordinates.hpp"
#include "elements/joints/joint_side.hpp"

#include <optional>
#include <vector>

namespace emmy {

struct Bounds {
  std::optional<double> lower, upper; ///< at least one; [m] or [rad]
};

/// What the row of a limit is called, for results.
struct LimitRow {
  const char* name;       ///< "upper" or "lower"
  const char* gap_unit;   ///< "m" or "rad"
  const char* force_unit; ///< "N" or "N m"
};

class Limit final : public MeasureInteraction {
public:
  /// Refuses a restitution outside 0 to 1, bounds that leave nothing between them, and bounds of a length that are not
  /// above zero.
  Limit(std::string name, std::string kind, const Ports& ports, const CoordinateMeasure& measure, const Bounds& bounds,
        double restitution);

  std::string row_name(Index i) const override;

  /// The bounds there are, the upper one first; as many as multipliers.
  const std::vector<LimitRow>& rows() const { return labels_; }
  /// How far the coordinate is from its bounds at an instant, negative beyond them, and the rates of that. This is
  /// -phi, but of a length what is left of it: the two agree where the bound is reached.
  void gaps_at(const State& state, VectorRef gap, VectorRef rate) const;
  /// Force on each bound [N] or [N m], mean over the step.
  MultiplierVector forces(const Step& s) const;

  /// Force and moment that the limit exerts on the body of the last variable that it measures: of the point that keeps
  /// off a wall, of the second end of a rope, of the second body of most joints; about the mean of this variable.
  Reaction reaction_on_second(const MovedStep& s) const;

private:
  bool is_angle() const { return measure_.kind() == CoordinateMeasure::Kind::angle; }
  bool is_length() const { return measure_.kind() == CoordinateMeasure::Kind::length; }
  void begin_history(const NaturalStep& still, HistoryVector& history) const override;

  const std::vector<RowBound>& bounds() const { return constraints().bounds(); }

  CoordinateMeasure measure_;
  std::vector<LimitRow> labels_;
};

/// Point b of a body stays on the side of a plane to which its normal points, at least `radius` [m] away: b is the
/// centre of a ball. Plane and normal are those of point `at` and axis n of side I.
std::unique_ptr<Limit> wall(std::string name, const Ports& ports, const JointSide& I, const NaturalVariable& b,
                            double radius, double restitution);

/// Stop of a coordinate that a joint leaves free: Joint::measure(), or the angle or displacement between two sides. At
/// the start an angle lies in (-pi, pi]; if that is not within two bounds, it is taken with the turns that bring it
/// nearest to their middle. A step of half a turn or more is ambiguous, as for every angle.
std::unique_ptr<Limit> stop(std::string name, const Ports& ports, const CoordinateMeasure& coordinate,
                            const Bounds& bounds, double restitution);

/// Two points stay within a distance of each other: the upper bound is the length of a rope, a lower one that of a
/// strut which pushes only.
std::unique_ptr<Limit> rope(std::string name, const Ports& ports, const NaturalVariable& a, const NaturalVariable& b,
                            const Bounds& bounds, double restitution);

} // namespace emmy
