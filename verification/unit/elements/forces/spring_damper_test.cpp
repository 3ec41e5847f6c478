#include "elements/bodies/frame.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double mass = 2;

/// A frame of two kilograms on a spring from the origin to its centre.
struct Sprung {
  explicit Sprung(const SpringLaw& law)
      : body(FrameBody::add_to(model, "body", mass, Mat3::Identity())),
        spring(
            model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                                     body_point(body.port(), Vec3::Zero()), law))) {}

  State at(const Vec3& x, const Vec3& v) const {
    State state = model.rest_state();
    body.set_motion({x, Quaternion::Identity(), v, Vec3::Zero()}, state);
    return state;
  }
  /// A step that takes the body from one place to another.
  Trial trial(const Vec3& from, const Vec3& to, double h) const {
    const BodyMotion start{from, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};
    BodyMotion end = start;
    end.position = to;
    return make_trial(model, {{start, end}}, h, VecX());
  }

  Model model;
  const FrameBody& body;
  const SpringDamper& spring;
};

// Ten roundings of numbers below two hundred.
const double tolerance = 10 * eps * 200;

} // namespace

BOOST_AUTO_TEST_SUITE(SpringDampers)

// From length 5 to 10 in half a second along (3, 4, 0)/5, k = 2, L0 = 4, c = 3: F = 2 (7.5 - 4) + 3 * 5/0.5 = 37.
BOOST_AUTO_TEST_CASE(tension_pulls_the_points_together) {
  const Sprung s({2, 4, 3});
  const Trial trial = s.trial(Vec3(3, 4, 0), Vec3(6, 8, 0), 0.5);
  const OwnedStep moved = trial.moved(s.model);
  BOOST_TEST(agree("force", s.spring.force(moved), 37, tolerance));
  BOOST_TEST(agree("length", s.spring.length(moved), 10, tolerance));
  const Reaction on_body = s.spring.reaction(moved, s.body.port(), 1);
  BOOST_TEST(agree("on the body", on_body.force, Vec3(37 * Vec3(-0.6, -0.8, 0)), tolerance));
  BOOST_TEST(agree("moment", on_body.moment, Vec3(Vec3::Zero()), tolerance));
  StepBooks books;
  s.spring.book(moved, trial.n1, books);
  BOOST_TEST(agree("potential", books.potential, 36, tolerance));      // 2 (10 - 4)²/2
  BOOST_TEST(agree("dissipation", books.dissipation, 150, tolerance)); // 3 * 5²/0.5
  BOOST_TEST(books.work == 0);
}

// A point that goes round the other one does not change its distance: (1, 0, 0) to (0, 1, 0). Exact in whole numbers.
BOOST_AUTO_TEST_CASE(a_damper_resists_only_along_its_line) {
  const Sprung s({0, 0, 3});
  const Trial trial = s.trial(Vec3(1, 0, 0), Vec3(0, 1, 0), 0.5);
  BOOST_TEST(s.spring.force(trial.moved(s.model)) == 0);
  BOOST_TEST((assemble(s.spring, s.model, trial, false).r == VecX::Zero(6)));
}

// At no length at all a spring of free length 0 has its full stiffness, one of positive free length no line to act on.
BOOST_AUTO_TEST_CASE(points_that_coincide_are_no_singularity) {
  const Sprung without({2, 0, 0}), with({2, 0.5, 1});
  const Trial at_rest = without.trial(Vec3::Zero(), Vec3::Zero(), 0.5);
  const DenseSystem zero = assemble(without.spring, without.model, at_rest, true);
  BOOST_TEST((zero.r == VecX::Zero(6)));
  BOOST_TEST((zero.k.topLeftCorner<3, 3>() == Mat3::Identity())); // half of k = 2
  const DenseSystem coinciding = assemble(with.spring, with.model, at_rest, true);
  BOOST_TEST((coinciding.r == VecX::Zero(6)));
  BOOST_TEST(coinciding.k.allFinite());
  // From and to the other end of the line, and through it.
  for (const auto& [from, to] : {std::pair(Vec3(0, 0, 0), Vec3(1, 0, 0)), std::pair(Vec3(1, 0, 0), Vec3(0, 0, 0)),
                                 std::pair(Vec3(1, 0, 0), Vec3(-1, 0, 0))}) {
    const Trial through = with.trial(from, to, 0.5);
    BOOST_TEST(check_discrete_gradient(without.spring, without.model, through));
    BOOST_TEST(check_books(with.spring, with.model, through));
    BOOST_TEST(assemble(with.spring, with.model, through, true).k.allFinite());
  }
}

// Along its line the spring is a linear oscillator whatever its free length, and the step the implicit midpoint rule:
// the phase grows by 2 atan(omega h/2) in every step, to rounding, and the amplitude stays.
BOOST_AUTO_TEST_CASE(a_mass_on_a_spring_has_the_discrete_period_of_the_midpoint_rule) {
  const double k = 8, L0 = 3, omega = std::sqrt(k / mass), a = 0.75;
  for (const double h : {0.05, 0.25, 1.0}) {
    const Sprung s({k, L0, 0});
    const Vec3 along = Vec3(1, -2, 2) / 3;
    State state = s.at((L0 + a) * along, Vec3::Zero());
    const double phase = 2 * std::atan(omega * h / 2);
    for (int n = 1; n <= 100; ++n) {
      state = solve_step(s.model, state, h).trial.n1;
      const BodyMotion m = s.body.motion(state);
      // Twenty roundings a step of positions below four; velocities follow as 2/h times positions.
      const double rounding = 20 * n * eps * 4;
      BOOST_TEST(agree("position", m.position, Vec3((L0 + a * std::cos(n * phase)) * along), rounding));
      BOOST_TEST(agree("velocity", m.velocity, Vec3(-a * omega * std::sin(n * phase) * along),
                       rounding * std::max(omega, 2 / h)));
    }
  }
}

// Without free length the oscillator is linear in space: an ellipse, or a line through the centre.
BOOST_AUTO_TEST_CASE(a_spring_without_length_moves_its_mass_on_an_ellipse) {
  const double k = 8, omega = std::sqrt(k / mass), h = 0.2;
  for (const double b : {0.0, 0.5}) {
    const Sprung s({k, 0, 0});
    State state = s.at(Vec3(1, 0, 0), Vec3(0, b * omega, 0));
    const double phase = 2 * std::atan(omega * h / 2);
    for (int n = 1; n <= 100; ++n) {
      state = solve_step(s.model, state, h).trial.n1;
      // Twenty roundings a step of coordinates below one.
      BOOST_TEST(agree("position", s.body.motion(state).position, Vec3(std::cos(n * phase), b * std::sin(n * phase), 0),
                       20 * n * eps));
    }
  }
}

// A damper alone takes v to v (1 - x)/(1 + x), x = c h/2m, in every step, and its books hold what the mass has lost.
BOOST_AUTO_TEST_CASE(a_damper_slows_a_mass_down_and_books_what_it_took) {
  const double c = 3, h = 0.1, x = c * h / (2 * mass);
  const Sprung s({0, 0, c});
  State state = s.at(Vec3(1, 0, 0), Vec3(5, 0, 0));
  double lost = 0;
  for (int n = 1; n <= 50; ++n) {
    const Trial t = solve_step(s.model, state, h).trial;
    state = t.n1;
    lost += s.model.books(t.moved(s.model), t.n1).dissipation;
    const double v = 5 * std::pow((1 - x) / (1 + x), n);
    // Twenty roundings a step of velocities 2 x/h, x below five.
    BOOST_TEST(agree("velocity", s.body.motion(state).velocity, Vec3(v, 0, 0), 20 * n * eps * 2 * 5 / h));
    BOOST_TEST(agree("lost", lost, mass / 2 * (25 - v * v), 20 * n * eps * mass * 25 * 2 / h));
  }
}

BOOST_AUTO_TEST_SUITE_END()
