// The kernels of wrench_program.hpp; included by one source for each set of instructions.
#include "elements/bodies/ball_side.hpp"
#include "elements/joints/joint_equations.hpp"
#include "solvers/condensation/ball_elimination.hpp"
#include "solvers/condensation/read_loads.hpp"
#include "solvers/condensation/side_by_side.hpp"
#include "solvers/condensation/wrench_blocks.hpp"
#include "solvers/condensation/wrench_rows.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

/// What its own evaluation needs to know of the motion of a body.
template <class T>
struct KeptMotion {
  V3<T> dx;
  M3<T> Q_m, Q_n1, N_T, A_inverse;
};
static_assert(sizeof(KeptMotion<double>) == (wrench_inverse_at - wrench_motion_at) * sizeof(double));

/// And what its joints need to know.
template <class T>
struct JointPose {
  M3<T> Q_n, Q_n1, A_inverse;
  T unused;
};
static_assert(sizeof(JointPose<double>) == wrench_pose_numbers * sizeof(double));

template <class T>
void move_bodies(const WrenchBodies& group, const WrenchProgram& program, const WrenchEvaluation& e) {
  constexpr int lanes = Lanes<T>::count;
  const int kept = wrench_kept_of_port(group.ports);
  for (int first = 0; first < group.count; first += lanes) {
    const WrenchBodyPlace* place = group.places + first;
    FrameMotion<T> m{};
    V3<T> Theta;
    T quaternion[4];
    read<3>([&](int i) { return e.x + place[i].row_x; }, m.dx.x);
    read<3>([&](int i) { return e.x + place[i].row_turn; }, Theta.x);
    read<4>([&](int i) { return e.values + place[i].value + 3; }, quaternion);
    move_rotation(quaternion, Theta, m);
    keep<T>(KeptMotion<T>{m.dx, m.Q_m(), m.Q_n1, m.N_T, m.A_inverse}, group.kept + first * kept, wrench_motion_at);
    const JointPose<T> pose{m.Q_n, m.Q_n1, m.A_inverse, T{}};
    write<wrench_pose_numbers>([&](int i) { return program.poses + place[i].pose; }, reinterpret_cast<const T*>(&pose));
  }
}

/// Two directions across c, and across each other, of length one.
template <class T>
EMMY_INLINE void find_across(const V3<T>& c, V3<T>& u, V3<T>& v) {
  const T scale = 1 / square_root(dot(c, c)), x = scale * c[0], y = scale * c[1], z = scale * c[2];
  const T one = z - z + 1, sign = z < 0 ? -one : one, a = -1 / (sign + z), b = x * y * a;
  u = {{1 + sign * x * x * a, sign * b, -sign * x}};
  v = {{b, sign + y * y * a, -y}};
}

template <bool Tangent, class E, class T>
void evaluate_joints(const WrenchJoints& group, const WrenchProgram& program, const WrenchEvaluation& e) {
  constexpr int lanes = Lanes<T>::count;
  constexpr int dots = E::multipliers - 3, numbers = vector_numbers<E>;
  for (int first = 0; first < group.count; first += lanes) {
    const WrenchJointPlace* place = group.places + first;
    FrameMotion<T> bodies[2];
    for (int s = 0; s < 2; ++s) { // their orientations alone
      JointPose<T> pose;
      read<Tangent ? wrench_pose_numbers : 18>([&](int i) { return program.poses + place[i].pose[s]; },
                                               reinterpret_cast<T*>(&pose));
      bodies[s].dx = bodies[s].x_n = bodies[s].remainder = {};
      bodies[s].Q_n = pose.Q_n;
      bodies[s].Q_n1 = pose.Q_n1;
      if constexpr (Tangent)
        bodies[s].A_inverse = pose.A_inverse;
    }
    T vectors[numbers], mu[4];
    const SideBySide<T> given(group.vectors + first * numbers);
    for (int k = 0; k < numbers; ++k)
      vectors[k] = given.number(k);
    read<4>([&](int i) { return e.x + place[i].row + 3; }, mu);

    MomentRows<T> rows;
    find_moments<Tangent, E>(bodies, vectors, mu, rows);
    for (int i = dots; i < 3; ++i) // free motions
      rows.phi[i] = T{};
    write3([&](int i) { return e.right_side + place[i].slot + 3; }, rows.phi);
    struct {
      V3<T> m;
      M3<T> C;
    } moment{rows.m, {}};
    if constexpr (Tangent) {
      if constexpr (dots == 1)
        find_across(rows.c[0], rows.c[1], rows.c[2]);
      if constexpr (dots == 2)
        rows.c[2] = cross(rows.c[0], rows.c[1]);
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          moment.C(i, j) = rows.c[j][i];
      const M3<T> C_inverse = inverse(moment.C);
      for (int s = 0; s < 2; ++s) {
        const M3<T> B = C_inverse * rows.k[s];
        keep<T>(B, group.kept + first * wrench_kept_of_joint, 9 * s);
        T minus_G[wrench_row_numbers];
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 3; ++i)
            minus_G[i + 3 * j] = i < dots ? -rows.G[s][i][j] : B(i, j);
        for (int k = 9; k < wrench_row_numbers; ++k)
          minus_G[k] = T{};
        write<wrench_row_numbers>([&](int i) { return program.rows + place[i].rows[s]; }, minus_G);
      }
    }
    write<wrench_moment_numbers>([&](int i) { return program.moments + place[i].moment; },
                                 reinterpret_cast<const T*>(&moment));
  }
}

/// Adds -G K^-1 r of a few bodies to the right sides of their joints, and keeps K^-1 r.
template <class T>
EMMY_INLINE void reduce_bodies(const WrenchBodies& group, int first, const V3<T>& r_x, const V3<T>& r_turn,
                               const V3<T>* phi, double* right_side) {
  const WrenchBodyPlace* place = group.places + first;
  const SideBySide<T> body(group.constants + first * wrench_constants_of_port(group.ports));
  double* memory = group.kept + first * wrench_kept_of_port(group.ports);
  const SideBySide<T> kept(memory);
  const FrameSolution<T> solution{kept.matrix(wrench_inverse_at) * r_turn, body.number(wrench_inverse_mass_at) * r_x};
  keep<T>(solution, memory, wrench_solution_at);
  for (int p = 0; p < group.ports; ++p) {
    const int of_port = wrench_kept_of_port(p);
    const T sign = body.number(wrench_constants_of_port(p) + wrench_sign_at);
    const V3<T> force = solution.reduce(phi[p], sign, kept.matrix(of_port + force_G_at));
    if (p < group.moments) {
      const V3<T> moment = kept.matrix(of_port + moment_G_at) * solution.turn;
      const T padded[8] = {force[0], force[1], force[2], moment[0], moment[1], moment[2]};
      add<8>([&](int i) { return right_side + place[i].port[p].slot; }, padded);
    } else {
      const T padded[4] = {force[0], force[1], force[2]};
      add<4>([&](int i) { return right_side + place[i].port[p].slot; }, padded);
    }
  }
}

/// Blocks of so many bodies fill a good second level of caches. Where there are more, they are fetched for bodies that
/// are so far ahead; no more than these, for memory is busy as it is.
constexpr int near_bodies = 1000, bodies_ahead = 8;

template <bool Tangent, class T>
void evaluate_bodies(const WrenchBodies& group, const WrenchProgram& program, const WrenchEvaluation& e) {
  constexpr int lanes = Lanes<T>::count;
  for (int first = 0; first < group.count; first += lanes) {
    const WrenchBodyPlace* place = group.places + first;
    const SideBySide<T> body(group.constants + first * wrench_constants_of_port(group.ports));
    double* memory = group.kept + first * wrench_kept_of_port(group.ports);
    const SideBySide<T> kept(memory);
    const KeptMotion<T> m{kept.vector(0), kept.matrix(3), kept.matrix(12), kept.matrix(21), kept.matrix(30)};
    if (Tangent && group.count > near_bodies && first + bodies_ahead < group.count)
      for (int i = 0; i < lanes; ++i)
        fetch_blocks(group, place[bodies_ahead + i], e.matrix);
    V3<T> Theta;
    T rates[6];
    read<3>([&](int i) { return e.x + place[i].row_turn; }, Theta.x);
    read<6>([&](int i) { return e.rates + place[i].rate; }, rates);

    FrameLoads<T> loads{};
    M3<T> turning{}; // over the mass
    if (program.loads.loads != nullptr) {
      const auto number = [&](int i) { return place[i].load; };
      loads = read_loads<T>(program.loads, number);
      if constexpr (Tangent)
        turning = body.number(wrench_inverse_mass_at) * read_turning<T>(program.loads, number);
    }
    V3<T> arm[most_wrench_ports], phi[most_wrench_ports];
    M3<T> C[most_wrench_ports];
    for (int p = 0; p < group.ports; ++p) {
      const int at = wrench_constants_of_port(p);
      const BallSide<T> side(body.number(at + wrench_sign_at), body.vector(at + wrench_arm_at));
      V3<T> mu;
      read<3>([&](int i) { return e.x + place[i].port[p].row; }, mu.x);
      arm[p] = side.arm(m.Q_m);
      phi[p] = side.gap(m.dx, m.Q_n1);
      M3<T> minus_G;
      if constexpr (Tangent) {
        minus_G = side.minus_G(m.Q_m, m.A_inverse);
        keep<T>(program.loads.loads == nullptr ? minus_G : minus_G + body.number(at + wrench_sign_at) * turning, memory,
                wrench_kept_of_port(p) + force_G_at);
      }
      loads.template add<Tangent>(side.template loads<Tangent>(arm[p], minus_G, mu));
      if (p < group.moments) {
        const T turns = body.number(at + wrench_turns_at);
        struct {
          V3<T> m;
          M3<T> C;
        } moment;
        read<Tangent ? wrench_moment_numbers : 3>([&](int i) { return program.moments + place[i].port[p].moment; },
                                                  reinterpret_cast<T*>(&moment));
        loads.moment = loads.moment + turns * moment.m;
        if constexpr (Tangent)
          C[p] = turns * moment.C;
      }
    }
    const FrameInertia<T> inertia{body.number(wrench_mass_at), body.matrix(wrench_inertia_at),
                                  body.vector(wrench_weight_at)};
    V3<T> r_x, r_turn;
    M3<T> k;
    balance<Tangent>(inertia, e.h, e.inv_h, e.inv_s, m.dx, Theta, V3<T>{{rates[0], rates[1], rates[2]}},
                     V3<T>{{rates[3], rates[4], rates[5]}}, m.N_T, m.A_inverse, loads, r_x, r_turn, k);
    if (e.f != nullptr) {
      write3([&](int i) { return e.f + place[i].row_x; }, r_x.x);
      write3([&](int i) { return e.f + place[i].row_turn; }, r_turn.x);
    }
    if constexpr (Tangent) {
      const M3<T> k_inverse = inverse(k), of_moment = times_transposed(k_inverse, m.N_T);
      keep<T>(k_inverse, memory, wrench_inverse_at);
      for (int p = 0; p < group.ports; ++p) {
        const int of_port = wrench_kept_of_port(p);
        keep<T>(times_P_bar_transposed(of_moment, arm[p]), memory, of_port + force_U_at);
        if (p >= group.moments)
          continue;
        keep<T>(of_moment * C[p], memory, of_port + moment_U_at);
        M3<T> minus_G;
        read<9>([&](int i) { return program.rows + place[i].port[p].rows_of_moment; }, minus_G.m);
        keep<T>(minus_G, memory, of_port + moment_G_at);
      }
    }
    reduce_bodies<T>(group, first, r_x, r_turn, phi, e.right_side);
    if constexpr (Tangent)
      for (int p = 0; p < group.ports; ++p)
        for (int q = 0; q < group.ports; ++q) {
          const bool sets = program.sets && p != q;
          if (p >= group.moments)
            sets ? put_block<4, true, T>(group, first, p, q, e.matrix)
                 : put_block<4, false, T>(group, first, p, q, e.matrix);
          else
            sets ? put_block<8, true, T>(group, first, p, q, e.matrix)
                 : put_block<8, false, T>(group, first, p, q, e.matrix);
        }
  }
}

template <class T, class Act>
inline void each_body_group(const WrenchProgram& program, Act act) {
  for (const WrenchBodies* group = program.bodies; group != program.bodies + program.body_groups; ++group)
    act(*group);
}

template <bool Tangent, class T>
void evaluate_wrenches(const WrenchProgram& program, const WrenchEvaluation& e) {
  each_body_group<T>(program, [&](const WrenchBodies& group) { move_bodies<T>(group, program, e); });
  for (const WrenchJoints* group = program.joints; group != program.joints + program.joint_groups; ++group)
    (Tangent ? group->kernels->tangent : group->kernels->residual)(*group, program, e);
  each_body_group<T>(program, [&](const WrenchBodies& group) { evaluate_bodies<Tangent, T>(group, program, e); });
}

template <class T>
void reduce(const WrenchProgram& program, const double* b, double* right_side) {
  constexpr V3<T> nothing[most_wrench_ports] = {};
  each_body_group<T>(program, [&](const WrenchBodies& group) {
    for (int first = 0; first < group.count; first += Lanes<T>::count) {
      V3<T> r_x, r_turn;
      read<3>([&](int i) { return b + group.places[first + i].row_x; }, r_x.x);
      read<3>([&](int i) { return b + group.places[first + i].row_turn; }, r_turn.x);
      reduce_bodies<T>(group, first, r_x, r_turn, nothing, right_side);
    }
  });
}

/// Increments of bodies, or how they change with the wrenches alone.
template <bool Change, class T>
void expand_bodies(const WrenchBodies& group, const WrenchProgram& program, const double* solution, double* dx) {
  constexpr int lanes = Lanes<T>::count;
  for (int first = 0; first < group.count; first += lanes) {
    const WrenchBodyPlace* place = group.places + first;
    const SideBySide<T> body(group.constants + first * wrench_constants_of_port(group.ports));
    const SideBySide<T> kept(group.kept + first * wrench_kept_of_port(group.ports));
    FrameSolution<T> without{};
    if constexpr (!Change)
      without = {kept.vector(wrench_solution_at), kept.vector(wrench_solution_at + 3)};
    FrameExpansion<T> expansion(without);
    for (int p = 0; p < group.ports; ++p) {
      const int of_port = wrench_kept_of_port(p);
      V3<T> f;
      read<3>([&](int i) { return solution + place[i].port[p].solution; }, f.x);
      expansion.take_force(body.number(wrench_constants_of_port(p) + wrench_sign_at), kept.matrix(of_port + force_U_at),
                           f);
      if (p < group.moments) {
        V3<T> nu;
        read<3>([&](int i) { return solution + place[i].port[p].solution + 3; }, nu.x);
        expansion.take_moment(kept.matrix(of_port + moment_U_at), nu);
      }
    }
    if (program.loads.loads != nullptr)
      expansion.take_turn(read_turning<T>(program.loads, [&](int i) { return place[i].load; }));
    const FrameSolution<T> own = expansion.solution(body.number(wrench_inverse_mass_at));
    write3([&](int i) { return dx + place[i].row_x; }, own.shift.x);
    write3([&](int i) { return dx + place[i].row_turn; }, own.turn.x);
  }
}

/// Increments of multipliers from those of wrenches: what turned with the directions is taken off.
template <class T>
void expand_joints(const WrenchJoints& group, const double* solution, double* dx) {
  constexpr int lanes = Lanes<T>::count;
  constexpr double still[4] = {};
  const int dots = group.kernels->multipliers - 3;
  for (int first = 0; first < group.count; first += lanes) {
    const WrenchJointPlace* place = group.places + first;
    const SideBySide<T> kept(group.kept + first * wrench_kept_of_joint);
    V3<T> wrench[2];
    for (int k = 0; k < 2; ++k)
      read<3>([&](int i) { return solution + place[i].solution + 3 * k; }, wrench[k].x);
    for (int s = 0; s < 2; ++s) {
      V3<T> turn;
      read<3>([&](int i) { return place[i].row_turn[s] < 0 ? still : dx + place[i].row_turn[s]; }, turn.x);
      wrench[1] = wrench[1] - kept.matrix(9 * s) * turn;
    }
    write3([&](int i) { return dx + place[i].row; }, wrench[0].x);
    for (int k = 0; k < dots; ++k)
      for (int i = 0; i < lanes; ++i)
        std::memcpy(dx + place[i].row + 3 + k, reinterpret_cast<const double*>(&wrench[1][k]) + i, sizeof(double));
  }
}

template <bool Change, class T>
void expand(const WrenchProgram& program, const double* solution, double* dx) {
  each_body_group<T>(program,
                     [&](const WrenchBodies& group) { expand_bodies<Change, T>(group, program, solution, dx); });
  for (const WrenchJoints* group = program.joints; group != program.joints + program.joint_groups; ++group)
    expand_joints<T>(*group, solution, dx);
}

template <class E, class T>
constexpr WrenchJointKernels joint_kernels() {
  return {E::name, E::multipliers, vector_numbers<E>, evaluate_joints<false, E, T>, evaluate_joints<true, E, T>};
}

template <class T>
constexpr WrenchJointKernels joints[] = {joint_kernels<RevoluteEquations, T>(), joint_kernels<UniversalEquations, T>(),
                                         joint_kernels<ConstantVelocityEquations, T>(),
                                         joint_kernels<FixedEquations, T>()};

template <class T>
constexpr WrenchKernels kernels_of() {
  return {Lanes<T>::count,
          joints<T>,
          sizeof joints<T> / sizeof *joints<T>,
          evaluate_wrenches<false, T>,
          evaluate_wrenches<true, T>,
          reduce<T>,
          expand<false, T>,
          expand<true, T>};
}

} // namespace

extern const WrenchKernels wrench_packed, wrench_single;
const WrenchKernels wrench_packed = kernels_of<Pack>(), wrench_single = kernels_of<double>();

} // namespace EMMY_ISA
} // namespace emmy
