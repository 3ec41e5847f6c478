#pragma once
/// Files by their sizes and digests: whether one still begins as it did.

#include "io/digest.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace emmy {

/// The first bytes of a file, as they were when a checkpoint was made.
struct FileMark {
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;

  bool operator==(const FileMark& other) const { return bytes == other.bytes && digest == other.digest; }
  bool operator!=(const FileMark& other) const { return !(*this == other); }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.bytes, self.digest);
  }
};

/// A file that a deck refers to, by the bytes that were read from it.
struct ReferredFile {
  std::string path;
  FileMark mark;

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.path, self.mark);
  }
};

/// Reads so many bytes of an open file into a digest; why that is not possible, if it is not.
std::string read_prefix(int descriptor, std::uint64_t bytes, Digest& digest);

/// What is wrong with a file that should begin as its mark says; empty if it does.
std::string difference_from(const std::string& path, const FileMark& mark);

/// Of a whole file; nothing if it cannot be read.
std::optional<FileMark> mark_of(const std::string& path);

} // namespace emmy
