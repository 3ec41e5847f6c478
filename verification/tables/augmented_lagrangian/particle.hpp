#pragma once
/// One particle: how a scheme lets it swing, and how fast it leaves a wall (docs/theory/augmented_lagrangian.md,
/// impact).

#include "verification/support/schemes.hpp"
#include "verification/tables/text.hpp"

#include <functional>

namespace emmy::tables::impact {

using test::InstantScheme;

/// Energy-momentum beside the schemes that take forces at instants.
InstantScheme energy_momentum();

/// Restitution by the place s of the wall in the step in which it is reached, s = gap / (v h); 1 kg, h = 1 s, v = 1
/// m/s.
class Bounce {
public:
  /// `restitution` is that of the wall, which schemes at instants do not look at.
  Bounce(const InstantScheme& scheme, const Enforcement& how, double restitution = 1);

  /// Speed after the last push, once it is forgotten.
  double operator()(double s) const;

private:
  test::Oscillator particle_;
  std::unique_ptr<Integrator> integrator_;
};

/// What comes out over all places, sampled evenly.
struct Restitution {
  static constexpr int samples = 1000;

  std::vector<double> e; ///< at s = (i + 1/2) / samples
  Range range;
  double mean = 0, mean_square = 0;
  double above_one = 0; ///< part of the places
};
Restitution restitution(const Bounce& bounce);

/// Growth per step of x'' = -ω²x for ωh -> infinity, as that of a constraint that is met at the end of every step.
double growth_of_constraint(const InstantScheme& scheme);

} // namespace emmy::tables::impact
