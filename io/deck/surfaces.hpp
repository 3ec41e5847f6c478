#pragma once
/// Surfaces of bodies, as a deck gives them.

#include "io/deck/fields.hpp"

namespace emmy::deck {

/// The surfaces of `contact`: solids of bodies first, then those with entries of their own.
void read_surfaces(Reading& reading, const Fields& contact);

} // namespace emmy::deck
