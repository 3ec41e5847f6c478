/// The text of a case.yaml, beside decks and a reference that it may name.
#include "io/verify/declaration.hpp"
#include "verification/fuzz/fuzz.hpp"

void emmy::fuzz::read(const std::string& text, deck::Diagnostics& diagnostics) {
  verify::read_case_text(EMMY_CASE, text, diagnostics);
}
