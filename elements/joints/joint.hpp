#pragma once
/// A joint holds two bodies together by constraints Phi = 0, enforced at the end of every step by multipliers: measures
/// that vanish [joint_equations.hpp], written once for every body formulation [D15], [D16], [D18]. Beside them it
/// measures the coordinates that it leaves free.

#include "core/measure_interaction.hpp"
#include "elements/joints/coordinates.hpp"
#include "elements/joints/joint_side.hpp"

#include <vector>

namespace emmy {

class Joint final : public MeasureInteraction {
public:
  /// What a joint has besides its equations.
  struct Parts {
    std::vector<CoordinateMeasure> coordinates;
    Index second = 1; ///< natural variable on the second body, about which reactions are given: the joint's point
    /// Of a joint with a constant in its first row: what an angle adds to that row, and what a full turn is worth. The
    /// constant makes the row hold at the start: any number if the period is 0, else a multiple of it.
    double per_angle = 0, period = 0;
  };

  Joint(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> ends,
        std::unique_ptr<MeasureEquations> equations, Parts parts);

  std::string row_name(Index i) const override;

  /// Force [N] and moment [N m] in global axes that the joint exerts on its second body, about the mean of the joint's
  /// point on that body; means over the step.
  Reaction reaction_on_second(const MovedStep& s) const;

  /// What the joint leaves free and measures: see coordinates.hpp for their zero.
  const std::vector<JointCoordinate>& coordinates() const { return labels_; }
  /// How the i-th of them is measured.
  const CoordinateMeasure& measure(Index i) const { return parts_.coordinates[static_cast<std::size_t>(i)]; }
  /// Coordinates and their rates at an instant, in the order of coordinates().
  void coordinates_at(const State& state, VectorRef value, VectorRef rate) const;

  void begin(const MovedStep& still, State& state) const override;
  void advance(const MovedStep& s, State& n1) const override;

private:
  /// The history: one number for every coordinate that counts turns, then the memory of the equations.
  bool has_constant() const { return equations().memory > 0; }
  double constant_at_start(const NaturalStep& still, const PortMotions& motions) const;

  Parts parts_;
  std::vector<JointCoordinate> labels_;
};

// --- the library. Both sides' triads coincide where the coordinates are zero, so sides that are made from one triad in
// space start there.

/// Spherical joint: the points coincide, 3 rows [F8].
std::unique_ptr<Joint> spherical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Revolute joint: the points and the axes n coincide, 5 rows [F8]. Coordinate: angle.
std::unique_ptr<Joint> revolute_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Prismatic joint: J slides along n of I without turning, 5 rows. Coordinate: displacement.
std::unique_ptr<Joint> prismatic_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Cylindrical joint: J slides along n of I and turns about it, 4 rows. Coordinates: displacement, angle.
std::unique_ptr<Joint> cylindrical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Screw: a cylindrical joint that advances by `pitch` [m] per turn, 5 rows. Coordinates: displacement, angle, whose
/// turns at the start follow from the displacement.
std::unique_ptr<Joint> screw_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                   double pitch);

/// Universal joint: a cross with the arms s1 of I and s2 of J, which stay perpendicular; n is the axis of both shafts
/// where they are in line. 4 rows. Coordinates: angle1 about s1 of I, angle2 about s2 of J, in this order from I to J.
std::unique_ptr<Joint> universal_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Constant velocity joint: the points coincide and J is turned from I by a bend across n, never about it; both shafts
/// then turn equally fast at any bend below half a turn. 4 rows.
std::unique_ptr<Joint> constant_velocity_joint(std::string name, const Ports& ports, const JointSide& I,
                                               const JointSide& J);

/// Planar joint: the point of J moves in the plane across n of I and J turns about n, 3 rows. Coordinates:
/// displacement1 along s1, displacement2 along s2, angle.
std::unique_ptr<Joint> planar_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Fixed joint: points and triads coincide, 6 rows.
std::unique_ptr<Joint> fixed_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Rod without mass between the two points, 1 row; length > 0 [m]. The multiplier is the force in it, positive in
/// tension. Coordinate: length.
std::unique_ptr<Joint> distance_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                      double length);

/// The point of J stays on the line along n of I, 2 rows. Coordinate: displacement.
std::unique_ptr<Joint> point_on_line_joint(std::string name, const Ports& ports, const JointSide& I,
                                           const JointSide& J);

/// The point of J stays in the plane across n of I, 1 row. Coordinates: displacement1, displacement2.
std::unique_ptr<Joint> point_on_plane_joint(std::string name, const Ports& ports, const JointSide& I,
                                            const JointSide& J);

/// The axes n stay parallel, wherever the points are, 2 rows. Coordinate: angle.
std::unique_ptr<Joint> parallel_axes_joint(std::string name, const Ports& ports, const JointSide& I,
                                           const JointSide& J);

/// A coordinate that is coupled with another: how J has turned about n of I, or moved along it.
struct CoupledCoordinate {
  enum class Kind { angle, displacement };
  Kind kind = Kind::angle;
  JointSide I, J;
  double factor = 1;
};

/// Gears, belts, rack and pinion: factor1 coordinate1 + factor2 coordinate2 stays what it is at the start, 1 row. It
/// comes beside the joints that leave the two coordinates free; wheels that mesh have factors of one sign if their axes
/// point the same way. Reactions are those on J of the first coordinate.
std::unique_ptr<Joint> coupler_joint(std::string name, const Ports& ports, const CoupledCoordinate& first,
                                     const CoupledCoordinate& second);

} // namespace emmy
