#pragma once
/// Numbers of four elements or of one, side by side or each at its own address: only for sources of kernels.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

template <class T>
class SideBySide {
public:
  explicit SideBySide(const double* at) : at_(at) {}
  T number(int k) const {
    T a;
    std::memcpy(&a, at_ + k * Lanes<T>::count, sizeof a);
    return a;
  }
  V3<T> vector(int k) const { return {{number(k), number(k + 1), number(k + 2)}}; }
  M3<T> matrix(int k) const {
    M3<T> A;
    for (int i = 0; i < 9; ++i)
      A.m[i] = number(k + i);
    return A;
  }

private:
  const double* at_;
};

/// Writes the numbers of `a` one by one. Copied as a whole they would go through memory in pieces, and who reads them
/// as packs next would have to wait.
template <class T, class Numbers>
EMMY_INLINE void keep(const Numbers& a, double* at, int k) {
  const T* from = reinterpret_cast<const T*>(&a);
  for (int i = 0; i < static_cast<int>(sizeof a / sizeof(T)); ++i)
    std::memcpy(at + (k + i) * Lanes<T>::count, from + i, sizeof(T));
}

template <int Count, class T, class Address>
EMMY_INLINE void read(Address address, T* to) {
  const double* from[Lanes<T>::count];
  for (int i = 0; i < Lanes<T>::count; ++i)
    from[i] = address(i);
  gather<Count>(from, to);
}
template <int Count, class T, class Address>
EMMY_INLINE void add(Address address, const T* from) {
  double* to[Lanes<T>::count];
  for (int i = 0; i < Lanes<T>::count; ++i)
    to[i] = address(i);
  scatter_add<Count>(from, to);
}
/// Three numbers and nothing behind them.
template <class T, class Address>
EMMY_INLINE void write3(Address address, const T* from) {
  double* to[Lanes<T>::count];
  for (int i = 0; i < Lanes<T>::count; ++i)
    to[i] = address(i);
  scatter3(from, to);
}
/// A multiple of four numbers.
template <int Count, class T, class Address>
EMMY_INLINE void write(Address address, const T* from) {
  static_assert(Count % 4 == 0);
  double* to[Lanes<T>::count];
  for (int k = 0; k < Count; k += 4) {
    for (int i = 0; i < Lanes<T>::count; ++i)
      to[i] = address(i) + k;
    scatter4<4>(from + k, to);
  }
}

} // namespace EMMY_ISA
} // namespace emmy
