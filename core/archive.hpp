#pragma once
/// Data as bytes, and back. A type lists its members once, for both ways and for comparison:
///
///   struct Pair {
///     double a;
///     VecX b;
///     template <class Self, class Archive>
///     static void archive(Self& self, Archive& to) { to(self.a, self.b); }
///   };
///
/// Numbers are written as they are in memory, so bytes are equal where every bit is, and belong to one kind of machine.

#include "core/types.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace emmy {

using Bytes = std::vector<unsigned char>;

/// Bytes that are not what was written: cut off, or of another type.
class ArchiveError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace archive_detail {
template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
/// A long is as long as the machine likes.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t,
                                  std::conditional_t<std::is_integral_v<T> || std::is_enum_v<T>, std::int64_t, T>>;
} // namespace archive_detail

class ByteWriter {
public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  template <class... T>
  void operator()(const T&... what) {
    (write(what), ...);
  }

private:
  void raw(const void* from, std::size_t size) {
    const auto* first = static_cast<const unsigned char*>(from);
    out_.insert(out_.end(), first, first + size);
  }
  template <class T>
  void write(const T& what) {
    if constexpr (archive_detail::is_number<T>) {
      const auto stored = static_cast<archive_detail::Stored<T>>(what);
      raw(&stored, sizeof stored);
    } else {
      T::archive(what, *this);
    }
  }
  void write(const std::string& text) {
    write(text.size());
    raw(text.data(), text.size());
  }
  template <class T>
  void write(const std::vector<T>& all) {
    write(all.size());
    for (const T& one : all)
      write(one);
  }
  template <class T, std::size_t N>
  void write(const std::array<T, N>& all) {
    for (const T& one : all)
      write(one);
  }
  template <class T, int Rows>
  void write(const Eigen::Matrix<T, Rows, 1>& v) {
    if (Rows == Eigen::Dynamic)
      write(v.size());
    raw(v.data(), static_cast<std::size_t>(v.size()) * sizeof(T));
  }

  Bytes& out_;
};

/// Throws ArchiveError where bytes are not those of the type.
class ByteReader {
public:
  explicit ByteReader(const Bytes& from) : ByteReader(from.data(), from.size()) {}
  ByteReader(const unsigned char* from, std::size_t size) : next_(from), left_(size) {}

  template <class... T>
  void operator()(T&... what) {
    (read(what), ...);
  }
  bool is_at_end() const { return left_ == 0; }

private:
  void raw(void* to, std::size_t size) {
    if (size > left_)
      throw ArchiveError("it ends early");
    std::memcpy(to, next_, size);
    next_ += size;
    left_ -= size;
  }
  /// A count of things of at least so many bytes each: one that there is no room for is none that was written.
  std::size_t count(std::size_t least) {
    std::int64_t n = 0;
    read(n);
    if (n < 0 || static_cast<std::uint64_t>(n) > left_ / least)
      throw ArchiveError("it ends early");
    return static_cast<std::size_t>(n);
  }
  template <class T>
  void read(T& what) {
    if constexpr (archive_detail::is_number<T>) {
      archive_detail::Stored<T> stored{};
      raw(&stored, sizeof stored);
      what = static_cast<T>(stored);
      if constexpr (!std::is_floating_point_v<T>)
        if (static_cast<archive_detail::Stored<T>>(what) != stored)
          throw ArchiveError("a number is too large");
    } else {
      T::archive(what, *this);
    }
  }
  void read(std::string& text) {
    text.resize(count(1));
    if (!text.empty())
      raw(&text[0], text.size());
  }
  template <class T>
  void read(std::vector<T>& all) {
    all.clear(); // and no room before there is something to fill it
    for (std::size_t left = count(1); left > 0; --left) {
      all.emplace_back();
      read(all.back());
    }
  }
  template <class T, std::size_t N>
  void read(std::array<T, N>& all) {
    for (T& one : all)
      read(one);
  }
  template <class T, int Rows>
  void read(Eigen::Matrix<T, Rows, 1>& v) {
    if (Rows == Eigen::Dynamic)
      v.resize(static_cast<Index>(count(sizeof(T))));
    if (v.size() > 0)
      raw(v.data(), static_cast<std::size_t>(v.size()) * sizeof(T));
  }

  const unsigned char* next_;
  std::size_t left_;
};

template <class T>
Bytes bytes_of(const T& what) {
  Bytes bytes;
  ByteWriter{bytes}(what);
  return bytes;
}

/// True if every bit is the same: NaN equals itself, and 0 is not -0.
template <class T>
bool same_bits(const T& a, const T& b) {
  return bytes_of(a) == bytes_of(b);
}

} // namespace emmy
