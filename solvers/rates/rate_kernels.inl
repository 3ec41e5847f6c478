// All kernels of rate_program.hpp for one set of instructions.
#define EMMY_KERNELS(E)
#include "elements/kernels.inl" // what there is
#undef EMMY_KERNELS
#include "elements/bodies/frame_port.hpp"
#include "solvers/linear/small_blocks.hpp"
#include "solvers/rates/rate_program.hpp"

#include <cmath>

namespace emmy {
inline namespace EMMY_ISA {

namespace {

/// `Count` packs, one behind the other.
template <int Count>
EMMY_INLINE void load_packs(const double* from, Pack* to) {
  for (int k = 0; k < Count; ++k)
    to[k] = load4(from + 4 * k);
}

template <class E>
constexpr int constants_of = std::is_empty_v<typename E::template Numbers<double>>
                                 ? 0
                                 : sizeof(typename E::template Numbers<double>) / sizeof(double);

EMMY_INLINE PlacedFrame<Pack> place(const int* values, const RateInstant& at) {
  constexpr int orientation = 3;
  const double *value[4], *remainder[4], *turned[4];
  for (int i = 0; i < 4; ++i) {
    const bool is_ground = values[i] < 0;
    value[i] = is_ground ? at.ground : at.values + values[i];
    remainder[i] = is_ground ? at.ground : at.remainders + values[i];
    turned[i] = value[i] + orientation;
  }
  PlacedFrame<Pack> frame;
  Pack q[4];
  gather<3>(value, frame.x.x);
  gather<3>(remainder, frame.remainder.x);
  gather<4>(turned, q);
  frame.Q = rotation_matrix(q);
  return frame;
}

template <class E>
void find_gradients(const RateBatch& batch, const RateInstant& at, double* G, double* by_time) {
  constexpr int R = multipliers_of<E>, vectors = vector_numbers<E>, constants = constants_of<E>,
                memories = memory_of<E>;
  for (int pack = 0; pack < batch.group.packs; ++pack) {
    const PlacedFrame<Pack> bodies[2] = {place(batch.values + 8 * pack, at), place(batch.values + 8 * pack + 4, at)};
    Pack w[vectors], memory[memories + 1], phi_t[R];
    typename E::template Numbers<Pack> numbers;
    load_packs<vectors>(batch.vectors + 4 * vectors * pack, w);
    if constexpr (constants > 0)
      load_packs<constants>(batch.numbers + 4 * constants * pack, reinterpret_cast<Pack*>(&numbers));
    if constexpr (memories > 0)
      load_packs<memories>(batch.memory + 4 * memories * pack, memory);
    FrameRows<Pack, R> rows;
    rows_at_instant<E>(bodies, w, numbers, memory, rows, phi_t);
    double* to = G + batch.group.gradients + pack * 2 * R * 6 * 4;
    for (int s = 0; s < 2; ++s)
      for (int r = 0; r < R; ++r)
        for (int i = 0; i < 6; ++i, to += 4)
          store4(to, i < 3 ? (s == 0 ? -rows.G_x[r][i] : rows.G_x[r][i]) : rows.G[s][r][i - 3]);
    if constexpr (has_functions<E>)
      for (int r = 0; r < R; ++r)
        store4(by_time + batch.group.first + 4 * (pack * R + r), phi_t[r]);
  }
}

template <int Rows>
void find_rates_of(const RateGroup& group, const double* G, const double* y, double* c) {
  constexpr int most = Rows > 0 ? Rows : largest_block;
  const int rows = Rows > 0 ? Rows : group.rows;
  G += group.gradients;
  c += group.first;
  const int* bodies = group.bodies;
  for (int pack = 0; pack < group.packs; ++pack, c += 4 * rows) {
    Pack sum[most];
    for (int r = 0; r < rows; ++r)
      sum[r] = Pack{};
    for (int s = 0; s < group.sides; ++s, bodies += 4) {
      const double* from[4];
      for (int i = 0; i < 4; ++i)
        from[i] = y + bodies[i] * rate_numbers;
      Pack of[rate_numbers];
      gather<rate_numbers>(from, of);
      for (int r = 0; r < rows; ++r, G += 24)
        for (int i = 0; i < 6; ++i)
          sum[r] += load4(G + 4 * i) * of[i < 3 ? i : i + 1];
    }
    for (int r = 0; r < rows; ++r)
      store4(c + 4 * r, sum[r]);
  }
}
void find_rates(const RateGroup& group, const double* G, const double* y, double* c) {
  with_size(group.rows, [&](auto rows) { find_rates_of<decltype(rows)::value>(group, G, y, c); });
}

template <int Rows>
void kick_by(const RateGroup& group, const double* G, const double* m, double factor, double* y) {
  constexpr int most = Rows > 0 ? Rows : largest_block;
  const int rows = Rows > 0 ? Rows : group.rows;
  G += group.gradients;
  m += group.first;
  const int* bodies = group.bodies;
  const double* inertia = group.inertia;
  for (int pack = 0; pack < group.packs; ++pack, m += 4 * rows) {
    Pack given[most];
    for (int r = 0; r < rows; ++r)
      given[r] = factor * load4(m + 4 * r);
    for (int s = 0; s < group.sides; ++s, bodies += 4, inertia += 4 * side_numbers) {
      Pack sum[6];
      for (int i = 0; i < 6; ++i)
        sum[i] = load4(G + 4 * i) * given[0];
      G += 24;
      for (int r = 1; r < rows; ++r, G += 24)
        for (int i = 0; i < 6; ++i)
          sum[i] += load4(G + 4 * i) * given[r];
      Pack J[side_numbers];
      load_packs<side_numbers>(inertia, J);
      const Pack change[rate_numbers] = {J[0] * sum[0],
                                         J[0] * sum[1],
                                         J[0] * sum[2],
                                         Pack{},
                                         J[1] * sum[3] + J[2] * sum[4] + J[3] * sum[5],
                                         J[2] * sum[3] + J[4] * sum[4] + J[5] * sum[5],
                                         J[3] * sum[3] + J[5] * sum[4] + J[6] * sum[5],
                                         Pack{}};
      double* to[4];
      for (int i = 0; i < 4; ++i)
        to[i] = y + bodies[i] * rate_numbers;
      scatter_add<rate_numbers>(change, to);
    }
  }
}
void kick(const RateGroup& group, const double* G, const double* m, double factor, double* y) {
  with_size(group.rows, [&](auto rows) { kick_by<decltype(rows)::value>(group, G, m, factor, y); });
}

template <int Rows>
void normalise_rows(const RateGroup& group, const double* G, double* V) {
  const int rows = Rows > 0 ? Rows : group.rows;
  G += group.gradients;
  const double* root = group.roots;
  const int* at = group.V;
  for (int i = 0; i < group.packs * group.sides; ++i, root += 4 * side_numbers, at += 4) {
    Pack L[side_numbers];
    load_packs<side_numbers>(root, L);
    double* to[4];
    for (int k = 0; k < 4; ++k)
      to[k] = V + at[k];
    for (int r = 0; r < rows; ++r, G += 24) {
      const Pack a = load4(G + 12), b = load4(G + 16), c = load4(G + 20);
      const Pack moved[3] = {L[0] * load4(G), L[0] * load4(G + 4), L[0] * load4(G + 8)};
      const Pack turned[3] = {L[1] * a, L[2] * a + L[4] * b, L[3] * a + L[5] * b + L[6] * c};
      scatter4<3>(moved, to);
      for (double*& lane : to)
        lane += 4;
      scatter4<3>(turned, to);
      for (double*& lane : to)
        lane += 4;
    }
  }
}
void normalise(const RateGroup& group, const double* G, double* V) {
  with_size(group.rows, [&](auto rows) { normalise_rows<decltype(rows)::value>(group, G, V); });
}

void find_energies(int bodies, const double* inertia, const double* y, const double* z, double* energies) {
  for (int b = 0; b < bodies; ++b, inertia += inertia_numbers, y += rate_numbers, z += rate_numbers) {
    const Pack v = load4(y) - load4(z), turning = load4(y + 4) - load4(z + 4);
    const Pack J_times =
        load4(inertia + 4) * turning[0] + load4(inertia + 8) * turning[1] + load4(inertia + 12) * turning[2];
    const Pack sum = inertia[0] * (v * v) + turning * J_times;
    energies[b] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

/// Sums of the numbers of four packs.
EMMY_INLINE Pack sums_of(Pack a, Pack b, Pack c, Pack d) {
  transpose(a, b, c, d);
  return (a + b) + (c + d);
}

/// The products of two rows on one body, to be summed over their lanes.
EMMY_INLINE Pack products(const double* a, const double* b) {
  return load4(a) * load4(b) + load4(a + 4) * load4(b + 4);
}

/// A block of any size, and its transposed one.
void find_block(const MetricBlock& block, const MetricPair* pairs, const double* V, double* matrix) {
  const int stride = stride_of(block.rows), other_stride = stride_of(block.columns);
  for (int j = 0; j < block.columns; ++j)
    for (int i = 0; i < block.rows; ++i) {
      Pack sum{};
      for (const MetricPair* pair = pairs; pair != pairs + block.count; ++pair)
        sum += products(V + pair->a + i * rate_numbers, V + pair->b + j * rate_numbers);
      const double found = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      matrix[block.at + i + j * stride] = found;
      if (block.transposed >= 0)
        matrix[block.transposed + j + i * other_stride] = found;
    }
}

/// One of 3 x 3, or of 4 x 4.
template <int Size>
EMMY_INLINE void find_small_block(const MetricBlock& block, const MetricPair* pairs, const double* V, double* matrix) {
  Pack sum[Size][4];
  for (int j = 0; j < Size; ++j)
    for (int i = 0; i < 4; ++i)
      sum[j][i] = Pack{};
  for (const MetricPair* pair = pairs; pair != pairs + block.count; ++pair)
    for (int j = 0; j < Size; ++j)
      for (int i = 0; i < Size; ++i)
        sum[j][i] += products(V + pair->a + i * rate_numbers, V + pair->b + j * rate_numbers);
  Pack column[4];
  for (int j = 0; j < 4; ++j)
    column[j] = j < Size ? sums_of(sum[j][0], sum[j][1], sum[j][2], sum[j][3]) : Pack{};
  for (int j = 0; j < Size; ++j)
    store4(matrix + block.at + 4 * j, column[j]);
  if (block.transposed < 0)
    return;
  transpose(column[0], column[1], column[2], column[3]);
  for (int j = 0; j < Size; ++j)
    store4(matrix + block.transposed + 4 * j, column[j]);
}

/// One of five or six rows and columns, which are two packs.
template <int Size>
EMMY_INLINE void find_large_block(const MetricBlock& block, const MetricPair* pairs, const double* V, double* matrix) {
  for (int j = 0; j < Size; ++j) {
    Pack sum[8];
    for (int i = 0; i < 8; ++i)
      sum[i] = Pack{};
    for (const MetricPair* pair = pairs; pair != pairs + block.count; ++pair)
      for (int i = 0; i < Size; ++i)
        sum[i] += products(V + pair->a + i * rate_numbers, V + pair->b + j * rate_numbers);
    const Pack low = sums_of(sum[0], sum[1], sum[2], sum[3]), high = sums_of(sum[4], sum[5], sum[6], sum[7]);
    store4(matrix + block.at + 8 * j, low);
    store4(matrix + block.at + 8 * j + 4, high);
    for (int i = 0; block.transposed >= 0 && i < Size; ++i)
      matrix[block.transposed + j + 8 * i] = i < 4 ? low[i] : high[i - 4];
  }
}

/// The diagonal of a pivot block, larger by a part.
EMMY_INLINE void shift_pivots(double* block, int size, double shift) {
  const int next = stride_of(size) + 1;
  for (int i = 0; i < size; ++i)
    block[i * next] = block[i * next] > 0 ? (1 + shift) * block[i * next] : 1;
}

void find_metric(const MetricProgram& program, const double* V, double shift, double* matrix) {
  const MetricBlock* end = program.blocks + program.block_count;
  for (const MetricBlock* block = program.blocks; block != end; ++block) {
    const MetricPair* pairs = program.pairs + block->first;
    with_size(block->rows == block->columns ? block->rows : 0, [&](auto size) {
      constexpr int known = decltype(size)::value;
      if constexpr (known == 0)
        find_block(*block, pairs, V, matrix);
      else if constexpr (known <= 4)
        find_small_block<known>(*block, pairs, V, matrix);
      else
        find_large_block<known>(*block, pairs, V, matrix);
    });
  }
  for (const HubSide* side = program.hubs; side != program.hubs + program.hub_count; ++side)
    for (int r = 0; r < side->columns; ++r)
      for (int i = 0; i < rate_numbers; ++i) {
        const double number = V[side->rows + r * rate_numbers + i];
        matrix[side->right + r * stride_of(rate_numbers) + i] = number;
        matrix[side->below + i * stride_of(side->columns) + r] = number;
        matrix[side->pivot + r * (stride_of(side->columns) + 1)] += shift * number * number;
      }
  for (const MetricBlock* block = program.blocks; block != end; ++block)
    if (block->transposed < 0)
      shift_pivots(matrix + block->at, block->rows, shift);
}

template <class E>
constexpr RateFinder finder_of() {
  if constexpr (!is_natural<E>) {
    if constexpr (multipliers_of < E >> 0)
      return {E::name, multipliers_of<E>, vector_numbers<E>, constants_of<E>, memory_of<E>, find_gradients<E>};
  }
  return {E::name, 0, 0, 0, 0, nullptr};
}

constexpr RateFinder all_finders[] = {
#define EMMY_KERNELS(E) finder_of<E>(),
#include "elements/kernels.inl"
#undef EMMY_KERNELS
};
} // namespace

extern const RateKernels rate_kernels;
const RateKernels rate_kernels{all_finders, sizeof all_finders / sizeof *all_finders, find_rates, kick, find_energies,
                               normalise,
                               find_metric};

} // namespace EMMY_ISA
} // namespace emmy
