#pragma once
/// Bodies whose unknowns are their port itself, q = (x, q1, q2, q3), and which are eliminated as they are evaluated:
/// plain data for kernels. As with frames (frame_condensation_program.hpp) only points that coincide with others hold
/// them, their ports. K z = r - G_bar^T mu is then a system of their own.
///
///   director  twelve equations; K is solved in the basis of turns and strains, three and six
///   tetra     twelve equations and six rows of springs: K = K4 (x) 1, a 3 x 3 matrix of numbers, and a 6 x 6 system

#include "solvers/books/book_program.hpp"
#include "solvers/condensation/frame_condensation_program.hpp"

namespace emmy {

enum class AffineKind { director, tetra };

/// Kernels are compiled for bodies with at most so many ports, and for those with at most most_ports.
inline constexpr int few_ports = 2;

/// Numbers of springs of a tetrahedron: multipliers, and elongations that are remembered.
inline constexpr int affine_springs = 6;

/// Numbers of one body that never change:
///   all     mass, its inverse and inertia (second moments of a tetra), relative to the mean mass; weight
///   tetra   compliance [1/J]; which elongation its rows ask for (length_row); stiffness, 0 if it is rigid
///   port    for each: sign in the joint; arm times that; 1 if the gap of the joint is found here, otherwise 0
namespace affine_constants {
inline constexpr int mass = 0, inverse_mass = 1, inertia = 2, weight = 11, compliance = 14, at_end = 15, stiffness = 16;
inline constexpr int sign = 0, arm = 1, has_gap = 4;
inline constexpr int of_port(int port) {
  return 17 + 5 * port;
}
} // namespace affine_constants

/// Where a body with so many ports is read from and written to.
template <int Ports>
struct AffinePlace {
  int value;                 ///< in State::values, all twelve
  int rate;                  ///< in State::rates, likewise
  int history;               ///< in State::history, of a tetra
  int is_nobody;             ///< fills up a pack: read where another body is, and not written
  int row_q[4];              ///< centre and base vectors in the iterate
  int row_springs;           ///< multipliers of a tetra in the iterate
  int row[Ports];            ///< multipliers of each port in the iterate
  int slot[Ports];           ///< the same in the right side
  int booked[Ports];         ///< where the joint is among those that are booked with bodies
  int target[Ports * Ports]; ///< blocks of S: of ports p and q at p + q * Ports
};
inline constexpr int affine_place_numbers(int ports) {
  return 9 + 3 * ports + ports * ports;
}

/// Bodies of a kind with the same number of ports.
struct AffineGroup {
  AffineKind kind;
  int ports;
  int count;               ///< filled up to a multiple of what is done at once
  int real;                ///< of them, without what is filled up
  const int* places;       ///< an AffinePlace of each
  const double* constants; ///< as many side by side as are done at once
  double* kept;            ///< likewise: what later right sides need
};

struct AffineEvaluation {
  double h, inv_h, s;       ///< s: forces are divided by it
  const double* values;     ///< State at the start
  const double* remainders; ///< State::remainders there: what coordinates have lost by rounding
  const double* rates;
  const double* history;
  const double* x;    ///< the iterate; behind its end there is room for a body
  double* matrix;     ///< blocks that S is added to
  double* right_side; ///< of the multipliers, whole packs each: added to distances of centres
};

/// State at the end of a step.
struct AffineEnd {
  double *values, *remainders, *rates, *history;
};

struct AffineKernels {
  int lanes;                       ///< bodies that are done at once
  int (*kept)(const AffineGroup&); ///< numbers that are kept of one body
  void (*residual)(const AffineGroup&, const AffineEvaluation&);
  void (*tangent)(const AffineGroup&, const AffineEvaluation&); ///< and the residual
  /// Adds the gaps at the iterate to right_side, and nothing else.
  void (*gaps)(const AffineGroup&, const AffineEvaluation&);
  /// What b, any right side of the whole system, leaves to the multipliers, with the tangent of the last evaluation:
  /// without their own rows of b, which are added by whoever solves.
  void (*reduce)(const AffineGroup&, const AffineEvaluation&, const double* b);
  /// Solution of the bodies once that of the multipliers is in right_side; behind the end of dx there is room for one.
  void (*expand)(const AffineGroup&, const AffineEvaluation&, double* dx);
  /// Configuration, rates and elongations at the end of the step.
  void (*accept)(const AffineGroup&, const AffineEvaluation&, const AffineEnd&);
  /// Energies, momenta, weights and how rigid bodies are; adds gaps and speeds to the numbers of ball joints.
  void (*book)(const AffineGroup&, const BookedStep&, double* joints, BatchBooks&);
};

} // namespace emmy
