#pragma once
/// A text file that is readable at any moment: whole lines reach the disk together, at the latest half a second after
/// they were written, so that a kill leaves complete lines. The system lets SIGKILL end a write between two pages of
/// memory, and no call of it writes across their edge at once. Lines are therefore handed over in pieces that lie
/// within a page, and a line across the edge by itself: it alone can be left cut, at the edge and without its line end,
/// by a kill that hits the microsecond in which it is copied.

#include "io/file_mark.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>

namespace emmy {

/// A file that cannot be written; what() is the whole message: "path: error: ...".
class FileError : public std::runtime_error {
public:
  FileError(const std::string& path, const std::string& reason)
      : std::runtime_error(path + ": error: cannot write: " + reason) {}
};

class TextFile {
public:
  /// Creates or empties the file. Throws FileError with the system's reason.
  explicit TextFile(std::string path);
  /// Goes on behind a mark; what stands there is cut off.
  TextFile(std::string path, const FileMark& mark);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& path() const { return path_; }
  /// Appends text that ends with a line end.
  void write(const std::string& lines);
  void flush();
  /// All that has been written; it reaches the system, and with sync() the disk.
  FileMark mark();
  void sync();

private:
  /// Length of the lines from pending_[done] that are written at once.
  std::size_t next_piece(std::size_t done) const;

  std::string path_;
  int descriptor_ = -1;
  std::string pending_;
  std::size_t written_ = 0; ///< bytes of the file
  Digest digest_;           ///< of these
  std::chrono::steady_clock::time_point flushed_;
};

/// Ending of the name of a file that is being written to replace another one.
inline constexpr const char* unfinished = ".new";

/// Replaces a file by new contents in one go: a reader sees the old text or the new one, never half of it, even if the
/// machine loses its power; unless `sync` is false: then it may be neither of them after that.
void replace_file(const std::string& path, const std::string& contents, bool sync = true);

/// Makes a directory and those that it is in, and brings their names to the disk. Throws FileError if only that fails.
void make_directories(const std::string& path, std::error_code& failed);

/// Removes a file, if there is one. Throws FileError.
void remove_file(const std::string& path);

} // namespace emmy
