// The kernels of frame_program.hpp; included by one source for each set of instructions.
#include "elements/joints/joint_kernel.hpp"
#include "solvers/blocks/block_program.hpp"
#include "solvers/frames/frame_program.hpp"

#include <cstddef>
#include <type_traits>

namespace emmy {
inline namespace EMMY_ISA {

namespace {

static_assert(sizeof(FrameMotion<double>) == frame_motion_numbers * sizeof(double));
static_assert(sizeof(FrameLoads<double>) == frame_loads_numbers * sizeof(double));
static_assert(sizeof(FrameInertia<double>) == frame_inertia_numbers * sizeof(double));

/// Four bodies or one.
template <class T>
class Bodies {
public:
  static constexpr int lanes = Lanes<T>::count;

  Bodies(const FrameProgram& program, const FrameEvaluation& e, int first) : program_(program), e_(e) {
    for (int i = 0; i < lanes; ++i)
      body_[i] = first + i < program.bodies ? first + i : program.bodies - 1;
  }

  const FramePlace& place(int lane) const { return program_.places[body_[lane]]; }

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
  void centre(V3<T>& x, V3<T>& lost) const {
    read<3>([&](int i) { return e_.values + place(i).value; }, x.x);
    read<3>([&](int i) { return e_.lost + place(i).value; }, lost.x);
  }
  void orientation(T (&q)[4]) const {
    read<4>([&](int i) { return e_.values + place(i).value + 3; }, q);
  }
  void rates(T (&rates)[6]) const {
    read<6>([&](int i) { return e_.rates + place(i).rate; }, rates);
  }
  double* motion(int lane) const { return program_.motions + body_[lane] * frame_motion_numbers; }
  double* loads(int lane) const { return program_.loads + body_[lane] * frame_loads_numbers; }
  const double* inertia(int lane) const { return program_.inertia + body_[lane] * frame_inertia_numbers; }

  template <class Address>
  void write3(Address address, const T* from) const {
    double* to[lanes];
    for (int i = 0; i < lanes; ++i)
      to[i] = address(i);
    scatter3(from, to);
  }

private:
  const FrameProgram& program_;
  const FrameEvaluation& e_;
  int body_[lanes];
};

template <class T>
void move_bodies(const FrameProgram& program, const FrameEvaluation& e) {
  for (int first = 0; first < program.bodies; first += Lanes<T>::count) {
    const Bodies<T> bodies(program, e, first);
    V3<T> dx, Theta;
    T q[4];
    bodies.increments(dx, Theta);
    bodies.orientation(q);
    FrameMotion<T> m;
    move(q, dx, Theta, m);
    const T* numbers = reinterpret_cast<const T*>(&m); // one after the other
    double* to[Lanes<T>::count];
    for (int k = 0; k < frame_motion_numbers; k += 4) {
      for (int i = 0; i < Lanes<T>::count; ++i)
        to[i] = bodies.motion(i) + k;
      scatter4<4>(numbers + k, to);
    }
  }
  std::memset(program.loads, 0, sizeof(double) * frame_loads_numbers * static_cast<std::size_t>(program.bodies + 1));
}

template <bool Tangent, class T, int Rows>
void evaluate_joints(const FrameProgram& program, const JointGroup& group, const FrameEvaluation& e) {
  constexpr int lanes = Lanes<T>::count;
  constexpr int stride = stride_of(Rows);
  for (int first = 0; first < group.count; first += lanes) {
    const JointPlace* places = group.places + first;
    FrameMotion<T> motions[2];
    const double* from[lanes];
    double* to[lanes];
    for (int s = 0; s < 2; ++s) {
      for (int i = 0; i < lanes; ++i)
        from[i] = program.motions + places[i].body[s] * frame_motion_numbers;
      gather<frame_motion_numbers>(from, reinterpret_cast<T*>(&motions[s]));
    }
    T w[JointShape::most_variables][4], mu[Rows];
    for (int v = 0; v < group.shape.variables; ++v) {
      for (int i = 0; i < lanes; ++i)
        from[i] = group.w + 4 * ((first + i) * group.shape.variables + v);
      gather<4>(from, w[v]);
    }
    for (int i = 0; i < lanes; ++i)
      from[i] = e.x + places[i].row;
    gather<Rows>(from, mu);

    JointSystem<T, Rows> out;
    for (int i = 0; i < lanes; ++i)
      from[i] = e.f + places[i].row;
    gather<Rows>(from, out.phi);
    evaluate<Tangent>(group.shape, motions, w, mu, out);

    for (int k = 0; k < Rows; k += 3) { // one joint's rows end where another's may begin
      for (int i = 0; i < lanes; ++i)
        to[i] = e.f + places[i].row + (k + 3 <= Rows ? k : Rows - 3);
      scatter3(out.phi + (k + 3 <= Rows ? k : Rows - 3), to);
    }
    for (int s = 0; s < 2; ++s) {
      for (int i = 0; i < lanes; ++i)
        to[i] = program.loads + places[i].body[s] * frame_loads_numbers;
      scatter_add<frame_loads_numbers>(reinterpret_cast<const T*>(&out.loads[s]), to);
    }
    if constexpr (Tangent) {
      for (int s = 0; s < 2; ++s) {
        for (int j = 0; j < 3; ++j) {
          T column[stride] = {};
          for (int row = 0; row < Rows; ++row)
            column[row] = out.G[s][row][j];
          for (int k = 0; k < stride; k += 4) {
            for (int i = 0; i < lanes; ++i)
              to[i] = e.matrix + places[i].below[s] + j * stride + k;
            scatter4<4>(column + k, to);
          }
        }
        for (int row = 0; row < Rows; ++row) {
          for (int i = 0; i < lanes; ++i)
            to[i] = e.matrix + places[i].right[s] + row * 4;
          scatter4<3>(out.G_bar[s][row].x, to);
        }
        if (group.shape.couples_rotations)
          for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < lanes; ++i)
              to[i] = e.matrix + places[i].cross[s] + j * 4;
            scatter4<3>(out.k[s].m + 3 * j, to);
          }
      }
    }
  }
}

template <bool Tangent, class T>
void balance_bodies(const FrameProgram& program, const FrameEvaluation& e) {
  for (int first = 0; first < program.bodies; first += Lanes<T>::count) {
    const Bodies<T> bodies(program, e, first);
    V3<T> dx, Theta;
    T rates[6];
    bodies.increments(dx, Theta);
    bodies.rates(rates);
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
    balance<Tangent>(inertia, e.h, e.inv_h, e.inv_s, dx, Theta, V3<T>{{rates[0], rates[1], rates[2]}},
                     V3<T>{{rates[3], rates[4], rates[5]}}, maps.N_T, maps.A_inverse, loads, r_x, r_turn, k);
    bodies.write3([&](int i) { return e.f + bodies.place(i).row_x; }, r_x.x);
    bodies.write3([&](int i) { return e.f + bodies.place(i).row_turn; }, r_turn.x);
    if constexpr (Tangent) {
      for (int j = 0; j < 3; ++j) {
        double* to[Lanes<T>::count];
        for (int i = 0; i < Lanes<T>::count; ++i)
          to[i] = e.matrix + bodies.place(i).at_turn + 4 * j;
        scatter4<3>(k.m + 3 * j, to);
      }
      for (int i = 0; i < Lanes<T>::count; ++i) { // the same in every step, but others may have added to it
        double* block = e.matrix + bodies.place(i).at_x;
        const double mass = bodies.inertia(i)[0];
        if (bodies.place(i).x_diagonal)
          block[0] = block[1] = block[2] = mass;
        else
          for (int j = 0; j < 3; ++j)
            for (int k_row = 0; k_row < 3; ++k_row)
              block[k_row + 4 * j] = k_row == j ? mass : 0;
      }
    }
  }
}

template <bool Tangent, class T>
void evaluate_all(const FrameProgram& program, const FrameEvaluation& e) {
  move_bodies<T>(program, e);
  for (const JointGroup* group = program.joints; group != program.joints + program.groups; ++group)
    switch (group->shape.rows) {
    case 3:
      evaluate_joints<Tangent, T, 3>(program, *group, e);
      break;
    case 4:
      evaluate_joints<Tangent, T, 4>(program, *group, e);
      break;
    case 5:
      evaluate_joints<Tangent, T, 5>(program, *group, e);
      break;
    default:
      evaluate_joints<Tangent, T, 6>(program, *group, e);
      break;
    }
  balance_bodies<Tangent, T>(program, e);
}

template <class T>
void accept(const FrameProgram& program, const FrameEvaluation& e, double* values, double* lost, double* rates) {
  for (int first = 0; first < program.bodies; first += Lanes<T>::count) {
    const Bodies<T> bodies(program, e, first);
    V3<T> dx, Theta, x_n, lost_n;
    T q_n[4], rate[6], q[4];
    bodies.increments(dx, Theta);
    bodies.centre(x_n, lost_n);
    bodies.orientation(q_n);
    bodies.rates(rate);
    turn(q_n, Theta, q);
    // What a sum loses by rounding, exactly: by parts, whichever of the two is larger.
    const V3<T> shift = dx + lost_n, x_n1 = x_n + shift, shifted = x_n1 - x_n;
    const V3<T> lost_n1 = (x_n - (x_n1 - shifted)) + (shift - shifted);
    // The same z/h - rates as in the residual [D11]: written otherwise, its rounding makes energy drift.
    V3<T> v, Omega;
    for (int i = 0; i < 3; ++i) {
      v[i] = rate[i] + 2 * (e.inv_h * dx[i] - rate[i]);
      Omega[i] = rate[3 + i] + 2 * (e.inv_h * Theta[i] - rate[3 + i]);
    }
    bodies.write3([&](int i) { return values + bodies.place(i).value; }, x_n1.x);
    bodies.write3([&](int i) { return lost + bodies.place(i).value; }, lost_n1.x);
    double* to[Lanes<T>::count];
    for (int i = 0; i < Lanes<T>::count; ++i)
      to[i] = values + bodies.place(i).value + 3;
    scatter4<4>(q, to);
    bodies.write3([&](int i) { return rates + bodies.place(i).rate; }, v.x);
    bodies.write3([&](int i) { return rates + bodies.place(i).rate + 3; }, Omega.x);
  }
}

} // namespace

extern const FrameKernels frame_packed, frame_single;
const FrameKernels frame_packed{evaluate_all<false, Pack>, evaluate_all<true, Pack>, accept<Pack>};
const FrameKernels frame_single{evaluate_all<false, double>, evaluate_all<true, double>, accept<double>};

} // namespace EMMY_ISA
} // namespace emmy
