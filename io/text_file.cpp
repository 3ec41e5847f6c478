#include "io/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace emmy {

namespace {

constexpr std::size_t largest_buffer = 1 << 20;
constexpr std::chrono::milliseconds longest_wait{500};
constexpr std::size_t page = 4096;

/// Reads the first bytes of a file into a digest; why that is not possible, if it is not.
std::string read_prefix(int descriptor, std::uint64_t bytes, Digest& digest) {
  std::string block(1 << 16, '\0');
  while (bytes > 0) {
    const ssize_t count = ::read(descriptor, block.data(), std::min<std::uint64_t>(bytes, block.size()));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::strerror(errno);
    if (count == 0)
      return "it is shorter than it was";
    digest.add(block.data(), static_cast<std::size_t>(count));
    bytes -= static_cast<std::uint64_t>(count);
  }
  return {};
}

} // namespace

std::string difference_from(const std::string& path, const FileMark& mark) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::string("it cannot be read: ") + std::strerror(errno);
  Digest digest;
  const std::string problem = read_prefix(descriptor, mark.bytes, digest);
  ::close(descriptor);
  if (!problem.empty())
    return problem;
  return digest.value() == mark.digest ? ""
                                       : "its first " + std::to_string(mark.bytes) + " bytes are not what was written";
}

TextFile::TextFile(std::string path) : path_(std::move(path)), flushed_(std::chrono::steady_clock::now()) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw FileError(path_, std::strerror(errno));
}

TextFile::TextFile(std::string path, const FileMark& mark)
    : path_(std::move(path)), written_(mark.bytes), flushed_(std::chrono::steady_clock::now()) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0)
    throw FileError(path_, std::strerror(errno));
  std::string problem = read_prefix(descriptor_, mark.bytes, digest_);
  if (problem.empty() && ::ftruncate(descriptor_, static_cast<off_t>(mark.bytes)) != 0)
    problem = std::strerror(errno);
  if (problem.empty())
    return;
  ::close(descriptor_);
  throw FileError(path_, problem);
}

TextFile::~TextFile() {
  try {
    flush();
  } catch (const std::exception&) { // the disk is full: whoever cares has called flush() before
  }
  ::close(descriptor_);
}

void TextFile::write(const std::string& lines) {
  pending_ += lines;
  if (pending_.size() > largest_buffer || std::chrono::steady_clock::now() - flushed_ > longest_wait)
    flush();
}

std::size_t TextFile::next_piece(std::size_t done) const {
  const std::size_t room = page - written_ % page;
  if (pending_.size() - done <= room)
    return pending_.size() - done;
  const std::size_t last_end = pending_.rfind('\n', done + room - 1);
  const std::size_t end = last_end != std::string::npos && last_end >= done ? last_end : pending_.find('\n', done);
  return (end == std::string::npos ? pending_.size() : end + 1) - done;
}

void TextFile::flush() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t written = ::write(descriptor_, pending_.data() + done, next_piece(done));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      const int reason = errno;
      pending_.erase(0, done);
      throw FileError(path_, std::strerror(reason));
    }
    digest_.add(pending_.data() + done, static_cast<std::size_t>(written));
    done += static_cast<std::size_t>(written);
    written_ += static_cast<std::size_t>(written);
  }
  pending_.clear();
  flushed_ = std::chrono::steady_clock::now();
}

FileMark TextFile::mark() {
  flush();
  return {written_, digest_.value()};
}

void TextFile::sync() {
  flush();
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) // what is no file on a disk needs no syncing
    throw FileError(path_, std::strerror(errno));
}

namespace {

/// A new name in a directory is on the disk only after the directory is.
void sync_directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return; // it may be written to and not read: then the system's own time has to do
  ::fsync(descriptor);
  ::close(descriptor);
}

} // namespace

void replace_file(const std::string& path, const std::string& contents) {
  const std::string fresh = path + unfinished;
  try {
    TextFile file(fresh);
    file.write(contents);
    file.sync();
  } catch (const FileError&) {
    std::remove(fresh.c_str());
    throw;
  }
  std::error_code failed;
  std::filesystem::rename(fresh, path, failed);
  if (failed) {
    std::remove(fresh.c_str());
    throw FileError(path, failed.message());
  }
  sync_directory_of(path);
}

void remove_file(const std::string& path) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  if (failed)
    throw FileError(path, "the old file cannot be removed: " + failed.message());
}

} // namespace emmy
