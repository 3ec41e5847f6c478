// Kernels of bodies in batch_program.hpp; included by one source for each set of instructions.
#include "core/lossless_sum.hpp"
#include "elements/bodies/frame_equations.hpp"
#include "solvers/batches/batch_program.hpp"
#include "solvers/books/book_sums.hpp"

#include <cstddef>

namespace emmy {
inline namespace EMMY_ISA {

namespace {

static_assert(sizeof(FrameMotion<double>) == frame_motion_numbers * sizeof(double));
static_assert(sizeof(FrameLoads<double>) == frame_loads_numbers * sizeof(double));
static_assert(sizeof(FrameInertia<double>) == frame_inertia_numbers * sizeof(double));

/// Four bodies or one. Behind the last one it is taken again: what is set is set twice.
template <class T>
class Bodies {
public:
  static constexpr int lanes = Lanes<T>::count;

  Bodies(const FrameTable& table, const BatchEvaluation& e, int first, int end) : table_(table), e_(e) {
    for (int i = 0; i < lanes; ++i) {
      is_real_[i] = first + i < end;
      body_[i] = is_real_[i] ? first + i : end - 1;
    }
  }

  const FramePlace& place(int lane) const { return table_.places[body_[lane]]; }

  template <int Count, class Address>
  void read(Address address, T* to) const {
    const double* from[lanes];
    for (int i = 0; i < lanes; ++i)
      from[i] = address(i);
    gather<Count>(from, to);
  }
  void increments(V3<T>& dx, V3<T>& Theta) const {
    read<3>([&](int i) { return e_.x + place(i).row_x; }, dx.x);
    read<3>([&](int i) { return e_.x + place(i).row_turn; }, Theta.x);
  }
  void centre(V3<T>& x, V3<T>& remainder) const {
    read<3>([&](int i) { return e_.values + place(i).value; }, x.x);
    read<3>([&](int i) { return e_.remainders + place(i).value; }, remainder.x);
  }
  void orientation(T (&q)[4]) const {
    read<4>([&](int i) { return e_.values + place(i).value + 3; }, q);
  }
  void rates(V3<T>& v, V3<T>& Omega) const {
    T both[6];
    read<6>([&](int i) { return e_.rates + place(i).rate; }, both);
    v = {{both[0], both[1], both[2]}};
    Omega = {{both[3], both[4], both[5]}};
  }
  double* motion(int lane) const { return table_.motions + body_[lane] * frame_motion_numbers; }
  double* loads(int lane) const { return table_.loads + body_[lane] * frame_loads_numbers; }
  double* rates_at(int lane) const { return table_.rates + body_[lane] * frame_rate_numbers; }
  const double* inertia(int lane) const { return table_.inertia + body_[lane] * frame_inertia_numbers; }
  /// Where to add to the matrix, without adding twice.
  double* block(int lane, int at) const { return e_.matrix + (is_real_[lane] ? at : table_.scratch); }

  template <class Address>
  void write3(Address address, const T* from) const {
    double* to[lanes];
    for (int i = 0; i < lanes; ++i)
      to[i] = address(i);
    scatter3(from, to);
  }

private:
  const FrameTable& table_;
  const BatchEvaluation& e_;
  int body_[lanes];
  bool is_real_[lanes];
};

template <class T>
void move_frames(const FrameTable& table, const BatchEvaluation& e) {
  for (int first = 0; first < table.moved; first += Lanes<T>::count) {
    const Bodies<T> bodies(table, e, first, table.moved);
    FrameMotion<T> m;
    V3<T> Theta;
    T q[4];
    bodies.increments(m.dx, Theta);
    bodies.centre(m.x_n, m.remainder);
    bodies.orientation(q);
    move_rotation(q, Theta, m);
    const T* numbers = reinterpret_cast<const T*>(&m); // one after the other
    double* to[Lanes<T>::count];
    for (int k = 0; k < frame_motion_numbers; k += 4) {
      for (int i = 0; i < Lanes<T>::count; ++i)
        to[i] = bodies.motion(i) + k;
      scatter4<4>(numbers + k, to);
    }
  }
  std::memset(table.loads, 0, sizeof(double) * frame_loads_numbers * static_cast<std::size_t>(table.moved + 1));
}

/// The block of a centre is the same in every step, but others may have added to it.
inline void set_mass(double* block, double mass, bool is_diagonal) {
  if (is_diagonal)
    block[0] = block[1] = block[2] = mass;
  else
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        block[i + 4 * j] = i == j ? mass : 0;
}

/// Of bodies whose blocks are set, or added to, with columns so far apart.
template <bool Tangent, bool Sets, int stride, class T>
void balance_range(const FrameTable& table, const BatchEvaluation& e, int begin, int end) {
  constexpr int lanes = Lanes<T>::count;
  for (int first = begin; first < end; first += lanes) {
    const Bodies<T> bodies(table, e, first, end);
    V3<T> dx, Theta, v_n, Omega_n;
    bodies.increments(dx, Theta);
    bodies.rates(v_n, Omega_n);
    FrameLoads<T> loads;
    FrameInertia<T> inertia;
    struct {
      T unused[2];
      M3<T> N_T, A_inverse;
    } maps; // the end of a FrameMotion
    bodies.template read<frame_loads_numbers>([&](int i) { return bodies.loads(i); }, reinterpret_cast<T*>(&loads));
    bodies.template read<frame_inertia_numbers>([&](int i) { return bodies.inertia(i); },
                                                reinterpret_cast<T*>(&inertia));
    bodies.template read<20>([&](int i) { return bodies.motion(i) + frame_motion_numbers - 20; },
                             reinterpret_cast<T*>(&maps));
    V3<T> r_x, r_turn;
    M3<T> k;
    balance<Tangent>(inertia, e.h, e.inv_h, e.inv_s, dx, Theta, v_n, Omega_n, maps.N_T, maps.A_inverse, loads, r_x,
                     r_turn, k);
    bodies.write3([&](int i) { return e.f + bodies.place(i).row_x; }, r_x.x);
    bodies.write3([&](int i) { return e.f + bodies.place(i).row_turn; }, r_turn.x);
    if constexpr (Tangent) {
      double* to[lanes];
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < lanes; ++i)
          to[i] = bodies.block(i, bodies.place(i).at_turn) + stride * j;
        if constexpr (Sets) {
          scatter4<3>(k.m + 3 * j, to);
        } else {
          const T column[4] = {k(0, j), k(1, j), k(2, j), T{}};
          scatter_add<4>(column, to);
        }
      }
      for (int i = 0; i < lanes; ++i) {
        double* block = bodies.block(i, bodies.place(i).at_x);
        const double mass = bodies.inertia(i)[0];
        if constexpr (Sets)
          set_mass(block, mass, bodies.place(i).x_diagonal);
        else
          for (int j = 0; j < 3; ++j)
            block[(bodies.place(i).x_diagonal ? 1 : stride + 1) * j] += mass;
      }
    }
  }
}

template <bool Tangent, class T>
void balance_frames(const FrameTable& table, const BatchEvaluation& e) {
  balance_range<Tangent, true, 4, T>(table, e, 0, table.apart);
  balance_range<Tangent, false, 4, T>(table, e, table.apart, table.coupled);
  balance_range<Tangent, false, 8, T>(table, e, table.coupled, table.bodies);
}

template <class T>
void accept_frames(const FrameTable& table, const BatchEvaluation& e, double* values, double* remainders,
                   double* rates) {
  for (int first = 0; first < table.bodies; first += Lanes<T>::count) {
    const Bodies<T> bodies(table, e, first, table.bodies);
    V3<T> dx, Theta, x, remainder, v, Omega;
    T q_n[4], q[4];
    bodies.increments(dx, Theta);
    bodies.centre(x, remainder);
    bodies.orientation(q_n);
    bodies.rates(v, Omega);
    turn(q_n, Theta, q);
    add_without_loss(dx, x, remainder);
    v = rate_at_end(v, dx, e.inv_h);
    Omega = rate_at_end(Omega, Theta, e.inv_h);
    bodies.write3([&](int i) { return values + bodies.place(i).value; }, x.x);
    bodies.write3([&](int i) { return remainders + bodies.place(i).value; }, remainder.x);
    double* to[Lanes<T>::count];
    for (int i = 0; i < Lanes<T>::count; ++i)
      to[i] = values + bodies.place(i).value + 3;
    scatter4<4>(q, to);
    bodies.write3([&](int i) { return rates + bodies.place(i).rate; }, v.x);
    bodies.write3([&](int i) { return rates + bodies.place(i).rate + 3; }, Omega.x);
  }
}

/// Leaves where bodies are at both ends of the step, without maps, and their rates at its end.
template <class T>
void book_frames(const FrameTable& table, const BookEvaluation& e, BatchBooks& books) {
  constexpr int lanes = Lanes<T>::count, placed = 32; // numbers of a FrameMotion up to Q_n1, in whole packs
  BodySums<T> sums;
  for (int first = 0; first < table.bodies; first += lanes) {
    const Bodies<T> bodies(table, e.step, first, table.bodies);
    const T real = ones<T>(table.bodies - first);
    FrameMotion<T> m;
    V3<T> Theta, x;
    T q_n[4], q_n1[4], rates[6];
    FrameInertia<T> inertia;
    bodies.increments(m.dx, Theta);
    bodies.centre(m.x_n, m.remainder);
    bodies.orientation(q_n);
    turn(q_n, Theta, q_n1);
    m.Q_n = rotation_matrix(q_n);
    m.Q_n1 = rotation_matrix(q_n1);
    bodies.template read<3>([&](int i) { return e.values + bodies.place(i).value; }, x.x);
    bodies.template read<6>([&](int i) { return e.rates + bodies.place(i).rate; }, rates);
    bodies.template read<frame_inertia_numbers>([&](int i) { return bodies.inertia(i); },
                                                reinterpret_cast<T*>(&inertia));
    const V3<T> v{{rates[0], rates[1], rates[2]}}, Omega{{rates[3], rates[4], rates[5]}};
    struct {
      V3<T> v;
      M3<T> Q_dot;
    } at_end{v, times_skew(m.Q_n1, Omega)}; // [E1]
    const T* motion = reinterpret_cast<const T*>(&m);
    const T* end = reinterpret_cast<const T*>(&at_end);
    double* to[lanes];
    for (int k = 0; k < placed; k += 4) {
      for (int i = 0; i < lanes; ++i)
        to[i] = bodies.motion(i) + k;
      scatter4<4>(motion + k, to);
    }
    for (int k = 0; k < frame_rate_numbers; k += 4) {
      for (int i = 0; i < lanes; ++i)
        to[i] = bodies.rates_at(i) + k;
      scatter4<4>(end + k, to);
    }
    sums.add(real, rigid_momenta(inertia.mass, inertia.J, x, m.Q_n1, v, Omega));
    sums.add_weight(real, inertia.weight, x, 0.5 * (m.x_n + x));
  }
  sums.write(e.mean_mass, e.step.h, books);
}

template <class T>
constexpr FrameKernels frame_kernels{move_frames<T>, balance_frames<false, T>, balance_frames<true, T>,
                                     accept_frames<T>, book_frames<T>};

} // namespace
} // namespace EMMY_ISA
} // namespace emmy
