#pragma once
/// The joints as lists of terms: each reads like its line in docs/theory/joints.md. n, s1, s2 are the triad of body I,
/// its first axis that of the joint; m, t1, t2 that of body J; d is the span from the point of I to that of J.

#include "elements/joints/angle_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// The points coincide [F8].
struct SphericalEquations {
  static constexpr const char* name = "spherical";
  enum { d };
  static constexpr On vectors[] = {On::span};
  static constexpr int rows = 3, multipliers = 3;
  static constexpr Term terms[] = {coincide(0, d)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// The points and the axes n coincide [F8].
struct RevoluteEquations {
  static constexpr const char* name = "revolute";
  enum { d, n, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::second, On::second};
  static constexpr int rows = 5, multipliers = 5;
  static constexpr Term terms[] = {coincide(0, d), dot(3, n, t1), dot(4, n, t2)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// A cross with the arms s1 of I and t2 of J, which stay perpendicular.
struct UniversalEquations {
  static constexpr const char* name = "universal";
  enum { d, s1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::second};
  static constexpr int rows = 4, multipliers = 4;
  static constexpr Term terms[] = {coincide(0, d), dot(3, s1, t2)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// J is turned from I by a bend across n, never about it: s1 . t2 = s2 . t1.
struct ConstantVelocityEquations {
  static constexpr const char* name = "constant velocity";
  enum { d, s1, s2, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::first, On::second, On::second};
  static constexpr int rows = 4, multipliers = 4;
  static constexpr Term terms[] = {coincide(0, d), dot(3, s1, t2), dot(3, s2, t1, -1)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// Points and triads coincide.
struct FixedEquations {
  static constexpr const char* name = "fixed";
  enum { d, n, s1, s2, m, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::first, On::first, On::second, On::second, On::second};
  static constexpr int rows = 6, multipliers = 6;
  static constexpr Term terms[] = {coincide(0, d), dot(3, n, t1), dot(4, s1, t2), dot(5, s2, m)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// J slides along n without turning.
struct PrismaticEquations {
  static constexpr const char* name = "prismatic";
  enum { d, n, s1, s2, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::first, On::first, On::second, On::second};
  static constexpr int rows = 5, multipliers = 5;
  static constexpr Term terms[] = {dot(0, s1, d), dot(1, s2, d), dot(2, n, t1), dot(3, n, t2), dot(4, s1, t2)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// J slides along n and turns about it.
struct CylindricalEquations {
  static constexpr const char* name = "cylindrical";
  enum { d, n, s1, s2, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::first, On::first, On::second, On::second};
  static constexpr int rows = 4, multipliers = 4;
  static constexpr Term terms[] = {dot(0, s1, d), dot(1, s2, d), dot(2, n, t1), dot(3, n, t2)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// The point of J stays in the plane across n, and J turns about n alone.
struct PlanarEquations {
  static constexpr const char* name = "planar";
  enum { d, n, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::second, On::second};
  static constexpr int rows = 3, multipliers = 3;
  static constexpr Term terms[] = {dot(0, n, d), dot(1, n, t1), dot(2, n, t2)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

struct PointOnLineEquations {
  static constexpr const char* name = "point on line";
  enum { d, s1, s2 };
  static constexpr On vectors[] = {On::span, On::first, On::first};
  static constexpr int rows = 2, multipliers = 2;
  static constexpr Term terms[] = {dot(0, s1, d), dot(1, s2, d)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

struct PointOnPlaneEquations {
  static constexpr const char* name = "point on plane";
  enum { d, n };
  static constexpr On vectors[] = {On::span, On::first};
  static constexpr int rows = 1, multipliers = 1;
  static constexpr Term terms[] = {dot(0, n, d)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// The axes n stay parallel, wherever the points are.
struct ParallelAxesEquations {
  static constexpr const char* name = "parallel axes";
  enum { n, t1, t2 };
  static constexpr On vectors[] = {On::first, On::second, On::second};
  static constexpr int rows = 2, multipliers = 2;
  static constexpr Term terms[] = {dot(0, n, t1), dot(1, n, t2)};
  template <class T>
  using Numbers = NoNumbers<T>;
};

/// The points keep their distance, phi = (L² - length²) / (2 length): the multiplier is a force.
struct DistanceEquations {
  static constexpr const char* name = "distance";
  enum { d };
  static constexpr On vectors[] = {On::span};
  static constexpr int rows = 1, multipliers = 1;
  static constexpr Term terms[] = {dot(0, d, d, 0.5)};
  template <class T>
  struct Numbers {
    T length;
  };
  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 1>& y, const Numbers<T>& p, const T*,
                                    Constraint<T, 1, 1>& out) {
    const T L = square_root(2 * y.n1[0]), scale = 1 / p.length;
    // The difference of squares as a product: near the length it has the rounding of the distance alone.
    out.phi[0] = 0.5 * scale * (L - p.length) * (L + p.length);
    out.phi_t[0] = T{};
    out.g_bar[0][0] = out.g[0][0] = scale;
    out.slope = {};
  }
};

/// A cylindrical joint that advances with the angle: n . d - pitch angle / 2 pi stays what it is at the start.
struct ScrewEquations {
  static constexpr const char* name = "screw";
  enum { d, n, s1, s2, t1, t2 };
  static constexpr On vectors[] = {On::span, On::first, On::first, On::first, On::second, On::second};
  static constexpr int rows = 7, multipliers = 5, memory = 1;
  static constexpr Term terms[] = {dot(0, n, d),  dot(1, s1, d),  dot(2, s2, d), dot(3, n, t1),
                                   dot(4, n, t2), dot(5, s1, t1), dot(6, s2, t1)};
  template <class T>
  struct Numbers {
    T advance; ///< per radian, pitch / 2 pi
  };
  /// The memory is the constant of the row and what angles have added to it so far: not the angle, since the sum stays
  /// small in a screw that turns on and on.
  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 7>& y, const Numbers<T>& p, const T* mu,
                                    Constraint<T, 5, 7>& out) {
    const AngleStep<T> angle(y.n[5], y.n[6], y.n1[5], y.n1[6]);
    for (int i = 0; i < 5; ++i) {
      out.phi[i] = y.n1[i];
      out.phi_t[i] = T{};
      for (int j = 0; j < 7; ++j)
        out.g_bar[i][j] = out.g[i][j] = T{} + (i == j ? 1 : 0);
    }
    out.phi[0] = (out.phi[0] + y.memory[0]) - p.advance * angle.theta;
    T g_bar[2], g[2], k[4];
    angle.gradient(g_bar); // [D18]
    for (int j = 0; j < 2; ++j)
      out.g_bar[0][5 + j] = -p.advance * g_bar[j];
    if constexpr (Tangent) {
      angle.end_gradient(g);
      angle.gradient_slope(k);
      out.slope = {};
      for (int i = 0; i < 2; ++i) {
        out.g[0][5 + i] = -p.advance * g[i];
        for (int j = 0; j < 2; ++j)
          out.slope(5 + i, 5 + j) = -p.advance * mu[0] * k[2 * i + j];
      }
    }
  }
  template <class T>
  static void remember(const MeasureStep<T, 7>& y, const Numbers<T>& p, T* memory_n1) {
    memory_n1[0] = y.memory[0] - p.advance * AngleStep<T>(y.n[5], y.n[6], y.n1[5], y.n1[6]).theta;
  }
};

} // namespace EMMY_ISA
} // namespace emmy
