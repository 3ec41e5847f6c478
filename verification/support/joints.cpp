#include "verification/support/joints.hpp"

#include "elements/joints/drive.hpp"

#include <cmath>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace emmy::test {

namespace {

const double rod_length = 0.7, screw_pitch = 0.4; // [m]

/// Rotation by the three coordinates from `first` on.
Quaternion turn(const Coordinates& c, Index first) {
  return exponential(c.segment<3>(first));
}

Quaternion turn_about(int axis, double angle) {
  return exponential(angle * Vec3::Unit(axis));
}

// In the joint's axes n is x, s1 is y and s2 is z.

RelativePose turn_about_n(const Coordinates& c, double) {
  return {Vec3::Zero(), turn_about(0, c[0])};
}
RelativePose any_turn(const Coordinates& c, double) {
  return {Vec3::Zero(), turn(c, 0)};
}
RelativePose nothing(const Coordinates&, double) {
  return {};
}
RelativePose slide_along_n(const Coordinates& c, double) {
  return {Vec3(c[0], 0, 0), Quaternion::Identity()};
}
RelativePose slide_and_turn(const Coordinates& c, double) {
  return {Vec3(c[0], 0, 0), turn_about(0, c[1])};
}
RelativePose screwed(const Coordinates& c, double) {
  return {Vec3(screw_pitch * c[0] / (2 * M_PI), 0, 0), turn_about(0, c[0])};
}
RelativePose cross(const Coordinates& c, double) {
  return {Vec3::Zero(), turn_about(1, c[0]) * turn_about(2, c[1])};
}
RelativePose bend(const Coordinates& c, double) {
  return {Vec3::Zero(), exponential(Vec3(0, c[0], c[1]))};
}
RelativePose in_plane(const Coordinates& c, double) {
  return {Vec3(0, c[0], c[1]), turn_about(0, c[2])};
}
RelativePose on_sphere(const Coordinates& c, double) {
  const Vec3 direction(std::cos(c[0]) * std::cos(c[1]), std::sin(c[0]) * std::cos(c[1]), std::sin(c[1]));
  return {rod_length * direction, turn(c, 2)};
}
RelativePose on_line(const Coordinates& c, double) {
  return {Vec3(c[0], 0, 0), turn(c, 1)};
}
RelativePose on_plane(const Coordinates& c, double) {
  return {Vec3(0, c[0], c[1]), turn(c, 2)};
}
RelativePose parallel(const Coordinates& c, double) {
  return {c.head<3>(), turn_about(0, c[3])};
}

RelativePose meshed(const Coordinates& c, double) {
  return {Vec3(screw_pitch * c[0] / (2 * M_PI), c[1], c[2]), turn_about(0, c[0])};
}

// What the drives prescribe, and the rate of it.
template <class T>
T target(T t) {
  using std::sin;
  return 0.3 + sin(2 * t);
}
double target_rate(double t) {
  return 2 * std::cos(2 * t);
}
RelativePose driven_turn(const Coordinates& c, double t) {
  return {c.head<3>(), turn_about(0, target(t))};
}
RelativePose driven_slide(const Coordinates& c, double t) {
  return {Vec3(target(t), c[0], c[1]), turn(c, 2)};
}

template <Drive::Coordinate coordinate, Drive::Prescribes prescribes>
std::unique_ptr<Interaction> drive(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  const auto function = prescribes == Drive::Prescribes::value ? TimeFunction([](auto t) { return target(t); })
                                                               : TimeFunction(target_rate);
  return std::make_unique<Drive>(std::move(name), ports, I, J, coordinate, prescribes, function);
}
std::unique_ptr<Interaction> rack_and_pinion(std::string name, const Ports& ports, const JointSide& I,
                                             const JointSide& J) {
  using Kind = CoupledCoordinate::Kind;
  return coupler_joint(std::move(name), ports, {Kind::angle, I, J, -screw_pitch / (2 * M_PI)},
                       {Kind::displacement, I, J, 1});
}
std::unique_ptr<Interaction> rod(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return distance_joint(std::move(name), ports, I, J, rod_length);
}
std::unique_ptr<Interaction> screw(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return screw_joint(std::move(name), ports, I, J, screw_pitch);
}

} // namespace

const std::vector<JointMaker>& joint_makers() {
  static const std::vector<JointMaker> makers{
      {"spherical", 3, 3, spherical_joint, any_turn},
      {"revolute", 5, 3, revolute_joint, turn_about_n},
      {"prismatic", 5, 0, prismatic_joint, slide_along_n},
      {"cylindrical", 4, 0, cylindrical_joint, slide_and_turn},
      {"screw", 5, 0, screw, screwed, true},
      {"universal", 4, 3, universal_joint, cross},
      {"constant velocity", 4, 3, constant_velocity_joint, bend},
      {"planar", 3, 0, planar_joint, in_plane},
      {"fixed", 6, 3, fixed_joint, nothing},
      {"distance", 1, 0, rod, on_sphere},
      {"point on line", 2, 0, point_on_line_joint, on_line},
      {"point on plane", 1, 0, point_on_plane_joint, on_plane},
      {"parallel axes", 2, 0, parallel_axes_joint, parallel},
      {"coupler", 1, 0, rack_and_pinion, meshed, true},
      {"angle drive", 1, 0, drive<Drive::Coordinate::angle, Drive::Prescribes::value>, driven_turn},
      {"angle drive by rate", 1, 0, drive<Drive::Coordinate::angle, Drive::Prescribes::rate>, driven_turn},
      {"displacement drive", 1, 0, drive<Drive::Coordinate::displacement, Drive::Prescribes::value>, driven_slide},
      {"displacement drive by rate", 1, 0, drive<Drive::Coordinate::displacement, Drive::Prescribes::rate>,
       driven_slide},
  };
  return makers;
}

const JointMaker& joint_maker(const std::string& name) {
  for (const JointMaker& maker : joint_makers())
    if (maker.name == name)
      return maker;
  throw std::invalid_argument("no " + name + " joint");
}

std::vector<JointSample> joint_samples() {
  std::vector<JointSample> samples;
  const std::vector<BodyPair> pairs = body_pairs();
  for (std::size_t j = 0; j < joint_makers().size(); ++j)
    for (std::size_t p = 0; p < pairs.size(); ++p)
      samples.push_back({&joint_makers()[j], pairs[p], step_sizes()[(j + p) % step_sizes().size()]});
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
  h = random.between(0.01, 0.1);
}

std::vector<Motion> JointScene::free_motions(Random& random) const {
  if (sample.joint->near_admitted)
    return joined_motions(random);
  std::vector<Motion> motions;
  for (std::size_t b = 0; b < model.bodies().size(); ++b)
    motions.push_back(random_motion(random, sample.size));
  return motions;
}

std::vector<Motion> JointScene::joined_motions(Random& random) const {
  // The side that moves on its own, and the one that follows: what is fixed leads where it takes part.
  const BodyMaker *first = sample.bodies.first, *second = sample.bodies.second;
  const bool backwards = !second || (first && first->is_free && !second->is_free);
  const JointSide& lead = backwards ? J : I;
  const JointSide& follow = backwards ? I : J;
  Motion leader = random_motion(random, sample.size);
  if (lead.port == Model::ground)
    leader = {{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()},
              {Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}};
  else if (!(backwards ? second : first)->is_free)
    leader = followed(model, *model.bodies()[backwards ? 1 : 0], leader);
  Motion follower = random_motion(random, sample.size);
  const auto attach = [&](const BodyMotion& to, const RelativePose& pose, BodyMotion& body) {
    // From I to J by the pose, from J to I by its inverse.
    const Quaternion turn = backwards ? pose.turn.conjugate() : pose.turn;
    const Vec3 slide = backwards ? Vec3(pose.turn.conjugate() * -pose.slide) : pose.slide;
    const Mat3 lead_axes = to.orientation * lead.axes;
    body.orientation = Quaternion(Mat3(lead_axes * turn.toRotationMatrix() * follow.axes.transpose())).normalized();
    body.position = to.position + to.orientation * lead.at + lead_axes * slide - body.orientation * follow.at;
  };
  const Coordinates coordinates = random.numbers(6);
  attach(leader.n, sample.joint->admitted(coordinates, 0), follower.n);
  do // the follower turns with the leader and by itself; no step may reach pi
    attach(leader.n1, sample.joint->admitted(coordinates + random.numbers(6, sample.size.turn), h), follower.n1);
  while (follower.n.orientation.angularDistance(follower.n1.orientation) > 2.5);
  if (lead.port == Model::ground)
    return {follower};
  return backwards ? std::vector<Motion>{follower, leader} : std::vector<Motion>{leader, follower};
}

Trial JointScene::trial(const std::vector<Motion>& motions, Random& random) const {
  return make_trial(model, motions, h, random.numbers(model.multipliers()));
}

} // namespace emmy::test
