#include "solvers/integrators/pointwise/inertia_buffers.hpp"

#include <algorithm>

namespace emmy {

InertiaBuffers::InertiaBuffers(const Model& model) {
  Index largest = 0;
  for (const Body* body : model.bodies())
    largest = std::max(largest, body->unknowns());
  f_.resize(largest);
  for (MatX* matrix : {&M_, &C_, &K_})
    matrix->resize(largest, largest);
}

void InertiaBuffers::evaluate(const Body& body, const MotionAt& at, bool tangent) {
  size_ = body.unknowns();
  f_.head(size_).setZero();
  if (tangent)
    for (MatX* matrix : {&M_, &C_, &K_})
      matrix->topLeftCorner(size_, size_).setZero();
  InertiaSystem system{f_.head(size_), M_.topLeftCorner(size_, size_), C_.topLeftCorner(size_, size_),
                       K_.topLeftCorner(size_, size_), tangent};
  body.evaluate_inertia(at, system);
}

void InertiaBuffers::add_magnitude(const Body& body, const MotionAt& at, const VecX& a, const VecX& v, VectorRef size) {
  evaluate(body, at, true);
  Index column = 0;
  for (const Node& node : body.nodes())
    for (Index i = node.unknown; i < node.unknown + node.unknowns(); ++i, ++column) {
      // f is quadratic in v: half of its derivative
      size += std::abs(a[i]) * M_.col(column).head(size_).cwiseAbs();
      size += std::abs(v[i]) / 2 * C_.col(column).head(size_).cwiseAbs();
    }
}

} // namespace emmy
