#pragma once
/// Functions of time that jump: their values change, however short the time.

#include "core/time_function.hpp"

#include <optional>

namespace emmy::deck {

struct Jump {
  double time, size;
};

/// The first one from t = 0 to the end of so many equal spans. Where rates at both ends of a span do not say how values
/// change in it, it is halved until no number is between its ends. A jump by less than a thousandth of what a span
/// changes by may pass unseen, and so may what ends in the span that it began in, or comes after thousands of spans in
/// which values change faster than these show.
std::optional<Jump> first_jump(const TimeFunction& f, double end, long spans);

} // namespace emmy::deck
