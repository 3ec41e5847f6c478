#include "elements/bodies/frame.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/translational_spring_damper.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/forces.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Two frames with a force between sides at random places; the second body is put where the sides are displaced and
/// turned by given vectors in the axes of the first.
struct Pair {
  explicit Pair(Random& random)
      : first(FrameBody::add_to(model, "first", 1, Mat3::Identity())),
        second(FrameBody::add_to(model, "second", 1, Mat3::Identity())), I{first.port(), random.vector(),
                                                                           random.triad()},
        J{second.port(), random.vector(), random.triad()}, pose{random.vector(), random.rotation(), Vec3::Zero(),
                                                                Vec3::Zero()} {}

  Mat3 axes() const { return pose.orientation * I.axes; }

  BodyMotion displaced(const Vec3& slide, const Vec3& turn) const {
    BodyMotion m = pose;
    m.orientation = Quaternion(Mat3(axes() * exponential(turn).toRotationMatrix() * J.axes.transpose()));
    m.position = pose.position + pose.orientation * I.at + axes() * slide - m.orientation * J.at;
    return m;
  }
  /// A step in which the first body rests and the second goes from one displacement to another.
  Trial trial(const BodyMotion& from, const BodyMotion& to, double h) const {
    return make_trial(model, {{pose, pose}, {from, to}}, h, VecX());
  }
  /// Force and moment on the second body about its point, in the axes of the first, where nothing moves.
  Vec6 on_second(const Bushing& spring, const Vec3& slide, const Vec3& turn) const {
    const BodyMotion there = displaced(slide, turn);
    const Trial still = trial(there, there, 1);
    const Reaction reaction = spring.reaction(still.moved(model), second.port(), 1);
    Vec6 on;
    on << axes().transpose() * reaction.force, axes().transpose() * reaction.moment;
    return on;
  }

  Model model;
  const FrameBody &first, &second;
  JointSide I, J;
  BodyMotion pose; // of the first body
};

// Thirty roundings to compose a pose and as many to evaluate a force, of numbers below twenty.
const double tolerance = 60 * eps * 20;

} // namespace

BOOST_AUTO_TEST_SUITE(Bushings)

// From y = 1 to 3 along the axis in half a second, k = 2, y0 = 0.5, c = 3: F = 2 (2 - 0.5) + 3 * 2/0.5 = 15.
BOOST_AUTO_TEST_CASE(a_translational_spring_sees_the_displacement_along_its_axis) {
  Random random(701);
  Pair p(random);
  const TranslationalSpringDamper& spring =
      p.model.add(translational_spring_damper("spring", p.model.ports(), p.I, p.J, {2, 0.5, 3}));
  const Trial trial =
      p.trial(p.displaced(Vec3(1, 0.3, 0.4), Vec3::Zero()), p.displaced(Vec3(3, 0.3, 0.4), Vec3::Zero()), 0.5);
  const OwnedStep moved = trial.moved(p.model);
  BOOST_TEST(agree("force", spring.force(moved), 15.0, tolerance));
  BOOST_TEST(agree("displacement", spring.displacement(moved), 3.0, tolerance));
  const Reaction on_second = spring.reaction(moved, p.second.port(), 1);
  BOOST_TEST(agree("on J", on_second.force, Vec3(-15 * p.axes().col(0)), tolerance));
  StepBooks books;
  spring.book(moved, trial.n1, books);
  BOOST_TEST(agree("potential", books.potential, 6.25, tolerance));   // 2 (3 - 0.5)²/2
  BOOST_TEST(agree("dissipation", books.dissipation, 24, tolerance)); // 3 * 2²/0.5
}

// Forces and moments on the second body are -K times displacements and rotations, for all six together, up to second
// order: halving the displacement divides the error by four.
BOOST_AUTO_TEST_CASE(a_bushing_has_its_stiffness_for_small_displacements) {
  Random random(702);
  for (int repeat = 0; repeat < 10; ++repeat) {
    Pair p(random);
    BushingLaw law;
    law.K = random_stiffness(random, false);
    const Bushing& spring = p.model.add(bushing("bushing", p.model.ports(), p.I, p.J, law));
    const Vec6 y = random.numbers(6);
    const auto error = [&](double size) {
      return Vec6(p.on_second(spring, size * y.head<3>(), size * y.tail<3>()) + law.K * (size * y)).norm();
    };
    const double ratio = error(1e-3) / error(5e-4);
    // The next order is a thousandth of this one; rounding is 1e-15 of errors of 1e-6.
    BOOST_TEST(agree("order", ratio, 4, 0.04));
    BOOST_TEST(error(1e-3) <= 10 * 1e-6 * law.K.norm() * y.squaredNorm());
  }
}

// Turned by any angle about one axis: the displacement is the sine of the angle, the moment k sin cos.
BOOST_AUTO_TEST_CASE(rotations_of_a_bushing_are_sines) {
  Random random(703);
  const double k = 3;
  for (int axis = 0; axis < 3; ++axis)
    for (const double angle : {-2.0, -0.3, 0.1, 0.7, 1.5}) {
      Pair p(random);
      BushingLaw law;
      law.K(3 + axis, 3 + axis) = k;
      const Bushing& spring = p.model.add(bushing("bushing", p.model.ports(), p.I, p.J, law));
      const BodyMotion there = p.displaced(Vec3::Zero(), angle * Vec3::Unit(axis));
      const Trial still = p.trial(there, there, 1);
      BOOST_TEST(agree("displacement", spring.displacement(still.moved(p.model)),
                       Vec6(std::sin(angle) * Vec6::Unit(3 + axis)), tolerance));
      BOOST_TEST(agree("moment", p.on_second(spring, Vec3::Zero(), angle * Vec3::Unit(axis)),
                       Vec6(-k * std::sin(angle) * std::cos(angle) * Vec6::Unit(3 + axis)), tolerance));
    }
}

// Slides are those of J seen in the axes of I, and nothing acts where the bushing is at ease.
BOOST_AUTO_TEST_CASE(a_bushing_is_at_ease_where_it_is_told) {
  Random random(704);
  Pair p(random);
  BushingLaw law;
  law.K = random_stiffness(random, false);
  law.y0 << 0.1, -0.2, 0.3, 0, std::sin(0.4), 0;
  const Bushing& spring = p.model.add(bushing("bushing", p.model.ports(), p.I, p.J, law));
  const Vec3 slide(0.1, -0.2, 0.3), turn(0, 0.4, 0);
  const BodyMotion there = p.displaced(slide, turn);
  const Trial still = p.trial(there, there, 1);
  BOOST_TEST(agree("displacement", spring.displacement(still.moved(p.model)), law.y0, tolerance));
  BOOST_TEST(agree("force", p.on_second(spring, slide, turn), Vec6(Vec6::Zero()), tolerance));
}

// F = K (y_m - y0) + C dy/h with all six coupled, against the matrices themselves.
BOOST_AUTO_TEST_CASE(the_forces_of_a_bushing_follow_its_matrices) {
  Random random(705);
  Pair p(random);
  BushingLaw law{random_stiffness(random, false), random_stiffness(random, true), random.numbers(6, 0.2)};
  const Bushing& spring = p.model.add(bushing("bushing", p.model.ports(), p.I, p.J, law));
  const BodyMotion from = p.displaced(Vec3(0.1, 0.2, 0.3), Vec3(0.2, 0, 0)),
                   to = p.displaced(Vec3(0.4, 0, 0.1), Vec3(0, 0, 0.5));
  Vec6 y_n, y_n1;
  y_n << 0.1, 0.2, 0.3, std::sin(0.2), 0, 0;
  y_n1 << 0.4, 0, 0.1, 0, 0, std::sin(0.5);
  const Trial trial = p.trial(from, to, 0.25);
  const OwnedStep moved = trial.moved(p.model);
  BOOST_TEST(agree("force", spring.force(moved),
                   Vec6(law.K * ((y_n + y_n1) / 2 - law.y0) + law.C * (y_n1 - y_n) / 0.25), tolerance));
  StepBooks books;
  spring.book(moved, trial.n1, books);
  BOOST_TEST(agree("potential", books.potential, (y_n1 - law.y0).dot(law.K * (y_n1 - law.y0)) / 2, tolerance));
  BOOST_TEST(agree("dissipation", books.dissipation, (y_n1 - y_n).dot(law.C * (y_n1 - y_n)) / 0.25, tolerance));
}

BOOST_AUTO_TEST_CASE(matrices_that_could_supply_energy_are_refused) {
  Random random(706);
  Pair p(random);
  const auto refuses = [&](const BushingLaw& law, const std::string& why) {
    BOOST_CHECK_EXCEPTION(bushing("mount", p.model.ports(), p.I, p.J, law), std::invalid_argument,
                          [&](const std::exception& e) { return e.what() == why; });
  };
  BushingLaw unsymmetric, negative, damping;
  unsymmetric.K(0, 1) = 1;
  negative.K(2, 2) = -1;
  damping.C(2, 2) = -1;
  refuses(unsymmetric, "the stiffness of 'mount' is not symmetric");
  refuses(negative, "the stiffness of 'mount' has the negative eigenvalue -1.000000");
  refuses(damping, "the damping of 'mount' has the negative eigenvalue -1.000000");
}

BOOST_AUTO_TEST_SUITE_END()
