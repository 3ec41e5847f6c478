#pragma once
/// Work space for the inertia of one body at an instant.

#include "core/model.hpp"

namespace emmy {

class InertiaBuffers {
public:
  explicit InertiaBuffers(const Model& model);

  /// f of [A1] without forces, and its derivatives by a, v and q if asked for.
  void evaluate(const Body& body, const MotionAt& at, bool tangent);

  // of the last body
  auto f() const { return f_.head(size_); }
  auto M() const { return M_.topLeftCorner(size_, size_); }
  auto C() const { return C_.topLeftCorner(size_, size_); }
  auto K() const { return K_.topLeftCorner(size_, size_); }

  /// Adds the size of the terms of f, if those in accelerations and velocities are `a` and `v`; evaluates the body.
  void add_magnitude(const Body& body, const MotionAt& at, const VecX& a, const VecX& v, VectorRef size);

private:
  Index size_ = 0;
  VecX f_;
  MatX M_, C_, K_;
};

} // namespace emmy
