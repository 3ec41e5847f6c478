#pragma once
/// How emmy solves a problem in the benchmarks: the one place where options of its integrators enter.

#include "solvers/integrators/conserving/kicks.hpp"
#include "solvers/newton/newton.hpp"
#include "verification/benchmarks/problems.hpp"

#include <array>

namespace emmy::benchmark {

/// The choices that are compared with one another; the defaults are what a user gets without asking.
struct Method {
  int order = 2;
  LinearSolver linear = LinearSolver::automatic;
  bool packs = true;
  VelocityConstraints velocities = VelocityConstraints::off;
};

/// Orders that work-precision runs try.
inline constexpr std::array<int, 3> orders = {2, 4, 6};

/// The energy-momentum integrator for steps of h [s], with what redundant joints need.
std::unique_ptr<Integrator> conserving(const Problem& problem, double h, const Method& method = {});

} // namespace emmy::benchmark
