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

std::vector<ErrorControlledPeer> error_controlled_peers() {
  std::vector<ErrorControlledPeer> list;
#ifdef EMMY_HAVE_SIMBODY
  list.push_back({"Simbody", solve_with_simbody});
#endif
  return list;
}

} // namespace emmy::benchmark
