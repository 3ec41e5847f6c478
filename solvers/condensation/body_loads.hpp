#pragma once
/// Loads of bodies that are eliminated, as kernels see them: plain data. They are forces that depend on how their own
/// body is turned and on nothing else, so the body still knows nothing of others. With T, the derivative of the force
/// on its centre by Theta, its equations are
///   m dx + T dTheta = r_x - sum of +-mu        k dTheta = r_turn - G_bar^T mu
/// Once dTheta is known, so is dx; and joints see -G + (+-1/m) T in place of -G of the turn.

namespace emmy {

struct BodyLoads {
  const double* loads;   ///< FrameLoads of each body; null: no body has any
  const double* turning; ///< T of each body, column by column with a zero below
  int nobody;            ///< number of a body that has none
};
inline constexpr int turning_numbers = 12;

} // namespace emmy
