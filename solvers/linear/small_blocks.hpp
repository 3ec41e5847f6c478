#pragma once
/// Inverses and products of small dense blocks, stored as block_matrix.hpp says: only for sources of kernels. Sizes
/// that are template arguments are known to the compiler, which then unrolls loops and keeps a factor in registers; 0
/// stands for one that is given at run time.

#include "core/pack.hpp"
#include "solvers/linear/block_program.hpp"

#include <type_traits>

namespace emmy {
inline namespace EMMY_ISA {

/// Calls `act` with a size as a constant where it is one of those that bodies and joints have, otherwise with 0.
template <class Act>
EMMY_INLINE void with_size(int size, Act act) {
  switch (size) {
  case 3:
    return act(std::integral_constant<int, 3>());
  case 4:
    return act(std::integral_constant<int, 4>());
  case 5:
    return act(std::integral_constant<int, 5>());
  case 6:
    return act(std::integral_constant<int, 6>());
  default:
    return act(std::integral_constant<int, 0>());
  }
}
/// The same with the number of packs in a column.
template <class Act>
EMMY_INLINE void with_packs(int rows, Act act) {
  static_assert(stride_of(largest_block) == 12, "three packs at most");
  switch (stride_of(rows) / 4) {
  case 1:
    return act(std::integral_constant<int, 1>());
  case 2:
    return act(std::integral_constant<int, 2>());
  default:
    return act(std::integral_constant<int, 3>());
  }
}

/// Inverse of a 3 x 3 block, by its cofactors.
inline void invert3(const double* a, double* inverse) {
  const double c00 = a[5] * a[10] - a[6] * a[9], c10 = a[6] * a[8] - a[4] * a[10], c20 = a[4] * a[9] - a[5] * a[8];
  const double scale = 1 / (a[0] * c00 + a[1] * c10 + a[2] * c20);
  const Pack first{c00, a[2] * a[9] - a[1] * a[10], a[1] * a[6] - a[2] * a[5], 0};
  const Pack second{c10, a[0] * a[10] - a[2] * a[8], a[2] * a[4] - a[0] * a[6], 0};
  const Pack third{c20, a[1] * a[8] - a[0] * a[9], a[0] * a[5] - a[1] * a[4], 0};
  store4(inverse, first * scale);
  store4(inverse + 4, second * scale);
  store4(inverse + 8, third * scale);
}

/// One step of Gauss-Jordan elimination in place, on columns of `Packs` packs. Taking the pivot's column from the
/// others leaves nothing of them in row k; there the inverse grows.
template <int Packs>
EMMY_INLINE void eliminate_row(double* a, int n, int k) {
  constexpr int stride = 4 * Packs;
  constexpr Pack others[4] = {{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}};
  constexpr Pack own[4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  double* pivot = a + k * stride;
  const double scale = 1 / pivot[k];
  Pack column[Packs];
  for (int v = 0; v < Packs; ++v) {
    const Pack from = load4(pivot + 4 * v);
    column[v] = (v == k / 4 ? from * others[k % 4] + own[k % 4] : from) * scale;
    store4(pivot + 4 * v, column[v]);
  }
  for (int j = 0; j < n; ++j) {
    double* to = a + j * stride;
    if (j == k)
      continue;
    const double factor = to[k];
    for (int v = 0; v < Packs; ++v) {
      const Pack from = load4(to + 4 * v);
      store4(to + 4 * v, (v == k / 4 ? from * others[k % 4] : from) - column[v] * factor);
    }
  }
}

/// Not std::abs, which other sources share: see core/pack.hpp.
EMMY_INLINE double size_of(double a) {
  return a < 0 ? -a : a;
}

/// Inverse of any block, by Gauss-Jordan elimination in place. In each row the largest entry among the columns that are
/// left is the pivot: columns are exchanged as whole packs, and at the end rows of the inverse.
template <int Size, int Packs>
inline void invert(const double* from, double* a, int size) {
  const int n = Size > 0 ? Size : size;
  constexpr int stride = 4 * Packs;
  for (int i = 0; i < n * stride; i += 4)
    store4(a + i, load4(from + i));
  int exchanged[largest_block];
  bool any = false;
  for (int k = 0; k < n; ++k) {
    int best = k;
    double largest = size_of(a[k + k * stride]);
    for (int j = k + 1; j < n; ++j)
      if (const double other = size_of(a[k + j * stride]); other > largest) {
        best = j;
        largest = other;
      }
    exchanged[k] = best;
    if (best != k) {
      any = true;
      for (int v = 0; v < stride; v += 4) {
        const Pack other = load4(a + best * stride + v);
        store4(a + best * stride + v, load4(a + k * stride + v));
        store4(a + k * stride + v, other);
      }
    }
    eliminate_row<Packs>(a, n, k);
  }
  for (int k = n; any && k-- > 0;)
    for (int j = 0; exchanged[k] != k && j < n; ++j) {
      double* column = a + j * stride;
      const double other = column[exchanged[k]];
      column[exchanged[k]] = column[k];
      column[k] = other;
    }
}

/// The number of row K in a column, in all lanes.
template <int K>
EMMY_INLINE Pack spread_row(const Pack* column) {
  return choose<K % 4, K % 4, K % 4, K % 4>(column[K / 4], column[K / 4]);
}
/// A pack with lane K of another.
template <int K>
EMMY_INLINE Pack with_lane(Pack a, Pack other) {
#ifdef __AVX2__
  return _mm256_blend_pd(a, other, 1 << K);
#else
  a[K] = other[K];
  return a;
#endif
}
/// The larger of a and of the size of b, lane by lane.
EMMY_INLINE Pack larger_size(Pack a, Pack b) {
#ifdef __AVX2__
  return _mm256_max_pd(a, _mm256_andnot_pd(Pack{-0.0, -0.0, -0.0, -0.0}, b));
#else
  b = b < 0 ? -b : b;
  return a > b ? a : b;
#endif
}

/// Pivots of this part of the largest entry that is left in their row need no exchange.
constexpr double good_pivot = 1e-3;

/// Step K of eliminate_row() and all behind it, on a block in registers. Some pivot was small unless
/// it stays `good`.
template <int K, int Size, int Packs>
EMMY_INLINE void eliminate_rows(Pack (&a)[Size][Packs], bool& good) {
  if constexpr (K < Size) {
    const Pack pivot = spread_row<K>(a[K]), scale = 1 / pivot;
    Pack largest{};
    a[K][K / 4] = with_lane<K % 4>(a[K][K / 4], Pack{1, 1, 1, 1});
    for (int v = 0; v < Packs; ++v)
      a[K][v] *= scale;
    for (int j = 0; j < Size; ++j) {
      if (j == K)
        continue;
      const Pack factor = spread_row<K>(a[j]);
      if (j > K)
        largest = larger_size(largest, factor);
      a[j][K / 4] = with_lane<K % 4>(a[j][K / 4], Pack{});
      for (int v = 0; v < Packs; ++v)
        a[j][v] -= a[K][v] * factor;
    }
    good = good & (size_of(pivot[0]) >= good_pivot * largest[0]);
    eliminate_rows<K + 1>(a, good);
  }
}

/// The same inverse without exchanging anything, in registers; false if some pivot was too small for that.
template <int Size>
EMMY_INLINE bool invert_as_it_is(const double* from, double* to) {
  constexpr int packs = stride_of(Size) / 4;
  Pack a[Size][packs];
  bool good = true;
  for (int j = 0; j < Size; ++j)
    for (int v = 0; v < packs; ++v)
      a[j][v] = load4(from + 4 * (v + j * packs));
  eliminate_rows<0>(a, good);
  for (int j = 0; j < Size; ++j)
    for (int v = 0; v < packs; ++v)
      store4(to + 4 * (v + j * packs), a[j][v]);
  return good;
}

template <int Size>
inline void invert(const double* a, double* inverse, int size) {
  if constexpr (Size == 3) {
    invert3(a, inverse);
  } else if constexpr (Size > 0) {
    if (!invert_as_it_is<Size>(a, inverse))
      invert<Size, stride_of(Size) / 4>(a, inverse, size);
  } else {
    with_packs(size, [&](auto packs) { invert<0, decltype(packs)::value>(a, inverse, size); });
  }
}

/// C = A B if `Assign`, else C -= A B; A has `Packs` packs of rows and `inner` columns.
template <int Packs, int Inner, bool Assign>
EMMY_INLINE void multiply(const double* A, const double* B, double* C, int inner, int columns) {
  constexpr int most = Inner > 0 ? Inner : largest_block;
  const int count = Inner > 0 ? Inner : inner, stride_B = stride_of(count);
  Pack a[most][Packs];
  for (int k = 0; k < count; ++k)
    for (int v = 0; v < Packs; ++v)
      a[k][v] = load4(A + 4 * (v + k * Packs));
  for (int j = 0; j < columns; ++j) {
    Pack sum[Packs];
    for (int v = 0; v < Packs; ++v)
      sum[v] = Assign ? Pack{} : load4(C + 4 * (v + j * Packs));
    for (int k = 0; k < count; ++k) {
      const double b = B[k + j * stride_B];
      for (int v = 0; v < Packs; ++v)
        sum[v] = Assign ? sum[v] + a[k][v] * b : sum[v] - a[k][v] * b;
    }
    for (int v = 0; v < Packs; ++v)
      store4(C + 4 * (v + j * Packs), sum[v]);
  }
}

/// y -= A x, or y = A x; of y whole packs.
template <int Packs, int Columns, bool Assign>
EMMY_INLINE void apply(const double* A, const double* x, double* y, int columns) {
  const int count = Columns > 0 ? Columns : columns;
  Pack sum[Packs];
  for (int v = 0; v < Packs; ++v)
    sum[v] = Assign ? Pack{} : load4(y + 4 * v);
  for (int k = 0; k < count; ++k)
    for (int v = 0; v < Packs; ++v) {
      const Pack product = load4(A + 4 * (v + k * Packs)) * x[k];
      sum[v] = Assign ? sum[v] + product : sum[v] - product;
    }
  for (int v = 0; v < Packs; ++v)
    store4(y + 4 * v, sum[v]);
}

/// sum += A x.
template <int Packs, int Columns>
EMMY_INLINE void accumulate(const double* A, const double* x, Pack (&sum)[Packs], int columns) {
  const int count = Columns > 0 ? Columns : columns;
  for (int k = 0; k < count; ++k)
    for (int v = 0; v < Packs; ++v)
      sum[v] += load4(A + 4 * (v + k * Packs)) * x[k];
}

/// A x for a 3 x 3 block.
inline Pack apply3(const double* A, const double* x) {
  return load4(A) * x[0] + load4(A + 4) * x[1] + load4(A + 8) * x[2];
}

/// Three numbers and a zero.
inline Pack load3(const double* p) {
#ifdef __AVX2__
  return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1));
#else
  return Pack{p[0], p[1], p[2], 0};
#endif
}

} // namespace EMMY_ISA
} // namespace emmy
