#pragma once
/// Elements as lists of quadratic measures with a scalar response: written once, for `double` and for packs of four,
/// and for every kind of port (docs/theory/measures.md).
///
/// The vectors of an element are directions of its bodies, or the span from a point of one body to a point of another.
/// A measure is a sum of products of two of them, y = sum of factor (u . v), or a span itself, which is three rows.
/// Being quadratic, it has an exact discrete derivative, its gradient at the mean of the step [D15]: dy = G_bar dq.
///
/// What acts is r = G_bar^T F. F are multipliers, or the response of the element to (y_n, y_n1, dy): if F . dy is the
/// change of its potential plus what it dissipates, the element conserves energy. It conserves momenta because products
/// do not change when everything turns, nor spans when everything shifts. The tangent has one form for all:
///   k = G_bar^T (dF/dy) G + sum of F_i H_i / 2,   H_i a number times the unit matrix for each pair of vectors.
///
/// An element is a type E with
///   name         what kernels are found by
///   vectors      On, of each vector
///   rows, terms  of its measures
///   Numbers<T>   constants of one element, numbers T alone
/// and one of
///   respond      forces [Response]
///   multipliers  as many as rows: the measures themselves vanish
///   multipliers and constrain: functions of the measures vanish [Constraint]
/// Forces have `book` for their energies and `damp` for dampers at an instant. An element that knows
/// something of a step when it begins has `memory` numbers, and `remember` writes those of the next step.

#include "core/unroll.hpp"

#include <type_traits>

namespace emmy {
inline namespace EMMY_ISA {

/// Where a vector is fixed. The spans are from a point of the first to one of the second body, and from the third to
/// the fourth.
enum class On { first, second, third, fourth, span, second_span };

constexpr bool is_span(On on) {
  return on == On::span || on == On::second_span;
}

struct Term {
  int row; ///< its first
  int u, v;
  double factor;
};

/// As second vector of a term: there is none, the term is the span itself.
inline constexpr int itself = -1;

/// factor u . v
constexpr Term dot(int row, int u, int v, double factor = 1) {
  return {row, u, v, factor};
}
/// The two ends of a span meet: three rows.
constexpr Term coincide(int row, int span) {
  return {row, span, itself, 1};
}

/// A few numbers.
template <class T, int N>
struct VN {
  T x[N];
  T& operator[](int i) { return x[i]; }
  const T& operator[](int i) const { return x[i]; }
};
template <class T, int N>
inline VN<T, N> operator+(VN<T, N> a, const VN<T, N>& b) {
  for (int i = 0; i < N; ++i)
    a[i] = a[i] + b[i];
  return a;
}
template <class T, int N>
inline VN<T, N> operator-(VN<T, N> a, const VN<T, N>& b) {
  for (int i = 0; i < N; ++i)
    a[i] = a[i] - b[i];
  return a;
}
template <class T, int N>
inline VN<T, N> operator*(double s, VN<T, N> a) {
  for (int i = 0; i < N; ++i)
    a[i] = s * a[i];
  return a;
}
template <class T, int N>
inline T dot(const VN<T, N>& a, const VN<T, N>& b) {
  T sum = a[0] * b[0];
  for (int i = 1; i < N; ++i)
    sum = sum + a[i] * b[i];
  return sum;
}

/// Row by row.
template <class T, int N>
struct MN {
  T m[N * N];
  T& operator()(int i, int j) { return m[N * i + j]; }
  const T& operator()(int i, int j) const { return m[N * i + j]; }
};
template <class T, int N>
inline MN<T, N> operator+(MN<T, N> A, const MN<T, N>& B) {
  for (int i = 0; i < N * N; ++i)
    A.m[i] = A.m[i] + B.m[i];
  return A;
}
template <class T, int N>
inline MN<T, N> operator*(double s, MN<T, N> A) {
  for (int i = 0; i < N * N; ++i)
    A.m[i] = s * A.m[i];
  return A;
}
template <class T, int N>
inline VN<T, N> operator*(const MN<T, N>& A, const VN<T, N>& b) {
  VN<T, N> c;
  for (int i = 0; i < N; ++i) {
    c[i] = A(i, 0) * b[0];
    for (int j = 1; j < N; ++j)
      c[i] = c[i] + A(i, j) * b[j];
  }
  return c;
}

/// The measures of an element over one step.
template <class T, int Rows>
struct MeasureStep {
  VN<T, Rows> n, n1; ///< at the ends of the step
  VN<T, Rows> d;     ///< change by the discrete gradient: the same as n1 - n, without its cancellation
  double inv_h;      ///< 1/h for rates; 0 where time stands still
  const T* memory;   ///< what the element knows of the step when it begins: history, targets
};

/// The answer of a force to its measures.
template <class T, int Rows>
struct Response {
  VN<T, Rows> F;
  MN<T, Rows> slope; ///< derivative of F by y at n+1; only where the tangent is asked for
};

/// Functions phi of the measures that a joint keeps at zero, with F = g_bar^T mu.
template <class T, int Multipliers, int Rows>
struct Constraint {
  T phi[Multipliers];         ///< at n+1
  T phi_t[Multipliers];       ///< partial derivative by time at n+1; only with the tangent
  T g_bar[Multipliers][Rows]; ///< discrete derivative: change of phi = g_bar dy, at fixed time
  T g[Multipliers][Rows];     ///< derivative at n+1; only with the tangent
  MN<T, Rows> slope;          ///< derivative of g_bar^T mu by y at n+1; likewise
};

/// What a step stored and lost in an element.
template <class T>
struct EnergyBooks {
  T potential{};   ///< at the end [J]
  T dissipation{}; ///< in the step [J]
};

/// No constants.
template <class T>
struct NoNumbers {};

// --- compile-time questions

template <class E, class = void>
inline constexpr int multipliers_of = 0;
template <class E>
inline constexpr int multipliers_of<E, std::void_t<decltype(E::multipliers)>> = E::multipliers;

template <class E, class = void>
inline constexpr int memory_of = 0;
template <class E>
inline constexpr int memory_of<E, std::void_t<decltype(E::memory)>> = E::memory;

/// Names of the equations of its halves, if its row is the sum of theirs.
template <class E, class = void>
inline constexpr const char* const* shares_of = nullptr;
template <class E>
inline constexpr const char* const* shares_of<E, std::void_t<decltype(E::shares)>> = E::shares;

/// True if functions of the measures vanish, and not the measures themselves.
template <class E, class = void>
inline constexpr bool has_functions = false;
template <class E>
inline constexpr bool has_functions<E, std::void_t<decltype(&E::template constrain<false, double>)>> = true;

template <class E>
struct Shape {
  static constexpr int vectors = sizeof(E::vectors) / sizeof(On);
  static constexpr int terms = sizeof(E::terms) / sizeof(Term);
  static constexpr int rows = E::rows;
  static constexpr int multipliers = multipliers_of<E>;
  /// True if a vector is moved by a body.
  static constexpr bool is_on(int vector, int side) {
    const On on = E::vectors[vector];
    return on == On::span || (on == On::first && side == 0) || (on == On::second && side == 1);
  }
  /// True if a vector is a factor of a row.
  static constexpr bool is_in(int vector, int row) {
    for (const Term& term : E::terms)
      if (term.v != itself && term.row == row && (term.u == vector || term.v == vector))
        return true;
    return false;
  }
  /// True if some product has both vectors.
  static constexpr bool are_paired(int a, int b) {
    for (const Term& term : E::terms)
      if (term.v != itself && ((term.u == a && term.v == b) || (term.u == b && term.v == a)))
        return true;
    return false;
  }
  /// First row of the three of a span that coincides, -1: none.
  static constexpr int coincidence() {
    for (const Term& term : E::terms)
      if (term.v == itself)
        return term.row;
    return -1;
  }
  /// True if a row is one of these three.
  static constexpr bool coincides(int row) {
    return coincidence() >= 0 && row >= coincidence() && row < coincidence() + 3;
  }
  static constexpr int coinciding_span() {
    for (const Term& term : E::terms)
      if (term.v == itself)
        return term.u;
    return -1;
  }
  /// True if a span is multiplied with something: forces then turn with the shift of the bodies.
  static constexpr bool moves_centres() {
    for (const Term& term : E::terms)
      if (term.v != itself && (is_span(E::vectors[term.u]) || is_span(E::vectors[term.v])))
        return true;
    return false;
  }
  /// The row in which a span is multiplied with itself, -1: none. Its force turns with the span.
  static constexpr int square() {
    for (const Term& term : E::terms)
      if (term.u == term.v)
        return term.row;
    return -1;
  }
  /// True if there are products at all: forces then turn with the bodies.
  static constexpr bool has_products() {
    for (const Term& term : E::terms)
      if (term.v != itself)
        return true;
    return false;
  }
};

} // namespace EMMY_ISA
} // namespace emmy
