#pragma once
/// The quadratic primitives that joints are composed of (docs/theory/joints.md [D15]). They are written in the natural
/// variables of the joint, q = (three numbers per point or direction), and know nothing of bodies.
///
/// Being at most quadratic, a primitive has an exact discrete derivative: its gradient at the mean of the end points,
///   Phi(q_n1) - Phi(q_n) = gradient(q_m) (q_n1 - q_n).

#include "core/interaction.hpp"

#include <string>
#include <variant>

namespace emmy {

/// Two points coincide: Phi = X_b - X_a, three rows.
struct Coincidence {
  int a, b; ///< which natural variables
  static constexpr Index rows = 3;
};

/// Two directions are perpendicular: Phi = a . b, one row.
struct Dot {
  int a, b;
  static constexpr Index rows = 1;
};

/// Point b stays in a plane through point a with normal `along`: Phi = along . (X_b - X_a), one row. Written out like
/// this and not from body coordinates, because along . X_a changes where a body is strained.
struct Slide {
  int along, a, b;
  static constexpr Index rows = 1;
};

/// Two points keep their distance: Phi = (|X_b - X_a|² - length²) / 2, one row.
struct Distance {
  int a, b;
  double length; ///< [m]
  static constexpr Index rows = 1;
};

using Primitive = std::variant<Coincidence, Dot, Slide, Distance>;

Index rows(const Primitive& p);

/// Adds factor * Phi(q) to phi, from row `first` on.
void add_value(const Primitive& p, double factor, const NaturalVector& q, Index first, MultiplierVector& phi);

/// Adds factor * its rate at q, which changes by q_dot: gradient times q_dot.
void add_rate(const Primitive& p, double factor, const NaturalVector& q, const NaturalVector& q_dot, Index first,
              MultiplierVector& phi_dot);

/// Adds factor * gradient at q to the rows of G from `first` on.
void add_gradient(const Primitive& p, double factor, const NaturalVector& q, Index first, ConstraintMatrix& G);

/// Adds factor * lambda * second derivative, lambda the multipliers from `first` on.
void add_hessian(const Primitive& p, double factor, Index first, const MultiplierVector& lambda, NaturalMatrix& k);

/// Marks the entries that add_gradient() and add_hessian() write.
void add_pattern(const Primitive& p, Index first, NaturalPattern& pattern);

/// What row i of the primitive keeps.
std::string row_name(const Primitive& p, Index i);

} // namespace emmy
