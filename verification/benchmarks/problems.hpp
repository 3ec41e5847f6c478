#pragma once
/// Models that the benchmarks run: one box, many ways to hang it up. All joints are spherical, all bodies start from
/// rest, and none of the models has redundant constraints.

#include "elements/bodies/frame.hpp"

#include <memory>
#include <string>
#include <vector>

namespace emmy::benchmark {

/// The box of the hanging chains: 1 x 0.5 x 3 m, its long axis is z.
struct Box {
  static constexpr double mass = 12;                                  ///< [kg]
  static constexpr double half_length = 1.5;                          ///< [m]
  static Mat3 inertia() { return Vec3(9.25, 10, 1.25).asDiagonal(); } ///< [kg m²]
};

inline constexpr double gravity = 9.81; ///< along -z [m/s²]

/// Orientation of link i of a hanging chain of N: inclined by pi/4 in the upper half and 3 pi/4 in the lower, all
/// turned by pi/4 about y.
Quaternion chain_orientation(int i, int N);

/// A model with the state it starts from.
struct Problem {
  std::string name;
  std::unique_ptr<Model> model = std::make_unique<Model>(); // elements point to its ports
  State initial;
  std::vector<const FrameBody*> bodies;
};

/// N boxes that tumble freely, without weight, about changing axes.
Problem free_bodies(int N);

/// N boxes, one hanging from the other, the first one from a fixed point.
Problem chain(int N);

/// Binary tree: two boxes hang from the lower end of each.
Problem tree(int N);

/// A hub that hangs from a fixed point, with N - 1 arms on a circle.
Problem star(int N);

/// Two hubs, the upper one hanging from a fixed point, with `limbs` limbs of two boxes from one to the other.
Problem cage(int limbs);

/// A closed polygon of N boxes that hangs from one corner.
Problem ring(int N);

/// A net of rods, rows x columns knots, that hangs from one corner; two rows are a ladder.
Problem net(int rows, int columns);

} // namespace emmy::benchmark
