/// Mechanisms far from the origin, where coordinates are coarse.
#include "elements/forces/gravity.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/joints.hpp"
#include "verification/unit/solvers/system.hpp"

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr int links = 24;

/// Links of 1 m that swing down from a horizontal line, the first hung up at `place`; every other joint is a hinge if
/// some are wanted. All coordinates at the start are exact.
Mechanism line_at(const Vec3& place, bool some_hinges, const BodyMaker& maker = body_makers().front()) {
  Mechanism m;
  for (int i = 0; i < links; ++i) {
    m.bodies.push_back(&maker.add(*m.model, "link" + std::to_string(i), 1, Vec3(0.02, 0.09, 0.1).asDiagonal()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, Vec3(0, -9.81, 0)));
    const JointSide from = i == 0 ? JointSide{Model::ground, place} : JointSide{m.bodies[i - 1]->port(), {0.5, 0, 0}};
    const JointSide to{m.bodies.back()->port(), {-0.5, 0, 0}};
    m.model->add(some_hinges && i % 2 == 1 ? revolute_joint("hinge", m.model->ports(), from, to)
                                           : spherical_joint("ball", m.model->ports(), from, to));
  }
  m.initial = m.model->rest_state();
  for (int i = 0; i < links; ++i)
    m.bodies[i]->set_motion({place + Vec3(i + 0.5, 0, 0), Quaternion::Identity(), {0, 0, 0.01 * i}, Vec3::Zero()},
                            m.initial);
  m.initial.multipliers.setZero(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  m.model->begin(m.initial);
  return m;
}

} // namespace

BOOST_AUTO_TEST_SUITE(FarAway)

// Numbers of 2^27 m = 134 000 km are rounded to 1.5e-8 m. Motion is the same as near the origin all the same, since
// neighbours are subtracted first and what is lost by rounding is kept. What is left of the iteration is below 1e-7 of
// the rounding of all coordinates, 8 eps |x|: 2e-13 m a step, and 4e-11 m in 200 of the same sign. Without what is lost
// it is 3e-8 m.
BOOST_AUTO_TEST_CASE(motion_does_not_depend_on_the_place) {
  constexpr double coarse = 134217728, h = 1e-3;
  constexpr int steps = 200;
  const std::vector<BodyMaker>& kinds = body_makers(); // frames, directors, tetrahedra
  for (const auto& [kind, some_hinges] :
       {std::pair(0, false), std::pair(0, true), std::pair(1, false), std::pair(2, false)})
    for (const KernelOptions& kernels : all_kernels()) {
      const BodyMaker& maker = kinds[static_cast<std::size_t>(kind)];
      Mechanism near = line_at(Vec3::Zero(), some_hinges, maker);
      const Vec3 place(coarse, -coarse, coarse);
      Mechanism far = line_at(place, some_hinges, maker);
      NewtonOptions options;
      options.kernels = kernels;
      EnergyMomentum one(*near.model, options), other(*far.model, options);
      int iterations_near = 0, iterations_far = 0;
      for (int i = 0; i < steps; ++i) {
        const StepReport a = one.step(near.initial, h), b = other.step(far.initial, h);
        BOOST_TEST_REQUIRE((a.converged && b.converged));
        iterations_near += a.iterations;
        iterations_far += b.iterations;
      }
      double farthest = 0, rounding = 0;
      for (int i = 0; i < links; ++i) {
        const Index x = near.bodies[i]->nodes().front().value;
        const Vec3 here = near.initial.values.segment<3>(x), there = far.initial.values.segment<3>(x) - place;
        farthest = std::max(farthest, (there + far.initial.remainders.segment<3>(x) - here).norm());
        rounding = std::max(rounding, far.initial.remainders.segment<3>(x).norm());
      }
      BOOST_TEST(rounding > 1e-9); // so that there is something to be lost
      BOOST_TEST(farthest < 4e-11);
      if (kind < 2) // near the origin springs may ask for a second iteration, which rounding covers far away
        BOOST_TEST(std::abs(iterations_far - iterations_near) <= steps / 20);
    }
}

// Where bodies are set by hand, what their coordinates had lost elsewhere says nothing: they move as if they had never
// been there.
BOOST_AUTO_TEST_CASE(what_was_lost_far_away_is_forgotten_near_the_origin) {
  constexpr double far = 1e9, h = 1e-3;
  for (const KernelOptions& kernels : all_kernels()) {
    Mechanism there = line_at(Vec3(far, -far, far), true), here = line_at(Vec3::Zero(), true);
    NewtonOptions options;
    options.kernels = kernels;
    EnergyMomentum first(*there.model, options), second(*here.model, options);
    State state = there.initial;
    for (int i = 0; i < 20; ++i)
      BOOST_TEST_REQUIRE(first.step(state, h).converged);
    BOOST_TEST_REQUIRE(state.remainders.cwiseAbs().maxCoeff() > 1e-9);
    State back = state;
    for (const Body* body : here.bodies)
      body->set_motion(body->motion(here.initial), back);
    back.time = 0;
    back.multipliers.setZero();
    back.memory.clear();
    BOOST_TEST_REQUIRE(second.step(back, h).converged);
    State never_away = here.initial;
    EnergyMomentum third(*here.model, options);
    BOOST_TEST_REQUIRE(third.step(never_away, h).converged);
    BOOST_TEST((back.values == never_away.values));
    BOOST_TEST((back.remainders == never_away.remainders));
  }
}

BOOST_AUTO_TEST_SUITE_END()
