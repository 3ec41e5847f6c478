// Kernels of elements of natural equations on frames in batch_program.hpp; included by one source for each set of
// instructions, behind those of pairs.
#include "elements/bodies/frame_natural.hpp"
#include "solvers/batches/batch_program.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

/// A block is (rows of body s, columns of body `by`). What a body does to its own moment is in its loads.
template <class E, class T>
EMMY_INLINE void add_blocks(const FrameMotion<T> (&motions)[NaturalShape<E>::bodies()],
                            const FrameNaturalSystem<T, E>& out, const PairPlace* places, double* matrix) {
  using S = NaturalShape<E>;
  constexpr int lanes = Lanes<T>::count, bodies = S::bodies();
  unroll<bodies>([&](auto side) EMMY_LAMBDA {
    constexpr int s = decltype(side)::value;
    int at[lanes], stride[lanes];
    const auto spots = [&](auto part, int(&of)[lanes]) EMMY_LAMBDA {
      for (int i = 0; i < lanes; ++i)
        of[i] = part(places[i]);
    };
    spots([&](const PairPlace& p) { return p.stride[s]; }, stride);
    unroll<bodies>([&](auto mover) EMMY_LAMBDA {
      constexpr int by = decltype(mover)::value;
      if constexpr (s != by && S::couples(s, by, false, false)) {
        spots([&](const PairPlace& p) { return p.cross[s]; }, at);
        add_block(transposed_times(motions[s].N_T, out.k_turn[s][by]), 1, matrix, at, stride);
      }
      if constexpr (S::couples(s, by, false, true)) {
        spots([&](const PairPlace& p) { return p.turn_x[s][by]; }, at);
        add_block(transposed_times(motions[s].N_T, out.k_turn_x[s][by]), 1, matrix, at, stride);
      }
      if constexpr (S::couples(s, by, true, false)) {
        spots([&](const PairPlace& p) { return p.x_turn[s][by]; }, at);
        add_block(out.k_x_turn[s][by], 1, matrix, at, stride);
      }
      if constexpr (S::couples(s, by, true, true)) {
        spots([&](const PairPlace& p) { return p.xx[s][by]; }, at);
        add_block(out.k_xx[s][by], 1, matrix, at, stride);
      }
    });
  });
}

template <bool Tangent, class E, class T>
void evaluate_naturals(const FrameTable& table, const PairBatch& batch, const BatchEvaluation& e) {
  using S = NaturalShape<E>;
  constexpr int lanes = Lanes<T>::count, bodies = S::bodies(), vectors = 3 * S::variables, known = step_numbers<E>;
  for (int first = 0; first < batch.count; first += lanes) {
    const PairPlace* places = batch.places + first;
    FrameMotion<T> motions[bodies];
    T w[vectors];
    typename E::template Numbers<T> numbers;
    for (int s = 0; s < bodies; ++s) {
      const double* from[lanes];
      for (int i = 0; i < lanes; ++i)
        from[i] = table.motions + places[i].body[s] * frame_motion_numbers;
      gather<frame_motion_numbers>(from, reinterpret_cast<T*>(&motions[s]));
    }
    load<vectors>(batch.vectors + first * vectors, w);
    if constexpr (known > 0)
      load<known>(batch.memory + first * known, reinterpret_cast<T*>(&numbers));
    FrameNaturalSystem<T, E> out;
    evaluate_natural<Tangent, E>(motions, w, numbers, e.inv_h, e.inv_s, out);
    for (int s = 0; s < bodies; ++s) {
      const FrameLoads<T> loads{out.force[s], out.moment[s], Tangent ? out.k_turn[s][s] : M3<T>{}};
      double* to[lanes];
      for (int i = 0; i < lanes; ++i)
        to[i] = table.loads + places[i].body[s] * frame_loads_numbers;
      scatter_add<Tangent ? frame_loads_numbers : 8>(reinterpret_cast<const T*>(&loads), to);
    }
    if constexpr (Tangent)
      add_blocks<E>(motions, out, places, e.matrix);
  }
}

/// Their books are single: work from outside, of whoever gives it.
template <class E, class T>
constexpr PairKernels natural_kernels{E::name,         3 * NaturalShape<E>::variables, 0,
                                      step_numbers<E>, evaluate_naturals<false, E, T>, evaluate_naturals<true, E, T>,
                                      nullptr};

template <class E, class T>
constexpr const PairKernels& kernels_of() {
  if constexpr (is_natural<E>)
    return natural_kernels<E, T>;
  else
    return pair_kernels<E, T>;
}

} // namespace
} // namespace EMMY_ISA
} // namespace emmy
