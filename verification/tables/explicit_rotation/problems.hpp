#pragma once
/// The two problems with closed forms of docs/theory/explicit_rotation.md, and what is known about them.

#include "core/body.hpp"
#include "core/model.hpp"

#include <memory>

namespace emmy::tables::rotation {

struct Problem {
  std::unique_ptr<Model> model = std::make_unique<Model>(); // elements point to its ports
  State initial;
  const Body* body = nullptr;
};

/// [E8]: spun up about the intermediate axis, pushed aside for one step h before t = 2, then free. At an instant at
/// which the moment jumps it counts with the value before.
Problem unstable_rotation(double h);

/// [E8]: the free part alone, from the state at t = 2 that a push of 1 ms leads to.
Problem free_rotation();

/// [E9]: the fast top on a fixed tip.
Problem heavy_top();

/// Rotation of free_rotation() at t = 10, by a Taylor series of order 28 in 80-bit numbers (error 1e-13).
Quaternion free_rotation_at_10();
/// Direction of the axis of heavy_top() at t = 10, likewise (error 1e-14).
Vec3 top_axis_at_10();
/// Angle between the axis of the top and the vertical, closed form [E9].
double nutation(double t);
/// Likewise of an orientation.
double nutation(const Quaternion& q);

} // namespace emmy::tables::rotation
