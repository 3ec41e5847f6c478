#pragma once
/// Guesses at what a user meant.

#include <string>
#include <string_view>
#include <vector>

namespace emmy::deck {

/// Number of single-character insertions, deletions, replacements and swaps of neighbours between two words, counted up
/// to `most`; anything farther apart gives most + 1.
int edit_distance(std::string_view a, std::string_view b, int most);

/// The candidate nearest to `word`, empty when none is near enough to be a likely slip of the keyboard.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "expected one of: a, b, c" in alphabetical order, cut short for long lists; and "did you mean 'b'?" where there is a
/// guess.
std::vector<std::string> notes_for(std::string_view word, std::vector<std::string> candidates);

} // namespace emmy::deck
