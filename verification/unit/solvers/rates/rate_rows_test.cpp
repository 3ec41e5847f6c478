/// What joints ask of rates at an instant, and the projection of rates onto it.
#include "elements/bodies/frame.hpp"
#include "solvers/rates/rate_projection.hpp"
#include "verification/support/joints.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <limits>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
} // namespace

BOOST_AUTO_TEST_SUITE(Rates)

// Kernels of frames against the wrenches of single joints, on every pair of rigid bodies and for both sets of kernels.
// Numbers are at most some ten, and the sums of ten products of them.
BOOST_DATA_TEST_CASE(gradients_are_those_of_single_joints, data::make(joint_samples())) {
  Random random(901);
  const JointScene scene(sample, random);
  if (RigidSystem::unfit_body(scene.model) != nullptr)
    return;
  const RigidSystem system(scene.model);
  const Trial trial = scene.trial(scene.free_motions(random), random);
  const State& state = trial.n;
  RigidJoint single(system, *scene.joint);
  RigidPorts ports(system.size());
  const Poses poses = system.motion(state).poses;
  ports.place(system, poses);
  single.begin(ports, state.history);
  single.linearise(system, ports, poses, state.time, 0);
  for (const Instructions instructions : {Instructions::portable, best_instructions()}) {
    KernelOptions options;
    options.instructions = instructions;
    const RateTables tables(system, {scene.joint}, options);
    RateRows rows(tables);
    rows.place(state);
    const RateTables::Joint& joint = tables.joints().front();
    for (std::size_t s = 0; s < joint.bodies.size(); ++s) {
      if (joint.bodies[s] == tables.bodies())
        continue;
      const auto body = static_cast<std::size_t>(joint.bodies[s]);
      const auto& sides = single.sides();
      const auto side =
          std::find_if(sides.begin(), sides.end(), [&](const RigidJoint::Side& of) { return of.unit == body; });
      BOOST_REQUIRE((side != sides.end()));
      const double* g = rows.gradient(joint, static_cast<int>(s));
      for (int r = 0; r < joint.rows; ++r) {
        const Vec3 moment = poses[body].q.conjugate() * Vec3(side->W(r, 3), side->W(r, 4), side->W(r, 5));
        for (int k = 0; k < 6; ++k, g += rate_lanes) {
          const double expected = k < 3 ? side->W(r, k) : moment[k - 3];
          BOOST_TEST(std::abs(*g - expected) <= 1000 * eps * (1 + std::abs(expected)));
        }
      }
    }
  }
}

// A body that holds more others than a matrix of all their rows could bear stays an unknown of its own: rates are met
// as well as with few, and what they lose is what the impulses do.
BOOST_AUTO_TEST_CASE(rates_of_bodies_with_many_joints_are_met) {
  for (const int arms : {3, 30}) {
    Model model;
    Random random(902);
    const Mat3 J = Vec3(1, 2, 1.5).asDiagonal();
    std::vector<const Body*> bodies{&FrameBody::add_to(model, "hub", 5, J)};
    for (int i = 0; i < arms; ++i)
      bodies.push_back(&FrameBody::add_to(model, "arm", 1, 0.1 * J));
    std::vector<const Interaction*> joints;
    const auto join = [&](const JointSide& I, const JointSide& J_side) {
      joints.push_back(&model.add(joint_maker("spherical").make("joint", model.ports(), I, J_side)));
    };
    join({Model::ground}, {bodies[0]->port()});
    for (int i = 1; i <= arms; ++i)
      join({bodies[0]->port(), random.vector(1)}, {bodies[static_cast<std::size_t>(i)]->port(), random.vector(1)});
    State state = model.rest_state();
    for (const Body* body : bodies)
      body->set_motion({random.vector(1), random.rotation(), random.vector(1), random.vector(1)}, state);
    const RigidSystem system(model);
    const RateTables tables(system, joints, {});
    RateProjection projection(tables, false, best_instructions());
    projection.place(state);
    VecX y = VecX::Zero((tables.bodies() + 1) * rate_numbers), m = VecX::Zero(tables.rows()), c = m;
    projection.rows().read(state, y);
    VecX again = y;
    projection.project(RateRows::Targets::moving, y, m);
    projection.rows().find_rates(y, RateRows::Targets::moving, c);
    // Rates of about one, known to the rounding of one solution with some ten numbers in a row, whose condition is that
    // of masses of 5 to 0.1 kg m².
    BOOST_TEST(c.cwiseAbs().maxCoeff() <= 1000 * eps);
    projection.rows().kick(m, -1, again);
    BOOST_TEST((again - y).cwiseAbs().maxCoeff() <= 1000 * eps);
    BOOST_TEST(m.cwiseAbs().maxCoeff() > 0.1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
