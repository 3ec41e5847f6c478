#pragma once
/// Blocks between the wrenches of joints that share a body, from what is kept of the body: only for sources of kernels.

#include "solvers/condensation/ball_elimination.hpp"
#include "solvers/condensation/side_by_side.hpp"
#include "solvers/condensation/wrench_program.hpp"
#include "solvers/linear/fetch.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Two doubles, half of a pack.
using HalfPack = double __attribute__((vector_size(16)));
inline HalfPack load2(const double* p) {
  HalfPack a;
  std::memcpy(&a, p, sizeof a);
  return a;
}
inline void store2(double* p, HalfPack a) {
  std::memcpy(p, &a, sizeof a);
}
inline HalfPack half(Pack a, int which) {
#ifdef __AVX2__
  return which == 0 ? _mm256_castpd256_pd128(a) : _mm256_extractf128_pd(a, 1);
#else
  return which == 0 ? HalfPack{a[0], a[1]} : HalfPack{a[2], a[3]};
#endif
}

/// A B^T.
template <class T>
EMMY_INLINE M3<T> times_transposed(const M3<T>& A, const M3<T>& B) {
  M3<T> C;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      C(i, j) = A(i, 0) * B(j, 0) + A(i, 1) * B(j, 1) + A(i, 2) * B(j, 2);
  return C;
}

/// Writes or adds a column of every lane: a force and, in blocks of stride 8, a moment. Padding is left as it is.
template <int Stride, bool Sets, class T>
EMMY_INLINE void put_column(double* const* to, int at, const V3<T>& force, const V3<T>& moment) {
  if constexpr (Lanes<T>::count == 1) {
    for (int i = 0; i < 3; ++i) {
      to[0][at + i] = force[i] + (Sets ? 0 : to[0][at + i]);
      if constexpr (Stride == 8)
        to[0][at + 3 + i] = moment[i] + (Sets ? 0 : to[0][at + 3 + i]);
    }
  } else {
    T row[4] = {force[0], force[1], force[2], Stride == 8 ? moment[0] : T{}};
    transpose(row[0], row[1], row[2], row[3]);
    for (int lane = 0; lane < 4; ++lane)
      store4(to[lane] + at, Sets ? row[lane] : load4(to[lane] + at) + row[lane]);
    if constexpr (Stride == 8) { // lanes 0 and 2, 1 and 3
      const T pairs[2] = {choose<0, 4, 2, 6>(moment[1], moment[2]), choose<1, 5, 3, 7>(moment[1], moment[2])};
      for (int lane = 0; lane < 4; ++lane) {
        const HalfPack own = half(pairs[lane % 2], lane / 2);
        double* end = to[lane] + at + 4;
        store2(end, Sets ? own : load2(end) + own);
      }
    }
  }
}

/// All blocks that a body adds or sets.
EMMY_INLINE void fetch_blocks(const WrenchBodies& group, const WrenchBodyPlace& place, const double* matrix) {
  for (int p = 0; p < group.ports; ++p)
    for (int q = 0; q < group.ports; ++q)
      fetch(matrix + place.port[p].target[q], (p < group.moments ? 8 : 4) * (q < group.moments ? 6 : 3));
}

/// The block that a few bodies add or set where two of their ports meet, -G K^-1 P, of which the row transmits a moment
/// if Stride is 8.
template <int Stride, bool Sets, class T>
EMMY_INLINE void put_block(const WrenchBodies& group, int first, int p, int q, double* matrix) {
  const SideBySide<T> body(group.constants + first * wrench_constants_of_port(group.ports));
  const SideBySide<T> kept(group.kept + first * wrench_kept_of_port(group.ports));
  const int row = wrench_kept_of_port(p), column = wrench_kept_of_port(q);
  double* to[Lanes<T>::count];
  for (int i = 0; i < Lanes<T>::count; ++i)
    to[i] = matrix + group.places[first + i].port[p].target[q];
  const M3<T> G_f = kept.matrix(row + force_G_at), G_m = Stride == 8 ? kept.matrix(row + moment_G_at) : M3<T>{};
  const T centres = response_of_centre(body.number(wrench_constants_of_port(p) + wrench_sign_at),
                                       body.number(wrench_constants_of_port(q) + wrench_sign_at),
                                       body.number(wrench_inverse_mass_at));
  for (int j = 0; j < 3; ++j) {
    const V3<T> U = kept.vector(column + force_U_at + 3 * j);
    put_column<Stride, Sets>(to, Stride * j, response_column(G_f, U, j, centres), G_m * U);
  }
  if (q < group.moments)
    for (int j = 0; j < 3; ++j) {
      const V3<T> U = kept.vector(column + moment_U_at + 3 * j);
      put_column<Stride, Sets>(to, Stride * (3 + j), G_f * U, G_m * U);
    }
}

} // namespace EMMY_ISA
} // namespace emmy
