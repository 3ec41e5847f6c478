#pragma once
/// The parts of the benchmark. Each prints its table and returns its figures; `quick` runs fewer and shorter repeats.

#include <nlohmann/json.hpp>

namespace emmy::benchmark {

/// Time per step of the hanging chain against its length.
struct Growth {
  nlohmann::json figures;
  double exponent = 0; ///< of the time per step between the two longest chains
};
inline constexpr double largest_exponent = 1.15;
Growth chain_growth(bool quick);

/// The direct solvers against one another on chains, trees, hubs, loops and nets.
nlohmann::json linear_solvers(bool quick);

/// Steps per second of explicit and implicit integrators on free bodies and a chain.
nlohmann::json explicit_steps(bool quick);

/// Takes steps of one free body and nothing else, for tools that count instructions.
void free_body_steps(long steps);

/// CPU time to a given error of the trajectory, against other programs where they are installed.
nlohmann::json work_precision(bool quick);

} // namespace emmy::benchmark
