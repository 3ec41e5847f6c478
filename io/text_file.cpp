#include "io/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace emmy {

namespace {
constexpr std::size_t largest_buffer = 1 << 20;
constexpr std::chrono::milliseconds longest_wait{500};
constexpr std::size_t page = 4096;
} // namespace

TextFile::TextFile(std::string path) : path_(std::move(path)), flushed_(std::chrono::steady_clock::now()) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw FileError(path_, std::strerror(errno));
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
    if (written < 0)
      throw FileError(path_, std::strerror(errno));
    done += static_cast<std::size_t>(written);
    written_ += static_cast<std::size_t>(written);
  }
  pending_.clear();
  flushed_ = std::chrono::steady_clock::now();
}

void replace_file(const std::string& path, const std::string& contents) {
  const std::string fresh = path + ".new";
  {
    TextFile file(fresh);
    file.write(contents);
    file.flush();
  }
  std::error_code failed;
  std::filesystem::rename(fresh, path, failed);
  if (failed)
    throw FileError(path, failed.message());
}

} // namespace emmy
