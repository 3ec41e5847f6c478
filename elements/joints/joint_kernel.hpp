#pragma once
/// Joints between frame bodies, templated on the number: coincident points and perpendicular directions [D15], [D16]
/// for one joint or for four of a kind at once. Multipliers are mu = lambda / s, as the assembler wants them [S1].

#include "elements/bodies/frame_kernel.hpp"
#include "elements/joints/joint_shape.hpp"

namespace emmy {

inline namespace EMMY_ISA {

/// Equations of a joint with `Rows` rows: residual and tangent but for what centres do, which is constant.
template <class T, int Rows>
struct JointSystem {
  T phi[Rows];
  FrameLoads<T> loads[2];
  V3<T> G[2][Rows];     ///< row of G D for Theta of either body
  V3<T> G_bar[2][Rows]; ///< column of P_bar^T G_bar^T for it
  M3<T> k[2];           ///< k[0]: Theta of the first by that of the second body, k[1]: the other way round
};

template <class T>
struct NaturalMotion {
  V3<T> at_n1; ///< direction at the end of the step; of a point, how far it is from where the centre was
  V3<T> arm;   ///< mean of the directions at both ends, Q_m w; of a point, its part that turns
  M3<T> D;
};

/// phi comes with the distances of centres at the start of the step [centre_distance.hpp].
template <bool Tangent, class T, int Rows>
inline void evaluate(const JointShape& shape, const FrameMotion<T>* bodies, const T (*w)[4], const T* mu,
                     JointSystem<T, Rows>& out) {
  NaturalMotion<T> variable[JointShape::most_variables];
  for (int i = 0; i < shape.variables; ++i) {
    const FrameMotion<T>& body = bodies[shape.side[i]];
    const V3<T> r{{w[i][1], w[i][2], w[i][3]}};
    NaturalMotion<T>& q = variable[i];
    q.arm = body.Q_m * r;
    q.at_n1 = w[i][0] * body.dx + body.Q_n1 * r;
    if constexpr (Tangent)
      q.D = -1.0 * times_skew(body.Q_m, body.A_inverse * r); // [D12]
  }
  // A coincidence, which is the first term if there is one, sets its rows of G; others add to theirs.
  const int set = shape.term[0].kind == JointShape::Kind::coincidence ? 3 : 0;
  for (int s = 0; s < 2; ++s) {
    out.loads[s] = {};
    if constexpr (Tangent) {
      if (shape.couples_rotations)
        out.k[s] = {};
      for (int i = set; i < Rows; ++i)
        out.G[s][i] = out.G_bar[s][i] = {};
    }
  }
  const auto push = [&](int i, const V3<T>& force) {
    FrameLoads<T>& loads = out.loads[shape.side[i]];
    loads.force = loads.force + w[i][0] * force;
    loads.moment = loads.moment + cross(variable[i].arm, force);
    if constexpr (Tangent)
      loads.stiffness = loads.stiffness + cross(-0.5 * force, variable[i].D); // the mean moves half as far as the end
  };
  for (const JointShape::Term* term = shape.term; term != shape.term + shape.terms; ++term) {
    const NaturalMotion<T>&a = variable[term->a], &b = variable[term->b];
    const int s_a = shape.side[term->a], s_b = shape.side[term->b], row = term->row;
    const double factor = term->factor;
    if (term->kind == JointShape::Kind::coincidence) {
      const V3<T> force{{factor * mu[row], factor * mu[row + 1], factor * mu[row + 2]}};
      push(term->b, force);
      push(term->a, -1.0 * force);
      for (int i = 0; i < 3; ++i)
        out.phi[row + i] = out.phi[row + i] + factor * (b.at_n1[i] - a.at_n1[i]);
      if constexpr (Tangent) {
        const M3<T> P_a = -factor * transposed_times_skew(bodies[s_a].N_T, a.arm); // P_bar^T, with its sign here
        const M3<T> P_b = factor * transposed_times_skew(bodies[s_b].N_T, b.arm);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            out.G[s_a][row + i][j] = -factor * a.D(i, j);
            out.G[s_b][row + i][j] = factor * b.D(i, j);
            out.G_bar[s_a][row + i][j] = P_a(j, i);
            out.G_bar[s_b][row + i][j] = P_b(j, i);
          }
      }
    } else {
      const T force = factor * mu[row];
      push(term->a, force * b.arm);
      push(term->b, force * a.arm);
      out.phi[row] = out.phi[row] + factor * dot(a.at_n1, b.at_n1);
      if constexpr (Tangent) {
        out.G[s_a][row] = out.G[s_a][row] + factor * transposed_times(a.D, b.at_n1);
        out.G[s_b][row] = out.G[s_b][row] + factor * transposed_times(b.D, a.at_n1);
        const V3<T> moment = factor * cross(a.arm, b.arm);
        out.G_bar[s_a][row] = out.G_bar[s_a][row] + transposed_times(bodies[s_a].N_T, moment);
        out.G_bar[s_b][row] = out.G_bar[s_b][row] - transposed_times(bodies[s_b].N_T, moment);
        // P_a^T (mu/2) D_b, and the mirror image: P^T = N_T^T skew(arm)
        const T half = 0.5 * force;
        out.k[s_a] = out.k[s_a] + half * transposed_times(bodies[s_a].N_T, cross(a.arm, b.D));
        out.k[s_b] = out.k[s_b] + half * transposed_times(bodies[s_b].N_T, cross(b.arm, a.D));
      }
    }
  }
}

} // namespace EMMY_ISA
} // namespace emmy
