/// The hanging chain in Simbody: relative coordinates (ball joints by quaternions), order-n forward dynamics, and the
/// error-controlled Runge-Kutta-Merson integrator, the fastest of its integrators on this problem.

#include "verification/benchmarks/peers/peer.hpp"
#include "verification/benchmarks/timing.hpp"

#include <Simbody.h>

namespace emmy::benchmark {

namespace {

SimTK::Rotation rotation(const Quaternion& q) {
  return SimTK::Rotation(SimTK::Quaternion(q.w(), q.x(), q.y(), q.z()));
}

} // namespace

Solution solve_with_simbody(int N, double accuracy, double end) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  SimTK::Force::Gravity weight(forces, matter, SimTK::Vec3(0, 0, -gravity));

  const Vec3 J = Box::inertia().diagonal();
  const SimTK::Body::Rigid box(SimTK::MassProperties(Box::mass, SimTK::Vec3(0), SimTK::Inertia(J.x(), J.y(), J.z())));
  const SimTK::Vec3 upper_end(0, 0, Box::half_length), lower_end(0, 0, -Box::half_length);
  std::vector<SimTK::MobilizedBody::Ball> links;
  for (int i = 0; i < N; ++i) {
    if (i == 0)
      links.emplace_back(matter.updGround(), SimTK::Transform(), box, SimTK::Transform(upper_end));
    else
      links.emplace_back(links.back(), SimTK::Transform(lower_end), box, SimTK::Transform(upper_end));
  }
  SimTK::State state = system.realizeTopology();
  Quaternion parent = Quaternion::Identity();
  for (int i = 0; i < N; ++i) {
    const Quaternion orientation = chain_orientation(i, N);
    links[static_cast<std::size_t>(i)].setQToFitRotation(state, rotation(parent.conjugate() * orientation));
    parent = orientation;
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
