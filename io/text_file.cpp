#include "io/text_file.hpp"

#include "io/system_call.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace emmy {

namespace {

constexpr std::size_t largest_buffer = 1 << 20;
constexpr std::chrono::milliseconds longest_wait{500};
constexpr std::size_t page = 4096;

/// What is no file on a disk needs no syncing.
bool is_failed_sync(int result) {
  return result != 0 && errno != EINVAL && errno != EROFS;
}

} // namespace

TextFile::TextFile(std::string path) : path_(std::move(path)), flushed_(std::chrono::steady_clock::now()) {
  descriptor_ = uninterrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); });
  if (descriptor_ < 0)
    throw FileError(path_, std::strerror(errno));
}

TextFile::TextFile(std::string path, const FileMark& mark)
    : path_(std::move(path)), written_(mark.bytes), flushed_(std::chrono::steady_clock::now()) {
  descriptor_ = uninterrupted([&] { return ::open(path_.c_str(), O_RDWR | O_CLOEXEC); });
  if (descriptor_ < 0)
    throw FileError(path_, std::strerror(errno));
  std::string problem = read_prefix(descriptor_, mark.bytes, digest_);
  if (problem.empty() && uninterrupted([&] { return ::ftruncate(descriptor_, static_cast<off_t>(mark.bytes)); }) != 0)
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
    const ssize_t written =
        uninterrupted([&] { return ::write(descriptor_, pending_.data() + done, next_piece(done)); });
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
  if (is_failed_sync(uninterrupted([&] { return ::fdatasync(descriptor_); })))
    throw FileError(path_, std::strerror(errno));
}

namespace {

/// A new name in a directory is on the disk only after the directory is.
void sync_directory_of(const std::string& path) {
  std::string directory = std::filesystem::path(path).parent_path().string();
  if (directory.empty())
    directory = ".";
  const int descriptor = uninterrupted([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0)
    return; // it may be written to and not read: then the system's own time has to do
  const bool is_failed = is_failed_sync(uninterrupted([&] { return ::fsync(descriptor); }));
  const int reason = errno;
  ::close(descriptor);
  if (is_failed)
    throw FileError(directory, std::strerror(reason));
}

} // namespace

void replace_file(const std::string& path, const std::string& contents, bool sync) {
  const std::string fresh = path + unfinished;
  try {
    TextFile file(fresh);
    file.write(contents);
    if (sync)
      file.sync();
    else
      file.flush();
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
  if (sync)
    sync_directory_of(path);
}

void make_directories(const std::string& path, std::error_code& failed) {
  namespace fs = std::filesystem;
  std::vector<std::string> made;
  for (fs::path there = path; !there.empty() && !fs::exists(there, failed); there = there.parent_path())
    made.push_back(there.string());
  if (fs::create_directories(path, failed); failed)
    return;
  for (const std::string& directory : made)
    sync_directory_of(directory);
}

void remove_file(const std::string& path) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  if (failed)
    throw FileError(path, "the old file cannot be removed: " + failed.message());
}

} // namespace emmy
