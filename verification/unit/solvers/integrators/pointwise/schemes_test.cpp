/// Schemes that take forces at instants: stability, order, impacts, and the example of two links and a wall.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/forces/load.hpp"
#include "elements/joints/joint.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/schemes.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

const Enforcement by_multipliers{};
const Enforcement by_augmented_lagrangian{EnforcementMethod::augmented_lagrangian, 0, 0};

Enforcement penalty(double r) {
  return {EnforcementMethod::penalty, r, 0};
}

NewtonOptions nested(double tolerance) {
  NewtonOptions options;
  options.augmented.form = AugmentedForm::nested;
  options.augmented.tolerance = tolerance;
  return options;
}

/// Ratio of the speeds after and before an impact of a point that is s h v away from the wall at the start, h = 1.
double restitution(const InstantScheme& scheme, double s, const Enforcement& how, const NewtonOptions& options = {}) {
  Oscillator o(0, s, -1);
  o.stop(how);
  advance(*scheme.on(o.model, options), o.state, 1, 3); // memory is gone two steps after the impact
  return o.state.rates[0];
}

VecX angles_at(const InstantScheme& scheme, const TwoLinks& links, double h, double end) {
  State state = links.state;
  advance(*scheme.on(links.model), state, h, static_cast<int>(std::lround(end / h)));
  return state.values;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Schemes)

// --- stability

// [A9]: roots on the unit circle. Rounding of x_n x_{n+2} - x_{n+1}² is some eps / sin² of the angle of the root, which
// is 0.003 at the last z, and is divided by the number of steps.
BOOST_AUTO_TEST_CASE(linear_acceleration_neither_grows_nor_decays_below_its_limit) {
  for (const double z : {0.1, 0.5, 1.0, 2.0, 3.0, 3.46})
    BOOST_TEST(std::abs(growth(linear_acceleration(), z, 1000)) < 1e-12, "z = " << z);
  // Beyond it there are two real roots; the larger one is 1.0696 at z = 3.47.
  Oscillator o(3.47 * 3.47, 1, 0);
  const auto integrator = linear_acceleration().on(o.model);
  advance(*integrator, o.state, 1, 100);
  const double before = o.state.values[0];
  advance(*integrator, o.state, 1, 1);
  BOOST_TEST(std::abs(o.state.values[0] / before) == 1.0696, boost::test_tools::tolerance(1e-4));
}

// [A10]
BOOST_AUTO_TEST_CASE(high_order_grows_at_any_step) {
  BOOST_TEST(growth(high_order(), 0.1, 1000) == 2.080e-6, boost::test_tools::tolerance(0.01));
  BOOST_TEST(growth(high_order(), 0.5, 1000) == 1.2455e-3, boost::test_tools::tolerance(0.01));
  BOOST_TEST(growth(high_order(), 1, 200) == 0.016976, boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(midpoint_neither_grows_nor_decays_and_euler_grows) {
  for (const double z : {0.1, 1.0, 10.0})
    BOOST_TEST(std::abs(growth(midpoint(), z, 1000)) < 1e-12, "z = " << z);
  for (const double z : {0.1, 0.5})
    BOOST_TEST(growth(explicit_euler(), z, 100) == std::sqrt(1 + z * z) - 1, boost::test_tools::tolerance(1e-9));
}

// --- order

// Reference by an independent method of order four with h = 1e-4.
BOOST_AUTO_TEST_CASE(flight_of_two_links_converges_with_the_order_of_the_scheme) {
  const TwoLinks links;
  const Eigen::Vector2d reference(0.2145981712821, -0.0531959020874);
  struct Expected {
    InstantScheme scheme;
    double ratio, margin, last; // of errors; 0: not known
  };
  for (const Expected& e : {Expected{linear_acceleration(), 4.00, 0.05, 3.568e-6},
                            Expected{high_order(), 7.8, 0.3, 6.080e-9}, Expected{midpoint(), 4.00, 0.05, 0}}) {
    double error[3];
    for (int i = 0; i < 3; ++i)
      error[i] = (angles_at(e.scheme, links, 4e-3 / (1 << i), 0.6) - reference).norm();
    BOOST_TEST_CONTEXT(e.scheme << ": " << error[0] << ", " << error[1] << ", " << error[2]) {
      BOOST_TEST(std::abs(error[0] / error[1] - e.ratio) <= e.margin);
      BOOST_TEST(std::abs(error[1] / error[2] - e.ratio) <= e.margin);
      if (e.last > 0)
        BOOST_TEST(error[2] == e.last, boost::test_tools::tolerance(0.01));
    }
  }
}

// From rest the acceleration is even in time, and a bad start of high_order would not show.
BOOST_AUTO_TEST_CASE(a_start_in_motion_keeps_the_order) {
  TwoLinks links;
  links.links[0]->set_angle(std::acos(-1.0) / 3, 3, links.state);
  links.links[1]->set_angle(std::acos(-1.0) / 2, -4, links.state);
  for (const auto& [scheme, ratio] :
       {std::pair(linear_acceleration(), 4.0), std::pair(high_order(), 8.0), std::pair(explicit_euler(), 2.0)}) {
    const VecX a = angles_at(scheme, links, 2e-3, 0.4), b = angles_at(scheme, links, 1e-3, 0.4),
               c = angles_at(scheme, links, 0.5e-3, 0.4);
    BOOST_TEST((a - b).norm() / (b - c).norm() == ratio, boost::test_tools::tolerance(0.06));
  }
}

// Steps of another size go on with what is remembered, at no loss of order.
BOOST_AUTO_TEST_CASE(steps_may_change_their_size) {
  const TwoLinks links;
  const auto error = [&](double h) {
    State state = links.state;
    const auto integrator = high_order().on(links.model);
    const int n = static_cast<int>(std::lround(0.1 / h));
    advance(*integrator, state, h, n);
    advance(*integrator, state, h / 2, 4 * n);
    advance(*integrator, state, h, 3 * n);
    return (state.values - Eigen::Vector2d(0.2145981712821, -0.0531959020874)).norm();
  };
  BOOST_TEST(error(4e-3) / error(2e-3) == 7.8, boost::test_tools::tolerance(0.1));
}

// --- impact

// [A15]: 1 kg in steps of 1 s, everything to rounding.
BOOST_AUTO_TEST_CASE(restitution_of_exact_stops_is_that_of_the_scheme) {
  struct Expected {
    InstantScheme scheme;
    double e[3]; // for s = 0, 0.25, 0.5
  };
  const Expected all[] = {{high_order(AfterImpact::keep), {7, 5, 3}},
                          {high_order(AfterImpact::reset), {7.0 / 3, 1.5, 2.0 / 3}},
                          {linear_acceleration(AfterImpact::keep), {5, 3.5, 2}},
                          {linear_acceleration(AfterImpact::reset), {2, 1.25, 0.5}},
                          {midpoint(), {1, 0.5, 0}}};
  for (const Expected& expected : all)
    for (int i = 0; i < 3; ++i)
      BOOST_TEST_CONTEXT(expected.scheme << ", s = " << 0.25 * i) {
        const double e = expected.e[i];
        BOOST_TEST(std::abs(restitution(expected.scheme, 0.25 * i, by_multipliers) - e) <= 1e-10);
        BOOST_TEST(std::abs(restitution(expected.scheme, 0.25 * i, by_augmented_lagrangian) - e) <= 1e-10);
        BOOST_TEST(std::abs(restitution(expected.scheme, 0.25 * i, by_augmented_lagrangian, nested(1e-12)) - e) <=
                   1e-10);
      }
}

// The stiffer a contact, the closer to its edge Newton has to come: without shorter steps it goes from one side to the
// other for ever. Sweeps are those of an independent program, 2 at 1e11 N/m, where r sigma is 5e4.
BOOST_AUTO_TEST_CASE(stiff_contact_is_found_by_shorter_steps) {
  for (const auto& [r, sweeps] : {std::pair(1e8, 5), std::pair(1e9, 3), std::pair(1e10, 2), std::pair(1e11, 2)}) {
    TwoLinks links({EnforcementMethod::augmented_lagrangian, r, 0});
    const auto integrator = midpoint().on(links.model, nested(1e-10));
    int most = 0;
    for (int i = 0; i < 2500; ++i) {
      const StepReport report = integrator->step(links.state, 1e-3);
      BOOST_TEST_REQUIRE(report.converged, "r = " << r << ", step " << i << ": " << report.why);
      most = std::max(most, report.sweeps);
    }
    BOOST_TEST(most == sweeps, "r = " << r << ": " << most << " sweeps");
  }
}

// Penalties have no impact to be forgotten: kept or reset is the same.
BOOST_AUTO_TEST_CASE(memory_is_not_reset_after_penalties) {
  for (const double s : {0.1, 0.6})
    BOOST_TEST(restitution(high_order(AfterImpact::keep), s, penalty(0.5)) ==
               restitution(high_order(AfterImpact::reset), s, penalty(0.5)));
}

// Energies that an independent prototype found with h = 1 ms, at the end of steps.
BOOST_AUTO_TEST_CASE(two_links_at_a_wall_gain_and_lose_what_they_should) {
  struct Expected {
    const char* what;
    InstantScheme scheme;
    Enforcement how;
    double at_070, at_150, tolerance; // at_150 = 0: chance
  };
  const Expected all[] = {
      {"HO, kept", high_order(AfterImpact::keep), by_multipliers, 278.66, 0, 0.01},
      {"HO, kept, AL", high_order(AfterImpact::keep), by_augmented_lagrangian, 278.66, 0, 0.01},
      {"HO, reset", high_order(), by_multipliers, 36.105, 35.506, 2e-3},
      {"LA, kept", linear_acceleration(AfterImpact::keep), by_multipliers, 144.380, 0, 2e-3},
      {"LA, reset", linear_acceleration(), by_multipliers, 28.0653, 23.8955, 2e-4},
      {"LA, reset, AL", linear_acceleration(), by_augmented_lagrangian, 28.0653, 23.8955, 2e-4},
      {"midpoint", midpoint(), by_multipliers, 11.40277, 4.80363, 2e-5},
      {"midpoint, AL", midpoint(), by_augmented_lagrangian, 11.40277, 4.80363, 2e-5},
      {"midpoint, penalty", midpoint(), penalty(1e4), 12.252, 12.247, 1e-3},
      {"HO, penalty", high_order(), penalty(1e4), 12.28908, 12.29516, 2e-5},
      {"HO, penalty 1e6", high_order(), penalty(1e6), 13.04956, 12.46860, 2e-4},
      {"LA, penalty", linear_acceleration(), penalty(1e4), 12.28493, 12.29325, 2e-5},
      {"Euler, penalty", explicit_euler(), penalty(1e4), 16.57508, 19.06831, 2e-5},
  };
  for (const Expected& e : all)
    BOOST_TEST_CONTEXT(e.what) {
      TwoLinks links(e.how);
      const auto integrator = e.scheme.on(links.model);
      advance(*integrator, links.state, 1e-3, 700);
      BOOST_TEST(std::abs(links.energy(links.state) - e.at_070) <= e.tolerance, links.energy(links.state)
                                                                                    << " instead of " << e.at_070);
      if (e.at_150 == 0)
        continue;
      advance(*integrator, links.state, 1e-3, 800);
      BOOST_TEST(std::abs(links.energy(links.state) - e.at_150) <= e.tolerance, links.energy(links.state)
                                                                                    << " instead of " << e.at_150);
    }
}

// Springs give the same impulses as the independent prototype does, to one in its last digit.
BOOST_AUTO_TEST_CASE(impulses_of_springs_are_those_of_the_impacts) {
  constexpr double h = 1e-4;
  TwoLinks links(penalty(1e4));
  const auto integrator = high_order().on(links.model);
  Eigen::Vector2d impulse = Eigen::Vector2d::Zero(); // on knee and tip
  for (int i = 0; i < 29000; ++i) {
    advance(*integrator, links.state, h, 1);
    impulse += h * links.state.multipliers;
  }
  BOOST_TEST(std::abs(impulse[0] - 7.3060) <= 1e-4);
  BOOST_TEST(std::abs(impulse[1] - 9.4002) <= 1e-4);
  BOOST_TEST(std::abs(links.energy(links.state) - 12.2625) < 2e-3);
}

BOOST_AUTO_TEST_SUITE_END()
