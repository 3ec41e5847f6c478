#pragma once
/// Bodies that are eliminated onto the wrenches of their joints [S22], as the kernels see them: plain data.
///
/// Where points of two bodies coincide and some directions of them stay perpendicular, the joint transmits a force f
/// and a moment m = sum of mu_i c_i, c_i = a_i x b_i at the mean of the step. For given multipliers mu_i that moment
/// turns with both bodies and couples their equations; for a given change of the moment itself it does not. So the
/// unknowns are the increments of f and of m = C nu, where C = [c_1 .. c_k, ..] has columns across all c_i for the
/// motions that the joint leaves free. With k_s, the derivative of m by the turn of body s for given mu, and B_s = C^-1
/// k_s:
///   nu_i = dmu_i + sum over sides of B_s dTheta_s          (rows i of perpendicular directions)
///   nu_j = sum over sides of B_s dTheta_s                  (rows j of free motions: the wrench has no part there)
/// Bodies know nothing of each other then: K dz + P nu = r with K without what directions do. All of them are
/// eliminated, and D - G K^-1 P is left, blocks of six between joints that share a body, of three where points coincide
/// and that is all. The increments are those of the whole matrix.

#include "solvers/condensation/body_loads.hpp"

namespace emmy {

/// A body with more joints is not eliminated so: they would all be coupled with one another.
inline constexpr int most_wrench_ports = 4;

/// Where a body is read from and written to. Ports that transmit moments come before those that do not.
struct WrenchPort {
  int row;                       ///< of the force, in the iterate
  int slot;                      ///< of the wrench, in the right side
  int solution;                  ///< in the solution
  int moment;                    ///< in WrenchProgram::moments
  int rows_of_moment;            ///< in WrenchProgram::rows
  int target[most_wrench_ports]; ///< blocks of its rows and of the columns of each port, in the matrix
};
struct WrenchBodyPlace {
  int value;           ///< in State::values
  int rate;            ///< in State::rates
  int row_x, row_turn; ///< in the iterate
  int load;            ///< in BodyLoads
  int pose;            ///< in WrenchProgram::poses
  WrenchPort port[most_wrench_ports];
};

/// Numbers that never change, of one body: as in condensation_program.hpp, and of every port whether its joint turns
/// the body by m or by -m.
inline constexpr int wrench_mass_at = 0, wrench_inverse_mass_at = 1, wrench_inertia_at = 2, wrench_weight_at = 11;
inline constexpr int wrench_sign_at = 0, wrench_arm_at = 1, wrench_turns_at = 4;
inline constexpr int wrench_constants_of_port(int port) {
  return 14 + 5 * port;
}

/// Numbers that are kept: dx, Q_m, Q_n1, N_T and A^-1 of its motion; K^-1, K^-1 r of the rotation and of the centre;
/// then of every port -G, with what loads do to it, and K^-1 P, of the force and of the moment.
inline constexpr int wrench_motion_at = 0, wrench_inverse_at = 39, wrench_solution_at = 48;
inline constexpr int force_G_at = 0, force_U_at = 9, moment_G_at = 18, moment_U_at = 27;
inline constexpr int wrench_kept_of_port(int port) {
  return 54 + 36 * port;
}
/// What joints see of a body: Q_n, Q_n1, A^-1, and the rest of a pack.
inline constexpr int wrench_pose_numbers = 28;

/// Bodies with as many ports of either kind.
struct WrenchBodies {
  int moments, ports;
  int count; ///< filled up to a multiple of what is done at once
  const WrenchBodyPlace* places;
  const double* constants; ///< as many side by side as are done at once
  double* kept;            ///< likewise
};

/// Where a joint that transmits a moment is read from and written to.
struct WrenchJointPlace {
  int pose[2];     ///< of its bodies, in WrenchProgram::poses
  int row;         ///< of its multipliers, in the iterate
  int row_turn[2]; ///< of its bodies, in the solution of the whole; below zero: it stands still
  int slot;        ///< of the wrench, in the right side
  int solution;    ///< in the solution
  int moment;      ///< in WrenchProgram::moments
  int rows[2];     ///< in WrenchProgram::rows
};

struct WrenchProgram;
struct WrenchEvaluation;
struct WrenchJoints;

/// Kernels of one kind of joint that transmits moments.
struct WrenchJointKernels {
  const char* name;
  int multipliers, vectors; ///< numbers of each joint
  void (*residual)(const WrenchJoints&, const WrenchProgram&, const WrenchEvaluation&);
  void (*tangent)(const WrenchJoints&, const WrenchProgram&, const WrenchEvaluation&); ///< and the residual
};

/// Joints of one kind.
struct WrenchJoints {
  const WrenchJointKernels* kernels;
  int count; ///< filled up to a multiple of what is done at once
  const WrenchJointPlace* places;
  const double* vectors; ///< as many joints side by side as are done at once
  double* kept;          ///< B_s of both sides, likewise
};
inline constexpr int wrench_kept_of_joint = 18;

/// Numbers of a joint for its bodies: m and C; and for each of them -G of the moment.
inline constexpr int wrench_moment_numbers = 12, wrench_row_numbers = 12;

struct WrenchProgram {
  const WrenchBodies* bodies;
  int body_groups;
  const WrenchJoints* joints;
  int joint_groups;
  double* poses;   ///< of each body, of the ground and of one that nobody looks at
  double* moments; ///< of each joint that transmits one, and of one more
  double* rows;    ///< two for each of them
  BodyLoads loads;
  bool sets; ///< blocks between two joints come from one body each, and are set; otherwise they are added to
};

struct WrenchEvaluation {
  double h, inv_h, inv_s;
  const double* values; ///< State at the start
  const double* rates;
  const double* x;    ///< the iterate; behind its end there is room for a joint
  double* f;          ///< residual of the bodies in the rows of the whole matrix, likewise; null: nobody looks at it
  double* matrix;     ///< blocks that are added to
  double* right_side; ///< whole packs for each joint, added to; holds the distances of centres
};

struct WrenchKernels {
  int lanes; ///< bodies and joints that are done at once
  const WrenchJointKernels* joints;
  int joint_kinds;
  void (*residual)(const WrenchProgram&, const WrenchEvaluation&);
  void (*tangent)(const WrenchProgram&, const WrenchEvaluation&); ///< and the residual
  /// Any right side b of the whole matrix instead of its residual.
  void (*reduce)(const WrenchProgram&, const double* b, double* right_side);
  /// Solution of the whole from that of the wrenches; behind the end of dx there is room for a joint.
  void (*expand)(const WrenchProgram&, const double* solution, double* dx);
  /// What changes of it with that of the wrenches.
  void (*expand_change)(const WrenchProgram&, const double* change, double* dx);
};

} // namespace emmy
