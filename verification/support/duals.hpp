#pragma once
/// For functions of time that look at the time they are asked for.

#include "core/dual.hpp"

namespace emmy::test {

inline double value_of(double x) {
  return x;
}
template <Still still>
double value_of(const DualOf<still>& x) {
  return x.value;
}

} // namespace emmy::test
