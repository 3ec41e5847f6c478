#pragma once
/// Frame bodies and the joints between them as the kernels see them: plain data, with the addresses that they read from
/// and write to.

#include "elements/joints/joint_shape.hpp"

namespace emmy {

/// Numbers of a FrameMotion, of FrameLoads and of FrameInertia: whole packs.
inline constexpr int frame_motion_numbers = 40;
inline constexpr int frame_loads_numbers = 16;
inline constexpr int frame_inertia_numbers = 16;

/// Where a body is read from and written to.
struct FramePlace {
  int value;       ///< in State::values
  int rate;        ///< in State::rates
  int row_x;       ///< equations of its centre
  int row_turn;    ///< of its rotation
  int at_x;        ///< block of its centre, by itself
  int at_turn;     ///< of its rotation
  bool x_diagonal; ///< the former is stored as a diagonal
};

struct JointPlace {
  int body[2];  ///< number of the body; one beyond the last is the ground
  int row;      ///< its multipliers
  int below[2]; ///< block (multipliers, rotation of a body)
  int right[2]; ///< block (rotation of a body, multipliers)
  int cross[2]; ///< block (rotation of one, rotation of the other body)
};

struct JointGroup {
  JointShape shape;
  int count; ///< filled up to a multiple of four
  const JointPlace* places;
  const double* w; ///< of the natural variables, four each
};

struct FrameProgram {
  int bodies;
  const FramePlace* places;
  const double* inertia; ///< FrameInertia of each body
  double* motions;       ///< FrameMotion of each body and of the ground
  double* loads;         ///< FrameLoads likewise
  int groups;
  const JointGroup* joints;
};

/// One evaluation.
struct FrameEvaluation {
  double h, inv_h, inv_s;
  const double* values; ///< State at the start
  const double* lost;   ///< what its coordinates have lost by rounding, as long as `values`
  const double* rates;
  const double* x; ///< the iterate; behind its end there is room for one more joint
  double* f;       ///< its residual, likewise; zero but for the distances of centres where an evaluation begins
  double* matrix;  ///< the blocks
};

struct FrameKernels {
  void (*residual)(const FrameProgram&, const FrameEvaluation&);
  void (*tangent)(const FrameProgram&, const FrameEvaluation&); ///< and the residual
  /// Configuration and rates at the end of a step that is accepted.
  void (*accept)(const FrameProgram&, const FrameEvaluation&, double* values, double* lost, double* rates);
};

} // namespace emmy
