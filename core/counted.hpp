#pragma once
/// Numbers of things in messages.

#include <string>

namespace emmy {

/// "1 body", "3 bodies"; the count is of any integer type.
template <class Count>
std::string counted(Count count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace emmy
