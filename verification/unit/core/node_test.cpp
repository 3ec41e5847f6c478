#include "core/node.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr NodeKind kinds[] = {NodeKind::point, NodeKind::frame, NodeKind::rotation, NodeKind::director,
                              NodeKind::scalar};

VecX random_value(NodeKind kind, Random& random) {
  VecX value = random.numbers(value_size(kind));
  if (kind == NodeKind::frame || kind == NodeKind::rotation)
    value.tail<4>() = to_wxyz(random.rotation());
  return value;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Nodes)

BOOST_AUTO_TEST_CASE(turning_nodes_store_one_number_more_than_they_move_in) {
  BOOST_TEST(value_size(NodeKind::point) == 3);
  BOOST_TEST(unknown_size(NodeKind::point) == 3);
  BOOST_TEST(value_size(NodeKind::frame) == 7);
  BOOST_TEST(unknown_size(NodeKind::frame) == 6);
  BOOST_TEST(value_size(NodeKind::rotation) == 4);
  BOOST_TEST(unknown_size(NodeKind::rotation) == 3);
  BOOST_TEST(value_size(NodeKind::director) == 12);
  BOOST_TEST(unknown_size(NodeKind::director) == 12);
  BOOST_TEST(value_size(NodeKind::scalar) == 1);
  BOOST_TEST(unknown_size(NodeKind::scalar) == 1);
  const Node node{NodeKind::frame, 4, 9};
  BOOST_TEST(node.values() == 7);
  BOOST_TEST(node.unknowns() == 6);
}

BOOST_AUTO_TEST_CASE(local_inverts_retract) {
  Random random(21);
  for (const NodeKind kind : kinds)
    for (const double size : {1e-300, 1e-9, 1e-3, 1.0, 2.0}) {
      const VecX value = random_value(kind, random), z = random.numbers(unknown_size(kind), size);
      VecX moved(value.size()), back(z.size());
      retract(kind, value, z, moved);
      local(kind, value, moved, back);
      // Values are of size one, so an increment comes back to a few eps however small it is; a product of quaternions
      // makes eight roundings, and 2 tan(angle/2) amplifies them by 1 + |Theta|²/4.
      BOOST_TEST(agree("z", back, z, 10 * eps * (1 + size + z.squaredNorm() / 4)));
    }
}

BOOST_AUTO_TEST_CASE(retract_by_zero_stays) {
  Random random(22);
  for (const NodeKind kind : kinds) {
    const VecX value = random_value(kind, random), z = VecX::Zero(unknown_size(kind));
    VecX moved(value.size());
    retract(kind, value, z, moved);
    BOOST_TEST(agree("value", moved, value, 2 * eps)); // a quaternion is normalised again
  }
}

// The increment is convected: turning by Theta about body axes is the rotation from the right, and the quaternion
// stays of length one.
BOOST_AUTO_TEST_CASE(a_frame_turns_about_its_own_axes) {
  const double root = std::sqrt(0.5);
  VecX value(7), z(6), moved(7);
  value << 1, 2, 3, root, 0, 0, root; // a quarter turn about z: the body's x axis points along y
  z << 0.5, 0, 0, 2, 0, 0;            // Theta = 2 tan(pi/4) about the body's x axis
  retract(NodeKind::frame, value, z, moved);
  const Quaternion q = from_wxyz(moved.tail<4>());
  BOOST_TEST((moved.head<3>() == Vec3(1.5, 2, 3))); // dx is in space
  // A quarter turn about space y takes the body's y axis, along -x, to z. Ten roundings of numbers of size one.
  BOOST_TEST(agree("x axis", q * Vec3::UnitX(), Vec3(0, 1, 0), 10 * eps));
  BOOST_TEST(agree("y axis", q * Vec3::UnitY(), Vec3(0, 0, 1), 10 * eps));
  BOOST_TEST(agree("length", q.norm(), 1, 2 * eps));
  // A rotation is a frame that has no place: the same arithmetic.
  VecX turned(4), back(3);
  retract(NodeKind::rotation, value.tail<4>(), z.tail<3>(), turned);
  BOOST_TEST((turned == moved.tail<4>()));
  local(NodeKind::rotation, value.tail<4>(), turned, back);
  BOOST_TEST(agree("Theta", back, z.tail<3>(), 10 * eps * 2));
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_turns_leave_the_quaternion_of_length_one) {
  Random random(23);
  VecX value = random_value(NodeKind::frame, random), moved(7);
  const VecX z = random.numbers(6, 0.3);
  for (int i = 0; i < 100000; ++i) {
    retract(NodeKind::frame, value, z, moved);
    value = moved;
  }
  BOOST_TEST(agree("length", value.tail<4>().norm(), 1, 2 * eps)); // normalised in every step
}

BOOST_AUTO_TEST_SUITE_END()
