#pragma once
/// Parts of a model: bodies that elements connect, directly or through others. Nothing that happens in one is felt in
/// another, so each is judged by itself.

#include "core/model.hpp"

#include <functional>
#include <vector>

namespace emmy {

struct ModelParts {
  explicit ModelParts(const Model& model);
  /// Without the elements, numbered as in the model, that do not connect.
  ModelParts(const Model& model, const std::function<bool(std::size_t)>& connects);

  std::size_t of(const Node& node) const { return of_unknown[static_cast<std::size_t>(node.unknown)]; }

  std::vector<std::size_t> of_unknown; ///< number of the part that an unknown belongs to
  std::size_t count = 0;
};

} // namespace emmy
