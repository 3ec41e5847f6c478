#pragma once
/// Two boxes.

#include "contact/pairs/collector.hpp"

namespace emmy::contact {

/// `points`: with a as the slave, `reversed` with b. Corners are slaves of the other box, crossing edges those of a.
void boxes_on_each_other(const Box& a, const Box& b, Collector& points, Collector& reversed);

} // namespace emmy::contact
