#include "verification/support/checks.hpp"
#include "verification/support/joints.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

/// What a joint calls its coordinates, and their values at the pose that the maker admits at `c`.
struct Named {
  const char* joint;
  std::vector<std::string> names;
  VecX (*values)(const Coordinates& c);
};

VecX numbers(std::initializer_list<double> list) {
  VecX v(static_cast<Index>(list.size()));
  std::copy(list.begin(), list.end(), v.data());
  return v;
}

const Named named[] = {
    {"spherical", {}, [](const Coordinates&) { return VecX(0); }},
    {"revolute", {"angle"}, [](const Coordinates& c) { return numbers({c[0]}); }},
    {"prismatic", {"displacement"}, [](const Coordinates& c) { return numbers({c[0]}); }},
    {"cylindrical",
     {"displacement", "angle"},
     [](const Coordinates& c) {
       return numbers({c[0], c[1]});
     }},
    {"screw",
     {"displacement", "angle"},
     [](const Coordinates& c) {
       return numbers({0.4 * c[0] / (2 * M_PI), c[0]});
     }},
    {"universal",
     {"angle1", "angle2"},
     [](const Coordinates& c) {
       return numbers({c[0], c[1]});
     }},
    {"planar",
     {"displacement1", "displacement2", "angle"},
     [](const Coordinates& c) {
       return numbers({c[0], c[1], c[2]});
     }},
    {"fixed", {}, [](const Coordinates&) { return VecX(0); }},
    {"distance", {"length"}, [](const Coordinates&) { return numbers({0.7}); }},
    {"point on line", {"displacement"}, [](const Coordinates& c) { return numbers({c[0]}); }},
    {"point on plane",
     {"displacement1", "displacement2"},
     [](const Coordinates& c) {
       return numbers({c[0], c[1]});
     }},
    {"parallel axes", {"angle"}, [](const Coordinates& c) { return numbers({c[3]}); }},
};

std::ostream& operator<<(std::ostream& out, const Named& n) {
  return out << n.joint;
}

/// A joint with random sides between the ground and a frame that is placed where the joint says.
struct Placed {
  Placed(const std::string& kind, Random& random) : maker(joint_maker(kind)) {
    I = {Model::ground, random.vector(), random.triad()};
    J = {body_makers()[0].add(model, "body", 1, Mat3::Identity()).port(), random.vector(), random.triad()};
    joint = dynamic_cast<const Joint*>(&model.add(maker.make("joint", model.ports(), I, J)));
  }
  /// Position of the body where the coordinates of the pose are `c`.
  BodyMotion at(const Coordinates& c) const {
    const RelativePose pose = maker.admitted(c, 0);
    BodyMotion m;
    m.orientation = Quaternion(Mat3(I.axes * pose.turn.toRotationMatrix() * J.axes.transpose())).normalized();
    m.position = I.at + I.axes * pose.slide - m.orientation * J.at;
    m.velocity = m.angular_velocity = Vec3::Zero();
    return m;
  }
  const JointMaker& maker;
  Model model;
  JointSide I, J;
  const Joint* joint = nullptr;
};

struct Measured {
  VecX value, rate;
};

Measured measure(const Joint& joint, const State& state) {
  const auto n = static_cast<Index>(joint.coordinates().size());
  Measured m{VecX(n), VecX(n)};
  joint.coordinates_at(state, m.value, m.rate);
  return m;
}

// Thirty roundings of coordinates below ten.
const double rounding = 30 * eps * 10;

} // namespace

BOOST_AUTO_TEST_SUITE(JointCoordinates)

BOOST_DATA_TEST_CASE(values_are_those_of_the_pose, data::make(named)) {
  Random random(701);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Placed p(sample.joint, random);
    BOOST_REQUIRE(p.joint->coordinates().size() == sample.names.size());
    for (std::size_t i = 0; i < sample.names.size(); ++i) {
      const JointCoordinate& label = p.joint->coordinates()[i];
      BOOST_TEST(label.name == sample.names[i]);
      BOOST_TEST(std::string(label.unit) == (sample.names[i].substr(0, 5) == "angle" ? "rad" : "m"));
    }
    const Coordinates c = random.numbers(6);
    const State state = make_trial(p.model, {{p.at(c), p.at(c)}}, 1, VecX::Zero(p.joint->multipliers())).n;
    BOOST_TEST(agree("coordinates", measure(*p.joint, state).value, sample.values(c), rounding));
  }
}

BOOST_DATA_TEST_CASE(coordinates_are_zero_where_the_triads_coincide, data::make(named)) {
  Random random(702);
  const Placed p(sample.joint, random);
  const BodyMotion here = p.at(Coordinates::Zero());
  const State state = make_trial(p.model, {{here, here}}, 1, VecX::Zero(p.joint->multipliers())).n;
  const VecX expected = sample.values(Coordinates::Zero());
  BOOST_TEST(agree("coordinates", measure(*p.joint, state).value, expected, rounding));
}

// Ten turns forwards in steps of up to 3 rad, then back: the joint remembers, whatever it calls the angle.
BOOST_DATA_TEST_CASE(angles_count_turns, data::make(named)) {
  Random random(703);
  const Placed p(sample.joint, random);
  Coordinates c = random.numbers(6);
  State state = make_trial(p.model, {{p.at(c), p.at(c)}}, 1, VecX::Zero(p.joint->multipliers())).n;
  for (int step = 0; step < 60; ++step) {
    const Coordinates next = c + Coordinates::Constant(step < 40 ? 1.5 : -1.5) + Coordinates(random.numbers(6, 1.4));
    Trial t = make_trial(p.model, {{p.at(c), p.at(next)}}, 1, VecX::Zero(p.joint->multipliers()));
    if (t.motions(p.model).back().P_bar.cwiseAbs().maxCoeff() > 1e6)
      continue; // the body itself turned by half a turn, which no step can
    t.n.history = state.history;
    p.joint->advance(t.moved(p.model), t.n1);
    state = t.n1;
    c = next;
    BOOST_TEST(agree("coordinates", measure(*p.joint, state).value, sample.values(c), 100 * rounding));
  }
}

// Rates are the derivative of the values along the motion of free bodies: central differences of step 1e-5 leave
// 1e-10 of truncation and 1e-11 of rounding, for accelerations of order ten.
BOOST_DATA_TEST_CASE(rates_are_derivatives_of_the_values, data::make(named)) {
  Random random(704);
  for (const BodyMaker& maker : body_makers()) {
    const JointSample pair{&joint_maker(sample.joint), {&maker, &maker}, step_sizes()[2]};
    const JointScene s(pair, random);
    const auto& joint = dynamic_cast<const Joint&>(*s.joint);
    const Trial t = s.trial(s.joined_motions(random), random);
    const auto values_after = [&](double time) {
      State drifted = t.n;
      const VecX z = time * t.n.rates;
      s.model.retract_nodes({t.n, 1, 1, z, t.lambda}, drifted.values);
      return measure(joint, drifted).value;
    };
    const double d = 1e-5;
    BOOST_TEST(agree("rate", measure(joint, t.n).rate, VecX((values_after(d) - values_after(-d)) / (2 * d)), 1e-8));
  }
}

// A screw that starts three turns up: its turns follow from the displacement.
BOOST_AUTO_TEST_CASE(a_screw_knows_its_turns_from_its_displacement) {
  Random random(705);
  const Placed p("screw", random);
  const Coordinates c = Coordinates::Constant(6.1 * M_PI);
  const State state = make_trial(p.model, {{p.at(c), p.at(c)}}, 1, VecX::Zero(5)).n;
  BOOST_TEST(agree("turns", measure(*p.joint, state).value, numbers({0.4 * 3.05, 6.1 * M_PI}), rounding));
  BOOST_TEST(p.model.books_at(state).position_violation <= rounding);
}

BOOST_AUTO_TEST_SUITE_END()
