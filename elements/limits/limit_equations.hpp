#pragma once
/// Bounds on what is between two bodies: phi = -gap <= 0 [A1], one row for each of one or two bounds. `sign` is +1 at
/// an upper bound and -1 at a lower one.

#include "elements/joints/angle_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

template <class T, int Bounds>
struct BoundNumbers {
  T sign[Bounds], bound[Bounds];
};

/// sign (n . d - bound)
template <int Bounds>
struct DisplacementLimitEquations {
  static constexpr const char* name = Bounds == 1 ? "displacement limit" : "displacement limits";
  enum { d, n };
  static constexpr On vectors[] = {On::span, On::first};
  static constexpr int rows = 1, multipliers = Bounds;
  static constexpr Term terms[] = {dot(0, n, d)};
  template <class T>
  using Numbers = BoundNumbers<T, Bounds>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 1>& y, const Numbers<T>& p, const T*,
                                    Constraint<T, Bounds, 1>& out) {
    for (int i = 0; i < Bounds; ++i) {
      out.phi[i] = p.sign[i] * y.n1[0] - p.sign[i] * p.bound[i];
      out.phi_t[i] = T{};
      out.g_bar[i][0] = out.g[i][0] = p.sign[i];
    }
    out.slope = {};
  }
};

/// sign (L² - bound²) / (2 bound)
template <int Bounds>
struct LengthLimitEquations {
  static constexpr const char* name = Bounds == 1 ? "length limit" : "length limits";
  enum { d };
  static constexpr On vectors[] = {On::span};
  static constexpr int rows = 1, multipliers = Bounds;
  static constexpr Term terms[] = {dot(0, d, d, 0.5)};
  template <class T>
  using Numbers = BoundNumbers<T, Bounds>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 1>& y, const Numbers<T>& p, const T*,
                                    Constraint<T, Bounds, 1>& out) {
    const T L = square_root(2 * y.n1[0]);
    for (int i = 0; i < Bounds; ++i) {
      const T factor = p.sign[i] / p.bound[i];
      out.phi[i] = 0.5 * factor * (L - p.bound[i]) * (L + p.bound[i]);
      out.phi_t[i] = T{};
      out.g_bar[i][0] = out.g[i][0] = factor;
    }
    out.slope = {};
  }
};

/// sign (angle - bound), turns counted; the memory is the angle where a step begins.
template <int Bounds>
struct AngleLimitEquations {
  static constexpr const char* name = Bounds == 1 ? "angle limit" : "angle limits";
  enum { s1, s2, t1 };
  static constexpr On vectors[] = {On::first, On::first, On::second};
  static constexpr int rows = 2, multipliers = Bounds, memory = 1;
  static constexpr Term terms[] = {dot(0, s1, t1), dot(1, s2, t1)};
  template <class T>
  using Numbers = BoundNumbers<T, Bounds>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 2>& y, const Numbers<T>& p, const T* mu,
                                    Constraint<T, Bounds, 2>& out) {
    const AngleStep<T> angle(y.n[0], y.n[1], y.n1[0], y.n1[1]);
    const T phi = angle.counted(y.memory[0]);
    T g_bar[2], g[2], k[4];
    angle.gradient(g_bar); // [D18]
    angle.end_gradient(g);
    angle.gradient_slope(k);
    out.slope = {};
    for (int i = 0; i < Bounds; ++i) {
      out.phi[i] = p.sign[i] * (phi - p.bound[i]);
      out.phi_t[i] = T{};
      for (int j = 0; j < 2; ++j) {
        out.g_bar[i][j] = p.sign[i] * g_bar[j];
        out.g[i][j] = p.sign[i] * g[j];
      }
      for (int j = 0; j < 4; ++j)
        out.slope.m[j] = out.slope.m[j] + p.sign[i] * mu[i] * k[j];
    }
  }
  template <class T>
  static void remember(const MeasureStep<T, 2>& y, const Numbers<T>&, T* memory_n1) {
    memory_n1[0] = AngleStep<T>(y.n[0], y.n[1], y.n1[0], y.n1[1]).counted(y.memory[0]);
  }
};

} // namespace EMMY_ISA
} // namespace emmy
