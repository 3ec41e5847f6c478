#pragma once
/// Joints for generated tests: every joint with every pair of bodies, at every step size.

#include "elements/joints/joint.hpp"
#include "verification/support/trial.hpp"

#include <functional>

namespace emmy::test {

/// Pose of the second side of a joint seen from the first, in the joint's axes.
struct RelativePose {
  Vec3 slide = Vec3::Zero();
  Quaternion turn = Quaternion::Identity();
};

/// One kind of joint. A new joint joins every generated test by a line in joint_makers().
struct JointMaker {
  std::string name;
  Index rows;
  Index vector_rows; ///< leading rows that are components of a vector
  std::unique_ptr<Joint> (*make)(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);
  /// Pose that the joint admits, from coordinates of which it uses as many as it has freedoms.
  std::function<RelativePose(const Vec3& coordinates)> admitted;
};

const std::vector<JointMaker>& joint_makers();

struct JointSample {
  const JointMaker* joint;
  BodyPair bodies;
  StepSize size;
};

/// Every joint, every pair of bodies, every step size or only the given ones.
std::vector<JointSample> joint_samples(const std::vector<StepSize>& sizes = step_sizes());
std::ostream& operator<<(std::ostream& out, const JointSample& sample);

/// A joint between two bodies with random inertia, at random points and axes.
struct JointScene {
  JointScene(const JointSample& sample, Random& random);

  /// Motions of the bodies that have one. The joint holds at both ends.
  std::vector<Motion> joined_motions(Random& random) const;
  /// Any motions, joined or not.
  std::vector<Motion> free_motions(Random& random) const;
  Trial trial(const std::vector<Motion>& motions, Random& random) const;

  JointSample sample;
  Model model;
  JointSide I, J;
  const Joint* joint = nullptr;
};

} // namespace emmy::test
