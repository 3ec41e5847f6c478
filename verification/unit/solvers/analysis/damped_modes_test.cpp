/// Modes with dampers of models that are too large for dense matrices: against those matrices, and closed forms.
#include "core/rotation.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/forces/bushing.hpp"
#include "solvers/analysis/modes.hpp"
#include "solvers/assembly/linearisation.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

using namespace emmy;

namespace {

using Complex = std::complex<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

/// So many that a number of modes is found by iteration, all of them by dense matrices.
constexpr int boxes = 52;

/// Boxes of 0.1 m in a row on bushings, without weight.
struct Beam {
  /// Times are damping over stiffness, of slides and rotations [s]. Loose beams are not held by the ground.
  /// `root_time` is added for the rotation about z at the root.
  Beam(const Vec3& slide_time, const Vec3& turn_time, bool loose = false, double root_time = 0) {
    BushingLaw law;
    Vec6 stiffness, time;
    stiffness << 1e6, 1e6, 1e6, 1e4, 1e4, 1e4;
    time << slide_time, turn_time;
    law.K = stiffness.asDiagonal();
    law.C = stiffness.cwiseProduct(time).asDiagonal();
    for (int i = 0; i < boxes; ++i) {
      bodies.push_back(&FrameBody::add_to(model, "l" + std::to_string(i), 0.5, Vec3(2e-4, 5e-4, 5e-4).asDiagonal()));
      BushingLaw here = law;
      if (i == 0)
        here.C(5, 5) += root_time * here.K(5, 5);
      if (i > 0 || !loose)
        model.add(
            bushing("b" + std::to_string(i), model.ports(),
                    i == 0 ? JointSide{} : JointSide{bodies[static_cast<std::size_t>(i - 1)]->port(), {0.05, 0, 0}},
                    {bodies.back()->port(), {-0.05, 0, 0}}, here));
    }
    state = model.rest_state();
    for (int i = 0; i < boxes; ++i)
      bodies[static_cast<std::size_t>(i)]->set_motion(
          {{0.1 * i + 0.05, 0, 0}, exponential(Vec3::Zero()), Vec3::Zero(), Vec3::Zero()}, state);
    model.begin(state);
  }

  std::vector<Mode> modes(Index count, bool damping = true) const {
    ModalOptions options;
    options.count = count;
    options.damping = damping;
    return find_modes(model, state, options).modes;
  }

  Model model;
  std::vector<const Body*> bodies;
  State state;
};

/// What dense matrices know of an eigenvalue: rounding of the largest stiffness per mass, some 1e8 / s², in s², times
/// the roots of their size for rounding that adds up at random.
double dense_error(Complex s) {
  return std::sqrt(12.0 * boxes) * eps * 2e8 / std::abs(s);
}

void check_against_dense(const Beam& beam, Index count) {
  const std::vector<Mode> all = beam.modes(0), lowest = beam.modes(count);
  BOOST_TEST_REQUIRE(static_cast<Index>(lowest.size()) == count);
  BOOST_TEST(static_cast<int>(all.size()) >= 6 * boxes);
  for (std::size_t i = 0; i < lowest.size(); ++i) {
    const Complex s = lowest[i].eigenvalue;
    // beams of square boxes bend alike both ways: of equal pairs each may come first
    double distance = HUGE_VAL;
    for (std::size_t j = i > 0 ? i - 1 : 0; j < std::min(i + 2, all.size()); ++j)
      distance = std::min(distance, std::abs(all[j].eigenvalue - s));
    BOOST_TEST(distance <= (s == 0.0 ? 0 : dense_error(s)), i << ": " << s << " and " << all[i].eigenvalue);
  }
}

/// (M s² + C s + K) x = 0, to the tolerance of the iteration, 1e-12 of the response to a force, and its rounding, in
/// the forces that cancel.
void check_equations(const Beam& beam, const Mode& mode) {
  const SparseMatrix K = linearise_statics(beam.model, beam.state).K, C = damping_matrix(beam.model, beam.state),
                     M = mass_matrix(beam.model, beam.state);
  const Eigen::VectorXcd& x = mode.shape;
  const Complex s = mode.eigenvalue;
  const Eigen::VectorXcd left = M * x * (s * s) + C * x * s + K * x;
  BOOST_TEST(left.norm() <= 1e-10 * (K.cwiseAbs() * x.cwiseAbs()).norm(), s);
}

} // namespace

BOOST_AUTO_TEST_SUITE(DampedModes)

BOOST_AUTO_TEST_CASE(iteration_gives_what_dense_matrices_give) {
  check_against_dense(Beam(Vec3(1e-5, 2e-5, 1e-5), Vec3(1e-4, 3e-4, 1e-4)), 12);
}

// A damper at the root far beyond what is critical: the beam creeps back about its root like a rigid one,
// J s² + c s + k = 0, slower than anything swings; dense matrices fail here, with s from 0.5 to 4e7.
BOOST_AUTO_TEST_CASE(what_creeps_is_found_beside_what_swings) {
  const double time = 2, k = 1e4, c = (time + 1e-4) * k;
  double J = 0; // about the root
  for (int i = 0; i < boxes; ++i)
    J += 5e-4 + 0.5 * std::pow(0.1 * i + 0.05, 2);
  const Beam beam(Vec3(1e-5, 1e-5, 1e-5), Vec3(1e-4, 1e-4, 1e-4), false, time);
  const std::vector<Mode> modes = beam.modes(12);
  BOOST_TEST_REQUIRE(modes.size() == 12U);
  BOOST_TEST(modes[0].omega == 0);
  const double rigid = (-c + std::sqrt(c * c - 4 * J * k)) / (2 * J);
  // Its inertia, J s² / k = 6e-3 of the balance, is as soft as (s / omega)² = 5e-2 of that, omega the first of a beam.
  BOOST_TEST(std::abs(modes[0].eigenvalue.real() / rigid - 1) <= 1e-3);
  for (const Mode& mode : modes) {
    BOOST_TEST((&mode == &modes[0] || mode.omega > 0));
    check_equations(beam, mode);
  }
}

BOOST_AUTO_TEST_CASE(six_free_motions_come_first) {
  const Beam beam(Vec3(1e-5, 2e-5, 1e-5), Vec3(1e-4, 3e-4, 1e-4), true);
  const std::vector<Mode> modes = beam.modes(10);
  BOOST_TEST_REQUIRE(modes.size() == 10U);
  for (std::size_t i = 0; i < 10; ++i)
    BOOST_TEST((modes[i].eigenvalue == 0.0) == (i < 6), i << ": " << modes[i].eigenvalue);
  check_against_dense(beam, 10);
}

// C = a K: s² + a omega² s + omega² = 0 with the frequencies of the undamped beam.
BOOST_AUTO_TEST_CASE(proportional_damping_has_a_closed_form) {
  const double a = 2e-3;
  const Beam beam(Vec3::Constant(a), Vec3::Constant(a));
  const std::vector<Mode> damped = beam.modes(8), undamped = beam.modes(8, false);
  BOOST_TEST_REQUIRE(damped.size() == 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const double omega = undamped[i].omega, half = a * omega * omega / 2;
    const Complex s = -half + std::sqrt(Complex(half * half - omega * omega));
    // that of the undamped frequencies, which are dense
    BOOST_TEST(std::abs(damped[i].eigenvalue - s) <= dense_error(s), i << ": " << damped[i].eigenvalue << " and " << s);
  }
}

BOOST_AUTO_TEST_CASE(a_search_ends_when_it_may_not_go_on) {
  const Beam beam(Vec3(1e-5, 2e-5, 1e-5), Vec3(1e-4, 3e-4, 1e-4));
  for (const bool damping : {true, false}) {
    ModalOptions options;
    options.count = 40;
    options.damping = damping;
    options.go_on = [](Index) { return false; };
    const ModalReport report = find_modes(beam.model, beam.state, options);
    BOOST_TEST(report.stopped);
    BOOST_TEST((!damping || report.modes.size() < 40U));
  }
}

BOOST_AUTO_TEST_SUITE_END()
