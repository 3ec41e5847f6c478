// Kernels of elements between two frames in batch_program.hpp; included by one source for each set of instructions.
#include "elements/bodies/frame_port.hpp"
#include "solvers/batches/batch_program.hpp"
#include "solvers/books/book_sums.hpp"
#include "solvers/linear/block_program.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

template <class E>
inline constexpr int constant_numbers = std::is_empty_v<typename E::template Numbers<double>>
                                            ? 0
                                            : sizeof(typename E::template Numbers<double>) / sizeof(double);

/// Numbers of four elements or of one, side by side.
template <int Count, class T>
EMMY_INLINE void load(const double* from, T* to) {
  for (int k = 0; k < Count; ++k)
    std::memcpy(to + k, from + k * Lanes<T>::count, sizeof(T));
}

/// What is read of the motion of bodies: all, where they are at the ends of the step, or at its end alone. What is not
/// read is zero.
enum class Wanted { all, step, ends };

/// What four elements or one begin with: bodies, vectors, constants, what they know of the step.
template <class E, class T>
struct PairInputs {
  static constexpr int lanes = Lanes<T>::count, vectors = vector_numbers<E>, constants = constant_numbers<E>,
                       memories = memory_of<E>, multipliers = multipliers_of<E>;
  FrameMotion<T> motions[2];
  T w[vectors], memory[memories + 1], mu[multipliers + 1];
  typename E::template Numbers<T> numbers;

  EMMY_INLINE PairInputs(const FrameTable& table, const PairBatch& batch, const double* x, int first,
                         Wanted wanted = Wanted::all) {
    constexpr int centre = 12, end = 21, placed = 32; // numbers before Q_n, before Q_n1, up to its end
    const PairPlace* places = batch.places + first;
    const double* from[lanes];
    for (int s = 0; s < 2; ++s) {
      T* to = reinterpret_cast<T*>(&motions[s]);
      for (int i = 0; i < lanes; ++i)
        from[i] = table.motions + places[i].body[s] * frame_motion_numbers;
      if (wanted == Wanted::all) {
        gather<frame_motion_numbers>(from, to);
        continue;
      }
      motions[s] = {};
      if (wanted == Wanted::step) {
        gather<placed>(from, to);
        continue;
      }
      gather<centre>(from, to);
      for (int i = 0; i < lanes; ++i)
        from[i] += end;
      gather<9>(from, to + end);
    }
    load<vectors>(batch.vectors + first * vectors, w);
    if constexpr (constants > 0)
      load<constants>(batch.numbers + first * constants, reinterpret_cast<T*>(&numbers));
    if constexpr (memories > 0)
      load<memories>(batch.memory + first * memories, memory);
    if constexpr (multipliers > 0) {
      for (int i = 0; i < lanes; ++i)
        from[i] = x + places[i].row;
      gather<multipliers>(from, mu);
    }
  }
};

/// Adds a 3 x 3 matrix, times `sign`, to a block of every lane, one lane after the other: they may be the same.
template <class T>
EMMY_INLINE void add_block(const M3<T>& k, double sign, double* matrix, const int* at, const int* stride) {
  constexpr int lanes = Lanes<T>::count;
  double* to[lanes];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < lanes; ++i)
      to[i] = matrix + at[i] + j * stride[i];
    const T column[4] = {sign * k(0, j), sign * k(1, j), sign * k(2, j), T{}};
    scatter_add<4>(column, to);
  }
}

/// Sets the columns of rows of multipliers by three unknowns.
template <int Rows, class T>
EMMY_INLINE void set_below(const V3<T>* G, double sign, double* matrix, const int* at) {
  constexpr int lanes = Lanes<T>::count, stride = stride_of(Rows);
  double* to[lanes];
  for (int j = 0; j < 3; ++j) {
    T column[stride] = {};
    for (int row = 0; row < Rows; ++row)
      column[row] = sign * G[row][j];
    for (int k = 0; k < stride; k += 4) {
      for (int i = 0; i < lanes; ++i)
        to[i] = matrix + at[i] + j * stride + k;
      scatter4<4>(column + k, to);
    }
  }
}

/// Sets three rows by all multipliers, and a zero below them: centres come before rotations.
template <int Rows, class T>
EMMY_INLINE void set_right(const V3<T>* G_bar, double sign, double* matrix, const int* at, const int* stride) {
  constexpr int lanes = Lanes<T>::count;
  double* to[lanes];
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < lanes; ++i)
      to[i] = matrix + at[i] + row * stride[i];
    const T column[3] = {sign * G_bar[row][0], sign * G_bar[row][1], sign * G_bar[row][2]};
    scatter4<3>(column, to);
  }
}

/// Writes `Count` numbers of every lane and nothing behind them.
template <int Count, class T>
EMMY_INLINE void set_rows(const T* from, double* const* to) {
  constexpr int lanes = Lanes<T>::count;
  if constexpr (Count < 3) {
    for (int i = 0; i < lanes; ++i)
      for (int k = 0; k < Count; ++k)
        std::memcpy(to[i] + k, reinterpret_cast<const double*>(from + k) + i, sizeof(double));
  } else {
    for (int k = 0; k < Count; k += 3) {
      const int at = k + 3 <= Count ? k : Count - 3;
      double* here[lanes];
      for (int i = 0; i < lanes; ++i)
        here[i] = to[i] + at;
      scatter3(from + at, here);
    }
  }
}

template <bool Tangent, class E, class T>
void evaluate_pairs(const FrameTable& table, const PairBatch& batch, const BatchEvaluation& e) {
  using S = Shape<E>;
  constexpr int lanes = Lanes<T>::count, R = multipliers_of<E>;
  for (int first = 0; first < batch.count; first += lanes) {
    const PairPlace* places = batch.places + first;
    double* to[lanes];
    const PairInputs<E, T> in(table, batch, e.x, first);
    const FrameMotion<T>(&motions)[2] = in.motions;
    FramePairSystem<T, E> out;
    evaluate<Tangent, E>(motions, in.w, in.numbers, in.memory, in.mu, e.inv_h, e.inv_s, out);

    if constexpr (R > 0) {
      for (int i = 0; i < lanes; ++i)
        to[i] = e.f + places[i].row;
      set_rows<R>(out.phi, to);
    }
    for (int s = 0; s < 2; ++s) {
      FrameLoads<T> loads;
      loads.force = s == 0 ? -1.0 * out.force : out.force;
      loads.moment = out.moment[s];
      loads.stiffness = {};
      if constexpr (Tangent)
        loads.stiffness = out.k_own[s];
      for (int i = 0; i < lanes; ++i)
        to[i] = table.loads + places[i].body[s] * frame_loads_numbers;
      scatter_add<Tangent ? frame_loads_numbers : 8>(reinterpret_cast<const T*>(&loads), to);
    }
    if constexpr (S::square() >= 0)
      for (int i = 0; i < lanes; ++i)
        table.lengths[places[i].length] = reinterpret_cast<const double*>(&out.length)[i];
    if constexpr (Tangent) {
      const auto spots = [&](auto part, int(&at)[lanes]) EMMY_LAMBDA {
        for (int i = 0; i < lanes; ++i)
          at[i] = part(places[i]);
      };
      int at[lanes], stride[2][lanes];
      for (int s = 0; s < 2; ++s)
        spots([&](const PairPlace& p) { return p.stride[s]; }, stride[s]);
      const double sign[2] = {-1, 1};
      for (int s = 0; s < 2; ++s) {
        const M3<T>& N_T = motions[s].N_T;
        if constexpr (R > 0) {
          if constexpr (S::moves_centres()) { // otherwise it never changes
            spots([&](const PairPlace& p) { return p.below_x[s]; }, at);
            set_below<R>(out.rows.G_x, sign[s], e.matrix, at);
            spots([&](const PairPlace& p) { return p.right_x[s]; }, at);
            set_right<R>(out.rows.G_bar_x, sign[s], e.matrix, at, stride[s]);
          }
          spots([&](const PairPlace& p) { return p.below_turn[s]; }, at);
          set_below<R>(out.rows.G[s], 1, e.matrix, at);
          V3<T> G_bar[R];
          for (int r = 0; r < R; ++r)
            G_bar[r] = transposed_times(N_T, out.rows.G_bar[s][r]);
          spots([&](const PairPlace& p) { return p.right_turn[s]; }, at);
          set_right<R>(G_bar, 1, e.matrix, at, stride[s]);
        }
        if constexpr (S::has_products()) {
          spots([&](const PairPlace& p) { return p.cross[s]; }, at);
          add_block(transposed_times(N_T, out.k_other[s]), 1, e.matrix, at, stride[s]);
        }
        if constexpr (S::moves_centres()) {
          const M3<T> turn_x = transposed_times(N_T, out.k_turn_x[s]);
          for (int by = 0; by < 2; ++by) {
            spots([&](const PairPlace& p) { return p.xx[s][by]; }, at);
            add_block(out.k_xx, sign[s] * sign[by], e.matrix, at, stride[s]);
            spots([&](const PairPlace& p) { return p.x_turn[s][by]; }, at);
            add_block(out.k_x_turn[by], sign[s], e.matrix, at, stride[s]);
            spots([&](const PairPlace& p) { return p.turn_x[s][by]; }, at);
            add_block(turn_x, sign[by], e.matrix, at, stride[s]);
          }
        }
      }
    }
  }
}

/// What the ground gave to a body in the step, through the element in one lane.
template <class T, class E>
void book_ground(const FramePairSystem<T, E>& out, const T* vectors, int side, int lane, double h, BatchBooks& books) {
  const auto number = [&](const T& of) { return emmy::lane(of, lane); };
  const double sign = side == 0 ? -1 : 1;
  V3<double> force, moment, point{};
  for (int k = 0; k < 3; ++k) {
    force[k] = h * sign * number(out.force[k]);
    moment[k] = h * number(out.moment[side][k]);
  }
  for (int i = 0; i < Shape<E>::vectors; ++i)
    if (is_span(E::vectors[i]))
      for (int k = 0; k < 3; ++k) // the point on the ground, behind the two ends
        point[k] = -sign * number(vectors[first_number<E>(i) + 6 + k]);
  moment = moment + cross(point, force);
  for (int k = 0; k < 3; ++k) {
    books.impulse[k] += force[k];
    books.angular_impulse[k] += moment[k];
  }
  books.impulse_sum += std::sqrt(dot(force, force));
  books.angular_impulse_sum += std::sqrt(dot(moment, moment));
}

template <class E, class T>
void book_pairs(const FrameTable& table, const PairBatch& batch, const BookEvaluation& e, BatchBooks& books) {
  constexpr int lanes = Lanes<T>::count, R = multipliers_of<E>;
  constexpr bool is_plain_joint = R > 0 && !has_functions<E>;
  const int ground = table.moved;
  EnergyBooks<T> energies;
  T gap{}, speed{};
  for (int first = 0; first < batch.real; first += lanes) {
    const int real = batch.real - first < lanes ? batch.real - first : lanes;
    const T is_real = ones<T>(real);
    const PairPlace* places = batch.places + first;
    PairInputs<E, T> in(table, batch, e.step.x, first, is_plain_joint ? Wanted::ends : Wanted::step);
    const M3<T> Q_m[2] = {in.motions[0].Q_m(), in.motions[1].Q_m()};
    FrameVectors<T, E> v;
    place_vectors<false, !is_plain_joint>(in.motions, Q_m, in.w, v);
    MeasureStep<T, E::rows> y;
    measure<E>(v.n1, y.n1);
    if constexpr (!is_plain_joint) {
      measure<E>(v.n, y.n);
      measure_change<E>(v, y.d);
      y.inv_h = e.step.inv_h;
      y.memory = in.memory;
    }
    if constexpr (R == 0) {
      EnergyBooks<T> of_pack;
      E::book(y, in.numbers, of_pack);
      energies.potential = energies.potential + only(is_real, of_pack.potential);
      energies.dissipation = energies.dissipation + only(is_real, of_pack.dissipation);
    } else {
      T rates[2][frame_rate_numbers], phi[R], phi_dot[R];
      for (int s = 0; s < 2; ++s) {
        const double* from[lanes];
        for (int i = 0; i < lanes; ++i)
          from[i] = table.rates + places[i].body[s] * frame_rate_numbers;
        gather<frame_rate_numbers>(from, rates[s]);
      }
      constraint_rates<E>(v, rates, in.w, in.numbers, y, phi, phi_dot);
      for (int r = 0; r < R; ++r) {
        gap = larger(gap, only(is_real, larger(phi[r], -phi[r])));
        speed = larger(speed, only(is_real, larger(phi_dot[r], -phi_dot[r])));
      }
    }
    bool is_grounded = false;
    for (int i = 0; i < real; ++i)
      is_grounded = is_grounded || places[i].body[0] == ground || places[i].body[1] == ground;
    if (!is_grounded)
      continue;
    PairInputs<E, T> whole(table, batch, e.step.x, first, Wanted::step);
    for (int r = 0; r < R; ++r)
      whole.mu[r] = e.s * whole.mu[r];
    FramePairSystem<T, E> out;
    evaluate<false, E>(whole.motions, whole.w, whole.numbers, whole.memory, whole.mu, e.step.inv_h, 1.0, out);
    for (int i = 0; i < real; ++i)
      for (int s = 0; s < 2; ++s)
        if (places[i].body[s] == ground)
          book_ground(out, whole.w, s, i, e.step.h, books);
  }
  books.potential += sum_of_lanes(energies.potential);
  books.dissipation += sum_of_lanes(energies.dissipation);
  books.position_violation = larger(books.position_violation, largest_of_lanes(gap));
  books.velocity_violation = larger(books.velocity_violation, largest_of_lanes(speed));
}

template <class E, class T>
constexpr PairKernels pair_kernels{E::name,         vector_numbers<E>,           constant_numbers<E>,
                                   memory_of<E>,    evaluate_pairs<false, E, T>, evaluate_pairs<true, E, T>,
                                   book_pairs<E, T>};

} // namespace
} // namespace EMMY_ISA
} // namespace emmy
