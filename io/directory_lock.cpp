#include "io/directory_lock.hpp"

#include "io/system_call.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace emmy {

DirectoryLock::DirectoryLock(const std::string& directory)
    : descriptor_(uninterrupted([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })) {
  // File systems that know no locks are taken as they are.
  is_taken_ = descriptor_ >= 0 && uninterrupted([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) != 0 &&
              errno == EWOULDBLOCK;
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

} // namespace emmy
