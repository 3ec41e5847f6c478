#pragma once
/// Calls of the system, as they are safe to make.

#include <cerrno>

namespace emmy {

/// Makes a call that returns less than 0 and errno where it fails; again, where a signal came before it did anything.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR)
    result = call();
  return result;
}

} // namespace emmy
