#pragma once
/// Gears, belts, rack and pinion: factor1 coordinate1 + factor2 coordinate2 stays what it is at the start, where either
/// coordinate is an angle [D18] or a displacement n . d, between bodies of its own.

#include "elements/joints/angle_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// One of the two coordinates, between two bodies, with its share of the row: factor times it, and what the memory
/// holds.
template <class T>
struct CoupledNumbers {
  T factor;
};

/// An angle. The memory is what it has added to the row so far and not the angle, since the sum stays small in a gear
/// that turns on and on.
struct CoupledAngleEquations {
  static constexpr const char* name = "coupled angle";
  enum { s1, s2, t1 };
  static constexpr On vectors[] = {On::first, On::first, On::second};
  static constexpr int rows = 2, multipliers = 1, memory = 1;
  static constexpr Term terms[] = {dot(0, s1, t1), dot(1, s2, t1)};
  template <class T>
  using Numbers = CoupledNumbers<T>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 2>& y, const Numbers<T>& p, const T* mu,
                                    Constraint<T, 1, 2>& out) {
    const AngleStep<T> angle(y.n[0], y.n[1], y.n1[0], y.n1[1]);
    out.phi[0] = y.memory[0] + p.factor * angle.theta;
    out.phi_t[0] = T{};
    T g_bar[2], g[2], k[4];
    angle.gradient(g_bar); // [D18]
    angle.end_gradient(g);
    angle.gradient_slope(k);
    for (int a = 0; a < 2; ++a) {
      out.g_bar[0][a] = p.factor * g_bar[a];
      out.g[0][a] = p.factor * g[a];
      for (int b = 0; b < 2; ++b)
        out.slope(a, b) = p.factor * mu[0] * k[2 * a + b];
    }
  }
  template <class T>
  static void remember(const MeasureStep<T, 2>& y, const Numbers<T>& p, T* memory_n1) {
    memory_n1[0] = y.memory[0] + p.factor * AngleStep<T>(y.n[0], y.n[1], y.n1[0], y.n1[1]).theta;
  }
};

struct CoupledDisplacementEquations {
  static constexpr const char* name = "coupled displacement";
  enum { d, n };
  static constexpr On vectors[] = {On::span, On::first};
  static constexpr int rows = 1, multipliers = 1, memory = 1;
  static constexpr Term terms[] = {dot(0, n, d)};
  template <class T>
  using Numbers = CoupledNumbers<T>;

  template <bool Tangent, class T>
  EMMY_INLINE static void constrain(const MeasureStep<T, 1>& y, const Numbers<T>& p, const T*,
                                    Constraint<T, 1, 1>& out) {
    out.phi[0] = y.memory[0] + p.factor * y.n1[0];
    out.phi_t[0] = T{};
    out.g_bar[0][0] = out.g[0][0] = p.factor;
    out.slope = {};
  }
  template <class T>
  static void remember(const MeasureStep<T, 1>& y, const Numbers<T>&, T* memory_n1) {
    memory_n1[0] = y.memory[0];
  }
};

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

/// The sum of both shares; the first one has the memory.
template <bool FirstTurns, bool SecondTurns>
struct CouplerEquations : CoupledVectors<FirstTurns, SecondTurns> {
  using First = std::conditional_t<FirstTurns, CoupledAngleEquations, CoupledDisplacementEquations>;
  using Second = std::conditional_t<SecondTurns, CoupledAngleEquations, CoupledDisplacementEquations>;
  static constexpr const char* shares[] = {First::name, Second::name};
  static constexpr int rows = First::rows + Second::rows, multipliers = 1, memory = 1;
  template <class T>
  struct Numbers {
    T factor[2];
  };

  template <bool Tangent, class T>
  static void constrain(const MeasureStep<T, rows>& y, const Numbers<T>& p, const T* mu, Constraint<T, 1, rows>& out) {
    const T nothing{};
    out.phi[0] = out.phi_t[0] = T{};
    out.slope = {};
    add_share<Tangent, First, 0>(y, p.factor[0], y.memory, mu, out);
    add_share<Tangent, Second, First::rows>(y, p.factor[1], &nothing, mu, out);
  }
  template <class T>
  static void remember(const MeasureStep<T, rows>& y, const Numbers<T>& p, T* memory_n1) {
    First::remember(share<First, 0>(y, y.memory), {p.factor[0]}, memory_n1);
    Second::remember(share<Second, First::rows>(y, memory_n1), {p.factor[1]}, memory_n1);
  }

private:
  /// The measures of one coordinate, which begin with row `at`.
  template <class Share, int at, class T>
  static MeasureStep<T, Share::rows> share(const MeasureStep<T, rows>& y, const T* memory_of_share) {
    MeasureStep<T, Share::rows> part;
    for (int i = 0; i < Share::rows; ++i) {
      part.n[i] = y.n[at + i];
      part.n1[i] = y.n1[at + i];
      part.d[i] = y.d[at + i];
    }
    part.inv_h = y.inv_h;
    part.memory = memory_of_share;
    return part;
  }
  template <bool Tangent, class Share, int at, class T>
  static void add_share(const MeasureStep<T, rows>& y, const T& factor, const T* memory_of_share, const T* mu,
                        Constraint<T, 1, rows>& out) {
    Constraint<T, 1, Share::rows> of;
    Share::template constrain<Tangent>(share<Share, at>(y, memory_of_share), {factor}, mu, of);
    out.phi[0] = out.phi[0] + of.phi[0];
    for (int i = 0; i < Share::rows; ++i) {
      out.g_bar[0][at + i] = of.g_bar[0][i];
      out.g[0][at + i] = of.g[0][i];
      for (int j = 0; j < Share::rows; ++j)
        out.slope(at + i, at + j) = of.slope(i, j);
    }
  }
};

} // namespace EMMY_ISA
} // namespace emmy
