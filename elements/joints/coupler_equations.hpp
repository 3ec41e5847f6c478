#pragma once
/// Gears, belts, rack and pinion: factor1 coordinate1 + factor2 coordinate2 stays what it is at the start, where either
/// coordinate is an angle [D18] or a displacement n . d, between bodies of its own.

#include "elements/joints/angle_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Vectors and measures of the two coordinates: (s1 . t1, s2 . t1) of an angle, n . d of a displacement.
template <bool FirstTurns, bool SecondTurns>
struct CoupledVectors;
template <>
struct CoupledVectors<true, true> {
  static constexpr const char* name = "coupler of angles";
  static constexpr On vectors[] = {On::first, On::first, On::second, On::third, On::third, On::fourth};
  static constexpr Term terms[] = {dot(0, 0, 2), dot(1, 1, 2), dot(2, 3, 5), dot(3, 4, 5)};
};
template <>
struct CoupledVectors<true, false> {
  static constexpr const char* name = "coupler of angle and displacement";
  static constexpr On vectors[] = {On::first, On::first, On::second, On::second_span, On::third};
  static constexpr Term terms[] = {dot(0, 0, 2), dot(1, 1, 2), dot(2, 4, 3)};
};
template <>
struct CoupledVectors<false, true> {
  static constexpr const char* name = "coupler of displacement and angle";
  static constexpr On vectors[] = {On::span, On::first, On::third, On::third, On::fourth};
  static constexpr Term terms[] = {dot(0, 1, 0), dot(1, 2, 4), dot(2, 3, 4)};
};
template <>
struct CoupledVectors<false, false> {
  static constexpr const char* name = "coupler of displacements";
  static constexpr On vectors[] = {On::span, On::first, On::second_span, On::third};
  static constexpr Term terms[] = {dot(0, 1, 0), dot(1, 3, 2)};
};

template <bool FirstTurns, bool SecondTurns>
struct CouplerEquations : CoupledVectors<FirstTurns, SecondTurns> {
  static constexpr bool turns[] = {FirstTurns, SecondTurns};
  static constexpr int rows = (FirstTurns ? 2 : 1) + (SecondTurns ? 2 : 1), multipliers = 1, memory = 1;
  static constexpr int first_row[] = {0, FirstTurns ? 2 : 1};
  template <class T>
  struct Numbers {
    T factor[2];
  };
  /// The memory is the constant of the row and what angles have added to it so far: not the angles, since the sum stays
  /// small in a gear that turns on and on.
  template <bool Tangent, class T>
  static void constrain(const MeasureStep<T, rows>& y, const Numbers<T>& p, const T* mu, Constraint<T, 1, rows>& out) {
    out.phi[0] = y.memory[0];
    out.phi_t[0] = T{};
    out.slope = {};
    for (int c = 0; c < 2; ++c) {
      const int i = first_row[c];
      const T factor = p.factor[c];
      if (!turns[c]) {
        out.phi[0] = out.phi[0] + factor * y.n1[i];
        out.g_bar[0][i] = out.g[0][i] = factor;
        continue;
      }
      const AngleStep<T> angle(y.n[i], y.n[i + 1], y.n1[i], y.n1[i + 1]);
      out.phi[0] = out.phi[0] + factor * angle.theta;
      T g_bar[2], g[2], k[4];
      angle.gradient(g_bar); // [D18]
      angle.end_gradient(g);
      angle.gradient_slope(k);
      for (int a = 0; a < 2; ++a) {
        out.g_bar[0][i + a] = factor * g_bar[a];
        out.g[0][i + a] = factor * g[a];
        for (int b = 0; b < 2; ++b)
          out.slope(i + a, i + b) = factor * mu[0] * k[2 * a + b];
      }
    }
  }
  template <class T>
  static void remember(const MeasureStep<T, rows>& y, const Numbers<T>& p, T* memory_n1) {
    T sum = y.memory[0];
    for (int c = 0; c < 2; ++c)
      if (const int i = first_row[c]; turns[c])
        sum = sum + p.factor[c] * AngleStep<T>(y.n[i], y.n[i + 1], y.n1[i], y.n1[i + 1]).theta;
    memory_n1[0] = sum;
  }
};

} // namespace EMMY_ISA
} // namespace emmy
