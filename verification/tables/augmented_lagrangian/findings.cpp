#include "verification/tables/augmented_lagrangian/studies.hpp"

namespace emmy::tables::impact {

std::vector<Finding> Studies::findings() const {
  return {};
}

} // namespace emmy::tables::impact
