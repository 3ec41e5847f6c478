#pragma once
/// Keeps two runs from writing to one directory at the same time. The system lets go of it when the process ends,
/// however it ends.

#include <string>

namespace emmy {

class DirectoryLock {
public:
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  /// Another run holds it.
  bool is_taken() const { return is_taken_; }

private:
  int descriptor_ = -1;
  bool is_taken_ = false;
};

} // namespace emmy
