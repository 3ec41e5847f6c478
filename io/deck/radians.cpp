#include "io/deck/values.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

namespace emmy::deck {

void suspect_degrees(Reading& reading, const Node& node, const Target& target) {
  constexpr double full_turn = 6.283185307179586;
  const std::string text(node.text);
  char* end = nullptr;
  const double angle = std::strtod(text.c_str(), &end);
  const bool is_plain_number = !text.empty() && *end == '\0'; // who writes pi or deg has thought of the unit
  if (!is_plain_number || !(std::abs(angle) > full_turn) || !reading.suspected.insert(&node).second)
    return;
  reading.diagnostics.warning(span_of(node), target.describe() + " is " + text + " rad, more than a full turn",
                              {"angles are in radians; for degrees write " + text + "*deg"});
}

} // namespace emmy::deck
