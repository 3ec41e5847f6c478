#include "contact/problem/islands.hpp"

#include <algorithm>

namespace emmy::contact {

Index IslandFinder::root(Index part) {
  while (parent_[static_cast<std::size_t>(part)] != part) {
    Index& above = parent_[static_cast<std::size_t>(part)];
    above = parent_[static_cast<std::size_t>(above)]; // halves the way for those who come next
    part = above;
  }
  return part;
}

Index IslandFinder::find(const std::vector<std::array<Index, 2>>& parts, std::vector<Index>& island) {
  Index most = -1;
  for (const auto& pair : parts)
    most = std::max({most, pair[0], pair[1]});
  if (parent_.size() < static_cast<std::size_t>(most + 1)) {
    parent_.resize(static_cast<std::size_t>(most + 1));
    number_.resize(parent_.size());
  }
  for (const auto& pair : parts)
    for (const Index part : pair)
      if (part >= 0) {
        parent_[static_cast<std::size_t>(part)] = part;
        number_[static_cast<std::size_t>(part)] = -1;
      }
  for (const auto& pair : parts)
    if (pair[0] >= 0 && pair[1] >= 0)
      parent_[static_cast<std::size_t>(root(pair[0]))] = root(pair[1]);

  island.resize(parts.size());
  Index count = 0;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const Index part = std::max(parts[j][0], parts[j][1]);
    if (part < 0) {
      island[j] = count++;
      continue;
    }
    Index& number = number_[static_cast<std::size_t>(root(part))];
    if (number < 0)
      number = count++;
    island[j] = number;
  }
  return count;
}

} // namespace emmy::contact
