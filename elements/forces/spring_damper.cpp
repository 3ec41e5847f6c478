#include "elements/forces/spring_damper.hpp"

#include <cmath>

namespace emmy {

double SpringDamper::force(const MovedStep& s) const {
  const NaturalStep step = natural_step(s);
  Memory memory;
  const MeasureValues y = measure(step, memory);
  const double l = std::sqrt(2 * y.n[0]) + std::sqrt(2 * y.n1[0]);
  return response(step).F[0] * l / 2; // F = S l / 2
}

double SpringDamper::length(const MovedStep& s) const {
  Memory memory;
  return std::sqrt(2 * measure(natural_step(s), memory).n1[0]);
}

} // namespace emmy
