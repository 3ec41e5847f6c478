#pragma once
/// A trial: one step of a model, whatever its bodies, with everything that a check needs to ask an element about it.
/// Bodies are moved through Body::set_motion, so that a trial means the same for every formulation.

#include "core/model.hpp"
#include "verification/support/random.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace emmy::test {

/// One way to make a body. A new formulation joins every generated test by a line in body_makers().
struct BodyMaker {
  std::string name;
  const Body& (*add)(Model& model, std::string name, double mass, const Mat3& J);
  bool is_free = true; ///< false: one of its points is fixed in space, and of a motion it follows only the turning
};

const std::vector<BodyMaker>& body_makers();

/// Two ends of an element: kinds of body; no maker is the ground.
struct BodyPair {
  const BodyMaker* first = nullptr;
  const BodyMaker* second = nullptr;
  bool both_move() const { return first && second; }
  /// Whether the bodies can be put together by any joint: one of them can follow.
  bool can_be_joined() const { return (first && first->is_free) || (second && second->is_free); }
};

/// Every ordered pair of kinds and of a kind with the ground.
std::vector<BodyPair> body_pairs();
std::ostream& operator<<(std::ostream& out, const BodyPair& pair);

/// How far bodies move in a trial.
struct StepSize {
  const char* name;
  double shift; ///< [m]
  double turn;  ///< [rad]
};

/// From 1e-9, where differences drown in rounding, to two radians, beyond what a step should do.
const std::vector<StepSize>& step_sizes();

/// A body at the two ends of a step.
struct Motion {
  BodyMotion n, n1;
};

Motion random_motion(Random& random, const StepSize& size);

/// What a body makes of a motion that is asked of it.
Motion followed(const Model& model, const Body& body, const Motion& motion);

/// The same motion seen from axes that are turned by R and moved by c.
Motion turned(const Motion& motion, const Quaternion& R, const Vec3& c);

/// A step with the ports that it moves.
struct OwnedStep {
  Step step;
  PortMotions motions;
  operator MovedStep() const { return {step, motions}; }
};

struct Trial {
  State n, n1;
  double h = 0;
  VecX z, lambda;

  Step step() const { return {n, h, 1 / h, z, lambda}; }
  PortMotions motions(const Model& model) const;
  OwnedStep moved(const Model& model) const { return {step(), motions(model)}; }
};

/// The step that takes the bodies of the model through these motions; no multipliers are zero ones.
Trial make_trial(const Model& model, const std::vector<Motion>& motions, double h, const VecX& lambda);

/// Random motions, step between 0.01 and 0.1 s, random multipliers.
Trial random_trial(const Model& model, const StepSize& size, Random& random);

/// Moves z by random amounts: bodies that can be strained are strained, those that keep themselves rigid as part of
/// their equations of motion end in another rigid pose.
void disturb(const Model& model, double size, Random& random, Trial& trial);

} // namespace emmy::test
