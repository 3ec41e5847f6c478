#pragma once
/// Frame bodies and the elements between them as kernels see them: plain data, with the addresses that they read from
/// and write to. Three passes: bodies move; batches of elements of one kind add what acts to the loads of the bodies,
/// and write the blocks of pairs; bodies balance and write their own blocks.

#include "solvers/books/book_program.hpp"

namespace emmy {

/// Numbers of a FrameMotion, of FrameLoads and of FrameInertia: whole packs.
inline constexpr int frame_motion_numbers = 48;
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

/// Where an element between two bodies is read from and written to. Blocks of a body with a pair of its own, centre and
/// rotation, or one for both, differ by their strides.
struct PairPlace {
  int body[2];       ///< in the table of motions; one beyond those that are moved is the ground
  int row;           ///< its multipliers
  int below_x[2];    ///< block (multipliers, centre of a body)
  int below_turn[2]; ///< and (multipliers, its rotation)
  int right_x[2];    ///< block (centre of a body, multipliers)
  int right_turn[2]; ///< and (its rotation, multipliers)
  int stride[2];     ///< of blocks whose rows are those of a body
  int xx[2][2];      ///< blocks (centre, centre)
  int x_turn[2][2];  ///< (centre, rotation)
  int turn_x[2][2];  ///< (rotation, centre)
  int cross[2];      ///< (rotation of one, rotation of the other)
  int length;        ///< of what is multiplied with itself, in FrameTable::lengths
};

/// Elements of one kind.
struct PairBatch {
  int count; ///< filled up to a multiple of what is done at once
  int real;  ///< of them, without what is filled up
  const PairPlace* places;
  const double* vectors; ///< constants, as many elements side by side as are done at once
  const double* numbers; ///< likewise
  const double* memory;  ///< likewise, as of the start of the step
};

struct FrameTable {
  int bodies;
  int moved;                ///< bodies, and behind them those that elements look at without acting on them
  int apart, coupled;       ///< of them, in front: FrameShape::apart; these and FrameShape::coupled
  const FramePlace* places; ///< of all that are moved
  const double* inertia;    ///< FrameInertia of each body
  double* motions;          ///< FrameMotion of all that are moved and of the ground
  double* loads;            ///< FrameLoads likewise
  double* rates;   ///< of all that are moved and of the ground at the end of a step: velocity, Q_n1 skew(Omega)
  double* lengths; ///< of elements whose forces turn with a span: the shortest it is in the step
  int scratch;     ///< in the matrix, where nobody looks
};

/// Numbers of a body in FrameTable::rates.
inline constexpr int frame_rate_numbers = 12;

/// One evaluation.
struct BatchEvaluation {
  double h, inv_h, inv_s;
  const double* values;     ///< State at the start
  const double* remainders; ///< State::remainders there: what coordinates have lost by rounding
  const double* rates;
  const double* x; ///< the iterate; behind its end there is room for one more joint
  double* f;       ///< its residual, likewise
  double* matrix;  ///< the blocks; those between two bodies, and of bodies that are not apart, are added to
};

/// An accepted step.
struct BookEvaluation {
  const BatchEvaluation& step; ///< its residual and matrix are not looked at
  double s;                    ///< multipliers in the iterate times this are forces
  double mean_mass;
  const double* values; ///< State at the end
  const double* rates;
};

/// Kernels of one kind of element.
struct PairKernels {
  const char* name;
  int vectors, numbers, memory; ///< of each element
  void (*residual)(const FrameTable&, const PairBatch&, const BatchEvaluation&);
  void (*tangent)(const FrameTable&, const PairBatch&, const BatchEvaluation&); ///< and the residual
  /// Energies of a force, how well a joint is met, and what the ground gives to both.
  void (*book)(const FrameTable&, const PairBatch&, const BookEvaluation&, BatchBooks&);
};

struct FrameKernels {
  void (*move)(const FrameTable&, const BatchEvaluation&); ///< and clears the loads
  void (*balance_residual)(const FrameTable&, const BatchEvaluation&);
  void (*balance_tangent)(const FrameTable&, const BatchEvaluation&);
  /// Configuration and rates at the end of a step that is accepted.
  void (*accept)(const FrameTable&, const BatchEvaluation&, double* values, double* remainders, double* rates);
  /// Kinetic energies, momenta and weights; leaves where bodies are, and their rates, for elements.
  void (*book)(const FrameTable&, const BookEvaluation&, BatchBooks&);
};

/// An angle whose turns are counted, of a joint between frames.
struct TurnPlace {
  int orientation[2]; ///< of both sides in State::values; below zero: the ground
  int history;        ///< the angle in State::history
};
struct TurnTable {
  int count; ///< filled up to a multiple of what is done at once
  const TurnPlace* places;
  const double* vectors; ///< s1, s2, t1 in the components of their bodies, as many side by side as are done at once
};
inline constexpr int turn_numbers = 9;

/// All kernels for one set of instructions.
struct BatchKernels {
  int lanes; ///< elements that are done at once
  FrameKernels frames;
  const PairKernels* pairs;
  int pair_kinds;
  /// Angles at the end of a step, with their turns, from those at its start.
  void (*count_turns)(const TurnTable&, const double* values, const double* history_n, double* history);
};

} // namespace emmy
