#pragma once
/// Whether what a checkpoint holds can belong to a model: whoever goes on with it may then take its sizes and numbers
/// of things for granted.

#include "io/checkpoint/checkpoint.hpp"
#include "io/loading.hpp"

#include <string>

namespace emmy {

/// What does not fit; empty if all does.
std::string state_problem(const Checkpoint& checkpoint, const Loaded& m);

} // namespace emmy
