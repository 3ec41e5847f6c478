#pragma once
/// Where an element sits on one of its two bodies, and the natural variables that follow.

#include "core/connectivity.hpp"

#include <vector>

namespace emmy {

struct JointSide {
  Index port = 0;
  Vec3 at = Vec3::Zero();       ///< body coordinates [m]
  Mat3 axes = Mat3::Identity(); ///< columns n, s1, s2: right-handed triad in body components; n is the joint's axis

  NaturalVariable point() const { return body_point(port, at); }
  NaturalVariable n() const { return body_direction(port, axes.col(0)); }
  NaturalVariable s1() const { return body_direction(port, axes.col(1)); }
  NaturalVariable s2() const { return body_direction(port, axes.col(2)); }
};

} // namespace emmy
