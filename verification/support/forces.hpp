#pragma once
/// Springs, dampers and bushings for generated tests: every force with every pair of bodies, at every step size.

#include "verification/support/joints.hpp"

namespace emmy::test {

/// One kind of force between two bodies. A new one joins every generated test by a line in force_makers().
struct ForceMaker {
  std::string name;
  bool conserves; ///< has a potential and dissipates nothing
  bool has_axis;  ///< needs the axes n of both sides near each other
  const Interaction& (*add)(Model& model, const JointSide& I, const JointSide& J, Random& random);
};

const std::vector<ForceMaker>& force_makers();

struct ForceSample {
  const ForceMaker* force;
  BodyPair bodies;
  StepSize size;
};

/// Every force, every pair of bodies, every step size or only the given ones.
std::vector<ForceSample> force_samples(const std::vector<StepSize>& sizes = step_sizes());
std::ostream& operator<<(std::ostream& out, const ForceSample& sample);

/// A force with random coefficients between two bodies that a revolute joint may hold together. The force has the axes
/// of the joint but sits elsewhere, so that its points do not coincide.
struct ForceScene {
  ForceScene(const ForceSample& sample, Random& random);

  /// Motions of the bodies that have one: those of a revolute joint for a force with an axis, else any.
  std::vector<Motion> motions(Random& random) const;

  ForceSample sample;
  JointScene joined;
  Model& model;
  JointSide I, J; ///< of the force
  const Interaction& force;
};

/// Random symmetric matrix with eigenvalues between 0.1 and 3, or with one of them 0.
Eigen::Matrix<double, 6, 6> random_stiffness(Random& random, bool singular);

} // namespace emmy::test
