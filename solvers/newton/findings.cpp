#include "solvers/newton/findings.hpp"

#include <algorithm>

namespace emmy {

void Findings::write(VectorRef out, int failures) const {
  out[0] = static_cast<double>(solves);
  out[1] = static_cast<double>(coordinates_measured);
  out[2] = static_cast<double>(checked);
  out[3] = static_cast<double>(looked);
  out[4] = linear_error;
  out[5] = failures;
  double* next = out.data() + fixed;
  for (std::size_t part = 0; part < curvature.size(); ++part, next += of_part) {
    next[0] = curvature[part];
    next[1] = rounding[part];
    next[2] = reactions[part];
  }
}

void Findings::read(const double* from) {
  solves = static_cast<long>(from[0]);
  coordinates_measured = static_cast<long>(from[1]);
  checked = static_cast<long>(from[2]);
  looked = static_cast<long>(from[3]);
  linear_error = from[4];
  linear_failures = static_cast<int>(from[5]);
  const double* next = from + fixed;
  for (std::size_t part = 0; part < curvature.size(); ++part, next += of_part) {
    curvature[part] = next[0];
    rounding[part] = next[1];
    reactions[part] = next[2];
  }
}

void Findings::forget() {
  solves = checked = looked = 0;
  coordinates_measured = -coordinates_every; // now
  linear_error = 1;
  std::fill(curvature.begin(), curvature.end(), unknown_curvature);
}

} // namespace emmy
