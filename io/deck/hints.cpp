#include "io/deck/hints.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

namespace emmy::deck {

int edit_distance(std::string_view a, std::string_view b, int most) {
  const auto n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > most)
    return most + 1;
  const auto at = [](auto& row, int j) -> auto& {
    return row[static_cast<std::size_t>(j)];
  };
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (int i = 1; i <= n; ++i) {
    at(row, 0) = i;
    for (int j = 1; j <= m; ++j) {
      const int replaced = at(last, j - 1) + (at(a, i - 1) == at(b, j - 1) ? 0 : 1);
      at(row, j) = std::min({at(last, j) + 1, at(row, j - 1) + 1, replaced});
      if (i > 1 && j > 1 && at(a, i - 1) == at(b, j - 2) && at(a, i - 2) == at(b, j - 1))
        at(row, j) = std::min(at(row, j), at(before, j - 2) + 1);
    }
    if (*std::min_element(row.begin(), row.end()) > most)
      return most + 1;
    before.swap(last);
    last.swap(row);
  }
  return std::min(last.back(), most + 1);
}

namespace {

std::string lower(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // A third of the letters may be wrong, but not all of a short word's; words beyond any sensible name are not worth
  // the quadratic work.
  constexpr std::size_t longest = 64;
  if (word.empty() || word.size() > longest)
    return {};
  const std::string wanted = lower(word);
  std::string best;
  const auto length = static_cast<int>(word.size());
  int best_distance = std::min(std::max(1, length / 3), length - 1) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest)
      continue;
    const int distance = edit_distance(wanted, lower(candidate), best_distance - 1);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<std::string> notes_for(std::string_view word, std::vector<std::string> candidates) {
  constexpr std::size_t most_listed = 20;
  const std::string guess = nearest(word, candidates);
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> notes;
  if (!candidates.empty()) {
    std::string list = candidates.size() == 1 ? "expected: " : "expected one of: ";
    for (std::size_t i = 0; i < std::min(candidates.size(), most_listed); ++i)
      list += (i > 0 ? ", " : "") + candidates[i];
    if (candidates.size() > most_listed)
      list += ", and " + std::to_string(candidates.size() - most_listed) + " more";
    notes.push_back(list);
  }
  if (!guess.empty())
    notes.push_back("did you mean '" + guess + "'?");
  return notes;
}

} // namespace emmy::deck
