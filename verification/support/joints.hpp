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

using Coordinates = Eigen::Matrix<double, 6, 1>;

/// One kind of joint. A new joint joins every generated test by a line in joint_makers().
struct JointMaker {
  std::string name;
  Index rows;
  Index vector_rows; ///< leading rows that are components of a vector
  std::function<std::unique_ptr<Interaction>(std::string name, const Ports& ports, const JointSide& I,
                                             const JointSide& J)>
      make;
  /// Pose that the joint admits at a time, from coordinates of which it uses as many as it has freedoms.
  std::function<RelativePose(const Coordinates& coordinates, double time)> admitted;
  /// The joint is defined near poses it admits only: an angle needs an axis.
  bool near_admitted = false;
};

/// The maker of a name; throws if there is none.
const JointMaker& joint_maker(const std::string& name);

const std::vector<JointMaker>& joint_makers();

struct JointSample {
  const JointMaker* joint;
  BodyPair bodies;
  StepSize size;
};

/// Every joint with every pair of bodies; step sizes take turns, so that each joint and each pair sees all of them.
std::vector<JointSample> joint_samples();
std::ostream& operator<<(std::ostream& out, const JointSample& sample);

/// A joint between two bodies with random inertia, at random points and axes.
struct JointScene {
  JointScene(const JointSample& sample, Random& random);

  /// Motions of the bodies that have one. The joint holds at both ends, if it can; else its axes are as if it held.
  std::vector<Motion> joined_motions(Random& random) const;
  /// Any motions, joined or not; joined ones if the joint is not defined elsewhere.
  std::vector<Motion> free_motions(Random& random) const;
  Trial trial(const std::vector<Motion>& motions, Random& random) const;

  JointSample sample;
  Model model;
  JointSide I, J;
  double h = 0; ///< of all trials
  const Interaction* joint = nullptr;
};

} // namespace emmy::test
