#pragma once
/// Other programs that solve the same hanging chain. One source file per program; a program that is not installed
/// leaves its function out of peers().

#include "core/types.hpp"

#include <vector>

namespace emmy::benchmark {

/// Where the centres of all boxes are at the end, and what it took.
struct Solution {
  std::vector<Vec3> centres; ///< [m]
  double cpu = 0;            ///< time to solve, without setting up [s]
};

struct Peer {
  const char* name;
  const char* method;
  /// Solves chain(N) from rest to time `end` [s]; `accuracy` is the program's own setting, smaller is better.
  Solution (*solve)(int N, double accuracy, double end);
};

/// Programs that this benchmark was built with.
std::vector<Peer> peers();

Solution solve_with_simbody(int N, double accuracy, double end);

} // namespace emmy::benchmark
