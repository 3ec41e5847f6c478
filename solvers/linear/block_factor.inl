// The kernels of block_program.hpp; included by one source for each set of instructions.
#include "solvers/linear/fetch.hpp"
#include "solvers/linear/small_blocks.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

/// Everything is 3 x 3.
inline void eliminate3(double* values, const PivotStep& step, const PivotNeighbour* of, const int* targets) {
  double* inverse = values + step.inverse;
  invert3(values + step.pivot, inverse);
  for (int i = 0; i < step.count; ++i) {
    double* lower = values + of[i].lower;
    multiply<1, 3, true>(values + of[i].below, inverse, lower, 3, 3);
    for (int j = 0; j < step.count; ++j)
      multiply<1, 3, false>(lower, values + of[j].right, values + *targets++, 3, 3);
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

template <int Size>
void eliminate(double* values, const PivotStep& step, const PivotNeighbour* of, const int* targets) {
  double* inverse = values + step.inverse;
  invert<Size>(values + step.pivot, inverse, step.size);
  for (int i = 0; i < step.count; ++i) {
    double* lower = values + of[i].lower;
    with_packs(of[i].size, [&](auto packs) {
      constexpr int rows = decltype(packs)::value;
      multiply<rows, Size, true>(values + of[i].below, inverse, lower, step.size, step.size);
      for (int j = 0; j < step.count; ++j)
        multiply<rows, Size, false>(lower, values + of[j].right, values + *targets++, step.size, of[j].size);
    });
  }
}

/// Steps ahead of the one that is worked on whose blocks are fetched if they are far.
constexpr int fetched_ahead = 6;

/// The blocks of a step in one column: its own, unless that is not wanted, and those of its neighbours.
EMMY_INLINE void fetch_column(const BlockProgram& program, const PivotStep& step, int PivotStep::*own,
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
      fetch_column(program, step[fetched_ahead], &PivotStep::pivot, &PivotNeighbour::below);
    const PivotNeighbour* of = program.neighbours + step->first;
    const int* targets = program.targets + step->targets;
    if (step->diagonal)
      eliminate_diagonal(values, *step, of, targets);
    else if (step->all_three)
      eliminate3(values, *step, of, targets);
    else
      with_size(step->size, [&](auto size) { eliminate<decltype(size)::value>(values, *step, of, targets); });
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

/// Takes what is known of a node from the right sides of those behind it.
template <int Size>
inline void spread(const double* values, const PivotStep& step, const PivotNeighbour* of, double* work) {
  for (int i = 0; i < step.count; ++i)
    with_packs(of[i].size, [&](auto packs) {
      apply<decltype(packs)::value, Size, false>(values + of[i].lower, work + step.slot, work + of[i].slot, step.size);
    });
}

/// Solution of a node, of `Packs` packs, from that of those behind it.
template <int Packs>
inline void find(const double* values, const PivotStep& step, const PivotNeighbour* of, double* work) {
  double* x = work + step.slot;
  double right[4 * Packs];
  for (int v = 0; v < 4 * Packs; v += 4)
    store4(right + v, load4(x + v));
  for (int j = 0; j < step.count; ++j)
    with_size(of[j].size, [&](auto size) {
      apply<Packs, decltype(size)::value, false>(values + of[j].right, work + of[j].slot, right, of[j].size);
    });
  with_size(step.size,
            [&](auto size) { apply<Packs, decltype(size)::value, true>(values + step.inverse, right, x, step.size); });
}

void solve(const BlockProgram& program, double* b, RightSide side) {
  const double* values = program.values;
  double* work = program.work;
  const PivotStep *first = program.steps, *end = first + program.count;
  collect(program, b, side);
  for (const PivotStep* step = first; step != end; ++step) {
    if (program.is_far && end - step > fetched_ahead)
      fetch_column(program, step[fetched_ahead], nullptr, &PivotNeighbour::lower);
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
      with_size(step->size, [&](auto size) { spread<decltype(size)::value>(values, *step, of, work); });
    }
  }
  for (const PivotStep* step = end; step-- != first;) {
    if (program.is_far && step - first >= fetched_ahead)
      fetch_column(program, *(step - fetched_ahead), &PivotStep::inverse, &PivotNeighbour::right);
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
      with_packs(step->size, [&](auto packs) { find<decltype(packs)::value>(values, *step, of, work); });
      for (int k = 0; k < step->size; ++k)
        b[step->row + k] = x[k];
    }
  }
}

template <int Packs>
inline void multiply_row(const ProductProgram& program, const ProductRow& row, const double* x, double* y) {
  Pack sum[Packs] = {};
  for (const ProductBlock* block = program.blocks + row.first; block != program.blocks + row.first + row.count;
       ++block) {
    const double *a = program.values + block->at, *from = x + block->row;
    if (block->diagonal)
      sum[0] += load4(a) * load3(from);
    else
      with_size(block->size, [&](auto size) { accumulate<Packs, decltype(size)::value>(a, from, sum, block->size); });
  }
  double numbers[4 * Packs];
  for (int v = 0; v < Packs; ++v)
    store4(numbers + 4 * v, sum[v]);
  for (int k = 0; k < row.size; ++k)
    y[row.row + k] = numbers[k];
}

void multiply(const ProductProgram& program, const double* x, double* y) {
  for (const ProductRow* row = program.rows; row != program.rows + program.count; ++row)
    with_packs(row->size, [&](auto packs) { multiply_row<decltype(packs)::value>(program, *row, x, y); });
}

} // namespace

extern const BlockKernels kernels;
const BlockKernels kernels{factorise, solve, multiply};

} // namespace EMMY_ISA
} // namespace emmy
