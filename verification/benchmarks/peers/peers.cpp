#include "verification/benchmarks/peers/peer.hpp"

namespace emmy::benchmark {

std::vector<FixedStepPeer> fixed_step_peers() {
  std::vector<FixedStepPeer> list;
#ifdef EMMY_HAVE_ODE
  list.push_back({"ODE", "dWorldStep", 1, 256, 40, ode_direct});
  list.push_back({"ODE", "dWorldQuickStep", 1, 2048, 400, ode_quick});
#endif
#ifdef EMMY_HAVE_BULLET
  list.push_back({"Bullet", "btMultiBody", 1, 2048, 0, bullet_multibody});
  list.push_back({"Bullet", "btRigidBody", 1, 2048, 400, bullet_impulses});
#endif
#ifdef EMMY_HAVE_MUJOCO
  // Its reader refuses bodies that hang from one another more than a hundred times.
  list.push_back({"MuJoCo", "Euler", 1, 90, 400, mujoco_euler});
  list.push_back({"MuJoCo", "RK4", 4, 90, 400, mujoco_rk4});
#endif
  return list;
}

Mechanism RodInBox::mechanism() const {
  Mechanism mechanism;
  mechanism.name = "rod in a box";
  const Quaternion upright = Quaternion::Identity();
  mechanism.add(7e-6, Vec3(1.1667e-8, 5.891667e-7, 5.891667e-7), upright, Vec3::Zero(), Vec3::Zero());
  mechanism.add(1.8536e-3, Vec3::Constant(2.2792373e-3), upright, Vec3::Zero(), Vec3::Zero());
  mechanism.bodies[0].start.velocity = Vec3(50, 2, 0);
  mechanism.bodies[0].start.angular_velocity = Vec3(0, 40, 0);
  return mechanism;
}

std::vector<CollidingPeer> rod_in_box_peers() {
  std::vector<CollidingPeer> list;
#ifdef EMMY_HAVE_ODE
  list.push_back({"ODE", ode_rod_in_box});
#endif
#ifdef EMMY_HAVE_BULLET
  list.push_back({"Bullet", bullet_rod_in_box});
#endif
  return list;
}

std::vector<ErrorControlledPeer> error_controlled_peers() {
  std::vector<ErrorControlledPeer> list;
#ifdef EMMY_HAVE_SIMBODY
  list.push_back({"Simbody", solve_with_simbody});
#endif
  return list;
}

} // namespace emmy::benchmark
