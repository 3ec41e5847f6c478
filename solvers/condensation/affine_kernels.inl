// The kernels of affine_program.hpp; included by one source for each set of instructions, which says by `Numbers` what
// they are made for.
#include "core/lossless_sum.hpp"
#include "solvers/books/book_sums.hpp"
#include "solvers/condensation/director_elimination.hpp"
#include "solvers/condensation/side_by_side.hpp"
#include "solvers/condensation/tetra_elimination.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

template <class B>
struct Type {
  using type = B;
};

template <int Ports>
inline const AffinePlace<Ports>* places_of(const AffineGroup& group) {
  static_assert(sizeof(AffinePlace<Ports>) == affine_place_numbers(Ports) * sizeof(int));
  return reinterpret_cast<const AffinePlace<Ports>*>(group.places); // integers alone, one after the other
}
template <class T, int Ports>
inline SideBySide<T> constants_of(const AffineGroup& group, int first) {
  return SideBySide<T>(group.constants + first * affine_constants::of_port(Ports));
}
template <class T>
inline AffinePort<T> port_of(const SideBySide<T>& constants, int p) {
  const int at = affine_constants::of_port(p);
  return {constants.number(at + affine_constants::sign), constants.vector(at + affine_constants::arm)};
}

/// Twelve numbers of State as centre and base vectors.
template <class T, class Address>
EMMY_INLINE void read_vectors(Address address, V3<T>* q) {
  T numbers[12];
  read<12>(address, numbers);
  for (int i = 0; i < 12; ++i)
    q[i / 3][i % 3] = numbers[i];
}

/// Four bodies of a group or one, with their ports.
template <class T, class Elimination, int Ports>
class Bodies {
public:
  using Number = T;
  static constexpr int lanes = Lanes<T>::count, ports = Ports;
  static constexpr bool has_springs = Elimination::has_springs;

  Bodies(const AffineGroup& group, const AffineEvaluation& e, int first)
      : e_(e), place_(places_of<Ports>(group) + first), constants_(constants_of<T, Ports>(group, first)),
        elimination_(*reinterpret_cast<Elimination*>(group.kept + first * kept)) {}

  /// Numbers of one body that its elimination keeps; nobody else looks at them.
  static constexpr int kept = static_cast<int>(sizeof(Elimination) / sizeof(T));
  Elimination& elimination() const { return elimination_; }

  const AffinePlace<Ports>& place(int lane) const { return place_[lane]; }

  void read_ports(AffinePort<T>* port) const {
    for (int p = 0; p < Ports; ++p)
      port[p] = port_of(constants_, p);
  }
  T has_gap(int p) const { return constants_.number(affine_constants::of_port(p) + affine_constants::has_gap); }

  /// Vectors of the whole system, of this body.
  void read_q(const double* x, V3<T>* q) const {
    for (int i = 0; i < 4; ++i)
      read<3>([&](int lane) { return x + place_[lane].row_q[i]; }, q[i].x);
  }
  void read_springs(const double* x, T* of) const {
    read<affine_springs>([&](int lane) { return x + place_[lane].row_springs; }, of);
  }
  void read_multipliers(V3<T>* mu) const {
    for (int p = 0; p < Ports; ++p)
      read<3>([&](int lane) { return e_.x + place_[lane].row[p]; }, mu[p].x);
  }

  void read_start(AffineBody<T>& body) const {
    read_vectors([&](int lane) { return e_.values + place_[lane].value; }, body.q_n);
    read_vectors([&](int lane) { return e_.rates + place_[lane].rate; }, body.v);
    read_q(e_.x, body.z);
    if constexpr (has_springs)
      read<affine_springs>([&](int lane) { return e_.history + place_[lane].history; }, body.e_n);
  }
  void read_body(AffineBody<T>& body) const {
    using namespace affine_constants;
    read_start(body);
    body.mass = constants_.number(mass);
    body.inverse_mass = constants_.number(inverse_mass);
    body.inertia = constants_.matrix(inertia);
    body.weight = (1 / e_.s) * constants_.vector(weight);
    if constexpr (has_springs) {
      body.compliance = e_.s * constants_.number(compliance);
      body.at_end = constants_.number(at_end);
      read_springs(e_.x, body.sigma);
    }
  }

  /// What the base vectors at the end, and the shift of the centre, have in the gap of a joint.
  V3<T> gap(int p, const AffinePort<T>& port, const AffineBody<T>& body) const {
    const V3<T> base[3] = {body.q_n[1] + body.z[1], body.q_n[2] + body.z[2], body.q_n[3] + body.z[3]};
    return has_gap(p) * port.of(body.z[0], base);
  }
  void add_to_slot(int p, const V3<T>& a) const {
    const T padded[4] = {a[0], a[1], a[2], T{}};
    add<4>([&](int lane) { return e_.right_side + place_[lane].slot[p]; }, padded);
  }
  void add_to_block(int p, int q, const M3<T>& S) const {
    T padded[12];
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i)
        padded[i + 4 * j] = S(i, j);
      padded[3 + 4 * j] = T{};
    }
    add<12>([&](int lane) { return e_.matrix + place_[lane].target[p + q * Ports]; }, padded);
  }
  template <class Address>
  static void write3(Address address, const T* from) {
    double* to[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      to[lane] = address(lane);
    scatter3(from, to);
  }

private:
  const AffineEvaluation& e_;
  const AffinePlace<Ports>* place_;
  SideBySide<T> constants_;
  Elimination& elimination_;
};

template <bool Tangent, class B>
void evaluate_group(const AffineGroup& group, const AffineEvaluation& e) {
  using T = typename B::Number;
  for (int first = 0; first < group.count; first += B::lanes) {
    const B bodies(group, e, first);
    auto& elimination = bodies.elimination();
    AffinePort<T> port[B::ports];
    AffineBody<T> body;
    bodies.read_ports(port);
    bodies.read_body(body);
    V3<T> mu[B::ports], of_ports[4]{};
    bodies.read_multipliers(mu);
    for (int p = 0; p < B::ports; ++p)
      port[p].add_forces(mu[p], of_ports);
    AffineRightSide<T> r;
    elimination.template evaluate<Tangent>(body, e.h, e.inv_h, of_ports, r);
    V3<T> z[4];
    elimination.solve(r, z);
    for (int p = 0; p < B::ports; ++p) {
      bodies.add_to_slot(p, bodies.gap(p, port[p], body) - port[p].of(z));
      if constexpr (Tangent)
        elimination.prepare_port(p, port[p]);
    }
    if constexpr (Tangent)
      for (int p = 0; p < B::ports; ++p)
        for (int q = 0; q < B::ports; ++q)
          bodies.add_to_block(p, q, -1.0 * elimination.response(p, port[p], q, port[q]));
  }
}

template <class B>
void find_gaps(const AffineGroup& group, const AffineEvaluation& e) {
  using T = typename B::Number;
  for (int first = 0; first < group.count; first += B::lanes) {
    const B bodies(group, e, first);
    AffinePort<T> port[B::ports];
    AffineBody<T> body;
    bodies.read_ports(port);
    bodies.read_start(body);
    for (int p = 0; p < B::ports; ++p)
      bodies.add_to_slot(p, bodies.gap(p, port[p], body));
  }
}

template <class B>
void reduce_group(const AffineGroup& group, const AffineEvaluation& e, const double* b) {
  using T = typename B::Number;
  for (int first = 0; first < group.count; first += B::lanes) {
    const B bodies(group, e, first);
    AffinePort<T> port[B::ports];
    bodies.read_ports(port);
    AffineRightSide<T> r;
    bodies.read_q(b, r.f);
    if constexpr (B::has_springs)
      bodies.read_springs(b, r.g);
    V3<T> z[4];
    bodies.elimination().solve(r, z);
    for (int p = 0; p < B::ports; ++p)
      bodies.add_to_slot(p, -1.0 * port[p].of(z));
  }
}

template <class B>
void expand_group(const AffineGroup& group, const AffineEvaluation& e, double* dx) {
  using T = typename B::Number;
  for (int first = 0; first < group.count; first += B::lanes) {
    const B bodies(group, e, first);
    AffinePort<T> port[B::ports];
    bodies.read_ports(port);
    V3<T> mu[B::ports], dz[4];
    for (int p = 0; p < B::ports; ++p)
      read<3>([&](int lane) { return e.right_side + bodies.place(lane).slot[p]; }, mu[p].x);
    T dsigma[affine_springs];
    bodies.elimination().expand(port, mu, dz, dsigma);
    for (int i = 0; i < 4; ++i)
      B::write3([&](int lane) { return dx + bodies.place(lane).row_q[i]; }, dz[i].x);
    if constexpr (B::has_springs)
      for (int i = 0; i < affine_springs; i += 3)
        B::write3([&](int lane) { return dx + bodies.place(lane).row_springs + i; }, dsigma + i);
  }
}

template <class B>
void accept_group(const AffineGroup& group, const AffineEvaluation& e, const AffineEnd& end) {
  using T = typename B::Number;
  for (int first = 0; first < group.count; first += B::lanes) {
    const B bodies(group, e, first);
    AffineBody<T> body;
    bodies.read_start(body);
    V3<T> remainder, v[4], q[4];
    read<3>([&](int lane) { return e.remainders + bodies.place(lane).value; }, remainder.x);
    q[0] = body.q_n[0];
    add_without_loss(body.z[0], q[0], remainder);
    for (int i = 1; i < 4; ++i)
      q[i] = body.q_n[i] + body.z[i];
    for (int i = 0; i < 4; ++i)
      v[i] = rate_at_end(body.v[i], body.z[i], e.inv_h);
    if constexpr (!B::has_springs) {
      const M3<T> Q_n = body.Q_n();
      const V3<T> Omega = spin_at_end(director_step(Q_n, body.dQ()), convected_spin(Q_n, body.Q_dot()), e.inv_h);
      const M3<T> Q_dot = times_skew(AffineBody<T>::columns(q + 1), Omega); // [D3]
      for (int i = 0; i < 3; ++i)
        v[1 + i] = column(Q_dot, i);
    }
    double nobody[3];
    const auto write = [&](double* numbers, int AffinePlace<B::ports>::*at, int i, const T* from) {
      B::write3(
          [&](int lane) {
            const auto& place = bodies.place(lane);
            return place.is_nobody != 0 ? nobody : numbers + place.*at + i;
          },
          from);
    };
    using Place = AffinePlace<B::ports>;
    write(end.remainders, &Place::value, 0, remainder.x);
    for (int i = 0; i < 4; ++i) {
      write(end.values, &Place::value, 3 * i, q[i].x);
      write(end.rates, &Place::rate, 3 * i, v[i].x);
    }
    if constexpr (B::has_springs) {
      T e_n1[affine_springs];
      unroll<affine_springs>([&](auto s) EMMY_LAMBDA {
        e_n1[s] = body.e_n[s] + stretch(along<s>(body.q_n + 1), along<s>(body.z + 1)).gain; // [T13]
      });
      for (int i = 0; i < affine_springs; i += 3)
        write(end.history, &Place::history, i, e_n1 + i);
    }
  }
}

template <class B>
void book_group(const AffineGroup& group, const BookedStep& e, double* joints, BatchBooks& books) {
  using namespace affine_constants;
  using T = typename B::Number;
  BodySums<T> sums;
  T violation{}, strain_energy{}, least_volume = T{} + 1;
  for (int first = 0; first < group.count; first += B::lanes) {
    const AffinePlace<B::ports>* place = places_of<B::ports>(group) + first;
    const SideBySide<T> body = constants_of<T, B::ports>(group, first);
    const T real = ones<T>(group.real - first);
    V3<T> q[4], v[4], dx;
    read_vectors([&](int i) { return e.values + place[i].value; }, q);
    read_vectors([&](int i) { return e.rates + place[i].rate; }, v);
    read<3>([&](int i) { return e.x + place[i].row_q[0]; }, dx.x);
    const M3<T> Q = AffineBody<T>::columns(q + 1);
    violation = larger(violation, rigidity_violation(Q)); // who fills up a pack is where another one is
    if constexpr (B::has_springs) {
      sums.add(real, tetra_momenta(body.number(mass), body.matrix(inertia), q, v));
      const T k = body.number(stiffness);
      T elongation[affine_springs], energy{};
      read<affine_springs>([&](int i) { return e.history + place[i].history; }, elongation);
      for (int s = 0; s < affine_springs; ++s)
        energy = energy + spring_energy(k, elongation[s]);
      strain_energy = strain_energy + only(real, energy);
      const T det = k > 0 ? determinant(Q) : T{} + 1; // of what is rigid it says nothing
      least_volume = det < least_volume ? det : least_volume;
    } else {
      const V3<T> Omega = convected_spin(Q, AffineBody<T>::columns(v + 1));
      sums.add(real, rigid_momenta(body.number(mass), body.matrix(inertia), q[0], Q, v[0], Omega));
    }
    sums.add_weight(real, body.vector(weight), q[0], q[0] - 0.5 * dx);
    for (int p = 0; p < B::ports; ++p) {
      const AffinePort<T> port = port_of(body, p);
      add_to_joint([&](int i) { return joints + place[i].booked[p]; }, port.of(dx, q + 1), port.of(v));
    }
  }
  sums.write(e.mean_mass, e.h, books);
  const double strain = sum_of_lanes(strain_energy);
  books.potential += strain;
  books.strain += strain;
  books.rigidity_violation = larger(books.rigidity_violation, largest_of_lanes(violation));
  books.least_volume = -larger(-books.least_volume, largest_of_lanes(-least_volume));
}

/// `act` with the type of the bodies of a group.
template <class T, int Ports, class Act>
inline void with_ports(const AffineGroup& group, Act act) {
  if (group.kind == AffineKind::tetra)
    act(Type<Bodies<T, TetraElimination<T, Ports>, Ports>>());
  else
    act(Type<Bodies<T, DirectorElimination<T, Ports>, Ports>>());
}
template <class T, class Act>
inline void with_bodies(const AffineGroup& group, Act act) {
  if (group.ports == few_ports)
    with_ports<T, few_ports>(group, act);
  else
    with_ports<T, most_ports>(group, act);
}

template <class T>
int kept(const AffineGroup& group) {
  int numbers = 0;
  with_bodies<T>(group, [&](auto bodies) { numbers = decltype(bodies)::type::kept; });
  return numbers;
}
template <bool Tangent, class T>
void evaluate(const AffineGroup& group, const AffineEvaluation& e) {
  with_bodies<T>(group, [&](auto bodies) { evaluate_group<Tangent, typename decltype(bodies)::type>(group, e); });
}
template <class T>
void gaps(const AffineGroup& group, const AffineEvaluation& e) {
  with_bodies<T>(group, [&](auto bodies) { find_gaps<typename decltype(bodies)::type>(group, e); });
}
template <class T>
void reduce(const AffineGroup& group, const AffineEvaluation& e, const double* b) {
  with_bodies<T>(group, [&](auto bodies) { reduce_group<typename decltype(bodies)::type>(group, e, b); });
}
template <class T>
void expand(const AffineGroup& group, const AffineEvaluation& e, double* dx) {
  with_bodies<T>(group, [&](auto bodies) { expand_group<typename decltype(bodies)::type>(group, e, dx); });
}
template <class T>
void accept(const AffineGroup& group, const AffineEvaluation& e, const AffineEnd& end) {
  with_bodies<T>(group, [&](auto bodies) { accept_group<typename decltype(bodies)::type>(group, e, end); });
}
template <class T>
void book(const AffineGroup& group, const BookedStep& e, double* joints, BatchBooks& books) {
  with_bodies<T>(group, [&](auto bodies) { book_group<typename decltype(bodies)::type>(group, e, joints, books); });
}

} // namespace

extern const AffineKernels affine_kernels;
const AffineKernels affine_kernels{Lanes<Numbers>::count,   kept<Numbers>,   evaluate<false, Numbers>,
                                   evaluate<true, Numbers>, gaps<Numbers>,   reduce<Numbers>,
                                   expand<Numbers>,         accept<Numbers>, book<Numbers>};

} // namespace EMMY_ISA
} // namespace emmy
