#pragma once
/// Books of many bodies and joints as kernels see them: plain data.

namespace emmy {

/// What a step is entered with in the ledger, as in StepBooks.
struct BatchBooks {
  double kinetic = 0, potential = 0, strain = 0, dissipation = 0, least_volume = 1;
  double position_violation = 0, velocity_violation = 0, rigidity_violation = 0;
  double linear_momentum[3] = {}, angular_momentum[3] = {}, linear_momentum_sum = 0, angular_momentum_sum = 0;
  double impulse[3] = {}, angular_impulse[3] = {}, impulse_sum = 0, angular_impulse_sum = 0;
};

/// An accepted step of bodies that are eliminated.
struct BookedStep {
  double h;
  double s; ///< multipliers in the iterate times this are forces
  double mean_mass;
  const double *values_n, *remainders_n;  ///< State at the start
  const double* x;                        ///< the iterate; behind its end there is room for a body
  const double *values, *rates, *history; ///< State at the end
};

/// Numbers of a ball joint, whole packs: its gap and how fast it opens, three and a zero each. They begin with the
/// distance of the centres at the start of the step, and bodies add the rest.
inline constexpr int ball_joint_numbers = 8;

} // namespace emmy
