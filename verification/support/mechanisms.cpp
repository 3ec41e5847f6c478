#include "verification/support/mechanisms.hpp"

#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"

#include <cmath>
#include <string>

namespace emmy::test {

namespace {

constexpr double pi = 3.14159265358979323846;

void add_gravity(Mechanism& m, const Vec3& g) {
  for (const Body* body : m.bodies)
    m.model->add(
        std::make_unique<Gravity>("gravity on " + body->name(), m.model->ports(), body->port(), body->mass(), g));
}

void place(const Body& body, const Vec3& position, const Quaternion& orientation, State& state) {
  body.set_motion({position, orientation, Vec3::Zero(), Vec3::Zero()}, state);
}

} // namespace

Mechanism hanging_chain(int n, ChainJoint joint, const BodyMaker& body) {
  Mechanism m;
  const Mat3 J = Vec3(9.25, 10, 1.25).asDiagonal();
  for (int i = 1; i <= n; ++i)
    m.bodies.push_back(&body.add(*m.model, "link" + std::to_string(i), 12, J));
  add_gravity(m, {0, 0, -9.81});
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const JointSide I = i == 0 ? JointSide{} : JointSide{m.bodies[i - 1]->port(), {0, 0, -1.5}};
    const JointSide side{m.bodies[i]->port(), {0, 0, 1.5}};
    const std::string name = "joint" + std::to_string(i + 1);
    m.model->add(joint == ChainJoint::spherical ? spherical_joint(name, m.model->ports(), I, side)
                                                : revolute_joint(name, m.model->ports(), I, side));
  }
  m.initial = m.model->rest_state();
  const Quaternion tilt =
      joint == ChainJoint::spherical ? exponential({0, pi / 4, 0}) : Quaternion(Quaternion::Identity());
  Vec3 end = Vec3::Zero();
  for (int i = 0; i < n; ++i) {
    const Quaternion q = tilt * exponential({(i < n / 2 ? 1 : 3) * pi / 4, 0, 0});
    place(*m.bodies[static_cast<std::size_t>(i)], end + q * Vec3(0, 0, -1.5), q, m.initial);
    end += q * Vec3(0, 0, -3);
  }
  return m;
}

namespace {

using JointFactory = std::unique_ptr<Joint> (*)(std::string, const Ports&, const JointSide&, const JointSide&);

/// Four-bar linkage with ground and coupler of 2 m, a crank of 1 m at 60 degrees and a rocker of the given length, on
/// the open branch; hinges at A and D, at B and C what is given. At rest.
Mechanism linkage(double rocker, JointFactory at_coupler) {
  Mechanism m;
  const Vec3 A(0, 0, 0), D(2, 0, 0);
  const Vec3 B(std::cos(pi / 3), std::sin(pi / 3), 0);
  // C closes the loop: |C - B| = 2, |C - D| = rocker, on the open branch.
  const Vec3 BD = D - B;
  const double d = BD.norm(), along = (d * d + 4 - rocker * rocker) / (2 * d), across = std::sqrt(4 - along * along);
  const Vec3 C = B + along * BD / d + across * Vec3::UnitZ().cross(BD / d);

  struct Bar {
    const char* name;
    Vec3 from, to;
  };
  const Bar bars[] = {{"crank", A, B}, {"coupler", B, C}, {"rocker", C, D}};
  for (const Bar& bar : bars) {
    const double length = (bar.to - bar.from).norm(), mass = length, w = 0.1;
    const Mat3 J = mass / 12 * Vec3(2 * w * w, length * length + w * w, length * length + w * w).asDiagonal();
    m.bodies.push_back(&FrameBody::add_to(*m.model, bar.name, mass, J));
  }
  add_gravity(m, {0, -9.81, 0});
  m.initial = m.model->rest_state();
  std::vector<Quaternion> turn;
  for (std::size_t i = 0; i < 3; ++i) {
    turn.push_back(Quaternion::FromTwoVectors(Vec3::UnitX(), bars[i].to - bars[i].from));
    place(*m.bodies[i], (bars[i].from + bars[i].to) / 2, turn[i], m.initial);
  }
  Mat3 hinge; // columns: the axis z, then x and y
  hinge << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  const auto side = [&](int body, const Vec3& at) {
    if (body < 0)
      return JointSide{Model::ground, at, hinge};
    const auto b = static_cast<std::size_t>(body);
    const Mat3 R = turn[b].toRotationMatrix();
    return JointSide{m.bodies[b]->port(), R.transpose() * (at - (bars[b].from + bars[b].to) / 2),
                     R.transpose() * hinge};
  };
  const auto add = [&](const char* name, JointFactory make, int I, int K, const Vec3& at) {
    m.model->add(make(name, m.model->ports(), side(I, at), side(K, at)));
  };
  add("A", revolute_joint, -1, 0, A);
  add("B", at_coupler, 0, 1, B);
  add("C", at_coupler, 1, 2, C);
  add("D", revolute_joint, 2, -1, D);
  begin(m);
  return m;
}

} // namespace

Mechanism four_bar() {
  return linkage(1.8, revolute_joint);
}

void add_tilted_hinge(Mechanism& four_bar, double tilt) {
  Mechanism& m = four_bar;
  const BodyMotion crank = m.bodies[0]->motion(m.initial);
  const Mat3 Q = crank.orientation.toRotationMatrix();
  Mat3 axes; // columns z, x, y
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  axes = Eigen::AngleAxisd(tilt, Vec3::UnitX()) * axes;
  m.model->add(revolute_joint("second", m.model->ports(), {Model::ground, Vec3::Zero(), axes},
                              {m.bodies[0]->port(), Q.transpose() * -crank.position, Q.transpose() * axes}));
  begin(m);
}

Mechanism parallelogram() {
  Mechanism m = linkage(1, spherical_joint);
  const Vec3 spin(0, 0, -4);
  for (const std::size_t bar : {0, 1, 2}) {
    BodyMotion motion = m.bodies[bar]->motion(m.initial);
    const Vec3 crank(std::cos(pi / 3), std::sin(pi / 3), 0);
    motion.velocity = spin.cross(bar == 1 ? crank : crank / 2);
    motion.angular_velocity = bar == 1 ? Vec3::Zero() : spin;
    m.bodies[bar]->set_motion(motion, m.initial);
  }
  return m;
}

Mechanism windows(int n, const Quaternion& turn) {
  Mechanism m;
  const Mat3 R = turn.toRotationMatrix();
  const Mat3 J = Vec3(1e-4, 1.0 / 12, 1.0 / 12).asDiagonal(); // the rod lies along its x axis
  const Quaternion upright = turn * exponential({0, 0, pi / 2});
  for (int i = 0; i <= n; ++i)
    m.bodies.push_back(&FrameBody::add_to(*m.model, "upright" + std::to_string(i), 1, J));
  for (int i = 0; i < n; ++i)
    m.bodies.push_back(&FrameBody::add_to(*m.model, "bar" + std::to_string(i), 1, J));
  add_gravity(m, R * Vec3(0, -9.81, 0));
  m.initial = m.model->rest_state();
  const Vec3 spin = R * Vec3(0, 0, -1);
  for (int i = 0; i <= n; ++i)
    m.bodies[static_cast<std::size_t>(i)]->set_motion({R * Vec3(i, 0.5, 0), upright, R * Vec3(0.5, 0, 0), spin},
                                                      m.initial);
  for (int i = 0; i < n; ++i)
    m.bodies[static_cast<std::size_t>(n + 1 + i)]->set_motion({R * Vec3(i + 0.5, 1, 0), turn, R.col(0), Vec3::Zero()},
                                                              m.initial);
  Mat3 hinge; // columns: the axis z, then x and y
  hinge << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  const auto side = [&](const Body* body, const Vec3& at) { // `at` in the axes of the mechanism
    if (!body)
      return JointSide{Model::ground, R * at, R * hinge};
    const BodyMotion motion = body->motion(m.initial);
    const Mat3 Q = motion.orientation.toRotationMatrix();
    return JointSide{body->port(), Q.transpose() * (R * at - motion.position), Q.transpose() * R * hinge};
  };
  const auto add = [&](const std::string& name, const Body* I, const Body* K, const Vec3& at) {
    m.model->add(revolute_joint(name, m.model->ports(), side(I, at), side(K, at)));
  };
  for (int i = 0; i <= n; ++i)
    add("foot" + std::to_string(i), nullptr, m.bodies[static_cast<std::size_t>(i)], Vec3(i, 0, 0));
  for (int i = 0; i < n; ++i) {
    const Body* bar = m.bodies[static_cast<std::size_t>(n + 1 + i)];
    add("left" + std::to_string(i), m.bodies[static_cast<std::size_t>(i)], bar, Vec3(i, 1, 0));
    add("right" + std::to_string(i), bar, m.bodies[static_cast<std::size_t>(i + 1)], Vec3(i + 1, 1, 0));
  }
  begin(m);
  return m;
}

} // namespace emmy::test
