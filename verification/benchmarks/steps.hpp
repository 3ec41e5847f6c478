#pragma once
/// The steps that sections compare.

namespace emmy::benchmark {

inline constexpr double step_length = 1e-3; ///< [s]

/// Every model is timed over the same steps, whatever its size. At the start there is nothing to extrapolate from:
/// steps then take two or three iterations where one is enough later, in a chain of 256 for the first fifty of them.
inline constexpr int untimed_steps = 60;

} // namespace emmy::benchmark
