#include "io/file_mark.hpp"

#include "io/system_call.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace emmy {

namespace {

constexpr std::size_t block_size = 1 << 16;

/// Reads up to so many bytes, in blocks; the number of those that were there, or -1.
std::int64_t read_up_to(int descriptor, std::uint64_t most, Digest& digest) {
  std::string block(block_size, '\0');
  std::uint64_t done = 0;
  while (done < most) {
    const std::size_t size = std::min<std::uint64_t>(most - done, block.size());
    const ssize_t count = uninterrupted([&] { return ::read(descriptor, block.data(), size); });
    if (count < 0)
      return -1;
    if (count == 0)
      break;
    digest.add(block.data(), static_cast<std::size_t>(count));
    done += static_cast<std::uint64_t>(count);
  }
  return static_cast<std::int64_t>(done);
}

/// Something that waits for a writer, such as a pipe, is empty.
int open_to_read(const std::string& path) {
  return uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
}

} // namespace

std::string read_prefix(int descriptor, std::uint64_t bytes, Digest& digest) {
  const std::int64_t count = read_up_to(descriptor, bytes, digest);
  if (count < 0)
    return std::string("it cannot be read: ") + std::strerror(errno);
  return static_cast<std::uint64_t>(count) < bytes ? "it is shorter than it was" : "";
}

std::string difference_from(const std::string& path, const FileMark& mark) {
  const int descriptor = open_to_read(path);
  if (descriptor < 0)
    return std::string("it cannot be read: ") + std::strerror(errno);
  Digest digest;
  std::string problem = read_prefix(descriptor, mark.bytes, digest);
  ::close(descriptor);
  if (!problem.empty())
    return problem;
  return digest.value() == mark.digest ? ""
                                       : "its first " + std::to_string(mark.bytes) + " bytes are not what was written";
}

std::optional<FileMark> mark_of(const std::string& path) {
  const int descriptor = open_to_read(path);
  if (descriptor < 0)
    return std::nullopt;
  Digest digest;
  const std::int64_t count = read_up_to(descriptor, std::numeric_limits<std::int64_t>::max(), digest);
  ::close(descriptor);
  if (count < 0)
    return std::nullopt;
  return FileMark{static_cast<std::uint64_t>(count), digest.value()};
}

} // namespace emmy
