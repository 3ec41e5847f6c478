#pragma once
/// Factors of a small matrix of packs. For matrices whose symmetric part is positive definite, or nearly so: rows are
/// not exchanged, since lanes would not agree which.

#include "core/unroll.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Row by row; the diagonal of U is kept inverted.
template <int N, class T>
struct SmallLu {
  T a[N * N];
  T& operator()(int i, int j) { return a[N * i + j]; }
  const T& operator()(int i, int j) const { return a[N * i + j]; }

  EMMY_INLINE void factorise() {
    SmallLu& A = *this;
    unroll<N>([&](auto k) EMMY_LAMBDA {
      A(k, k) = 1 / A(k, k);
      for (int i = k + 1; i < N; ++i) {
        const T factor = A(i, k) * A(k, k);
        A(i, k) = factor;
        for (int j = k + 1; j < N; ++j)
          A(i, j) = A(i, j) - factor * A(k, j);
      }
    });
  }
  /// b becomes the solution; V is whatever a number can be multiplied with.
  template <class V>
  EMMY_INLINE void solve(V* b) const {
    const SmallLu& A = *this;
    unroll<N>([&](auto i) EMMY_LAMBDA {
      for (int k = 0; k < i; ++k)
        b[i] = b[i] - A(i, k) * b[k];
    });
    unroll<N>([&](auto turn) EMMY_LAMBDA {
      constexpr int i = N - 1 - turn;
      for (int k = i + 1; k < N; ++k)
        b[i] = b[i] - A(i, k) * b[k];
      b[i] = A(i, i) * b[i];
    });
  }
};

} // namespace EMMY_ISA
} // namespace emmy
