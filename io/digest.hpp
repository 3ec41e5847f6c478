#pragma once
/// A number that stands for bytes: bytes that were changed by accident have another one. Not a protection against
/// people who want to deceive.

#include <cstddef>
#include <cstdint>
#include <string>

struct XXH3_state_s;

namespace emmy {

class Digest {
public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(const void* bytes, std::size_t size);
  /// Of all bytes so far.
  std::uint64_t value() const;

private:
  XXH3_state_s* state_;
};

std::uint64_t digest_of(const std::string& bytes);

} // namespace emmy
