#pragma once
/// Reading of input decks.
///
///   Diagnostics diagnostics;
///   const Deck deck = read_deck("pendulum.yaml", {"integrator.step=0.001"}, diagnostics);
///   std::cerr << diagnostics;            // warnings too
///   if (diagnostics.has_errors()) return 2;

#include "io/deck/deck.hpp"
#include "io/deck/diagnostics.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace emmy::deck {

inline constexpr const char* standard_input = "-";      ///< the path that stands for it; messages call it <stdin>
inline constexpr std::size_t largest_deck = 64'000'000; ///< bytes

/// Reads the deck at `path`, changed by `--set` texts of the form `path.to.entry=value`. Every mistake that can be
/// found goes to `diagnostics`; no exception leaves. After an error the result is incomplete and must not be run.
Deck read_deck(const std::string& path, const std::vector<std::string>& overrides, Diagnostics& diagnostics);

/// The same for a text at hand; `name` stands for the file in messages.
Deck read_deck_text(const std::string& name, std::string text, const std::vector<std::string>& overrides,
                    Diagnostics& diagnostics);

/// JSON Schema (draft 2020-12) of a deck, for editors that complete and check.
std::string json_schema();

/// The reference part of docs/deck.md.
std::string markdown_reference();

} // namespace emmy::deck
