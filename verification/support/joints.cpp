#include "verification/support/joints.hpp"

#include <ostream>

namespace emmy::test {

const std::vector<JointMaker>& joint_makers() {
  static const std::vector<JointMaker> makers{{"spherical", 3, 3, spherical_joint,
                                               [](const Vec3& c) {
                                                 return RelativePose{Vec3::Zero(), exponential(c)};
                                               }},
                                              {"revolute", 5, 3, revolute_joint,
                                               [](const Vec3& c) {
                                                 return RelativePose{Vec3::Zero(), exponential(c.x() * Vec3::UnitX())};
                                               }},
                                              {"fixed", 6, 3, fixed_joint, [](const Vec3&) { return RelativePose{}; }}};
  return makers;
}

std::vector<JointSample> joint_samples(const std::vector<StepSize>& sizes) {
  std::vector<JointSample> samples;
  for (const JointMaker& joint : joint_makers())
    for (const BodyPair& pair : body_pairs())
      for (const StepSize& size : sizes)
        samples.push_back({&joint, pair, size});
  return samples;
}

std::ostream& operator<<(std::ostream& out, const JointSample& sample) {
  return out << sample.joint->name << ", " << sample.bodies << ", " << sample.size.name << " step";
}

JointScene::JointScene(const JointSample& of, Random& random) : sample(of) {
  const auto side = [&](const BodyMaker* maker, const char* name) {
    JointSide s;
    if (maker) {
      const double mass = random.mass();
      s.port = maker->add(model, name, mass, random.inertia()).port();
    }
    s.at = random.vector();
    s.axes = random.triad();
    return s;
  };
  I = side(sample.bodies.first, "first");
  J = side(sample.bodies.second, "second");
  joint = &model.add(sample.joint->make("joint", model.ports(), I, J));
}

std::vector<Motion> JointScene::free_motions(Random& random) const {
  std::vector<Motion> motions;
  for (std::size_t b = 0; b < model.bodies().size(); ++b)
    motions.push_back(random_motion(random, sample.size));
  return motions;
}

std::vector<Motion> JointScene::joined_motions(Random& random) const {
  // The side that moves on its own, and the one that follows: the ground leads where it takes part.
  const bool backwards = !sample.bodies.second;
  const JointSide& lead = backwards ? J : I;
  const JointSide& follow = backwards ? I : J;
  Motion leader = random_motion(random, sample.size);
  if (lead.port == Model::ground)
    leader = {{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()},
              {Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}};
  Motion follower = random_motion(random, sample.size);
  const auto attach = [&](const BodyMotion& to, const RelativePose& pose, BodyMotion& body) {
    // From I to J by the pose, from J to I by its inverse.
    const Quaternion turn = backwards ? pose.turn.conjugate() : pose.turn;
    const Vec3 slide = backwards ? Vec3(pose.turn.conjugate() * -pose.slide) : pose.slide;
    const Mat3 lead_axes = to.orientation * lead.axes;
    body.orientation = Quaternion(Mat3(lead_axes * turn.toRotationMatrix() * follow.axes.transpose())).normalized();
    body.position = to.position + to.orientation * lead.at + lead_axes * slide - body.orientation * follow.at;
  };
  const Vec3 coordinates = random.vector();
  attach(leader.n, sample.joint->admitted(coordinates), follower.n);
  do // the follower turns with the leader and by itself; no step may reach pi
    attach(leader.n1, sample.joint->admitted(coordinates + random.vector(sample.size.turn)), follower.n1);
  while (follower.n.orientation.angularDistance(follower.n1.orientation) > 2.5);
  if (lead.port == Model::ground)
    return {follower};
  return {leader, follower};
}

Trial JointScene::trial(const std::vector<Motion>& motions, Random& random) const {
  const double h = random.between(0.01, 0.1);
  return make_trial(model, motions, h, random.numbers(model.multipliers()));
}

} // namespace emmy::test
