#include "io/digest.hpp"

#include <xxhash.h>

#include <new>

namespace emmy {

Digest::Digest() : state_(XXH3_createState()) {
  if (state_ == nullptr)
    throw std::bad_alloc();
  XXH3_64bits_reset(state_);
}

Digest::~Digest() {
  XXH3_freeState(state_);
}

void Digest::add(const void* bytes, std::size_t size) {
  XXH3_64bits_update(state_, bytes, size);
}

std::uint64_t Digest::value() const {
  return XXH3_64bits_digest(state_);
}

std::uint64_t digest_of(const std::string& bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace emmy
