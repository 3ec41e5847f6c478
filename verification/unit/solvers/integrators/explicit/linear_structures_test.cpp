/// What explicit integrators are on points and springs: the algorithms for linear structures of
/// docs/theory/explicit_rotation.md, held against their closed forms.
#include "verification/support/explicit.hpp"
#include "verification/support/schemes.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Displacement and velocity of a point of 1 kg on a spring of z² N/m, step after step of 1 s.
struct Motion1 {
  double d, v;
};
std::vector<Motion1> motion_of(const ExplicitOptions& options, double z, double d_0, double v_0, int steps) {
  Oscillator o(z * z, d_0, v_0);
  const auto integrator = make_explicit(o.model, options);
  std::vector<Motion1> all{{d_0, v_0}};
  for (int i = 0; i < steps; ++i) {
    const StepReport report = integrator->step(o.state, 1);
    if (!report.converged)
      throw std::runtime_error(report.why);
    all.push_back({o.state.values[0], o.state.rates[0]});
  }
  return all;
}

ExplicitOptions method(ExplicitMethod type, ImpulseRule rule = ImpulseRule::midpoint) {
  ExplicitOptions options;
  options.method = type;
  options.rule = rule;
  return options;
}

/// Growth of amplitudes per step, and the angle of a step: from d_n d_{n+2} - d_{n+1}², which grows by the
/// determinant, and d_{n+2} + det d_n = trace d_{n+1}.
struct Roots {
  double determinant, trace;
};
Roots roots_of(const std::vector<Motion1>& m, std::size_t i) {
  const auto wronskian = [&](std::size_t n) { return m[n].d * m[n + 2].d - m[n + 1].d * m[n + 1].d; };
  const double determinant = wronskian(i + 1) / wronskian(i);
  return {determinant, (m[i + 2].d + determinant * m[i].d) / m[i + 1].d};
}

const auto central_differences = {method(ExplicitMethod::kick_drift_kick),
                                  method(ExplicitMethod::simo_wong, ImpulseRule::trapezoidal)};
const ExplicitOptions tamma_namburu = method(ExplicitMethod::predictor_corrector);

} // namespace

BOOST_AUTO_TEST_SUITE(LinearStructures)

// [E17], [E18] and the other rule of the predictor-corrector by the matrix of one step, any start: a few products of
// numbers of size z⁴ or one.
BOOST_DATA_TEST_CASE(a_step_is_the_published_matrix, data::make({0.1, 0.7, 1.3, 1.99}), z) {
  const double w = z * z, d = 0.8, v = -0.5, tolerance = 20 * eps * (1 + w * w);
  const auto check = [&](const ExplicitOptions& options, double a, double b, double c, double e) {
    const Motion1 end = motion_of(options, z, d, v, 1)[1];
    BOOST_TEST(std::abs(end.d - (a * d + b * v)) <= tolerance);
    BOOST_TEST(std::abs(end.v - (c * d + e * v)) <= tolerance);
  };
  for (const ExplicitOptions& options : central_differences)
    check(options, 1 - w / 2, 1, -w + w * w / 4, 1 - w / 2);
  check(tamma_namburu, 1 - w / 2, 1 - w / 4, -w, 1 - w / 2);
  check(method(ExplicitMethod::predictor_corrector, ImpulseRule::trapezoidal), 1 - w / 2, 1 - w / 4, -w + w * w / 4,
        1 - w / 2 + w * w / 8);
}

// [E19]: amplitude and phase of central differences and of Tamma & Namburu over many steps. Rounding grows with the
// number of steps, and near the limit with 1 / sin of the angle.
BOOST_DATA_TEST_CASE(many_steps_are_the_closed_form, data::make({0.1, 0.7, 1.3, 1.9}), z) {
  const double d = 0.8, v = -0.5, angle = std::acos(1 - z * z / 2), s = std::sqrt(1 - z * z / 4);
  constexpr int n = 500;
  const double tolerance = 10 * n * eps * (d + std::abs(v) / z) / (s * s);
  const auto expected = [&](double factor) { return d * std::cos(n * angle) + v / z * factor * std::sin(n * angle); };
  for (const ExplicitOptions& options : central_differences)
    BOOST_TEST(std::abs(motion_of(options, z, d, v, n).back().d - expected(1 / s)) <= tolerance);
  BOOST_TEST(std::abs(motion_of(tamma_namburu, z, d, v, n).back().d - expected(s)) <= tolerance);
}

// Both keep amplitudes up to z = 2 and lose them beyond, where a root is less than -1: 1.065 in size at z = 2.001.
BOOST_AUTO_TEST_CASE(the_limit_of_stability_is_two) {
  for (const ExplicitOptions& options :
       {method(ExplicitMethod::kick_drift_kick), tamma_namburu,
        method(ExplicitMethod::simo_wong, ImpulseRule::trapezoidal), method(ExplicitMethod::staggered)}) {
    const auto largest = [&](double z) {
      double size = 0;
      for (const Motion1& m : motion_of(options, z, 0.8, -0.5, 400))
        size = std::max(size, std::abs(m.d));
      return size;
    };
    BOOST_TEST(largest(1.999) < (0.8 + 0.5) / std::sqrt(1 - 1.999 * 1.999 / 4)); // sum of both parts of [E19]
    BOOST_TEST(largest(2.001) > 1e3);
  }
}

// The determinant and the trace of a step: no damping but that of the trapezoidal predictor-corrector.
BOOST_DATA_TEST_CASE(amplification_is_that_of_the_roots, data::make({0.3, 0.7, 1.3}), z) {
  const double w = z * z;
  const auto check = [&](const ExplicitOptions& options, double determinant, double trace) {
    const Roots roots = roots_of(motion_of(options, z, 0.8, -0.5, 6), 2);
    const double tolerance = 1e3 * eps / (w * w); // what cancels in the differences of neighbours
    BOOST_TEST(std::abs(roots.determinant - determinant) <= tolerance);
    BOOST_TEST(std::abs(roots.trace - trace) <= tolerance);
  };
  for (const ExplicitOptions& options : central_differences)
    check(options, 1, 2 - w);
  check(tamma_namburu, 1, 2 - w);
  check(method(ExplicitMethod::staggered), 1, 2 - w);
  check(method(ExplicitMethod::predictor_corrector, ImpulseRule::trapezoidal), 1 - w * w / 8, 2 - w + w * w / 8);
}

// theta = z (1 + z²/24): halving the step divides the error of the phase by four, and leaves 1/24 of z² of it.
BOOST_AUTO_TEST_CASE(phase_errors_are_of_second_order) {
  const auto error = [&](const ExplicitOptions& options, double z) { // after one cycle, started without velocity
    const int n = static_cast<int>(std::lround(2 * M_PI / z));
    const double turn = 2 * M_PI / n;
    return std::acos(roots_of(motion_of(options, turn, 1, 0, 6), 2).trace / 2) / turn - 1;
  };
  for (const ExplicitOptions& options : {method(ExplicitMethod::kick_drift_kick), tamma_namburu}) {
    const double coarse = error(options, 0.2), fine = error(options, 0.1);
    BOOST_TEST(coarse / fine == 4, boost::test_tools::tolerance(0.05)); // whole cycles are no exact halves
    BOOST_TEST(fine * 24 / (0.1 * 0.1) == 1, boost::test_tools::tolerance(0.02));
  }
}

// Half a step with the acceleration, or of Tamma & Namburu: the forces at a quarter of the step, with and without
// h²/32 a_0, are what the first whole step shows.
BOOST_DATA_TEST_CASE(staggered_starts_as_it_is_told, data::make({0.1, 0.7, 1.3}), z) {
  const double w = z * z, d = 0.8, v = -0.5;
  for (const bool predicted : {false, true}) {
    ExplicitOptions options = method(ExplicitMethod::staggered);
    options.starts_by_prediction = predicted;
    const double quarter = d + v / 4 - (predicted ? 0 : w * d / 32), v_half = v - w * quarter / 2;
    const double d_half = predicted ? d + (v + v_half) / 4 : d + v / 2 - w * d / 8;
    const Motion1 end = motion_of(options, z, d, v, 1)[1];
    BOOST_TEST(std::abs(end.d - (d + v_half)) <= 20 * eps * (1 + w * w));
    BOOST_TEST(std::abs(end.v - (v - w * d_half)) <= 20 * eps * (1 + w * w));
  }
}

BOOST_AUTO_TEST_SUITE_END()
