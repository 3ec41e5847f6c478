#pragma once
/// Islands [Q10]: sets of contacts that nothing but what they touch connects. Each is a problem of its own.

#include "core/types.hpp"

#include <array>
#include <vector>

namespace emmy::contact {

class IslandFinder {
public:
  /// `parts` are the moving parts, from 0, that each contact touches, -1 for none. Writes the number of its island for
  /// each contact, and returns how many there are; they are numbered in the order of their first contacts. A contact
  /// that touches nothing that moves is an island alone.
  Index find(const std::vector<std::array<Index, 2>>& parts, std::vector<Index>& island);

private:
  Index root(Index part);

  std::vector<Index> parent_; ///< of parts; only those that are touched have a meaning
  std::vector<Index> number_; ///< island of a root
};

} // namespace emmy::contact
