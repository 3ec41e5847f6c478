#pragma once
/// The rod in the cube of Puso & Zywicz, the problem that conserving contact was published with, at its full length.

#include <string>

namespace emmy::test {

/// 10⁷ steps of 1 µs: energy, momenta and gaps all the way, the first impacts against another program. Writes the
/// errors over time to DIRECTORY/rod_in_cube.csv if one is given. Prints what came out; false if a limit is broken.
bool run_rod_in_cube(const std::string& directory);

/// Impacts in 10 s of 24 runs with steps of 10 µs that differ in the last digits of their start, against the counts of
/// another program: the motion is chaotic, so that no single count could be compared.
bool run_rod_ensemble();

} // namespace emmy::test
