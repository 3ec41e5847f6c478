#pragma once
/// A text file that is readable at any moment: whole lines reach the disk together, at the latest half a second after
/// they were written, so that a kill leaves complete lines. The system lets SIGKILL end a write between two pages of
/// memory, and no call of it writes across their edge at once. Lines are therefore handed over in pieces that lie
/// within a page, and a line across the edge by itself: it alone can be left cut, at the edge and without its line end,
/// by a kill that hits the microsecond in which it is copied.

#include <chrono>
#include <stdexcept>
#include <string>

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
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Appends text that ends with a line end.
  void write(const std::string& lines);
  void flush();

private:
  /// Length of the lines from pending_[done] that are written at once.
  std::size_t next_piece(std::size_t done) const;

  std::string path_;
  int descriptor_ = -1;
  std::string pending_;
  std::size_t written_ = 0; ///< bytes of the file
  std::chrono::steady_clock::time_point flushed_;
};

/// Replaces a file by new contents in one go: a reader sees the old text or the new one, never half of it.
void replace_file(const std::string& path, const std::string& contents);

} // namespace emmy
