/// The bytes of a checkpoint: with its head, and bare, as if the digest had not told that they were damaged.
#include "io/checkpoint/checkpoint.hpp"
#include "verification/fuzz/fuzz.hpp"

void emmy::fuzz::read(const std::string& text, deck::Diagnostics& diagnostics) {
  for (Checkpoint (*decoder)(const std::string&) : {decode, decode_unchecked})
    try {
      decoder(text);
    } catch (const CheckpointError& error) {
      diagnostics.error(deck::Location{}, error.what());
    }
}
