#pragma once
/// `--set path.to.entry=value`: changes to a deck before it is given a meaning.

#include "io/deck/tree.hpp"

#include <string>
#include <vector>

namespace emmy::deck {

/// The deck with the overrides in their order, the last one winning. The path is held against the table and the names
/// in the deck; the value is YAML. Mistakes are reported as `--set path=value: error: ...`.
Node* apply_overrides(Node* root, const std::vector<std::string>& overrides, Tree& tree, Diagnostics& diagnostics);

} // namespace emmy::deck
