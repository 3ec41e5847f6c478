#include "elements/bodies/frame.hpp"
#include "elements/limits/limit.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/joints.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <stdexcept>
#include <utility>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

CoordinateMeasure angle_between(const Ports& ports, const JointSide& I, const JointSide& J) {
  return CoordinateMeasure::angle("angle", ports, body_direction(I.port, I.axes.col(1)),
                                  body_direction(I.port, I.axes.col(2)), body_direction(J.port, J.axes.col(1)));
}
CoordinateMeasure displacement_between(const Ports& ports, const JointSide& I, const JointSide& J) {
  return CoordinateMeasure::displacement("displacement", ports, body_direction(I.port, I.axes.col(0)),
                                         body_point(I.port, I.at), body_point(J.port, J.at));
}

// --- every limit with every pair of bodies

using Made = std::unique_ptr<Interaction>;

Made a_wall(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return wall(std::move(name), ports, I, body_point(J.port, J.at), 0.3, 0.5);
}
Made an_angle_stop(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return stop(std::move(name), ports, angle_between(ports, I, J), {-0.4, 0.7}, 0.5);
}
Made a_displacement_stop(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return stop(std::move(name), ports, displacement_between(ports, I, J), {-0.4, 0.7}, 1);
}
Made a_rope(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return rope(std::move(name), ports, body_point(I.port, I.at), body_point(J.port, J.at), {0.3, 1.2}, 0);
}
RelativePose any_place_one_axis(const Coordinates& c, double) {
  return {c.head<3>(), exponential(c[3] * Vec3::UnitX())};
}

/// Limits under the conditions that joints are tested in; the angle wants axes that are near each other.
const std::vector<JointMaker>& limit_makers() {
  static const std::vector<JointMaker> makers{{"wall", 1, 0, a_wall, any_place_one_axis},
                                              {"angle stop", 2, 0, an_angle_stop, any_place_one_axis, true},
                                              {"displacement stop", 2, 0, a_displacement_stop, any_place_one_axis},
                                              {"rope", 2, 0, a_rope, any_place_one_axis}};
  return makers;
}

std::vector<JointSample> limit_samples() {
  std::vector<JointSample> samples;
  for (const JointMaker& maker : limit_makers())
    for (const BodyPair& pair : body_pairs())
      for (const StepSize& size : step_sizes())
        samples.push_back({&maker, pair, size});
  return samples;
}

// --- a body at the origin, and a limit between the ground and it

struct Limited {
  template <class Make>
  explicit Limited(const Make& make) : body(FrameBody::add_to(model, "body", 2, Vec3(2, 3, 4).asDiagonal())) {
    limit = &model.add(make(model.ports(), JointSide{}, JointSide{body.port(), Vec3::Zero(), Mat3::Identity()}));
  }
  /// A trial with the multipliers 1, 2, .. of the rows.
  Trial trial(const BodyMotion& from, const BodyMotion& to) const {
    return make_trial(model, {{from, to}}, 0.1,
                      VecX::LinSpaced(limit->multipliers(), 1, static_cast<double>(limit->multipliers())));
  }
  VecX gaps(const State& state) const {
    VecX gap(limit->multipliers()), rate(limit->multipliers());
    limit->gaps_at(state, gap, rate);
    return gap;
  }
  VecX rates(const State& state) const {
    VecX gap(limit->multipliers()), rate(limit->multipliers());
    limit->gaps_at(state, gap, rate);
    return rate;
  }
  Reaction reaction(const Trial& t) const { return limit->reaction_on_second(t.moved(model)); }
  double violation(const Trial& t) const {
    StepBooks books;
    limit->book(t.moved(model), t.n1, books);
    return books.penetration;
  }

  Model model;
  const FrameBody& body;
  const Limit* limit;
};

BodyMotion placed(const Vec3& position, double turn = 0, const Vec3& velocity = Vec3::Zero(), double spin = 0) {
  return {position, exponential(turn * Vec3::UnitX()), velocity, spin * Vec3::UnitX()};
}

Eigen::Vector2d pair(double first, double second) {
  return {first, second};
}

/// The normal of the wall is z.
Limited floor_of(double radius) {
  return Limited([radius](const Ports& ports, JointSide ground, const JointSide& J) {
    ground.axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    return wall("floor", ports, ground, body_point(J.port, Vec3(0, 0, -0.5)), radius, 0.5);
  });
}

} // namespace

BOOST_AUTO_TEST_SUITE(Limits)

BOOST_DATA_TEST_CASE(every_limit_between_every_pair_of_bodies_passes_wherever_they_are, data::make(limit_samples())) {
  Random random(601);
  JointScene s(sample, random);
  const std::vector<Motion> motions = s.free_motions(random);
  Trial trial = s.trial(motions, random);
  disturb(s.model, std::min(0.1, sample.size.shift), random, trial);
  BOOST_TEST(check_tangent(*s.joint, s.model, trial));
  BOOST_TEST(check_adds(*s.joint, s.model, trial));
  BOOST_TEST(check_magnitude(*s.joint, s.model, trial));
  BOOST_TEST(check_row_names(*s.joint));
  BOOST_TEST(check_discrete_gradient(*s.joint, s.model, trial));
  BOOST_TEST(check_momentum(*s.joint, s.model, trial));
  BOOST_TEST(check_books(*s.joint, s.model, trial));
  if (sample.bodies.both_move())
    BOOST_TEST(check_frame_indifference(*s.joint, s.model, motions, 0, random));
}

BOOST_DATA_TEST_CASE(every_limit_has_its_rows_and_only_pushes, data::make(limit_samples())) {
  Random random(602);
  const JointScene s(sample, random);
  BOOST_TEST(s.joint->multipliers() == sample.joint->rows);
  BOOST_TEST(s.joint->unknowns() == s.model.unknowns());
  BOOST_TEST(s.joint->is_one_sided());
  BOOST_TEST((s.joint->acts() == Acts::between_bodies));
}

// A gap is -phi, and its rate -G q_dot; of a length only where a bound is reached, which has a case of its own.
BOOST_DATA_TEST_CASE(gaps_are_the_negative_of_the_constraints, data::make(limit_samples())) {
  if (sample.joint->name == "rope")
    return;
  Random random(603);
  const JointScene s(sample, random);
  const Trial trial = s.trial(s.joined_motions(random), random);
  const auto& limit = dynamic_cast<const Limit&>(*s.joint);
  State end = trial.n1;
  limit.advance(trial.moved(s.model), end);
  VecX gap(limit.multipliers()), rate(limit.multipliers());
  limit.gaps_at(end, gap, rate);
  const NaturalSystem system = natural_system(limit, natural_step(limit, s.model, trial));
  VecX q_dot(9);
  for (std::size_t a = 0; a < 3; ++a) {
    Vec12 port, port_dot;
    s.model.ports()[static_cast<std::size_t>(limit.variables()[a].port)]->at(end, port, port_dot);
    q_dot.segment<3>(static_cast<Index>(3 * a)) = limit.variables()[a].of(port_dot);
  }
  BOOST_TEST(agree("gap", gap, VecX(-system.phi), 100 * eps * 4)); // coordinates below four, and so are rates
  BOOST_TEST(agree("rate", rate, VecX(-system.G * q_dot), 100 * eps * 4));
}

// Centre of a ball of radius 0.2 half a metre below a body that comes down from 1 to 0.9 m at 3 m/s.
BOOST_AUTO_TEST_CASE(a_wall_pushes_a_ball_along_its_normal) {
  const Limited floor = floor_of(0.2);
  const Trial t = floor.trial(placed({1, 2, 1}), placed({1, 2, 0.9}, 0, {5, 0, -3}));
  BOOST_TEST(agree("gap before", floor.gaps(t.n), VecX::Constant(1, 0.3), 10 * eps));
  BOOST_TEST(agree("gap after", floor.gaps(t.n1), VecX::Constant(1, 0.2), 10 * eps));
  BOOST_TEST(agree("rate", floor.rates(t.n1), VecX::Constant(1, -3), 10 * eps));
  BOOST_TEST(agree("force", floor.reaction(t).force, Vec3(0, 0, 1), 10 * eps));
  BOOST_TEST(agree("moment", floor.reaction(t).moment, Vec3(0, 0, 0), 10 * eps));
  BOOST_TEST(floor.violation(t) == 0);
  BOOST_TEST(agree("depth", floor.violation(floor.trial(placed({0, 0, 1}), placed({0, 0, 0.6}))), 0.1, 10 * eps));
  BOOST_TEST(floor.limit->constraints().restitution() == 0.5);
  BOOST_TEST(floor.limit->forces(t.step()) == VecX::Constant(1, 1.0));
}

BOOST_AUTO_TEST_CASE(a_stop_pushes_a_coordinate_back_from_both_bounds) {
  const Limited slider([](const Ports& ports, const JointSide& I, const JointSide& J) {
    return stop("stop", ports, displacement_between(ports, I, J), {-0.5, 2}, 1);
  });
  const Trial t = slider.trial(placed({0, 0, 0}), placed({0.25, 0, 0}, 0, {4, 0, 0}));
  BOOST_TEST(agree("gaps", slider.gaps(t.n1), pair(1.75, 0.75), 10 * eps));
  BOOST_TEST(agree("rates", slider.rates(t.n1), pair(-4, 4), 10 * eps));
  // Multipliers 1 of the upper bound and 2 of the lower one.
  BOOST_TEST(agree("force", slider.reaction(t).force, Vec3(-1 + 2, 0, 0), 10 * eps));
  BOOST_TEST(agree("beyond", slider.violation(slider.trial(placed({0, 0, 0}), placed({2.5, 0, 0}))), 0.5, 10 * eps));
  BOOST_TEST(agree("beyond", slider.violation(slider.trial(placed({0, 0, 0}), placed({-1, 0, 0}))), 0.5, 10 * eps));
  BOOST_TEST(std::string(slider.limit->rows()[0].name) == "upper");
  BOOST_TEST(std::string(slider.limit->rows()[1].name) == "lower");
  BOOST_TEST(std::string(slider.limit->rows()[0].gap_unit) == "m");
  BOOST_TEST(std::string(slider.limit->rows()[0].force_unit) == "N");
}

// One bound is one row, whichever it is.
BOOST_AUTO_TEST_CASE(a_bound_that_is_not_given_does_nothing) {
  const Limited lower([](const Ports& ports, const JointSide& I, const JointSide& J) {
    return stop("stop", ports, displacement_between(ports, I, J), {-0.5, {}}, 1);
  });
  const Trial t = lower.trial(placed({0, 0, 0}), placed({100, 0, 0}));
  BOOST_TEST(lower.violation(t) == 0);
  BOOST_TEST(lower.limit->multipliers() == 1);
  BOOST_TEST(std::string(lower.limit->rows()[0].name) == "lower");
  BOOST_TEST(agree("force", lower.reaction(t).force, Vec3(1, 0, 0), 10 * eps));
}

// Steps of one radian about x: five turns and a bit until the upper bound of 31.5 rad is near.
BOOST_AUTO_TEST_CASE(a_stop_of_an_angle_counts_turns) {
  const Limited crank([](const Ports& ports, const JointSide& I, const JointSide& J) {
    return stop("stop", ports, angle_between(ports, I, J), {-0.5, 31.5}, 1);
  });
  Trial t = crank.trial(placed({0, 0, 0}, 0.25), placed({0, 0, 0}, 1.25, Vec3::Zero(), 7));
  for (int i = 1; i <= 31; ++i) {
    crank.limit->advance(t.moved(crank.model), t.n1);
    BOOST_TEST(agree("gaps", crank.gaps(t.n1), pair(31.25 - i, 0.75 + i), 100 * eps * 32));
    BOOST_TEST(agree("rates", crank.rates(t.n1), pair(-7, 7), 100 * eps));
    const NaturalSystem system = natural_system(*crank.limit, natural_step(*crank.limit, crank.model, t));
    BOOST_TEST(agree("phi", system.phi, -crank.gaps(t.n1), 100 * eps * 32));
    const VecX history = t.n1.history;
    t = crank.trial(placed({0, 0, 0}, 0.25 + i), placed({0, 0, 0}, 1.25 + i, Vec3::Zero(), 7));
    t.n.history = t.n1.history = history;
  }
  // Moments 1 back from the upper bound and 2 up from the lower one; a finite step has the tangent of half its angle
  // for half its angle, so the step is a small one.
  const Trial small = crank.trial(placed({0, 0, 0}, 0.25), placed({0, 0, 0}, 0.2501));
  BOOST_TEST(agree("moment", crank.reaction(small).moment, Vec3(-1 + 2, 0, 0), 1e-8));
  BOOST_TEST(std::string(crank.limit->rows()[0].gap_unit) == "rad");
  BOOST_TEST(std::string(crank.limit->rows()[0].force_unit) == "N m");
}

// Bounds of 200 and 300 degrees admit a start at -110 degrees, which is 250; at 0 the start is off by 60 degrees and
// not by 200. One bound alone never makes full turns of what is slightly beyond it.
BOOST_AUTO_TEST_CASE(the_turns_at_the_start_are_those_that_fit_the_bounds) {
  const double degree = M_PI / 180;
  const auto crank = [&](const Bounds& bounds) {
    return Limited([&](const Ports& ports, const JointSide& I, const JointSide& J) {
      return stop("stop", ports, angle_between(ports, I, J), bounds, 1);
    });
  };
  const auto still = [&](const Limited& c, double angle) {
    return c.gaps(c.trial(placed({0, 0, 0}, angle * degree), placed({0, 0, 0}, angle * degree)).n);
  };
  const double tolerance = 100 * eps;
  const Limited both = crank({200 * degree, 300 * degree});
  BOOST_TEST(agree("gaps", still(both, -110), pair(50 * degree, 50 * degree), tolerance));
  BOOST_TEST(agree("gaps", still(both, 0), pair(-60 * degree, 160 * degree), tolerance));
  const Limited wide = crank({-360 * degree, 3600 * degree});
  BOOST_TEST(agree("gaps", still(wide, 10), pair(3590 * degree, 370 * degree), 3600 * degree * tolerance));
  const Limited upper = crank({{}, 30 * degree});
  BOOST_TEST(agree("gap", still(upper, 31), VecX::Constant(1, -1 * degree), tolerance));
}

// A rope of 2 m that is never shorter than 0.5 m, from the origin to a body 1.5 m away and flying off at 3 m/s.
BOOST_AUTO_TEST_CASE(a_rope_pulls_and_a_strut_pushes_along_their_line) {
  const Limited r([](const Ports& ports, const JointSide& I, const JointSide& J) {
    return rope("rope", ports, body_point(I.port, I.at), body_point(J.port, J.at), {0.5, 2}, 0);
  });
  const Trial t = r.trial(placed({0, 1.5, 0}), placed({0, 1.5, 0}, 0, {7, 3, 0}));
  BOOST_TEST(agree("gaps", r.gaps(t.n1), pair(0.5, 1), 10 * eps));
  BOOST_TEST(agree("rates", r.rates(t.n1), pair(-3, 3), 10 * eps));
  BOOST_TEST(r.violation(t) == 0);
  // At the bounds the multiplier is the force: 1 pulls at 2 m, 2 pushes at 0.5 m.
  const Trial taut = r.trial(placed({0, 2, 0}), placed({0, 2, 0}));
  BOOST_TEST(agree("taut", r.reaction(taut).force, Vec3(0, -1 + 2 * 4, 0), 10 * eps * 8));
  const Trial close = r.trial(placed({0, 0.5, 0}), placed({0, 0.5, 0}));
  BOOST_TEST(agree("close", r.reaction(close).force, Vec3(0, -0.25 + 2, 0), 10 * eps));
  // phi is quadratic, what is reported is a length.
  BOOST_TEST(agree("beyond", r.violation(r.trial(placed({0, 2, 0}), placed({0, 2.01, 0}))), 0.01, 20 * eps));
  BOOST_TEST(agree("short", r.violation(r.trial(placed({0, 0.5, 0}), placed({0, 0.2, 0}))), 0.3, 20 * eps));
}

BOOST_AUTO_TEST_CASE(limits_without_sense_are_refused) {
  Model model;
  const Index port = FrameBody::add_to(model, "body", 2, Mat3::Identity()).port();
  const NaturalVariable a = body_point(Model::ground, Vec3::Zero()), b = body_point(port, Vec3::Zero());
  const auto make = [&](const Bounds& bounds, double restitution) {
    return rope("rope", model.ports(), a, b, bounds, restitution);
  };
  BOOST_CHECK_NO_THROW(make({0.5, 1}, 1));
  BOOST_CHECK_THROW(make({}, 1), std::invalid_argument);
  BOOST_CHECK_THROW(make({1, 1}, 1), std::invalid_argument);
  BOOST_CHECK_THROW(make({0, 1}, 1), std::invalid_argument);
  BOOST_CHECK_THROW(make({{}, 1}, 1.1), std::invalid_argument);
  BOOST_CHECK_THROW(make({{}, 1}, -0.1), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
