/// Bodies with many joints: the order in which they are eliminated, against dense algebra and KLU.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "solvers/batches/batches.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/linear/block_solver.hpp"
#include "verification/unit/solvers/system.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <functional>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

using MakeJoint = std::unique_ptr<Joint>(std::string, const Ports&, const JointSide&, const JointSide&);

/// A hub, and what hangs on it: bodies and joints at random places, not closed, which no equation minds.
struct Hub {
  explicit Hub(Random& r, const BodyMaker& maker = body_makers().front()) : random(r) { hub = body(maker); }

  Index body(const BodyMaker& maker = body_makers().front()) {
    m.bodies.push_back(&maker.add(*m.model, "body", random.mass(), random.inertia()));
    return m.bodies.back()->port();
  }
  void join(MakeJoint* make, Index first, Index second) {
    m.model->add(make("joint", m.model->ports(), side(first), side(second)));
  }
  /// A body on a joint of the hub.
  Index arm(MakeJoint* make, const BodyMaker& maker = body_makers().front()) {
    const Index port = body(maker);
    join(make, hub, port);
    return port;
  }
  JointSide side(Index port) { return {port, random.vector(), random.triad()}; }

  Mechanism finish() {
    m.initial = m.model->rest_state();
    m.initial.multipliers.setZero(m.model->multipliers());
    m.initial.history.setZero(m.model->history());
    m.model->begin(m.initial);
    return std::move(m);
  }

  Mechanism m;
  Random& random;
  Index hub = 0;
};

/// One way to build on a hub, as many times as asked.
struct Build {
  std::string name;
  std::function<Mechanism(int count, Random& random)> make;
};

/// Everything hangs on the hub alone.
std::vector<Build> free_builds() {
  std::vector<Build> list;
  const auto repeat = [&](const std::string& name, const std::function<void(Hub&)>& add) {
    list.push_back({name, [add](int count, Random& random) {
                      Hub hub(random);
                      hub.join(revolute_joint, Model::ground, hub.hub);
                      for (int i = 0; i < count; ++i)
                        add(hub);
                      return hub.finish();
                    }});
  };
  for (const BodyMaker& maker : body_makers())
    if (maker.is_free)
      repeat("hinged to a " + maker.name, [&maker](Hub& hub) { hub.arm(revolute_joint, maker); });
  for (const BodyMaker& maker : body_makers())
    list.push_back({"hub is a " + maker.name, [&maker](int count, Random& random) {
                      Hub hub(random, maker);
                      for (int i = 0; i < count; ++i)
                        hub.arm(i % 2 == 0 ? spherical_joint : fixed_joint);
                      return hub.finish();
                    }});
  repeat("ball joints", [](Hub& hub) { hub.arm(spherical_joint); });
  repeat("points", [](Hub& hub) {
    const Body& point = PointMass::add_to(*hub.m.model, "point", hub.random.mass());
    hub.m.model->add(spherical_joint("joint", hub.m.model->ports(), hub.side(hub.hub), {point.port()}));
  });
  repeat("arms of two", [](Hub& hub) { hub.join(revolute_joint, hub.arm(universal_joint), hub.body()); });
  repeat("motors", [](Hub& hub) {
    const Index arm = hub.arm(revolute_joint);
    hub.m.model->add(std::make_unique<Drive>("motor", hub.m.model->ports(), hub.side(hub.hub), hub.side(arm),
                                             Drive::Coordinate::displacement, Drive::Prescribes::value, 0.3));
  });
  repeat("loops over the hub",
         [](Hub& hub) { hub.join(revolute_joint, hub.arm(spherical_joint), hub.arm(spherical_joint)); });
  repeat("springs from arm to arm", [](Hub& hub) {
    const Index last = hub.m.bodies.back()->port(), arm = hub.arm(revolute_joint);
    hub.m.model->add(std::make_unique<SpringDamper>("spring", hub.m.model->ports(), body_point(last, {0.3, 0, 1}),
                                                    body_point(arm, {0, 0.2, -1}), SpringLaw{500, 1, 0}));
  });
  return list;
}

/// Leaves the hub as free as it was.
void add_leg(Hub& hub) {
  const Index upper = hub.arm(spherical_joint), lower = hub.body();
  hub.join(prismatic_joint, upper, lower);
  hub.join(universal_joint, Model::ground, lower);
}

/// Something of what hangs on the hub is held elsewhere too, and does not give way to the joint with the hub by itself.
std::vector<Build> held_builds() {
  return {{"rods on the ground",
           [](int count, Random& random) {
             Hub hub(random);
             for (int i = 0; i < count; ++i)
               if (const Index arm = hub.arm(spherical_joint); i < 3)
                 hub.join(spherical_joint, Model::ground, arm);
             return hub.finish();
           }},
          {"legs of two hinges", // of which the upper end moves on a surface only
           [](int count, Random& random) {
             Hub hub(random);
             for (int i = 0; i < count; ++i)
               if (const Index upper = hub.arm(spherical_joint); i < 6) { // so many that the hub comes after them
                 const Index lower = hub.body();
                 hub.join(revolute_joint, Model::ground, lower);
                 hub.join(revolute_joint, lower, upper);
               }
             return hub.finish();
           }},
          {"legs on the ground",
           [](int count, Random& random) {
             Hub hub(random);
             for (int i = 0; i < count; ++i)
               add_leg(hub);
             return hub.finish();
           }},
          {"an arm that turns about a fixed point",
           [](int count, Random& random) {
             Hub hub(random);
             hub.arm(universal_joint, body_makers().back());
             for (int i = 0; i < count; ++i)
               hub.arm(revolute_joint);
             return hub.finish();
           }},
          {"hubs on legs, joined",
           [](int count, Random& random) {
             Hub hub(random);
             const Index first = hub.hub;
             hub.hub = hub.body();
             hub.join(revolute_joint, first, hub.hub);
             for (int i = 0; i < 2 * count; ++i) {
               if (i == count)
                 hub.hub = first;
               add_leg(hub);
             }
             return hub.finish();
           }},
          {"rods from hub to hub", [](int count, Random& random) {
             Hub hub(random);
             const Index second = hub.body();
             hub.join(spherical_joint, Model::ground, second);
             for (int i = 0; i < count; ++i) {
               if (const Index arm = hub.arm(spherical_joint); i < 6)
                 hub.join(spherical_joint, arm, second);
               hub.join(revolute_joint, second, hub.body());
             }
             return hub.finish();
           }}};
}

Mechanism star(int arms, MakeJoint* joint) {
  Mechanism m;
  const auto add = [&](const BodyMotion& motion) {
    m.bodies.push_back(&FrameBody::add_to(*m.model, "box", 12, Vec3(9.25, 10, 1.25).asDiagonal()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 12, Vec3(1, 0, -9.81)));
    return motion;
  };
  const Vec3 end(0, 0, 1.5); // of a box
  std::vector<BodyMotion> motions{add({-end, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()})};
  const Index hub = m.bodies[0]->port();
  m.model->add(spherical_joint("hook", m.model->ports(), {}, {hub, end}));
  for (int i = 0; i < arms; ++i) {
    const double angle = 2 * M_PI * i / arms;
    const Quaternion Q = exponential({0.5, 0, angle});
    const Vec3 seat(std::cos(angle), std::sin(angle), 0);
    const Mat3 axes = exponential({0, 0, angle}).toRotationMatrix();
    motions.push_back(add({-end + seat - Q * end, Q, Vec3::Zero(), Vec3::Zero()}));
    m.model->add(joint("joint" + std::to_string(i), m.model->ports(), {hub, seat, axes},
                       {m.bodies.back()->port(), end, Q.toRotationMatrix().transpose() * axes}));
  }
  m.initial = m.model->rest_state();
  m.initial.multipliers.setZero(m.model->multipliers());
  for (std::size_t i = 0; i < motions.size(); ++i)
    m.bodies[i]->set_motion(motions[i], m.initial);
  m.model->begin(m.initial);
  return m;
}

double condition(const MatX& A) {
  const VecX singular = Eigen::BDCSVD<MatX>(A).singularValues();
  return singular[0] / singular.tail<1>()[0];
}

/// Most nodes that one is coupled with when it is eliminated, bodies that are condensed before all others.
std::size_t widest(const Mechanism& m) {
  const TwoPointEquations equations(*m.model);
  const ConstraintSet constraints(equations, {});
  BlockGraph graph(*m.model, constraints);
  const Batches batch(*m.model, constraints, graph, {});
  const Elimination elimination(graph);
  std::size_t most = 0;
  for (const auto& behind : elimination.behind)
    most = std::max(most, behind.size());
  return most;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Hubs)

// Whatever hangs on a hub, and whatever else holds that: no pivot is singular, and factors do not grow.
BOOST_AUTO_TEST_CASE(block_lu_is_at_rounding) {
  Random random(71);
  std::vector<Build> all = free_builds();
  for (const Build& build : held_builds())
    all.push_back(build);
  for (const Build& build : all) {
    const Mechanism m = build.make(12, random);
    System system(m, random.numbers(m.model->unknowns() + m.model->multipliers(), 1e-2));
    const MatX A = system.dense();
    const VecX b = random.numbers(A.rows()), exact = A.fullPivLu().solve(b);
    BlockSolver solver(system.assembler.blocks(), best_instructions());
    VecX x(A.rows());
    solver.factorise();
    solver.solve(b.data(), x.data());
    // Backward stable but for growth: an error of eps times the condition number.
    BOOST_TEST((x - exact).norm() <= 100 * eps * condition(A) * exact.norm(), build.name);
  }
}

// The hub comes after the joints that lead to it alone, so nothing is coupled with more nodes if there are more arms.
BOOST_AUTO_TEST_CASE(arms_are_not_coupled_with_one_another) {
  Random random(72);
  for (const Build& build : free_builds()) {
    const std::size_t few = widest(build.make(20, random)), many = widest(build.make(60, random));
    BOOST_TEST(few == many, build.name << ": " << few << " and " << many);
  }
}

// Good enough for Newton to do without refinement (1e-9), with factors of which the error is eps times a condition
// number that grows with the number of arms: 20 for each, as 32 of them show.
BOOST_AUTO_TEST_CASE(stars_need_no_refinement) {
  for (MakeJoint* joint : {spherical_joint, revolute_joint}) {
    const double of_each = [&] {
      const Mechanism m = star(32, joint);
      return condition(System(m, VecX::Zero(m.model->unknowns() + m.model->multipliers())).dense()) / 32;
    }();
    BOOST_TEST(of_each <= 20);
    for (const int arms : {32, 256, 2048}) {
      const Mechanism m = star(arms, joint);
      Random random(73);
      System system(m, random.numbers(m.model->unknowns() + m.model->multipliers(), 1e-2));
      BlockSolver solver(system.assembler.blocks(), best_instructions());
      const VecX b = random.numbers(system.assembler.size());
      VecX x(b.size());
      solver.factorise();
      solver.solve(b.data(), x.data());
      const double size = x.norm(), error = solver.refine(b.data(), x.data()).norm() / size;
      BOOST_TEST(error <= 20 * arms * eps);
    }
  }
}

BOOST_AUTO_TEST_CASE(stars_run_on_blocks_as_they_do_on_klu) {
  for (MakeJoint* joint : {spherical_joint, revolute_joint}) {
    std::vector<State> ends;
    for (const LinearSolver solver : {LinearSolver::automatic, LinearSolver::klu}) {
      Mechanism m = star(40, joint);
      NewtonOptions options;
      options.linear = solver;
      EnergyMomentum integrator(*m.model, options);
      for (int i = 0; i < 20; ++i) {
        const StepReport report = integrator.step(m.initial, 0.01);
        BOOST_REQUIRE_MESSAGE(report.converged, report.why);
        BOOST_TEST(report.warning == "");
      }
      const bool on_blocks = integrator.description().find("block LU") != std::string::npos;
      BOOST_TEST(on_blocks == (solver == LinearSolver::automatic), integrator.description());
      ends.push_back(m.initial);
    }
    // Twenty steps, each solved to eps times a condition number of 20 for each arm; rates are values over the step.
    const double tolerance = 20 * eps * 20 * 40;
    BOOST_TEST((ends[0].values - ends[1].values).cwiseAbs().maxCoeff() <= tolerance);
    BOOST_TEST((ends[0].rates - ends[1].rates).cwiseAbs().maxCoeff() <= tolerance * 100);
  }
}

BOOST_AUTO_TEST_SUITE_END()
