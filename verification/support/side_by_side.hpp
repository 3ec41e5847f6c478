#pragma once
/// Models of several mechanisms that nothing connects, of which each can be made alone.

#include "verification/support/mechanisms.hpp"

#include <vector>

namespace emmy::test {

/// A mechanism of three boxes 1 x 0.5 x 3 of 12 kg, hung from the ground and inclined by pi/4, from rest; g = 9.81.
enum class Part {
  hinged,       ///< a chain on hinges
  on_balls,     ///< on ball joints
  of_directors, ///< of director bodies on ball joints
  sprung,       ///< on hinges, a spring at its end
  pushed,       ///< on hinges, a force at its end that turns with it
  driven,       ///< on hinges, with a motor in the first one
  sliding,      ///< on hinges, but the second body slides along the first one
  walled,       ///< on hinges, above a floor that its end meets after 0.15 s
  loop,         ///< a parallelogram of hinges, which repeat one another
  sprung_loop   ///< the same with a spring
};

/// Bodies of one part after the other. A part is at the same place and has the same names wherever it is.
Mechanism side_by_side(const std::vector<Part>& parts);

} // namespace emmy::test
