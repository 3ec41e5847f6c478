#pragma once
/// Elements that are no functions of measures: forces written in natural variables, points and directions of bodies,
/// once for `double` and for packs of four. No Eigen and no objects, as in measures.hpp.
///
/// An element is a type E with
///   variables    how many natural variables it has
///   instant      which part of the forces at an instant it is
///   Numbers<T>   what it needs to know of one step, numbers T alone: constants, loads at a time
///   couples      constexpr, (variable, variable) -> TangentBlock: where its tangent may be non-zero
///   natural      adds the residual r, the acting force being -r, and the tangent k = dr/dq_n1

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

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

} // namespace EMMY_ISA
} // namespace emmy
