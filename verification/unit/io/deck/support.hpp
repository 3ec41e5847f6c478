#pragma once
/// What the tests of the deck reader share.

#include "io/deck/reader.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace emmy::deck::test {

/// A deck text that must be free of mistakes.
inline Deck read_good(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  Deck deck = read_deck_text("deck.yaml", text, overrides, diagnostics);
  BOOST_TEST(diagnostics.text() == "");
  return deck;
}

/// What is said about a deck text.
inline std::string messages(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  read_deck_text("deck.yaml", text, overrides, diagnostics);
  return diagnostics.text();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline const std::string integrator = "integrator: {step: 0.01, end: 1}\n";

/// A deck of one body with the given entries.
inline std::string deck_of(const std::string& body) {
  return "bodies:\n  link1: " + body + "\n" + integrator;
}

} // namespace emmy::deck::test
