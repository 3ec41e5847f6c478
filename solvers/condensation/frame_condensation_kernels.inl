// The kernels of condensation_program.hpp; included by one source for each set of instructions.
#include "elements/bodies/ball_side.hpp"
#include "solvers/books/book_sums.hpp"
#include "solvers/condensation/ball_elimination.hpp"
#include "solvers/condensation/frame_condensation_program.hpp"
#include "solvers/condensation/read_loads.hpp"
#include "solvers/condensation/side_by_side.hpp"

#include <type_traits>

namespace emmy {
inline namespace EMMY_ISA {

namespace {

template <int Ports>
inline const CondensedPlace<Ports>* places_of(const CondensedGroup& group) {
  return reinterpret_cast<const CondensedPlace<Ports>*>(group.places); // integers alone, one after the other
}

template <class T>
EMMY_INLINE BallSide<T> side_of(const SideBySide<T>& body, int port) {
  const int at = constants_of_port(port);
  return {body.number(at + sign_at), body.vector(at + arm_at)};
}

template <bool Tangent, class T, int Ports>
void evaluate_group(const CondensedGroup& group, const CondensedEvaluation& e) {
  constexpr int lanes = Lanes<T>::count, constants = constants_of_port(Ports), kept = kept_of_port(Ports);
  for (int first = 0; first < group.count; first += lanes) {
    const CondensedPlace<Ports>* place = places_of<Ports>(group) + first;
    const SideBySide<T> body(group.constants + first * constants);
    double* memory = group.kept + first * kept;
    const SideBySide<T> before(memory);
    V3<T> dx, Theta, mu[Ports];
    T quaternion[4], rates[6];
    read<3>([&](int i) { return e.x + place[i].row_x; }, dx.x);
    read<3>([&](int i) { return e.x + place[i].row_turn; }, Theta.x);
    read<4>([&](int i) { return e.values + place[i].value + 3; }, quaternion);
    read<6>([&](int i) { return e.rates + place[i].rate; }, rates);
    FrameMotion<T> m;
    move_rotation(quaternion, Theta, m);
    const M3<T> Q_m = m.Q_m();

    FrameLoads<T> of_port[Ports];
    V3<T> arm[Ports], phi[Ports];
    M3<T> minus_G[Ports];
    for (int p = 0; p < Ports; ++p) {
      const BallSide<T> side = side_of(body, p);
      read<3>([&](int i) { return e.x + place[i].row[p]; }, mu[p].x);
      arm[p] = side.arm(Q_m);
      phi[p] = side.gap(dx, m.Q_n1);
      if constexpr (Tangent)
        minus_G[p] = side.minus_G(Q_m, m.A_inverse);
      of_port[p] = side.template loads<Tangent>(arm[p], minus_G[p], mu[p]);
    }
    FrameLoads<T> loads = of_port[0];
    for (int p = 1; p < Ports; ++p)
      loads.template add<Tangent>(of_port[p]);
    const auto number_of_load = [&](int i) { return place[i].load; };
    M3<T> turning{};
    if (group.loads.loads != nullptr) {
      loads.template add<Tangent>(read_loads<T>(group.loads, number_of_load));
      if constexpr (Tangent)
        turning = read_turning<T>(group.loads, number_of_load);
    }
    const FrameInertia<T> inertia{body.number(mass_at), body.matrix(inertia_at), body.vector(weight_at)};
    V3<T> r_x, r_turn;
    M3<T> k;
    balance<Tangent>(inertia, e.h, e.inv_h, e.inv_s, dx, Theta, V3<T>{{rates[0], rates[1], rates[2]}},
                     V3<T>{{rates[3], rates[4], rates[5]}}, m.N_T, m.A_inverse, loads, r_x, r_turn, k);

    const T inverse_mass = body.number(inverse_mass_at);
    M3<T> k_inverse;
    if constexpr (Tangent) {
      k_inverse = inverse(k);
      keep<T>(k_inverse, memory, inverse_at);
    } else {
      k_inverse = before.matrix(inverse_at);
    }
    const FrameSolution<T> solution{k_inverse * r_turn, inverse_mass * r_x};
    keep<T>(solution, memory, solution_at);
    M3<T> U[Ports];
    for (int p = 0; p < Ports; ++p) {
      const T sign = body.number(constants_of_port(p) + sign_at);
      if constexpr (Tangent) {
        U[p] = k_inverse * P_bar_transposed(m.N_T, arm[p]);
        if (group.loads.loads != nullptr)
          minus_G[p] = minus_G[p] + (sign * inverse_mass) * turning;
        keep<T>(minus_G[p], memory, kept_of_port(p) + G_at);
        keep<T>(U[p], memory, kept_of_port(p) + U_at);
      } else {
        minus_G[p] = before.matrix(kept_of_port(p) + G_at);
      }
      const V3<T> reduced = solution.reduce(phi[p], sign, minus_G[p]);
      const T padded[4] = {reduced[0], reduced[1], reduced[2], T{}};
      add<4>([&](int i) { return e.right_side + place[i].slot[p]; }, padded);
    }
    if constexpr (Tangent)
      for (int p = 0; p < Ports; ++p)
        for (int q = 0; q < Ports; ++q) {
          const T centres = response_of_centre(body.number(constants_of_port(p) + sign_at),
                                               body.number(constants_of_port(q) + sign_at), inverse_mass);
          T padded[12];
          for (int j = 0; j < 3; ++j) {
            const V3<T> response = response_column(minus_G[p], column(U[q], j), j, centres);
            for (int i = 0; i < 3; ++i)
              padded[i + 4 * j] = response[i];
            padded[3 + 4 * j] = T{};
          }
          add<12>([&](int i) { return e.matrix + place[i].target[p + q * Ports]; }, padded);
        }
  }
}

template <class T, int Ports>
void reduce_group(const CondensedGroup& group, const CondensedEvaluation& e, const double* b) {
  constexpr int lanes = Lanes<T>::count, constants = constants_of_port(Ports), kept = kept_of_port(Ports);
  for (int first = 0; first < group.count; first += lanes) {
    const CondensedPlace<Ports>* place = places_of<Ports>(group) + first;
    double* memory = group.kept + first * kept;
    const SideBySide<T> body(group.constants + first * constants), before(memory);
    V3<T> r_x, r_turn;
    read<3>([&](int i) { return b + place[i].row_x; }, r_x.x);
    read<3>([&](int i) { return b + place[i].row_turn; }, r_turn.x);
    const FrameSolution<T> solution{before.matrix(inverse_at) * r_turn, body.number(inverse_mass_at) * r_x};
    keep<T>(solution, memory, solution_at);
    for (int p = 0; p < Ports; ++p) {
      const T sign = body.number(constants_of_port(p) + sign_at);
      const V3<T> reduced = solution.reduce(V3<T>{}, sign, before.matrix(kept_of_port(p) + G_at));
      const T padded[4] = {reduced[0], reduced[1], reduced[2], T{}};
      add<4>([&](int i) { return e.right_side + place[i].slot[p]; }, padded);
    }
  }
}

template <class T, int Ports>
void expand_group(const CondensedGroup& group, const CondensedEvaluation& e, double* dx) {
  constexpr int lanes = Lanes<T>::count, constants = constants_of_port(Ports), kept = kept_of_port(Ports);
  for (int first = 0; first < group.count; first += lanes) {
    const CondensedPlace<Ports>* place = places_of<Ports>(group) + first;
    const SideBySide<T> body(group.constants + first * constants), before(group.kept + first * kept);
    FrameExpansion<T> expansion({before.vector(solution_at), before.vector(solution_at + 3)});
    for (int p = 0; p < Ports; ++p) {
      V3<T> mu;
      read<3>([&](int i) { return e.right_side + place[i].slot[p]; }, mu.x);
      expansion.take_force(body.number(constants_of_port(p) + sign_at), before.matrix(kept_of_port(p) + U_at), mu);
    }
    if (group.loads.loads != nullptr)
      expansion.take_turn(read_turning<T>(group.loads, [&](int i) { return place[i].load; }));
    const FrameSolution<T> solution = expansion.solution(body.number(inverse_mass_at));
    write3([&](int i) { return dx + place[i].row_x; }, solution.shift.x);
    write3([&](int i) { return dx + place[i].row_turn; }, solution.turn.x);
  }
}

template <class T, int Ports>
void book_group(const CondensedGroup& group, const BookedStep& e, double* joints, BatchBooks& books) {
  constexpr int lanes = Lanes<T>::count, constants = constants_of_port(Ports);
  BodySums<T> sums;
  for (int first = 0; first < group.count; first += lanes) {
    const CondensedPlace<Ports>* place = places_of<Ports>(group) + first;
    const SideBySide<T> body(group.constants + first * constants);
    V3<T> dx;
    T values[7], rates[6];
    read<7>([&](int i) { return e.values + place[i].value; }, values);
    read<6>([&](int i) { return e.rates + place[i].rate; }, rates);
    read<3>([&](int i) { return e.x + place[i].row_x; }, dx.x);
    const V3<T> x{{values[0], values[1], values[2]}}, v{{rates[0], rates[1], rates[2]}},
        Omega{{rates[3], rates[4], rates[5]}};
    const M3<T> Q = rotation_matrix(values + 3);
    const T real = ones<T>(group.real - first);
    sums.add(real, rigid_momenta(body.number(mass_at), body.matrix(inertia_at), x, Q, v, Omega));
    sums.add_weight(real, body.vector(weight_at), x, x - 0.5 * dx);
    for (int p = 0; p < Ports; ++p) {
      const BallSide<T> side = side_of(body, p);
      add_to_joint([&](int i) { return joints + place[i].booked[p]; }, side.gap(dx, Q), side.speed(v, Q, Omega));
    }
  }
  sums.write(e.mean_mass, e.h, books);
}

/// `act` with the number of ports as a constant.
template <class Act>
inline void with_ports(int ports, Act act) {
  static_assert(most_ports == 4);
  switch (ports) {
  case 1:
    return act(std::integral_constant<int, 1>());
  case 2:
    return act(std::integral_constant<int, 2>());
  case 3:
    return act(std::integral_constant<int, 3>());
  default:
    return act(std::integral_constant<int, 4>());
  }
}

template <bool Tangent, class T>
void evaluate_condensed(const CondensedGroup& group, const CondensedEvaluation& e) {
  with_ports(group.ports, [&](auto ports) { evaluate_group<Tangent, T, decltype(ports)::value>(group, e); });
}

template <class T>
void reduce(const CondensedGroup& group, const CondensedEvaluation& e, const double* b) {
  with_ports(group.ports, [&](auto ports) { reduce_group<T, decltype(ports)::value>(group, e, b); });
}

template <class T>
void expand(const CondensedGroup& group, const CondensedEvaluation& e, double* dx) {
  with_ports(group.ports, [&](auto ports) { expand_group<T, decltype(ports)::value>(group, e, dx); });
}
template <class T>
void book(const CondensedGroup& group, const BookedStep& e, double* joints, BatchBooks& books) {
  with_ports(group.ports, [&](auto ports) { book_group<T, decltype(ports)::value>(group, e, joints, books); });
}

} // namespace

extern const CondensationKernels condensation_packed, condensation_single;
const CondensationKernels condensation_packed{
    Lanes<Pack>::count, evaluate_condensed<false, Pack>, evaluate_condensed<true, Pack>, reduce<Pack>, expand<Pack>,
    book<Pack>};
const CondensationKernels condensation_single{Lanes<double>::count,
                                              evaluate_condensed<false, double>,
                                              evaluate_condensed<true, double>,
                                              reduce<double>,
                                              expand<double>,
                                              book<double>};

} // namespace EMMY_ISA
} // namespace emmy
