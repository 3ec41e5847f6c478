/// Simbody: relative coordinates (ball joints by quaternions), order-n forward dynamics, and the
/// error-controlled Runge-Kutta-Merson integrator, the fastest of its integrators on this problem.

#include "verification/benchmarks/peers/peer.hpp"
#include "verification/benchmarks/timing.hpp"

#include <Simbody.h>

namespace emmy::benchmark {

namespace {

SimTK::Rotation rotation(const Quaternion& q) {
  return SimTK::Rotation(SimTK::Quaternion(q.w(), q.x(), q.y(), q.z()));
}

SimTK::Vec3 vector(const Vec3& x) {
  return {x.x(), x.y(), x.z()};
}

} // namespace

Solution solve_with_simbody(const Mechanism& mechanism, double accuracy, double end) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  SimTK::Force::Gravity weight(forces, matter, vector(mechanism.gravity));

  const SpanningTree tree(mechanism);
  std::vector<SimTK::MobilizedBody::Ball> links;
  for (int i = 0; i < mechanism.size(); ++i) {
    const Mechanism::Body& body = mechanism.body(i);
    const Mechanism::Joint& joint = *tree.parent[static_cast<std::size_t>(i)];
    const SimTK::Body::Rigid rigid(
        SimTK::MassProperties(body.mass, SimTK::Vec3(0), SimTK::Inertia(vector(body.inertia))));
    const SimTK::Transform inboard(vector(joint.first.at)), outboard(vector(joint.second.at));
    if (joint.first.body == Mechanism::ground)
      links.emplace_back(matter.updGround(), inboard, rigid, outboard);
    else
      links.emplace_back(links[static_cast<std::size_t>(joint.first.body)], inboard, rigid, outboard);
  }
  SimTK::State state = system.realizeTopology();
  for (int i = 0; i < mechanism.size(); ++i) {
    const int parent = tree.parent[static_cast<std::size_t>(i)]->first.body;
    const Quaternion relative = mechanism.orientation(parent).conjugate() * mechanism.orientation(i);
    links[static_cast<std::size_t>(i)].setQToFitRotation(state, rotation(relative));
  }

  SimTK::RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  SimTK::TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  Solution solution;
  const double start = cpu_time();
  stepper.stepTo(end);
  solution.cpu = cpu_time() - start;
  const SimTK::State& last = stepper.getState();
  system.realize(last, SimTK::Stage::Position);
  for (const SimTK::MobilizedBody& link : links) {
    const SimTK::Vec3 x = link.getBodyOriginLocation(last);
    solution.centres.emplace_back(x[0], x[1], x[2]);
  }
  return solution;
}

} // namespace emmy::benchmark
