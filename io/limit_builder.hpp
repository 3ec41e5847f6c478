#pragma once
/// Turns the limits of a deck into elements.

#include "elements/limits/limit.hpp"
#include "io/placement.hpp"

#include <memory>

namespace emmy {

std::unique_ptr<Limit> make_wall(const deck::Limit& limit, const Placement& placement, const Ports& ports);
std::unique_ptr<Limit> make_rope(const deck::Limit& limit, const Placement& placement, const Ports& ports);
/// `joint` is null where its bodies share points; then the sides say what is measured.
std::unique_ptr<Limit> make_stop(const deck::Limit& limit, const Joint* joint, const Sides& sides, const Ports& ports);

} // namespace emmy
