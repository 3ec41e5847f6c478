/// Orientations against elementary rotation matrices written out here.
#include "io/deck/geometry.hpp"

#include "verification/unit/io/deck/support.hpp"

#include <boost/test/data/test_case.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double pi = std::acos(-1.0);

Mat3 rotation(const std::string& entry) {
  return read_good(deck_of("{sphere: 1, mass: 1, orientation: " + entry + "}"))
      .bodies.at(0)
      .orientation.toRotationMatrix();
}

Mat3 about(char axis, double a) {
  const double c = std::cos(a), s = std::sin(a);
  Mat3 R;
  if (axis == 'x')
    R << 1, 0, 0, 0, c, -s, 0, s, c;
  else if (axis == 'y')
    R << c, 0, s, 0, 1, 0, -s, 0, c;
  else
    R << c, -s, 0, s, c, 0, 0, 0, 1;
  return R;
}

/// Entries are at most one; quaternion products and conversions round some twenty times.
bool same(const Mat3& a, const Mat3& b) {
  return (a - b).cwiseAbs().maxCoeff() <= 20 * eps;
}

const std::string sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

} // namespace

BOOST_AUTO_TEST_SUITE(Orientation)

BOOST_AUTO_TEST_CASE(without_an_entry_axes_are_those_of_space) {
  const Deck deck = read_good(deck_of("{sphere: 1, mass: 1}"));
  BOOST_TEST((deck.bodies.at(0).orientation.toRotationMatrix() == Mat3::Identity()));
}

BOOST_AUTO_TEST_CASE(axis_and_angle_turn_by_the_right_hand) {
  BOOST_TEST(same(rotation("{axis: x, angle: 0.3}"), about('x', 0.3)));
  BOOST_TEST(same(rotation("{axis: y, angle: -pi/2}"), about('y', -pi / 2)));
  BOOST_TEST(same(rotation("{axis: -z, angle: 0.3}"), about('z', -0.3)));
  BOOST_TEST(same(rotation("{axis: [0, 0, 7], angle: 200*deg}"), about('z', 200 * pi / 180)));
  // A third of a turn about the diagonal carries x to y, y to z, z to x.
  Mat3 cycle;
  cycle << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  BOOST_TEST(same(rotation("{axis: [1, 1, 1], angle: 2*pi/3}"), cycle));
}

BOOST_AUTO_TEST_CASE(quaternions_have_the_scalar_first) {
  BOOST_TEST(same(rotation("{quaternion: [cos(0.2), 0, 0, sin(0.2)]}"), about('z', 0.4)));
  BOOST_TEST(same(rotation("{quaternion: [0, 1, 0, 0]}"), about('x', pi)));
}

BOOST_AUTO_TEST_CASE(typed_digits_are_made_exact) {
  BOOST_TEST(same(rotation("{quaternion: [0.7071, 0.7071, 0, 0]}"), about('x', pi / 2)));
  const Mat3 R = rotation("{matrix: [[0.7071, -0.7071, 0], [0.7071, 0.7071, 0], [0, 0, 1]]}");
  BOOST_TEST(same(R, about('z', pi / 4)));
}

BOOST_DATA_TEST_CASE(euler_angles_turn_about_the_axes_of_the_body, boost::unit_test::data::make(sequences), sequence) {
  const Mat3 expected = about(sequence[0], 0.4) * about(sequence[1], -1.1) * about(sequence[2], 2.3);
  BOOST_TEST(same(rotation("{euler: [0.4, -1.1, 2.3], sequence: " + sequence + "}"), expected));
  BOOST_TEST(same(from_euler({0.4, -1.1, 2.3}, sequence).toRotationMatrix(), expected));
}

BOOST_AUTO_TEST_CASE(euler_angles_are_yaw_pitch_roll_unless_said_otherwise) {
  BOOST_TEST(same(rotation("{euler: [0.4, -1.1, 2.3]}"), about('z', 0.4) * about('y', -1.1) * about('x', 2.3)));
}

BOOST_AUTO_TEST_CASE(columns_of_a_matrix_are_the_axes_of_the_body) {
  const Mat3 R = rotation("{matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}");
  BOOST_TEST(same(R, about('z', pi / 2)));
  BOOST_TEST((R.col(0) - Vec3::UnitY()).norm() <= 4 * eps);
}

BOOST_AUTO_TEST_CASE(a_list_is_multiplied_from_left_to_right) {
  BOOST_TEST(same(rotation("[{axis: x, angle: 0.5}, {axis: z, angle: 1}]"), about('x', 0.5) * about('z', 1)));
  BOOST_TEST(same(rotation("[{euler: [0.1, 0, 0]}, {quaternion: [0, 0, 1, 0]}, {axis: x, angle: 0.2}]"),
                  about('z', 0.1) * about('y', pi) * about('x', 0.2)));
  BOOST_TEST((rotation("[]") == Mat3::Identity()));
}

// 90 rad, where 90 degrees were meant: a hint, since the deck may mean it.
BOOST_AUTO_TEST_CASE(angles_of_more_than_a_turn_that_are_plain_numbers_are_warned_of) {
  const auto said = [](const std::string& orientation) {
    return messages(deck_of("{box: [1, 0.5, 0.2], mass: 12, orientation: " + orientation + "}"));
  };
  BOOST_TEST(said("{axis: x, angle: 90}") ==
             "deck.yaml:2:71: warning: 'angle' of 'orientation' of body 'link1' is 90 rad, more than a full turn\n"
             "    2 |   link1: {box: [1, 0.5, 0.2], mass: 12, orientation: {axis: x, angle: 90}}\n"
             "      |                                                                       ^~\n"
             "  angles are in radians; for degrees write 90*deg\n");
  for (const char* angle : {"-90", "7", "45.0", "1.8e2"})
    BOOST_TEST(
        contains(said(std::string("{axis: x, angle: ") + angle + "}"), "for degrees write " + std::string(angle)),
        angle);
  for (const char* angle : {"6.28", "-6.28", "3", "90*deg", "30*pi", "2*pi + 1"})
    BOOST_TEST(said(std::string("{axis: x, angle: ") + angle + "}") == "", angle);
  BOOST_TEST(
      contains(said("{euler: [0, 30, 0]}"), "component 2 of 'euler' of 'orientation' of body 'link1' is 30 rad"));
  const std::string hinge =
      "bodies:\n  a: {sphere: 1, mass: 1}\njoints:\n  pin: {type: revolute, between: [ground, a], "
      "at: [0, 0, 0], axis: x, drive: {angle: ANGLE}}\n";
  const auto driven = [&](const std::string& angle) {
    std::string text = hinge + integrator;
    return messages(text.replace(text.find("ANGLE"), 5, angle));
  };
  BOOST_TEST(contains(driven("90"), "'angle' of 'drive' of joint 'pin' is 90 rad"));
  BOOST_TEST(driven("90*t") == ""); // a rate may be of any size
  const std::string stops = "bodies:\n  a: {sphere: 1, mass: 1}\njoints:\n  j: {type: TYPE, between: [ground, a], at: "
                            "[0, 0, 0], axis: x}\nlimits:\n  end: {type: stop, joint: j, lower: -90, upper: 90}\n";
  const auto stopped = [&](const std::string& type) {
    std::string text = stops + integrator;
    return messages(text.replace(text.find("TYPE"), 4, type));
  };
  BOOST_TEST(contains(stopped("revolute"), "'lower' of limit 'end' is -90 rad"));
  BOOST_TEST(contains(stopped("revolute"), "'upper' of limit 'end' is 90 rad"));
  BOOST_TEST(stopped("prismatic") == ""); // metres
  // Shared by an alias, a doubtful angle is still one.
  const std::string twice = messages("bodies:\n  a: {sphere: 1, mass: 1, orientation: &o {axis: x, angle: 90}}\n"
                                     "  b: {sphere: 1, mass: 1, orientation: *o}\n" +
                                     integrator);
  BOOST_TEST(twice.find("for degrees") == twice.rfind("for degrees"));
}

BOOST_AUTO_TEST_CASE(mistakes_in_body_axes_name_the_vector_and_its_unit) {
  const auto said = [](const std::string& velocity) {
    return messages(deck_of("{box: [1, 0.5, 0.2], mass: 12, velocity: " + velocity + "}"));
  };
  BOOST_TEST(contains(said("{body_axes: [1, x, 0]}"), "unknown name 'x' in component 2 of 'velocity' of body 'link1'"));
  BOOST_TEST(contains(said("{body_axes: [1, 0]}"),
                      "'velocity' of body 'link1' has 2 components\n    2 |   link1: {box: [1, 0.5, 0.2], mass: 12, "
                      "velocity: {body_axes: [1, 0]}}\n"));
  BOOST_TEST(contains(said("{body_axes: [1, 0]}"), "  expected a vector [x, y, z] or {body_axes: [x, y, z]} (m/s)\n"));
  BOOST_TEST(contains(said("{}"), "expected 'body_axes', a vector [x, y, z] in the unit of the entry: "));
}

BOOST_AUTO_TEST_CASE(velocities_in_body_axes_are_turned_to_space) {
  const Body body = read_good(deck_of("{sphere: 1, mass: 1, orientation: {axis: z, angle: pi/2}, "
                                      "velocity: {body_axes: [1, 0, 0]}, angular_velocity: {body_axes: [0, 2, 3]}}"))
                        .bodies.at(0);
  BOOST_TEST((body.velocity - Vec3(0, 1, 0)).norm() <= 4 * eps);
  BOOST_TEST((body.angular_velocity - Vec3(-2, 0, 3)).norm() <= 12 * eps);
  const Body global =
      read_good(deck_of("{sphere: 1, mass: 1, orientation: {axis: z, angle: pi/2}, angular_velocity: [0, 2, 3]}"))
          .bodies.at(0);
  BOOST_TEST((global.angular_velocity == Vec3(0, 2, 3)));
}

BOOST_AUTO_TEST_SUITE_END()
