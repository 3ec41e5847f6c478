#pragma once
/// What the targets share: the function that libFuzzer calls, once for every input.

#include "io/deck/diagnostics.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace emmy::fuzz {

/// One input. Whatever it is, this comes back, and what is wrong with it is told.
void read(const std::string& text, deck::Diagnostics& diagnostics);

} // namespace emmy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  emmy::deck::Diagnostics diagnostics;
  emmy::fuzz::read({reinterpret_cast<const char*>(data), size}, diagnostics);
  diagnostics.text();
  return 0;
}
