#pragma once
/// Frames that are eliminated as they are evaluated: plain data for kernels.
///
/// Only points that coincide with others hold such a body, its ports. For given multipliers its six equations are then
/// a system of their own: K z = r - G_bar^T mu. Residual, tangent, K^-1 and what the body adds to the system of the
/// multipliers, S = -G K^-1 G_bar^T, never leave the registers. Of the matrix only the blocks of the multipliers are
/// touched. Loads may act on it besides, found before [BodyLoads].

#include "solvers/books/book_program.hpp"
#include "solvers/condensation/body_loads.hpp"

namespace emmy {

/// A body with more ports is not condensed: they would all be coupled with one another.
inline constexpr int most_ports = 4;

/// Numbers of one body that never change: mass, its inverse and inertia, relative to the mean mass; weight. Then for
/// every port its sign in the joint, and its arm times that.
inline constexpr int mass_at = 0, inverse_mass_at = 1, inertia_at = 2, weight_at = 11;
inline constexpr int sign_at = 0, arm_at = 1;
inline constexpr int constants_of_port(int port) {
  return 14 + 4 * port;
}

/// Numbers that are kept from an evaluation: K^-1 of the rotation; K^-1 r of the rotation and of the centre. Then for
/// every port -G, with what loads do to it, and K^-1 G_bar^T of the rotation.
inline constexpr int inverse_at = 0, solution_at = 9;
inline constexpr int G_at = 0, U_at = 9;
inline constexpr int kept_of_port(int port) {
  return 15 + 18 * port;
}

/// Where a body with so many ports is read from and written to.
template <int Ports>
struct CondensedPlace {
  int value;                 ///< in State::values
  int rate;                  ///< in State::rates
  int row_x, row_turn;       ///< in the iterate
  int load;                  ///< in BodyLoads
  int row[Ports];            ///< of the multipliers of each port, in the iterate
  int slot[Ports];           ///< the same in the right side
  int booked[Ports];         ///< where the joint is among those that are booked with bodies
  int target[Ports * Ports]; ///< blocks of S: of ports p and q at p + q * Ports
};

/// Bodies with the same number of ports.
struct CondensedGroup {
  int ports;
  int count;               ///< filled up to a multiple of what is done at once
  int real;                ///< of them, without what is filled up
  const int* places;       ///< a CondensedPlace of each
  const double* constants; ///< as many side by side as are done at once
  double* kept;            ///< likewise
  BodyLoads loads;
};

struct CondensedEvaluation {
  double h, inv_h, inv_s;
  const double* values;     ///< State at the start
  const double* remainders; ///< State::remainders there: what coordinates have lost by rounding
  const double* rates;
  const double* x;    ///< the iterate; behind its end there is room for a body
  double* matrix;     ///< blocks that S is added to
  double* right_side; ///< of the multipliers, whole packs each: added to distances of centres
};

struct CondensationKernels {
  int lanes; ///< bodies that are done at once
  void (*residual)(const CondensedGroup&, const CondensedEvaluation&);
  void (*tangent)(const CondensedGroup&, const CondensedEvaluation&); ///< and the residual
  /// Any right side b of the whole in place of the residual, with the last tangent; behind its end there is room.
  void (*reduce)(const CondensedGroup&, const CondensedEvaluation&, const double* b);
  /// Solution of the bodies once that of the multipliers is in right_side; behind the end of dx there is room for one.
  void (*expand)(const CondensedGroup&, const CondensedEvaluation&, double* dx);
  /// Kinetic energies, momenta and weights; adds gaps and speeds to the numbers of ball joints.
  void (*book)(const CondensedGroup&, const BookedStep&, double* joints, BatchBooks&);
};

} // namespace emmy
