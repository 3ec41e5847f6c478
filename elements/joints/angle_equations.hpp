#pragma once
/// The angle of a joint [D18] as a function of two dots, c = s1 . t1 and s = s2 . t1: how far t1 of body J has turned
/// from s1 of body I towards s2 of body I. It has an exact discrete gradient, also where bodies are strained and
/// c² + s² is not 1.
///
///   theta   angle of the step, between -pi and pi: a step of half a turn or more is ambiguous, and is taken for the
///           shorter way round
///
/// Undefined where c = s = 0: t1 points along the axis.

#include "core/measures.hpp"

namespace emmy {
inline namespace EMMY_ISA {

inline constexpr double two_pi = 6.283185307179586;

/// The step in the plane of c and s.
template <class T>
struct AngleStep {
  T c_n, s_n, c_n1, s_n1;
  T theta, cross, dot;
  T ratio; ///< theta / cross, with its limit where the step does not turn

  EMMY_INLINE AngleStep(T c0, T s0, T c1, T s1)
      : c_n(c0), s_n(s0), c_n1(c1), s_n1(s1), cross(c0 * s1 - s0 * c1), dot(c0 * c1 + s0 * s1) {
    theta = arc_tangent(cross, dot);
    const T divisor = cross != 0 ? cross : dot, over = cross != 0 ? theta : T{} + 1;
    ratio = over / divisor;
  }

  /// Discrete gradient by (c, s): theta = gradient . change of (c, s).
  EMMY_INLINE void gradient(T* g_bar) const {
    g_bar[0] = -0.5 * ratio * (s_n + s_n1);
    g_bar[1] = 0.5 * ratio * (c_n + c_n1);
  }
  /// Derivative of the angle at the end of the step.
  EMMY_INLINE void end_gradient(T* g) const {
    const T scale = 1 / (c_n1 * c_n1 + s_n1 * s_n1);
    g[0] = -scale * s_n1;
    g[1] = scale * c_n1;
  }

  /// Derivative of the discrete gradient by (c, s) at the end, row by row; not symmetric.
  EMMY_INLINE void gradient_slope(T* k) const {
    const T size = cross * cross + dot * dot, x = cross / (dot != 0 ? dot : T{} + 1);
    // (dot / size - ratio) / cross loses its digits as cross goes to zero. There, with x = cross/dot, it is the
    // alternating series -2/3 x + 4/5 x³ - 6/7 x⁵ .. over dot², in which eight terms leave 1e-16 below x = 0.1.
    T series{};
    for (int i = 8; i >= 1; --i)
      series = 2.0 * i / (2 * i + 1) - x * x * series;
    series = -x * series / (dot != 0 ? dot * dot : T{} + 1);
    const T plain = (dot / size - ratio) / (cross != 0 ? cross : T{} + 1);
    const T by_cross = x * x < 0.01 ? (dot > 0 ? series : plain) : plain, by_dot = -1 / size;
    const T ratio_by_c = by_dot * c_n - by_cross * s_n, ratio_by_s = by_cross * c_n + by_dot * s_n;
    const T across_c = -0.5 * (s_n + s_n1), across_s = 0.5 * (c_n + c_n1);
    k[0] = across_c * ratio_by_c;
    k[1] = across_c * ratio_by_s - 0.5 * ratio;
    k[2] = across_s * ratio_by_c + 0.5 * ratio;
    k[3] = across_s * ratio_by_s;
  }

  /// Angle with turns counted at the end of a step that started at phi_n: the value there, to rounding, plus the full
  /// turns that bring it next to phi_n + theta. Rounding does not add up over steps.
  EMMY_INLINE T counted(T phi_n) const { return with_turns_of(arc_tangent(s_n1, c_n1), phi_n + theta); }
  /// The same from where the step ends alone, less than half a turn from phi_n.
  EMMY_INLINE static T counted_at(T c, T s, T phi_n) { return with_turns_of(arc_tangent(s, c), phi_n); }
  /// The angle where the step starts, with the turns of `counted`.
  EMMY_INLINE T start(T counted) const { return with_turns_of(arc_tangent(s_n, c_n), counted); }

private:
  EMMY_INLINE static T with_turns_of(T within, T counted) {
    return within + two_pi * nearest_integer((counted - within) / two_pi);
  }
};

} // namespace EMMY_ISA
} // namespace emmy
