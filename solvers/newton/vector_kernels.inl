// The vector kernels of vector_kernels.hpp; included by one source for each set of instructions.
#include "core/pack.hpp"
#include "solvers/newton/vector_kernels.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

template <class Number>
struct Access;
template <>
struct Access<Pack> {
  static Pack load(const double* p) { return load4(p); }
  static void store(double* p, Pack a) { store4(p, a); }
};
template <>
struct Access<double> {
  static double load(const double* p) { return *p; }
  static void store(double* p, double a) { *p = a; }
};

/// Calls `act` for all rows, four at a time as long as there are four, with the sums of packs or of single numbers.
template <class Act>
inline void for_rows(long rows, Act act) {
  long i = 0;
  for (; i + 4 <= rows; i += 4)
    act(i, Access<Pack>());
  for (; i < rows; ++i)
    act(i, Access<double>());
}

inline double sum_of(Pack a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}

/// Sums of packs and of single numbers.
template <int Count>
struct Sums {
  Pack packs[Count] = {};
  double rest[Count] = {};

  void add(int k, Pack a) { packs[k] += a; }
  void add(int k, double a) { rest[k] += a; }
  double total(int k) const { return rest[k] + sum_of(packs[k]); }
};

/// The same of the largest absolute values.
template <int Count>
struct Largest {
  Pack packs[Count] = {};
  double rest[Count] = {};

  template <class T>
  static T greater(T a, T b) {
    return a > b ? a : b;
  }
  void add(int k, Pack a) { packs[k] = greater(packs[k], greater(a, -a)); }
  void add(int k, double a) { rest[k] = greater(rest[k], greater(a, -a)); }
  double total(int k) const {
    double found = rest[k];
    for (int i = 0; i < 4; ++i)
      found = greater<double>(found, packs[k][i]);
    return found;
  }
};

/// Keeps a new value and its differences from those before, and shows each difference with its number.
template <int Count, class Number, class Show>
inline void keep(Number now, double* kept, long stride, Show show) {
  for (int k = 0; k < Count; ++k, kept += stride) {
    const Number before = Access<Number>::load(kept);
    Access<Number>::store(kept, now);
    now = now - before;
    show(k, now);
  }
}

void difference(const double* weight, const double* x, double* kept, long stride, long rows, double* errors) {
  Sums<most_differences> sums;
  for_rows(rows, [&](long i, auto access) {
    const auto w = access.load(weight + i);
    keep<most_differences>(access.load(x + i), kept + i, stride,
                           [&](int k, auto missed) { sums.add(k, w * missed * missed); });
  });
  for (int k = 0; k < most_differences; ++k)
    errors[k] = sums.total(k);
}

void difference_multipliers(const double* x, double* kept, long stride, long rows) {
  for_rows(rows, [&](long i, auto access) {
    keep<multiplier_differences>(access.load(x + i), kept + i, stride, [](int, auto) {});
  });
}

/// Of the differences of one or of four.
template <class Access>
inline auto multiplier_of(Access access, const double* kept, long stride, double trusted) {
  static_assert(most_differences >= multiplier_differences && multiplier_differences == 4, "as used here");
  const auto value = access.load(kept), slope = access.load(kept + stride);
  return value + slope + trusted * (access.load(kept + 2 * stride) - access.load(kept + 3 * stride));
}

template <int Order>
inline void extrapolate(const double* kept, const double* is_increment, long stride, long rows, double trusted,
                        double* x) {
  for_rows(rows, [&](long i, auto access) {
    const auto part = access.load(is_increment + i);
    auto increment = access.load(Order < 0 ? x + i : kept + i);
    for (int k = 1; k <= Order; ++k)
      increment = increment + access.load(kept + k * stride + i);
    access.store(x + i, part * increment + (1 - part) * multiplier_of(access, kept + i, stride, trusted));
  });
}

void extrapolate(const double* kept, const double* is_increment, long stride, long rows, int order, double trusted,
                 double* x) {
  static constexpr void (*of_order[])(const double*, const double*, long, long, double, double*) = {
      extrapolate<-1>, extrapolate<0>, extrapolate<1>, extrapolate<2>, extrapolate<3>, extrapolate<4>, extrapolate<5>};
  static_assert(sizeof of_order / sizeof *of_order == most_differences + 1, "one for every order, and for none");
  of_order[order + 1](kept, is_increment, stride, rows, trusted, x);
}

void extrapolate_multipliers(const double* kept, long stride, long rows, double trusted, double* x) {
  for_rows(rows, [&](long i, auto access) { access.store(x + i, multiplier_of(access, kept + i, stride, trusted)); });
}

double distance(const double* a, const double* b, const double* weight, long rows) {
  Sums<1> sum;
  for_rows(rows, [&](long i, auto access) {
    const auto apart = access.load(a + i) - access.load(b + i);
    sum.add(0, access.load(weight + i) * apart * apart);
  });
  return sum.total(0);
}

void measure(const double* x, const double* weight, const double* turns, long rows, double* sizes) {
  Sums<3> sums;
  Largest<2> largest;
  for_rows(rows, [&](long i, auto access) {
    const auto v = access.load(x + i), w = access.load(weight + i), turn = v * access.load(turns + i);
    const auto multiplier = w > 0 ? v * 0 : v; // which have no weight
    sums.add(0, w * v * v);
    sums.add(1, multiplier * multiplier);
    sums.add(2, turn * turn);
    largest.add(0, multiplier);
    largest.add(1, turn);
  });
  for (int k = 0; k < 3; ++k)
    sizes[k] = sums.total(k);
  for (int k = 0; k < 2; ++k)
    sizes[3 + k] = largest.total(k);
}

void measure_balance(const double* f, const double* dx, const double* weight, const double* inverse_weight, long rows,
                     double* sizes) {
  Sums<1> sum;
  Largest<1> largest;
  for_rows(rows, [&](long i, auto access) {
    const auto force = access.load(f + i) - access.load(weight + i) * access.load(dx + i);
    const auto square = access.load(inverse_weight + i) * force * force;
    sum.add(0, square);
    largest.add(0, square);
  });
  sizes[0] = sum.total(0);
  sizes[1] = largest.total(0);
}

double advance(double* x, const double* dx, const double* weight, long rows) {
  Sums<1> sum;
  for_rows(rows, [&](long i, auto access) {
    const auto v = access.load(x + i) - access.load(dx + i);
    access.store(x + i, v);
    sum.add(0, access.load(weight + i) * v * v);
  });
  return sum.total(0);
}

} // namespace

extern const VectorKernels vectors;
const VectorKernels vectors{difference, difference_multipliers, extrapolate, extrapolate_multipliers, distance,
                            measure,    measure_balance,        advance};

} // namespace EMMY_ISA
} // namespace emmy
