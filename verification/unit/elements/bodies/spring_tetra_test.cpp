#include "elements/bodies/spring_tetra.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <stdexcept>

using namespace emmy;
using namespace emmy::test;

namespace {

const SpringTetraOptions rigid{};
SpringTetraOptions springs(double k, SpringEvaluation evaluation) {
  return {k, false, evaluation};
}

/// A body of its own, with the motion of a free body.
struct Scene {
  Scene(const Mat3& J, const SpringTetraOptions& options, double mass = 1)
      : body(SpringTetra::add_to(model, "body", mass, J, options)) {
    state = model.rest_state();
  }
  void start(const BodyMotion& motion) {
    body.set_motion(motion, state);
    model.begin(state);
  }
  void step(double h) { state = solve_step(model, state, h).trial.n1; }
  Vec3 Omega() const {
    const BodyMotion m = body.motion(state);
    return m.orientation.conjugate() * m.angular_velocity;
  }
  Model model;
  const SpringTetra& body;
  State state;
};

BodyMotion spinning(const Vec3& omega) {
  return {Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), omega};
}

Mat3 rod_inertia(Random& random) {
  const Vec3 a = random.direction();
  return Mat3::Identity() - a * a.transpose();
}

/// Largest error of a component of Omega at t = 10.
double error_at_ten(const Vec3& J, const Vec3& exact, double h) {
  Scene s(J.asDiagonal(), rigid);
  s.start(spinning({0.5, 0, 1}));
  for (int i = 0; i < std::lround(10 / h); ++i)
    s.step(h);
  return (s.Omega() - exact).cwiseAbs().maxCoeff();
}

} // namespace

BOOST_AUTO_TEST_SUITE(SpringTetras)

BOOST_AUTO_TEST_CASE(bodies_laminas_and_rods_pass_the_shared_checks_in_every_form) {
  Random random(300);
  const SpringTetraOptions forms[] = {rigid, springs(50, SpringEvaluation::closed_form),
                                      springs(50, SpringEvaluation::increments), springs(50, SpringEvaluation::mixed)};
  for (const SpringTetraOptions& form : forms)
    for (const Mat3& J : {random.inertia(), Mat3(Vec3(1, 2, 3).asDiagonal()), rod_inertia(random)})
      for (const StepSize& size : step_sizes())
        BOOST_TEST_CONTEXT("form " << static_cast<int>(form.evaluation) << ", " << size.name << " step, J " << J) {
          Scene s(J, form);
          const Connectivity& port = *s.model.ports()[1];
          Trial trial = random_trial(s.model, size, random);
          disturb(s.model, size.shift, random, trial);
          BOOST_TEST(check_secant(port, trial, random));
          BOOST_TEST(check_tangent(s.body, s.model, trial));
          BOOST_TEST(check_adds(s.body, s.model, trial));
          BOOST_TEST(check_magnitude(s.body, s.model, trial));
          BOOST_TEST(check_row_names(s.body));
          if (form.rigid || form.evaluation != SpringEvaluation::mixed) // there the work is that of given multipliers
            BOOST_TEST(check_energy(s.body, s.model, trial));
        }
}

// spring_tetra.md section 10: link with M = 12, a = 0.5, E = diag(1, 0.25, 0.04), its ends and two tips as points [T6].
BOOST_AUTO_TEST_CASE(a_link_has_the_mass_matrix_and_the_frequencies_of_the_note) {
  Model model;
  std::vector<BodySlot> slots;
  for (const Vec3& r : {Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
    slots.push_back({{1, r.x(), r.y(), r.z()}, {{model.add_node(NodeKind::point), 1}}, {}});
  const Mat3 J = Vec3(0.29, 1.04, 1.25).asDiagonal();
  const Mat3 E = SpringTetra::second_moments("link", J);
  BOOST_TEST(agree("[T2]", E, Mat3(Vec3(1, 0.25, 0.04).asDiagonal()), 4 * eps));
  const SpringTetra& link = SpringTetra::add_to(model, "link", 12, J, springs(1e6, SpringEvaluation::closed_form),
                                                slots, SpringTetra::standard_springs(E));
  Eigen::Matrix4d m4;
  m4 << 4.0725, 2.0725, -0.125, -0.02, 2.0725, 4.0725, -0.125, -0.02, -0.125, -0.125, 0.25, 0, -0.02, -0.02, 0, 0.04;
  Eigen::Matrix<double, 4, 4> P;
  P << 0.5, 0.5, 0, 0, -1, 1, 0, 0, -0.5, -0.5, 1, 0, -0.5, -0.5, 0, 1;
  BOOST_TEST(agree("[T6]", link.connectivity().W(), P, 20 * eps)); // a 4 x 4 inverse of numbers of size one

  // At rest the tangent of a step h is 2 M/h² + K/2, exactly.
  Trial t;
  t.n = model.rest_state();
  link.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, t.n);
  t.n1 = t.n;
  t.h = 1;
  t.z.setZero(12);
  const MatX k1 = assemble(link, model, t, true).k;
  t.h = 1e100;
  const MatX K = 2 * assemble(link, model, t, true).k;
  const MatX M = (k1 - K / 2) / 2;
  const double rounding = 1e6 * 20 * eps; // of k, from which the masses are subtracted
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      BOOST_TEST(agree("[T5]", M.block<3, 3>(3 * a, 3 * b), Mat3(m4(a, b) * Mat3::Identity()), rounding));
  const VecX squares =
      Eigen::GeneralizedSelfAdjointEigenSolver<MatX>((K + K.transpose()) / 2, (M + M.transpose()) / 2).eigenvalues();
  const double expected[] = {841.12, 1326.13, 2279.49, 2811.44, 3962.62, 7663.64};
  for (int i = 0; i < 6; ++i) {
    BOOST_TEST(std::abs(squares[i]) <= 1e-4); // six rigid motions: rounding of k over the smallest mass
    BOOST_TEST(agree("frequency", std::sqrt(squares[6 + i]), expected[i], 0.006)); // two figures after the point
  }
}

// Sum of a rod's ends: m/6 [2 1; 1 2].
BOOST_AUTO_TEST_CASE(a_uniform_rod_has_the_mass_matrix_of_its_ends) {
  Model model;
  const double m = 3, length = 2;
  const std::vector<BodySlot> ends{{{1, 0, -1, 0}, {{model.add_node(NodeKind::point), 1}}, {}},
                                   {{1, 0, 1, 0}, {{model.add_node(NodeKind::point), 1}}, {}}};
  const Mat3 J = m * length * length / 12 * Vec3(1, 0, 1).asDiagonal();
  const Mat3 E = SpringTetra::second_moments("rod", J);
  const SpringTetra& rod = SpringTetra::add_to(model, "rod", m, J, rigid, ends, SpringTetra::standard_springs(E));
  BOOST_TEST(rod.is_rod());
  BOOST_TEST(rod.unknowns() == 6);
  BOOST_TEST(rod.multipliers() == 1);
  Trial t;
  t.n = model.rest_state();
  rod.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, t.n);
  t.n1 = t.n;
  t.h = 1;
  t.z.setZero(6);
  t.lambda.setZero(1);
  const MatX M = assemble(rod, model, t, true).k.topLeftCorner<6, 6>() / 2;
  MatX expected(6, 6);
  expected << 2 * Mat3::Identity(), Mat3::Identity(), Mat3::Identity(), 2 * Mat3::Identity();
  BOOST_TEST(agree("mass", M, MatX(m / 6 * expected), 10 * eps));
  // Of any motion it knows all but the spin about its axis.
  Random random(301);
  State state = model.rest_state();
  BodyMotion motion = random_motion(random, step_sizes()[2]).n;
  rod.set_motion(motion, state);
  const Vec3 axis = motion.orientation * Vec3::UnitY();
  const BodyMotion got = rod.motion(state);
  BOOST_TEST(agree("axis", Vec3(got.orientation * Vec3::UnitY()), axis, 20 * eps));
  const Vec3 across = motion.angular_velocity - axis.dot(motion.angular_velocity) * axis;
  BOOST_TEST(agree("spin", got.angular_velocity, across, 40 * eps));
}

BOOST_AUTO_TEST_CASE(an_inertia_that_no_body_has_is_refused) {
  Model model;
  BOOST_CHECK_THROW(SpringTetra::add_to(model, "b", 1, Vec3(1, 1, 2.01).asDiagonal()), std::invalid_argument);
  BOOST_CHECK_NO_THROW(SpringTetra::add_to(model, "b", 1, Vec3(1, 1, 2).asDiagonal()));
  BOOST_CHECK_THROW(SpringTetra::add_to(model, "b", 1, Vec3(1, 1, 1).asDiagonal(), {0, false}), std::invalid_argument);
  BOOST_CHECK_THROW(
      SpringTetra::add_to(model, "b", 1, Vec3(1, 1, 1).asDiagonal(), {1, true, SpringEvaluation::increments}),
      std::invalid_argument);
}

// Jacobi's solutions, sections 10: J = (2, 3, 4) in the rigid limit with the errors of the note, of three figures, and
// the lamina J = (1, 2, 3), whose third base vector has no mass.
BOOST_AUTO_TEST_CASE(free_bodies_and_laminas_follow_jacobi) {
  const Vec3 exact(0.377829230588, -0.378144720997, 0.972819337669);
  BOOST_TEST(agree("h = 0.1", error_at_ten({2, 3, 4}, exact, 0.1), 3.43e-3, 6e-6));
  BOOST_TEST(agree("h = 0.05", error_at_ten({2, 3, 4}, exact, 0.05), 8.61e-4, 6e-7));
  const Vec3 lamina(-0.466448718856, -0.180071076739, 0.994581052055);
  const double coarse = error_at_ten({1, 2, 3}, lamina, 0.1), fine = error_at_ten({1, 2, 3}, lamina, 0.05);
  BOOST_TEST(agree("order", std::log2(coarse / fine), 2, 0.1)); // the next term is smaller by h
}

// [T10], [T13], [T14] are one force: the same motion of a strained body, up to the rounding of the coarsest, eps k h²/m
// in every step. Energy is kept by all three.
BOOST_AUTO_TEST_CASE(three_evaluations_of_the_springs_give_one_motion) {
  const double k = 1e4, h = 0.02;
  std::vector<VecX> ends;
  for (const SpringEvaluation form :
       {SpringEvaluation::closed_form, SpringEvaluation::increments, SpringEvaluation::mixed}) {
    Scene s(Vec3(2, 3, 4).asDiagonal(), springs(k, form));
    s.start(spinning({3, 0, 6}));
    Ledger ledger;
    ledger.open(s.model.books_at(s.state));
    for (int i = 0; i < 50; ++i) {
      const Trial t = solve_step(s.model, s.state, h).trial;
      s.state = t.n1;
      ledger.add(s.model.books(t.moved(s.model), s.state));
    }
    BOOST_TEST(ledger.last().strain > 1e-3); // centrifugal
    BOOST_TEST(ledger.least_volume() < 1.1);
    BOOST_TEST(ledger.relative_energy_imbalance() <= 50 * 100 * eps);
    BOOST_TEST(ledger.relative_angular_imbalance() <= 50 * 100 * eps);
    ends.push_back(s.state.values);
  }
  const double tolerance = 50 * 50 * eps * k * h * h / 0.5; // added up twice over fifty steps; 0.5 is the least E
  BOOST_TEST(agree("increments", ends[1], ends[0], tolerance));
  BOOST_TEST(agree("mixed", ends[2], ends[0], tolerance));
}

// A rigid body stays so, to the rounding of a step, and its strain is not counted.
BOOST_AUTO_TEST_CASE(a_rigid_body_keeps_its_shape_energy_and_momenta) {
  Scene s(Vec3(1, 2, 3).asDiagonal(), rigid);
  s.start({{1, 2, 3}, Quaternion::Identity(), {0.3, 0.2, -0.1}, {0.5, -1, 1}});
  Ledger ledger;
  ledger.open(s.model.books_at(s.state));
  for (int i = 0; i < 500; ++i) {
    const Trial t = solve_step(s.model, s.state, 0.1).trial;
    s.state = t.n1;
    ledger.add(s.model.books(t.moved(s.model), s.state));
  }
  const Mat3 Q = Eigen::Map<const Mat3>(s.state.values.data() + 3);
  BOOST_TEST(agree("shape", Q.transpose() * Q, Mat3::Identity(), 500 * 4 * eps)); // increments are added up
  BOOST_TEST(ledger.last().strain == 0);
  BOOST_TEST(ledger.relative_energy_imbalance() <= 1e-12);
  BOOST_TEST(ledger.relative_linear_imbalance() <= 1e-12);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 1e-12);
}

// Nearest rotation and J^-1 l read a rigid motion back; of a strained body they are a rotation and the spin that
// carries its angular momentum.
BOOST_AUTO_TEST_CASE(a_motion_that_is_set_is_the_motion_that_is_read) {
  Random random(302);
  Scene s(random.inertia(), springs(10, SpringEvaluation::closed_form), 2);
  const BodyMotion set = random_motion(random, step_sizes()[2]).n;
  s.start(set);
  const BodyMotion got = s.body.motion(s.state);
  BOOST_TEST(agree("position", got.position, set.position, 4 * eps));
  BOOST_TEST(agree("velocity", got.velocity, set.velocity, 4 * eps));
  BOOST_TEST(agree("orientation", got.orientation.toRotationMatrix(), set.orientation.toRotationMatrix(), 40 * eps));
  BOOST_TEST(agree("spin", got.angular_velocity, set.angular_velocity, 100 * eps)); // J has a condition number of five
  s.state.values.tail<9>() *= 1.5;
  const BodyMotion strained = s.body.motion(s.state);
  BOOST_TEST(agree("rotation", strained.orientation.toRotationMatrix(), set.orientation.toRotationMatrix(), 40 * eps));
  const StepBooks books = s.model.books_at(s.state);
  const Mat3 R = strained.orientation.toRotationMatrix();
  const Vec3 l = books.angular_momentum - 2 * strained.position.cross(strained.velocity);
  BOOST_TEST(
      agree("momentum", Vec3(R * s.body.inertia() * R.transpose() * strained.angular_velocity), l, 100 * eps * 5));
  BOOST_TEST(agree("volume", books.least_volume, 1, 0)); // it has grown; the books keep the least
  BOOST_TEST(agree("strain", books.strain, 10.0 / 2 * (3 * 0.25 + 3 * 0.5), 1e3 * eps)); // [T8]
}

// The rows that a static analysis needs where springs hold the body.
BOOST_AUTO_TEST_CASE(rigidity_is_the_lengths_of_the_springs) {
  Random random(303);
  Scene soft(random.inertia(), springs(10, SpringEvaluation::increments)), mixed(random.inertia(), rigid);
  soft.start(random_motion(random, step_sizes()[2]).n);
  mixed.start(random_motion(random, step_sizes()[2]).n);
  BOOST_TEST(mixed.body.rigidity(mixed.state).e.size() == 0);
  soft.state.values += random.numbers(12, 0.1);
  const Rigidity rigidity = soft.body.rigidity(soft.state);
  BOOST_TEST(!rigidity.is_exact);
  BOOST_TEST(rigidity.e.size() == 6);
  BOOST_TEST(rigidity.C.fullPivLu().rank() == 6);
  for (Index j = 0; j < 12; ++j) {
    State moved = soft.state;
    const double d = 1e-5;
    moved.values[j] += d;
    const VecX above = soft.body.rigidity(moved).e;
    moved.values[j] -= 2 * d;
    const VecX column = (above - soft.body.rigidity(moved).e) / (2 * d);
    BOOST_TEST(agree("C", rigidity.C.col(j), column, 1e-9)); // d² and eps/d
  }
}

BOOST_AUTO_TEST_SUITE_END()
