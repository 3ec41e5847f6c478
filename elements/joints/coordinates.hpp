#pragma once
/// Joint coordinates: the angle, displacement or length that a joint leaves free, measured between the two sides. They
/// are zero where the two triads and points coincide, not in the initial configuration. Angles count turns, with the
/// help of one number of history each.

#include "core/element.hpp"
#include "core/interaction.hpp"

#include <array>

namespace emmy {

/// What a coordinate is called, for results.
struct JointCoordinate {
  const char* name; ///< "angle", "displacement", "angle1" ..
  const char* unit; ///< "rad" or "m"
};

/// Measures one coordinate from the motion of its ports.
class CoordinateMeasure {
public:
  enum class Kind { angle, displacement, length };

  /// Turn of t1 from s1 towards s2, about s1 x s2.
  static CoordinateMeasure angle(const char* name, const Ports& ports, const NaturalVariable& s1,
                                 const NaturalVariable& s2, const NaturalVariable& t1);
  /// along . (X_b - X_a).
  static CoordinateMeasure displacement(const char* name, const Ports& ports, const NaturalVariable& along,
                                        const NaturalVariable& a, const NaturalVariable& b);
  /// |X_b - X_a|.
  static CoordinateMeasure length(const char* name, const Ports& ports, const NaturalVariable& a,
                                  const NaturalVariable& b);

  const JointCoordinate& label() const { return label_; }
  Kind kind() const { return kind_; }
  /// What is measured. Angle: s1, s2, t1; displacement: along, X_a, X_b; length: the last two of X_a, X_a, X_b.
  const std::array<NaturalVariable, 3>& variables() const { return variables_; }
  bool counts_turns() const { return kind_ == Kind::angle; }

  /// Value and rate at an instant; `counted` is the angle with its turns, which nothing but an angle looks at. Any full
  /// turns are taken from it, the rest from the configuration.
  double value(const State& state, double counted) const;
  double rate(const State& state) const;

  /// Angle with turns at the end of a step that began at `counted`; without turns at the start of time.
  double counted_after(const PortMotions& motions, double counted) const;
  double first_angle(const PortMotions& motions) const;

private:
  using Values = Eigen::Matrix<double, 9, 1>; // of the three variables

  CoordinateMeasure(Kind kind, JointCoordinate label, const Ports& ports, const std::array<NaturalVariable, 3>& of);
  void at(const State& state, Values& q, Values& q_dot) const;
  Values gather(const PortMotions& motions, Vec12 PortMotion::*end) const;

  Kind kind_;
  JointCoordinate label_;
  std::array<NaturalVariable, 3> variables_;
  std::array<const Connectivity*, 3> ports_;
};

} // namespace emmy
