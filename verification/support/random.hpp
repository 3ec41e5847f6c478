#pragma once
/// Seeded random data for tests: the same numbers on every machine and with every library.

#include "core/rotation.hpp"

#include <random>

namespace emmy::test {

class Random {
public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double between(double low, double high);
  Vec3 vector(double size = 1);           ///< components between -size and size
  VecX numbers(Index n, double size = 1); ///< likewise
  Vec3 direction();                       ///< unit vector
  Quaternion rotation();                  ///< any rotation
  Mat3 triad();                           ///< right-handed orthonormal columns
  Mat3 inertia(); ///< of a body of about one metre and one kilogram: obeys the triangle inequality
  double mass() { return between(0.5, 3); } ///< [kg]

private:
  std::mt19937_64 engine_;
};

} // namespace emmy::test
