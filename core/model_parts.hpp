#pragma once
/// Parts of a model: bodies that elements connect, directly or through others. Nothing that happens in one is felt in
/// another, so each is judged by itself.

#include "core/model.hpp"

#include <vector>

namespace emmy {

struct ModelParts {
  explicit ModelParts(const Model& model);

  std::vector<std::size_t> of_unknown; ///< number of the part that an unknown belongs to
  std::size_t count = 0;
};

} // namespace emmy
