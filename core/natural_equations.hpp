#pragma once
/// Elements that are no functions of measures: forces written in natural variables, points and directions of bodies,
/// once for `double` and for packs of four. No Eigen and no objects, as in measures.hpp.
///
/// An element is a type E with
///   name         what kernels are found by
///   variables    NaturalOn, of each natural variable
///   instant      which part of the forces at an instant it is
///   Numbers<T>   what it needs to know of one step, numbers T alone: constants, loads at a time
///   couples      constexpr, (variable, variable) -> TangentBlock: where its tangent may be non-zero
///   natural      adds the residual r, the acting force being -r, and the tangent k = dr/dq_n1
///
/// Points have their coordinates in space, with the rounding of these. Forces that depend on a small distance between
/// two of them are better written as measures.

#include "core/pack.hpp"

#include <type_traits>

namespace emmy {
inline namespace EMMY_ISA {

/// What a natural variable is, and of which body.
enum class NaturalOn { point_of_first, direction_of_first, point_of_second, direction_of_second };

constexpr bool is_point(NaturalOn on) {
  return on == NaturalOn::point_of_first || on == NaturalOn::point_of_second;
}
constexpr int side_of(NaturalOn on) {
  return on == NaturalOn::point_of_first || on == NaturalOn::direction_of_first ? 0 : 1;
}

/// Natural variables over one step.
template <class T, int V>
struct NaturalStepOf {
  V3<T> q_n[V], q_n1[V];
  V3<T> q_m[V]; ///< mean of the two
  double inv_h; ///< 1/h for rates; 0 where time stands still
};

template <class T, int V>
struct NaturalSystemOf {
  V3<T> r[V];
  M3<T> k[V][V]; ///< only where the tangent is asked for
};

/// How the force on one natural variable changes with another.
enum class TangentBlock { none, diagonal, full };

/// Which of the parts of forces at an instant.
enum class InstantPart { elastic, given };

// --- compile-time questions

/// True if an element is written in natural variables, and not as measures.
template <class E, class = void>
inline constexpr bool is_natural = false;
template <class E>
inline constexpr bool is_natural<E, std::void_t<decltype(E::couples(0, 0))>> = true;

/// How many numbers it needs to know of a step.
template <class E>
inline constexpr int step_numbers = std::is_empty_v<typename E::template Numbers<double>>
                                        ? 0
                                        : sizeof(typename E::template Numbers<double>) / sizeof(double);

template <class E>
struct NaturalShape {
  static constexpr int variables = sizeof(E::variables) / sizeof(NaturalOn);
  static constexpr int side(int variable) { return side_of(E::variables[variable]); }
  static constexpr bool is_point(int variable) { return emmy::is_point(E::variables[variable]); }
  static constexpr int bodies() {
    for (int a = 0; a < variables; ++a)
      if (side(a) == 1)
        return 2;
    return 1;
  }
  /// True if a force on body `s` changes with what body `by` moves. Only those on points act on its centre; only points
  /// are shifted.
  static constexpr bool couples(int s, int by, bool on_points, bool with_points) {
    for (int a = 0; a < variables; ++a)
      for (int b = 0; b < variables; ++b)
        if (side(a) == s && side(b) == by && (is_point(a) || !on_points) && (is_point(b) || !with_points) &&
            E::couples(a, b) != TangentBlock::none)
          return true;
    return false;
  }
  /// True if forces depend on how one body is turned, and on nothing else.
  static constexpr bool is_load() { return bodies() == 1 && !couples(0, 0, false, true); }
};

} // namespace EMMY_ISA
} // namespace emmy
