/// Assembly from starts where gradients lead nowhere, and from those that really cannot be closed.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/point_mass.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/analysis/initial_assembly.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

BodyMotion at(const Vec3& x, const Quaternion& orientation = Quaternion::Identity()) {
  return {x, orientation, Vec3::Zero(), Vec3::Zero()};
}

/// Bars in line along x, one behind the other or folded back (`sign`), from the origin to a point on the x axis that
/// their last end has to reach; hinges about z, or ball joints.
struct Bars {
  std::vector<double> length, sign;
  double reach = 0;
  ChainJoint joint = ChainJoint::revolute;
};

Mechanism laid_out(const Bars& bars, const BodyMaker& maker = body_makers().front()) {
  Mechanism m;
  Model& model = *m.model;
  const Mat3 about_z = (Mat3() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished(); // the first axis of a side is that of a hinge
  const auto connect = [&](const std::string& name, JointSide I, JointSide J) {
    I.axes = J.axes = about_z;
    if (bars.joint == ChainJoint::revolute)
      model.add(revolute_joint(name, model.ports(), I, J));
    else
      model.add(spherical_joint(name, model.ports(), I, J));
  };
  std::vector<Vec3> centres;
  double end = 0;
  for (std::size_t i = 0; i < bars.length.size(); ++i) {
    const double l = bars.length[i];
    m.bodies.push_back(
        &maker.add(model, "bar" + std::to_string(i), l, Mat3(Vec3(0.01, l * l, l * l).asDiagonal()) * (l / 12)));
    centres.emplace_back(end + bars.sign[i] * l / 2, 0, 0);
    end += bars.sign[i] * l;
  }
  JointSide before{Model::ground, Vec3::Zero()};
  for (std::size_t i = 0; i < bars.length.size(); ++i) {
    const double half = bars.sign[i] * bars.length[i] / 2;
    connect("joint" + std::to_string(i), before, {m.bodies[i]->port(), {-half, 0, 0}});
    before = {m.bodies[i]->port(), {half, 0, 0}};
  }
  connect("last", before, {Model::ground, {bars.reach, 0, 0}});
  m.initial = model.rest_state();
  for (std::size_t i = 0; i < centres.size(); ++i)
    m.bodies[i]->set_motion(at(centres[i]), m.initial);
  begin(m);
  return m;
}

/// Bars and the distance that they bridge form a polygon if none is longer than all others.
double longest_beyond_others(const Bars& bars) {
  const double longest = std::max(std::abs(bars.reach), *std::max_element(bars.length.begin(), bars.length.end()));
  return 2 * longest - std::accumulate(bars.length.begin(), bars.length.end(), std::abs(bars.reach));
}

Bars random_bars(Random& random) {
  Bars bars;
  const int count = static_cast<int>(random.between(2, 7));
  for (int i = 0; i < count; ++i) {
    bars.length.push_back(random.between(0.5, 2));
    bars.sign.push_back(random.between(-1, 2) > 0 ? 1 : -1);
  }
  bars.reach = random.between(0.1, 6);
  bars.joint = random.between(-1, 1) > 0 ? ChainJoint::revolute : ChainJoint::spherical;
  return bars;
}

} // namespace

BOOST_AUTO_TEST_SUITE(SingularStart)

// The four-bar linkage that a person types bar behind bar; ground 2.5 m, bars 1, 2 and 1.8 m.
BOOST_AUTO_TEST_CASE(a_straight_four_bar_closes_in_its_plane) {
  const Mechanism m = laid_out({{1, 2, 1.8}, {1, 1, 1}, 2.5});
  State state = m.initial;
  const AssemblyReport report = assemble(*m.model, state);
  BOOST_TEST(report.converged, report.message);
  BOOST_TEST(report.attempts == 1);
  BOOST_TEST(report.first_gap > 0.5); // 2.3 m in four joints
  BOOST_TEST(report.tried.find("direction in which the gaps fall most") != std::string::npos);
  // A gap is a sum of some ten terms of at most 5 m.
  BOOST_TEST(analyse_constraints(*m.model, state).position_violation <= 10 * eps * 5);
  for (const Body* body : m.bodies) // what is found by differences and Lanczos has no part across the hinges
    BOOST_TEST(std::abs(body->motion(state).position.z()) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(the_same_start_gives_the_same_bits) {
  const Mechanism m = laid_out({{1, 2, 1.8, 0.7}, {1, -1, 1, 1}, 1.1, ChainJoint::spherical});
  State a = m.initial, b = m.initial;
  const AssemblyReport first = assemble(*m.model, a), second = assemble(*m.model, b);
  BOOST_TEST(first.converged);
  BOOST_TEST(first.attempts > 0);
  BOOST_TEST((a.values == b.values));
  BOOST_TEST(first.iterations == second.iterations);
}

// Whether bars in line can be closed is known from their lengths alone. Lengths within 2 % of the boundary are left
// out: there all solutions are nearly straight again, and gaps are the square of what bars turn by.
BOOST_AUTO_TEST_CASE(bars_in_line_close_if_and_only_if_they_form_a_polygon) {
  Random random(17);
  int possible = 0, impossible = 0;
  for (int i = 0; i < 300; ++i) {
    const Bars bars = random_bars(random);
    const double beyond = longest_beyond_others(bars);
    if (std::abs(beyond) < 0.02 * bars.reach)
      continue;
    const Mechanism m = laid_out(bars);
    State state = m.initial;
    const AssemblyReport report = assemble(*m.model, state);
    BOOST_TEST_CONTEXT("mechanism " << i << ", beyond " << beyond << ", tried " << report.tried) {
      BOOST_TEST(report.converged == (beyond < 0), report.message);
      const double violation = analyse_constraints(*m.model, state).position_violation;
      if (beyond < 0)
        BOOST_TEST(violation <= 16 * eps * 16); // so many roundings of coordinates up to 16 m are none
      else                                      // what is missing is shared by at most seven joints
        BOOST_TEST(violation >= beyond / 7 * (1 - 1e-9));
    }
    ++(beyond < 0 ? possible : impossible);
  }
  BOOST_TEST(possible > 100);
  BOOST_TEST(impossible > 50);
}

// Base vectors, and points held by springs, buckle as frames do.
BOOST_AUTO_TEST_CASE(every_formulation_leaves_a_straight_start) {
  for (const BodyMaker& maker : body_makers()) {
    if (!maker.is_free)
      continue;
    const Mechanism m = laid_out({{1, 1.2}, {1, 1}, 1.5}, maker);
    State state = m.initial;
    const AssemblyReport report = assemble(*m.model, state);
    BOOST_TEST(report.converged, maker.name << ": " << report.message);
    BOOST_TEST(analyse_constraints(*m.model, state).position_violation <= 10 * eps * 3, maker.name);
  }
}

// Distances have no gradient where their ends coincide.
BOOST_AUTO_TEST_CASE(points_stacked_in_one_place_go_apart) {
  Mechanism m;
  Model& model = *m.model;
  for (const char* name : {"a", "b", "c"})
    m.bodies.push_back(&PointMass::add_to(model, name, 1));
  const auto hold = [&](std::size_t i, std::size_t j) {
    model.add(distance_joint("rod" + std::to_string(i) + std::to_string(j), model.ports(),
                             {m.bodies[i]->port(), Vec3::Zero()}, {m.bodies[j]->port(), Vec3::Zero()}, 0.3));
  };
  hold(0, 1);
  hold(1, 2);
  hold(2, 0);
  m.initial = model.rest_state();
  begin(m);
  State state = m.initial;
  const AssemblyReport report = assemble(model, state);
  BOOST_TEST(report.converged, report.message);
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST(std::abs((m.bodies[i]->motion(state).position - m.bodies[(i + 1) % 3]->motion(state).position).norm() -
                        0.3) <= 20 * eps);
}

// The axes of a hinge at right angles: their dot products are stationary there.
BOOST_AUTO_TEST_CASE(axes_at_right_angles_are_turned_into_line) {
  Mechanism m;
  m.bodies.push_back(&FrameBody::add_to(*m.model, "door", 1, Vec3(1, 2, 2.5).asDiagonal()));
  m.model->add(
      revolute_joint("hinge", m.model->ports(), {Model::ground, Vec3::Zero()}, {m.bodies[0]->port(), Vec3::Zero()}));
  m.initial = m.model->rest_state();
  const Mat3 turned = (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished(); // the axis of the hinge, x, onto y
  m.bodies[0]->set_motion(at(Vec3::Zero(), Quaternion(turned)), m.initial);
  begin(m);
  State state = m.initial;
  const AssemblyReport report = assemble(*m.model, state);
  BOOST_TEST(report.converged, report.message);
  BOOST_TEST(analyse_constraints(*m.model, state).position_violation <= 10 * eps);
}

BOOST_AUTO_TEST_CASE(bodies_that_stay_also_stay_when_a_start_is_left) {
  const Mechanism m = laid_out({{1, 2, 1.8, 1.1}, {1, 1, 1, 1}, 2.5});
  State state = m.initial;
  const AssemblyReport report = assemble(*m.model, state, {{m.bodies[0]}});
  BOOST_TEST(report.converged, report.message);
  BOOST_TEST(report.attempts > 0);
  BOOST_TEST(report.bodies[0].distance == 0);
  BOOST_TEST(report.bodies[0].angle == 0);
  BOOST_TEST((m.bodies[0]->motion(state).position == m.bodies[0]->motion(m.initial).position));
}

// Ground of 7 m, bars of 4.8 m in all.
BOOST_AUTO_TEST_CASE(an_impossible_four_bar_is_refused_with_what_was_tried) {
  const Mechanism m = laid_out({{1, 2, 1.8}, {1, 1, 1}, 7});
  State state = m.initial;
  const AssemblyReport report = assemble(*m.model, state);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.attempts >= 12);
  BOOST_TEST(report.gap > 0.5); // 2.2 m, shared by four joints
  BOOST_TEST(report.message.find("joints contradict one another") != std::string::npos);
  BOOST_TEST(report.message.find("\n  tried: the nearest positions, ") != std::string::npos, report.message);
  BOOST_TEST(report.message.find("12 seeded moves of all bodies") != std::string::npos, report.message);
}

BOOST_AUTO_TEST_SUITE_END()
