#pragma once
/// A motor: the angle or the displacement of J seen from I is what the target says, y - f = 0 [D17].

#include "elements/joints/angle_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

struct AngleDriveEquations {
  static constexpr const char* name = "angle drive";
  enum { s1, s2, t1 };
  static constexpr On vectors[] = {On::first, On::first, On::second};
  static constexpr int rows = 2, multipliers = 1;
  static constexpr Term terms[] = {dot(0, s1, t1), dot(1, s2, t1)};
  /// What is known of a step: the angle with turns where it begins, the target at its end and the rate of that.
  enum Known { counted, target, target_rate };
  static constexpr int memory = 3;
  template <class T>
  using Numbers = NoNumbers<T>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 2>& y, const Numbers<T>&, const T* mu,
                                    Constraint<T, 1, 2>& out) {
    const AngleStep<T> angle(y.n[0], y.n[1], y.n1[0], y.n1[1]);
    out.phi[0] = angle.counted(y.memory[counted]) - y.memory[target];
    angle.gradient(out.g_bar[0]); // [D18]
    if constexpr (Tangent) {
      out.phi_t[0] = -y.memory[target_rate];
      angle.end_gradient(out.g[0]);
      T k[4];
      angle.gradient_slope(k);
      for (int i = 0; i < 4; ++i)
        out.slope.m[i] = mu[0] * k[i];
    }
  }
  template <class T>
  static void remember(const MeasureStep<T, 2>& y, const Numbers<T>&, T* memory_n1) {
    memory_n1[counted] = AngleStep<T>(y.n[0], y.n[1], y.n1[0], y.n1[1]).counted(y.memory[counted]);
  }
};

struct DisplacementDriveEquations {
  static constexpr const char* name = "displacement drive";
  enum { d, n };
  static constexpr On vectors[] = {On::span, On::first};
  static constexpr int rows = 1, multipliers = 1;
  static constexpr Term terms[] = {dot(0, n, d)};
  enum Known { at_end, target, target_rate };
  static constexpr int memory = 3;
  template <class T>
  using Numbers = NoNumbers<T>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 1>& y, const Numbers<T>&, const T*, Constraint<T, 1, 1>& out) {
    out.phi[0] = y.n1[0] - y.memory[target];
    out.phi_t[0] = -y.memory[target_rate];
    out.g_bar[0][0] = out.g[0][0] = T{} + 1;
    out.slope = {};
  }
  template <class T>
  static void remember(const MeasureStep<T, 1>& y, const Numbers<T>&, T* memory_n1) {
    memory_n1[at_end] = y.n1[0];
  }
};

} // namespace EMMY_ISA
} // namespace emmy
