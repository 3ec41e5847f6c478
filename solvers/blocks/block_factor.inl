// The kernels of block_program.hpp; included by one source for each set of instructions.
#include "core/pack.hpp"
#include "solvers/blocks/block_program.hpp"

#include <cmath>
#include <type_traits>

namespace emmy {
inline namespace EMMY_ISA {

namespace {

/// Inverse of a 3 x 3 block with columns of four, by its cofactors.
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

/// Inverse of any block, by Gauss-Jordan elimination with pivoting inside the block.
inline void invert(const double* a, double* inverse, int n) {
  double work[largest_block][2 * largest_block];
  const int stride = stride_of(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      work[i][j] = a[i + j * stride];
      work[i][n + j] = i == j ? 1 : 0;
    }
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(work[i][k]) > std::abs(work[best][k]))
        best = i;
    if (best != k)
      for (int j = k; j < 2 * n; ++j) {
        const double other = work[k][j];
        work[k][j] = work[best][j];
        work[best][j] = other;
      }
    const double scale = 1 / work[k][k];
    for (int j = k; j < 2 * n; ++j)
      work[k][j] *= scale;
    for (int i = 0; i < n; ++i) {
      const double factor = work[i][k];
      if (i == k || factor == 0)
        continue;
      for (int j = k; j < 2 * n; ++j)
        work[i][j] -= factor * work[k][j];
    }
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < stride; ++i)
      inverse[i + j * stride] = i < n ? work[i][n + j] : 0;
}

/// C = A B if `Assign`, else C -= A B; A has `Packs` packs of rows and `inner` columns. Sizes of 0 are given at run
/// time.
template <int Packs, int Inner, int Columns, bool Assign>
inline void multiply(const double* A, const double* B, double* C, int inner_, int columns_) {
  const int inner = Inner > 0 ? Inner : inner_, columns = Columns > 0 ? Columns : columns_, stride_B = stride_of(inner);
  for (int j = 0; j < columns; ++j) {
    Pack sum[Packs];
    for (int v = 0; v < Packs; ++v)
      sum[v] = Assign ? Pack{} : load4(C + 4 * (v + j * Packs));
    for (int k = 0; k < inner; ++k) {
      const double b = B[k + j * stride_B];
      for (int v = 0; v < Packs; ++v) {
        const Pack product = load4(A + 4 * (v + k * Packs)) * b;
        sum[v] = Assign ? sum[v] + product : sum[v] - product;
      }
    }
    for (int v = 0; v < Packs; ++v)
      store4(C + 4 * (v + j * Packs), sum[v]);
  }
}

template <bool Assign>
inline void multiply(const double* A, const double* B, double* C, int rows, int inner, int columns) {
  const auto with_packs = [&](auto inner_size) {
    constexpr int known = decltype(inner_size)::value;
    switch (stride_of(rows) / 4) {
    case 1:
      return multiply<1, known, 0, Assign>(A, B, C, inner, columns);
    case 2:
      return multiply<2, known, 0, Assign>(A, B, C, inner, columns);
    default:
      return multiply<3, known, 0, Assign>(A, B, C, inner, columns);
    }
  };
  switch (inner) {
  case 3:
    return with_packs(std::integral_constant<int, 3>());
  case 5:
    return with_packs(std::integral_constant<int, 5>());
  default:
    return with_packs(std::integral_constant<int, 0>());
  }
}

/// y -= A x, or y = A x; of y whole packs.
template <bool Assign>
inline void apply(const double* A, const double* x, double* y, int rows, int columns) {
  constexpr int most_packs = stride_of(largest_block) / 4;
  const int packs = stride_of(rows) / 4;
  Pack sum[most_packs] = {};
  for (int k = 0; k < columns; ++k)
    for (int v = 0; v < packs; ++v)
      sum[v] += load4(A + 4 * (v + k * packs)) * x[k];
  for (int v = 0; v < packs; ++v)
    store4(y + 4 * v, Assign ? sum[v] : load4(y + 4 * v) - sum[v]);
}

/// Three numbers and a zero.
inline Pack load3(const double* p) {
#ifdef __AVX2__
  return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1));
#else
  return Pack{p[0], p[1], p[2], 0};
#endif
}

/// A x for a 3 x 3 block.
inline Pack apply3(const double* A, const double* x) {
  return load4(A) * x[0] + load4(A + 4) * x[1] + load4(A + 8) * x[2];
}

/// Everything is 3 x 3.
inline void eliminate3(double* values, const PivotStep& step, const PivotNeighbour* of, const int* targets) {
  double* inverse = values + step.inverse;
  invert3(values + step.pivot, inverse);
  for (int i = 0; i < step.count; ++i) {
    double* lower = values + of[i].lower;
    multiply<1, 3, 3, true>(values + of[i].below, inverse, lower, 3, 3);
    for (int j = 0; j < step.count; ++j)
      multiply<1, 3, 3, false>(lower, values + of[j].right, values + *targets++, 3, 3);
  }
}

/// Three numbers on the diagonal of every block.
inline void eliminate_diagonal(double* values, const PivotStep& step, const PivotNeighbour* of, const int* targets) {
  double* inverse = values + step.inverse;
  const Pack pivot = load4(values + step.pivot);
  const Pack inverted{1 / pivot[0], 1 / pivot[1], 1 / pivot[2], 0};
  store4(inverse, inverted);
  for (int i = 0; i < step.count; ++i) {
    const Pack lower = load4(values + of[i].below) * inverted;
    store4(values + of[i].lower, lower);
    const int stride = stride_of(of[i].size);
    for (int j = 0; j < step.count; ++j) {
      const Pack change = lower * load4(values + of[j].right);
      const int target = *targets++;
      if (target < 0) {
        double* to = values + (-1 - target);
        store4(to, load4(to) - change);
        continue;
      }
      // Whole packs, though one number in each: what is read next is packs, and must not wait for single numbers.
      double* to = values + target;
      store4(to, load4(to) - change * Pack{1, 0, 0, 0});
      store4(to + stride, load4(to + stride) - change * Pack{0, 1, 0, 0});
      store4(to + 2 * stride, load4(to + 2 * stride) - change * Pack{0, 0, 1, 0});
    }
  }
}

inline void eliminate(double* values, const PivotStep& step, const PivotNeighbour* of, const int* targets) {
  double* inverse = values + step.inverse;
  if (step.size == 3)
    invert3(values + step.pivot, inverse);
  else
    invert(values + step.pivot, inverse, step.size);
  for (int i = 0; i < step.count; ++i) {
    double* lower = values + of[i].lower;
    multiply<true>(values + of[i].below, inverse, lower, of[i].size, step.size, step.size);
    for (int j = 0; j < step.count; ++j)
      multiply<false>(lower, values + of[j].right, values + *targets++, of[i].size, step.size, of[j].size);
  }
}

/// Steps ahead of the one that is worked on whose blocks are fetched if they are far. These are too short for the
/// processor to foresee them. Inline, since the compiler takes what only fetches for something without any effect.
constexpr int fetched_ahead = 6;

EMMY_INLINE void fetch(const double* block, int numbers) {
  constexpr int numbers_of_line = 8;
  for (int k = 0; k < numbers; k += numbers_of_line)
    __builtin_prefetch(block + k);
}
/// The blocks of a step in one column: its own, unless that is not wanted, and those of its neighbours.
EMMY_INLINE void fetch(const BlockProgram& program, const PivotStep& step, int PivotStep::*own,
                       int PivotNeighbour::*block) {
  const int columns = step.diagonal ? 1 : step.size;
  if (own != nullptr)
    fetch(program.values + step.*own, stride_of(step.size) * columns);
  for (const PivotNeighbour* of = program.neighbours + step.first; of != program.neighbours + step.first + step.count;
       ++of)
    fetch(program.values + of->*block, stride_of(of->size) * columns); // one in a row has as many numbers, or padding
}

void factorise(const BlockProgram& program) {
  double* values = program.values;
  const PivotStep* end = program.steps + program.count;
  for (const PivotStep* step = program.steps; step != end; ++step) {
    if (program.is_far && end - step > fetched_ahead)
      fetch(program, step[fetched_ahead], &PivotStep::pivot, &PivotNeighbour::below);
    const PivotNeighbour* of = program.neighbours + step->first;
    const int* targets = program.targets + step->targets;
    if (step->diagonal)
      eliminate_diagonal(values, *step, of, targets);
    else if (step->all_three)
      eliminate3(values, *step, of, targets);
    else
      eliminate(values, *step, of, targets);
  }
}

/// Brings the right side to where it is worked on.
inline void collect(const BlockProgram& program, const double* b, RightSide side) {
  if (side == RightSide::ready)
    return;
  for (const PivotStep* step = program.steps; step != program.steps + program.count; ++step) {
    double* to = program.work + step->slot;
    if (step->size == 3) {
      const Pack given = load3(b + step->row);
      store4(to, side == RightSide::given ? given : given + load4(to));
    } else {
      for (int k = 0; k < step->size; ++k)
        to[k] = side == RightSide::given ? b[step->row + k] : b[step->row + k] + to[k];
    }
  }
}

void solve(const BlockProgram& program, double* b, RightSide side) {
  const double* values = program.values;
  double* work = program.work;
  const PivotStep *first = program.steps, *end = first + program.count;
  collect(program, b, side);
  for (const PivotStep* step = first; step != end; ++step) {
    if (program.is_far && end - step > fetched_ahead)
      fetch(program, step[fetched_ahead], nullptr, &PivotNeighbour::lower);
    const PivotNeighbour* of = program.neighbours + step->first;
    const double* x = work + step->slot;
    if (step->diagonal) {
      const Pack own = load4(x);
      for (int i = 0; i < step->count; ++i) {
        double* y = work + of[i].slot;
        store4(y, load4(y) - load4(values + of[i].lower) * own);
      }
    } else if (step->all_three) {
      for (int i = 0; i < step->count; ++i) {
        double* y = work + of[i].slot;
        store4(y, load4(y) - apply3(values + of[i].lower, x));
      }
    } else {
      for (int i = 0; i < step->count; ++i)
        apply<false>(values + of[i].lower, x, work + of[i].slot, of[i].size, step->size);
    }
  }
  for (const PivotStep* step = end; step-- != first;) {
    if (program.is_far && step - first >= fetched_ahead)
      fetch(program, *(step - fetched_ahead), &PivotStep::inverse, &PivotNeighbour::right);
    const PivotNeighbour* of = program.neighbours + step->first;
    double* x = work + step->slot;
    if (step->diagonal) {
      Pack own = load4(x);
      for (int j = 0; j < step->count; ++j)
        own -= load4(values + of[j].right) * load4(work + of[j].slot);
      own = own * load4(values + step->inverse);
      store4(x, own);
      std::memcpy(b + step->row, &own, 3 * sizeof(double));
    } else if (step->all_three) {
      Pack own = load4(x);
      for (int j = 0; j < step->count; ++j)
        own -= apply3(values + of[j].right, work + of[j].slot);
      own = load4(values + step->inverse) * own[0] + load4(values + step->inverse + 4) * own[1] +
            load4(values + step->inverse + 8) * own[2];
      store4(x, own);
      std::memcpy(b + step->row, &own, 3 * sizeof(double));
    } else {
      double right[largest_block];
      for (int k = 0; k < stride_of(step->size); ++k)
        right[k] = x[k];
      for (int j = 0; j < step->count; ++j)
        apply<false>(values + of[j].right, work + of[j].slot, right, step->size, of[j].size);
      apply<true>(values + step->inverse, right, x, step->size, step->size);
      for (int k = 0; k < step->size; ++k)
        b[step->row + k] = x[k];
    }
  }
}

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

/// Numbers of 0 are given at run time, and are most_differences at most.
template <int Stored, int Known>
inline void difference(const double* weight, const double* x, double* kept, long stride, long rows, int stored_,
                       int known_, double* errors) {
  const int stored = Stored > 0 ? Stored : stored_, known = Known > 0 ? Known : known_;
  Sums<most_differences + 1> sums;
  for_rows(rows, [&](long i, auto access) {
    auto now = access.load(x + i);
    const auto w = access.load(weight + i);
    for (int k = 0; k < stored; ++k) {
      double* place = kept + k * stride + i;
      const auto before = access.load(place);
      access.store(place, now);
      now = now - before;
      if (k < known)
        sums.add(k + 1, w * now * now);
    }
  });
  const int last = known < stored ? known : stored;
  for (int k = 1; k <= last; ++k)
    errors[k] = sums.total(k);
}

void difference(const double* weight, const double* x, double* kept, long stride, long rows, int known, int most,
                double* errors) {
  if (known == most && most == most_differences) // increments, in all steps but the first ones
    return difference<most_differences, most_differences>(weight, x, kept, stride, rows, 0, 0, errors);
  return difference<0, 0>(weight, x, kept, stride, rows, known + 1 < most ? known + 1 : most, known, errors);
}

template <int Order>
inline void extrapolate(const double* kept, const double* is_increment, long stride, long rows, double trusted,
                        double* x) {
  for_rows(rows, [&](long i, auto access) {
    const auto difference_of = [&](int order) { return access.load(kept + order * stride + i); };
    const auto part = access.load(is_increment + i), value = difference_of(0);
    const auto slope = difference_of(1), curvature = difference_of(2);
    auto increment = value;
    if constexpr (Order < 0)
      increment = access.load(x + i);
    if constexpr (Order > 0)
      increment = increment + slope;
    if constexpr (Order > 1)
      increment = increment + curvature;
    for (int k = 3; k <= Order; ++k)
      increment = increment + difference_of(k);
    static_assert(most_differences >= multiplier_differences && multiplier_differences == 4, "as used here");
    const auto multiplier = value + slope + trusted * (curvature - difference_of(3));
    access.store(x + i, part * increment + (1 - part) * multiplier);
  });
}

void extrapolate(const double* kept, const double* is_increment, long stride, long rows, int order, double trusted,
                 double* x) {
  constexpr void (*of_order[])(const double*, const double*, long, long, double, double*) = {
      extrapolate<-1>, extrapolate<0>, extrapolate<1>, extrapolate<2>, extrapolate<3>, extrapolate<4>, extrapolate<5>};
  static_assert(sizeof of_order / sizeof *of_order == most_differences + 1, "one for every order, and for none");
  of_order[order + 1](kept, is_increment, stride, rows, trusted, x);
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

extern const BlockKernels kernels;
const BlockKernels kernels{factorise, solve};
extern const VectorKernels vectors;
const VectorKernels vectors{difference, extrapolate, measure, advance};

} // namespace EMMY_ISA
} // namespace emmy
