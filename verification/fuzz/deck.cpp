/// The text of a deck.
#include "io/deck/reader.hpp"
#include "verification/fuzz/fuzz.hpp"

void emmy::fuzz::read(const std::string& text, deck::Diagnostics& diagnostics) {
  deck::read_deck_text("deck.yaml", text, {}, diagnostics);
}
