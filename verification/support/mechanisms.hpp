#pragma once
/// Small mechanisms that several tests and the benchmarks share.

#include "core/model.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/trial.hpp"

#include <memory>
#include <vector>

namespace emmy::test {

/// A model with the state it starts from.
struct Mechanism {
  std::unique_ptr<Model> model = std::make_unique<Model>();
  State initial;
  std::vector<const Body*> bodies;
};

/// After elements have been added: room for what they need at the start.
inline void begin(Mechanism& m) {
  m.initial.multipliers.setZero(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  m.model->begin(m.initial);
}

enum class ChainJoint { spherical, revolute };

/// Chain of n boxes 1 x 0.5 x 3 of 12 kg, hung at the origin, g = 9.81 along -z, from rest: the first half of the links
/// inclined by pi/4 from the vertical, the other by 3 pi/4. With spherical joints all of it is turned by pi/4 about y
/// (docs/theory/frames.md). For n = 4 these are the chains of Nielsen & Krenk.
Mechanism hanging_chain(int n, ChainJoint joint, const BodyMaker& body = body_makers().front());

/// Planar four-bar linkage in space with four revolute joints: ground 2, crank 1, coupler 2, rocker 1.8 m; the crank
/// stands at 60 degrees. 20 equations of rank 17.
Mechanism four_bar();

/// Gives the crank of a four-bar linkage a second hinge with the ground, tilted about x: once it turns, not all joints
/// can hold.
void add_tilted_hinge(Mechanism& four_bar, double tilt);

/// Parallelogram with ground and coupler 2, crank and rocker 1 m, hinges on the ground and ball joints at the coupler:
/// 16 equations, all independent. The crank starts at 60 degrees with -4 rad/s and turns through the flat position.
Mechanism parallelogram();

/// N parallelogram windows side by side: N + 1 upright rods of 1 m and 1 kg, hinged to the ground at (i, 0, 0), N
/// horizontal ones that join their tops, every hinge a revolute joint about z, gravity 9.81 along -y, all tops moving
/// at 1 m/s along x. All of it turned in space by `turn`. 15 N + 5 equations of rank 12 N + 5; while the uprights stay
/// parallel theta'' = g ((N + 1)/2 + N) / ((N + 1)/3 + N) sin theta. (docs/theory/redundancy.md)
Mechanism windows(int n, const Quaternion& turn = Quaternion::Identity());

} // namespace emmy::test
