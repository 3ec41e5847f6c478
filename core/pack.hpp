#pragma once
/// Vectors and matrices of three that are templated on their number: `double`, or a Pack of four doubles that a
/// processor works on at once. What is written in them is one source for one element and for four side by side.
///
/// Only for sources of kernels, which are compiled once for every processor and once for those with AVX2. The inline
/// namespace tells the two apart, so that the linker never takes one for the other; for the same reason nothing here
/// uses Eigen. The build names it: instructions cannot, since a person may allow those of AVX2 everywhere.

#include <cmath>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifndef EMMY_ISA
#define EMMY_ISA portable
#endif

/// For long functions that are called in one place of a kernel: kept apart they would pass all their packs through
/// memory. Under sanitizers and without optimisation nobody asks for speed, and they are kept apart: as one function,
/// with all its checks, a kernel takes minutes to compile.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMMY_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(EMMY_SANITIZED) || !defined(__OPTIMIZE__)
#define EMMY_INLINE inline __attribute__((noinline))
#define EMMY_LAMBDA __attribute__((noinline))
#else
#define EMMY_INLINE inline __attribute__((always_inline))
/// The same for lambdas in them.
#define EMMY_LAMBDA __attribute__((always_inline))
#endif

namespace emmy {
inline namespace EMMY_ISA {

/// Four doubles. Operators are those of the compiler: one instruction each with AVX2, two without.
using Pack = double __attribute__((vector_size(32)));

template <class T>
struct Lanes {
  static constexpr int count = 1;
};
template <>
struct Lanes<Pack> {
  static constexpr int count = 4;
};

inline double square_root(double a) {
  return std::sqrt(a);
}
inline Pack square_root(Pack a) {
#ifdef __AVX2__
  return _mm256_sqrt_pd(a);
#else
  return Pack{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

inline double arc_tangent(double y, double x) {
  return std::atan2(y, x);
}
/// The same to two units in the last place; 0 where both are zero. Quotients are brought between -tan(pi/8) and
/// tan(pi/8); there, with z = t², (arctan t / t - 1) / z is a Chebyshev fit of degree ten, off by 5e-18.
inline Pack arc_tangent(Pack y, Pack x) {
  constexpr double tan_eighth = 0.41421356237309503, pi = 3.141592653589793, pi_rest = 1.2246467991473532e-16;
  constexpr double fit[] = {-0.01917688711906226, 0.03923165829558719, -0.0508544973794026,  0.0585814891280221,
                            -0.06664511447381948, 0.07692183190826087, -0.09090904578123903, 0.11111111015256361,
                            -0.14285714284666542, 0.1999999999999552,  -0.3333333333333333};
  const Pack none{}, height = y < none ? -y : y, width = x < none ? -x : x;
  const auto is_steep = height > width;
  const Pack low = is_steep ? width : height, high = is_steep ? height : width;
  const auto is_wide = low > tan_eighth * high;
  const Pack divisor = is_wide ? low + high : high;
  const Pack t = (is_wide ? low - high : low) / (divisor != none ? divisor : none + 1), z = t * t;
  Pack sum = none;
  for (const double coefficient : fit)
    sum = sum * z + coefficient;
  Pack angle = t + t * (z * sum);
  angle = is_wide ? pi / 4 + (pi_rest / 4 + angle) : angle;
  angle = is_steep ? pi / 2 + (pi_rest / 2 - angle) : angle;
  angle = x < none ? pi + (pi_rest - angle) : angle;
  return y < none ? -angle : angle;
}
inline double sine(double a) {
  return std::sin(a);
}
inline Pack sine(Pack a) {
  return Pack{std::sin(a[0]), std::sin(a[1]), std::sin(a[2]), std::sin(a[3])};
}
/// Halves go away from zero.
inline double nearest_integer(double a) {
  return std::round(a);
}
inline Pack nearest_integer(Pack a) {
#ifdef __AVX2__
  const Pack sign{-0.0, -0.0, -0.0, -0.0}, size = _mm256_andnot_pd(sign, a);
  return _mm256_or_pd(_mm256_floor_pd(size + 0.5), _mm256_and_pd(sign, a));
#else
  return Pack{std::round(a[0]), std::round(a[1]), std::round(a[2]), std::round(a[3])};
#endif
}

/// Four doubles that need not be aligned.
inline Pack load4(const double* p) {
  Pack a;
  std::memcpy(&a, p, sizeof a);
  return a;
}
inline void store4(double* p, Pack a) {
  std::memcpy(p, &a, sizeof a);
}

/// These of the eight numbers of two packs.
template <int I, int J, int K, int L>
inline Pack choose(Pack a, Pack b) {
#ifdef __clang__ // GCC knows this word from version 12 on only
  return __builtin_shufflevector(a, b, I, J, K, L);
#else
  using Choice = long long __attribute__((vector_size(32)));
  return __builtin_shuffle(a, b, Choice{I, J, K, L});
#endif
}

/// Rows become columns.
inline void transpose(Pack& a, Pack& b, Pack& c, Pack& d) {
  const Pack even_ab = choose<0, 4, 2, 6>(a, b), odd_ab = choose<1, 5, 3, 7>(a, b);
  const Pack even_cd = choose<0, 4, 2, 6>(c, d), odd_cd = choose<1, 5, 3, 7>(c, d);
  a = choose<0, 1, 4, 5>(even_ab, even_cd);
  b = choose<0, 1, 4, 5>(odd_ab, odd_cd);
  c = choose<2, 3, 6, 7>(even_ab, even_cd);
  d = choose<2, 3, 6, 7>(odd_ab, odd_cd);
}

/// Reads `Count` numbers of every lane, lane i from from[i] on, where four may be read.
template <int Count, class T>
inline void gather(const double* const* from, T* to) {
  if constexpr (Lanes<T>::count == 1) {
    for (int k = 0; k < Count; ++k)
      to[k] = from[0][k];
  } else if constexpr (Count <= 4) {
    Pack row[4] = {load4(from[0]), load4(from[1]), load4(from[2]), load4(from[3])};
    transpose(row[0], row[1], row[2], row[3]);
    for (int k = 0; k < Count; ++k)
      to[k] = row[k];
  } else { // the last four overlap those before them instead of reading beyond the end
    constexpr int last = Count - 4;
    for (int k = 0; k < Count; k += 4) {
      const int at = k < last ? k : last;
      Pack row[4] = {load4(from[0] + at), load4(from[1] + at), load4(from[2] + at), load4(from[3] + at)};
      transpose(row[0], row[1], row[2], row[3]);
      for (int i = 0; i < 4; ++i)
        to[at + i] = row[i];
    }
  }
}

/// Writes `Count` <= 4 numbers of every lane, and zeros behind them up to four.
template <int Count, class T>
inline void scatter4(const T* from, double* const* to) {
  static_assert(Count <= 4);
  if constexpr (Lanes<T>::count == 1) {
    for (int k = 0; k < 4; ++k)
      to[0][k] = k < Count ? from[k] : 0;
  } else {
    Pack row[4] = {};
    for (int k = 0; k < Count; ++k)
      row[k] = from[k];
    transpose(row[0], row[1], row[2], row[3]);
    for (int lane = 0; lane < 4; ++lane)
      store4(to[lane], row[lane]);
  }
}

/// Writes three numbers of every lane and nothing behind them.
template <class T>
inline void scatter3(const T* from, double* const* to) {
  if constexpr (Lanes<T>::count == 1) {
    std::memcpy(to[0], from, 3 * sizeof(double));
  } else {
    Pack row[4] = {from[0], from[1], from[2], Pack{}};
    transpose(row[0], row[1], row[2], row[3]);
    for (int lane = 0; lane < 4; ++lane)
      std::memcpy(to[lane], &row[lane], 3 * sizeof(double));
  }
}

/// Adds `Count` numbers, a multiple of four, to those of every lane, one lane after the other: they may be the same.
template <int Count, class T>
inline void scatter_add(const T* from, double* const* to) {
  static_assert(Count % 4 == 0);
  if constexpr (Lanes<T>::count == 1) {
    for (int k = 0; k < Count; ++k)
      to[0][k] += from[k];
  } else {
    for (int k = 0; k < Count; k += 4) {
      Pack row[4] = {from[k], from[k + 1], from[k + 2], from[k + 3]};
      transpose(row[0], row[1], row[2], row[3]);
      for (int lane = 0; lane < 4; ++lane)
        store4(to[lane] + k, load4(to[lane] + k) + row[lane]);
    }
  }
}

template <class T>
struct V3 {
  T x[3];
  T& operator[](int i) { return x[i]; }
  const T& operator[](int i) const { return x[i]; }
};

/// Column by column: m[i + 3 j].
template <class T>
struct M3 {
  T m[9];
  T& operator()(int i, int j) { return m[i + 3 * j]; }
  const T& operator()(int i, int j) const { return m[i + 3 * j]; }
};

template <class T>
inline V3<T> operator+(const V3<T>& a, const V3<T>& b) {
  return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
}
template <class T>
inline V3<T> operator-(const V3<T>& a, const V3<T>& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}
template <class T, class S>
inline V3<T> operator*(const S& s, const V3<T>& a) {
  return {{s * a[0], s * a[1], s * a[2]}};
}
template <class T>
inline T dot(const V3<T>& a, const V3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
inline V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
template <class T>
EMMY_INLINE V3<T> column(const M3<T>& A, int j) {
  return {{A(0, j), A(1, j), A(2, j)}};
}
template <class T>
inline M3<T> operator+(const M3<T>& A, const M3<T>& B) {
  M3<T> C;
  for (int i = 0; i < 9; ++i)
    C.m[i] = A.m[i] + B.m[i];
  return C;
}
template <class T, class S>
inline M3<T> operator*(const S& s, const M3<T>& A) {
  M3<T> C;
  for (int i = 0; i < 9; ++i)
    C.m[i] = s * A.m[i];
  return C;
}
template <class T>
inline V3<T> operator*(const M3<T>& A, const V3<T>& b) {
  V3<T> c;
  for (int i = 0; i < 3; ++i)
    c[i] = A(i, 0) * b[0] + A(i, 1) * b[1] + A(i, 2) * b[2];
  return c;
}
template <class T>
inline M3<T> operator*(const M3<T>& A, const M3<T>& B) {
  M3<T> C;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      C(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return C;
}
/// A^T b.
template <class T>
inline V3<T> transposed_times(const M3<T>& A, const V3<T>& b) {
  V3<T> c;
  for (int j = 0; j < 3; ++j)
    c[j] = A(0, j) * b[0] + A(1, j) * b[1] + A(2, j) * b[2];
  return c;
}
/// A^T B.
template <class T>
inline M3<T> transposed_times(const M3<T>& A, const M3<T>& B) {
  M3<T> C;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      C(i, j) = A(0, i) * B(0, j) + A(1, i) * B(1, j) + A(2, i) * B(2, j);
  return C;
}
/// skew(a) B: a x every column.
template <class T>
inline M3<T> cross(const V3<T>& a, const M3<T>& B) {
  M3<T> C;
  for (int j = 0; j < 3; ++j) {
    C(0, j) = a[1] * B(2, j) - a[2] * B(1, j);
    C(1, j) = a[2] * B(0, j) - a[0] * B(2, j);
    C(2, j) = a[0] * B(1, j) - a[1] * B(0, j);
  }
  return C;
}
/// A skew(b): column j is A (b x e_j).
template <class T>
inline M3<T> times_skew(const M3<T>& A, const V3<T>& b) {
  M3<T> C;
  for (int i = 0; i < 3; ++i) {
    C(i, 0) = A(i, 1) * b[2] - A(i, 2) * b[1];
    C(i, 1) = A(i, 2) * b[0] - A(i, 0) * b[2];
    C(i, 2) = A(i, 0) * b[1] - A(i, 1) * b[0];
  }
  return C;
}
/// A^T skew(b).
template <class T>
inline M3<T> transposed_times_skew(const M3<T>& A, const V3<T>& b) {
  M3<T> C;
  for (int i = 0; i < 3; ++i) {
    C(i, 0) = A(1, i) * b[2] - A(2, i) * b[1];
    C(i, 1) = A(2, i) * b[0] - A(0, i) * b[2];
    C(i, 2) = A(0, i) * b[1] - A(1, i) * b[0];
  }
  return C;
}
/// A + skew(b).
template <class T>
inline M3<T> plus_skew(M3<T> A, const V3<T>& b) {
  A(2, 1) = A(2, 1) + b[0];
  A(1, 2) = A(1, 2) - b[0];
  A(0, 2) = A(0, 2) + b[1];
  A(2, 0) = A(2, 0) - b[1];
  A(1, 0) = A(1, 0) + b[2];
  A(0, 1) = A(0, 1) - b[2];
  return A;
}
/// Inverse, by cofactors.
template <class T>
inline M3<T> inverse(const M3<T>& A) {
  const V3<T> a{{A(0, 0), A(1, 0), A(2, 0)}}, b{{A(0, 1), A(1, 1), A(2, 1)}}, c{{A(0, 2), A(1, 2), A(2, 2)}};
  const V3<T> bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  const T scale = 1 / dot(a, bc);
  M3<T> B;
  for (int j = 0; j < 3; ++j) {
    B(0, j) = scale * bc[j];
    B(1, j) = scale * ca[j];
    B(2, j) = scale * ab[j];
  }
  return B;
}

} // namespace EMMY_ISA
} // namespace emmy
