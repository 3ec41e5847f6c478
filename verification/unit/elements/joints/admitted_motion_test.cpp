#include "verification/support/checks.hpp"
#include "verification/support/joints.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

/// A joint with both triads upright between the ground and a frame, at the body's centre.
struct Mounted {
  explicit Mounted(const JointMaker& maker) : rest(maker.admitted(Coordinates::Zero(), 0)) {
    Random random(1);
    const Body& body = body_makers()[0].add(model, "body", 1, random.inertia());
    joint = &model.add(
        maker.make("joint", model.ports(), JointSide{}, JointSide{body.port(), Vec3::Zero(), Mat3::Identity()}));
  }
  Trial trial(const Vec3& slide, const Vec3& turn) const {
    const BodyMotion start{rest.slide, rest.turn, Vec3::Zero(), Vec3::Zero()};
    const BodyMotion end{rest.slide + slide, exponential(turn) * rest.turn, Vec3::Zero(), Vec3::Zero()};
    return make_trial(model, {{start, end}}, 0.1, VecX::Zero(model.multipliers()));
  }
  /// Largest constraint after a move from the joined position.
  double violation(const Vec3& slide, const Vec3& turn) const {
    const Trial t = trial(slide, turn);
    StepBooks books;
    joint->book(t.moved(model), t.n1, books);
    return books.position_violation;
  }
  RelativePose rest;
  Model model;
  const Interaction* joint = nullptr;
};

/// What the joint answers to a slide by 0.25 along and a turn by 0.7 about each of n, s1, s2: 0 where it is free.
struct Answer {
  const char* joint;
  Vec3 slides, turns;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.joint;
}

const double d = 0.25, S = std::sin(0.7);
const Answer answers[] = {
    {"spherical", {d, d, d}, {0, 0, 0}},
    {"revolute", {d, d, d}, {0, S, S}},
    {"prismatic", {0, d, d}, {S, S, S}},
    {"cylindrical", {0, d, d}, {0, S, S}},
    {"screw", {d, d, d}, {0.4 * 0.7 / (2 * M_PI), S, S}}, // a turn alone misses its advance
    {"universal", {d, d, d}, {S, 0, 0}},
    {"constant velocity", {d, d, d}, {2 * S, 0, 0}},
    {"planar", {d, 0, 0}, {0, S, S}},
    {"fixed", {d, d, d}, {S, S, S}},
    // from a rod along n of length 0.7: the difference of squares over twice the length
    {"distance", {(0.95 * 0.95 - 0.49) / 1.4, d* d / 1.4, d* d / 1.4}, {0, 0, 0}},
    {"point on line", {0, d, d}, {0, 0, 0}},
    {"point on plane", {d, 0, 0}, {0, 0, 0}},
    {"parallel axes", {0, 0, 0}, {0, S, S}},
    {"coupler", {d, 0, 0}, {0.4 * 0.7 / (2 * M_PI), 0, 0}},
};

// Ten roundings of numbers below two.
const double rounding = 10 * eps * 2;

} // namespace

BOOST_AUTO_TEST_SUITE(AdmittedMotions)

BOOST_DATA_TEST_CASE(a_joint_blocks_what_it_should_and_nothing_else, data::make(answers)) {
  const Mounted joint(joint_maker(sample.joint));
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(agree("slide", joint.violation(d * Vec3::Unit(i), Vec3::Zero()), sample.slides[i], rounding));
    BOOST_TEST(agree("turn", joint.violation(Vec3::Zero(), 0.7 * Vec3::Unit(i)), sample.turns[i], rounding));
  }
}

BOOST_AUTO_TEST_CASE(every_joint_is_asked) {
  for (const JointMaker& maker : joint_makers())
    if (maker.name.find("drive") == std::string::npos) // drives move by themselves
      BOOST_TEST((std::find_if(std::begin(answers), std::end(answers),
                               [&](const Answer& a) { return maker.name == a.joint; }) != std::end(answers)),
                 maker.name);
}

// The rank of G D at the joined position is the number of rows: no row repeats another.
BOOST_AUTO_TEST_CASE(rows_of_a_joint_are_independent) {
  for (const JointMaker& maker : joint_makers()) {
    const Mounted joint(maker);
    const MatX G = assemble(*joint.joint, joint.model, joint.trial(Vec3::Zero(), Vec3::Zero()), true)
                       .k.bottomLeftCorner(maker.rows, 6);
    BOOST_TEST(G.fullPivLu().rank() == maker.rows, maker.name);
  }
}

// Both shafts in bearings with a bend of 1 rad between them: turned by the same angle they satisfy the joint at any
// angle, so their speeds are equal; a difference of 0.1 rad is answered by (1 + cos 1) sin 0.1.
BOOST_AUTO_TEST_CASE(a_constant_velocity_joint_turns_both_shafts_equally_at_any_bend) {
  const Mounted joint(joint_maker("constant velocity"));
  const auto second_shaft = [](double first, double second) {
    // seen from the first shaft: undo its turn, bend about s1, turn about the own axis
    return rotation_vector(exponential(Vec3(-first, 0, 0)) * exponential(Vec3(0, 1, 0)) *
                           exponential(Vec3(second, 0, 0)));
  };
  for (const double angle : {0.0, 0.4, 1.3, 2.9}) {
    BOOST_TEST(joint.violation(Vec3::Zero(), second_shaft(angle, angle)) <= rounding);
    BOOST_TEST(agree("difference", joint.violation(Vec3::Zero(), second_shaft(angle, angle + 0.1)),
                     (1 + std::cos(1)) * std::sin(0.1), rounding));
  }
}

// Cardan's error, which the constant velocity joint avoids: tan(second) = cos(bend) tan(first) with the arm of the
// first shaft along the bend's axis.
BOOST_AUTO_TEST_CASE(a_universal_joint_turns_the_second_shaft_unevenly) {
  const Mounted joint(joint_maker("universal"));
  for (const double first : {0.0, 0.4, 1.3}) {
    const double second = std::atan2(std::sin(first) * std::cos(1.0), std::cos(first));
    for (const double error : {0.0, 0.1}) {
      const Vec3 turn = rotation_vector(exponential(Vec3(-first, 0, 0)) * exponential(Vec3(0, 1, 0)) *
                                        exponential(Vec3(second + error, 0, 0)));
      // s1 . t2 is a sine of the error with the length of the projection of s1 as amplitude
      const double amplitude = std::hypot(std::cos(first), std::sin(first) * std::cos(1.0));
      BOOST_TEST(agree("Cardan", joint.violation(Vec3::Zero(), turn), amplitude * std::sin(error), rounding));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
