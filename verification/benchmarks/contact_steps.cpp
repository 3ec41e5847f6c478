#include "solvers/integrators/conserving/free_bodies.hpp"
#include "verification/benchmarks/peers/peer.hpp"
#include "verification/benchmarks/problems.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"
#include "verification/support/random.hpp"

#include "core/ledger.hpp"

#include <cmath>

namespace emmy::benchmark {

namespace {

/// What is promised, in times of free flight: of the rod in a box with its ledger, of spheres that fly apart.
constexpr double most_of_rod = 3, most_of_spheres = 2;

contact::Scene scene_of(std::vector<contact::Surface> surfaces) {
  contact::Scene scene;
  scene.class_of.assign(surfaces.size(), 0);
  scene.surfaces = std::move(surfaces);
  scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
  scene.rules.resize(1); // elastic, without friction
  return scene;
}

contact::Scene scene_of(const RodInBox& rod_in_box, const Problem& problem) {
  contact::NodeSet axis;
  for (int i = 0; i < rod_in_box.nodes; ++i)
    axis.at.emplace_back(rod_in_box.length * (i / (rod_in_box.nodes - 1.) - 0.5), 0, 0);
  contact::Box room;
  room.half.setConstant(rod_in_box.width / 2);
  room.inside = true;
  return scene_of({{"axis", problem.bodies[0]->port(), axis}, {"room", problem.bodies[1]->port(), room}});
}

/// N spheres on a lattice with gaps of their own size, which fly apart from the middle, each with a velocity and a spin
/// of its own on top.
Mechanism exploding_spheres(int N, double radius) {
  Mechanism mechanism;
  mechanism.name = std::to_string(N) + " spheres that fly apart";
  test::Random random(7);
  const int side = static_cast<int>(std::lround(std::cbrt(N)));
  for (int i = 0; i < N; ++i) {
    const Vec3 cell(i % side, i / side % side, i / (side * side)); // NOLINT(bugprone-integer-division): a lattice
    const Vec3 X = 4 * radius * (cell - Vec3::Constant((side - 1) / 2.));
    const double inertia = 0.4 * radius * radius;
    const int body = mechanism.add(1, Vec3::Constant(inertia), Quaternion::Identity(), Vec3::Zero(), X);
    mechanism.bodies[static_cast<std::size_t>(body)].start.velocity = X + random.vector(radius);
    mechanism.bodies[static_cast<std::size_t>(body)].start.angular_velocity = random.vector(1);
  }
  return mechanism;
}

contact::Scene spheres(const Problem& problem, double radius) {
  std::vector<contact::Surface> surfaces;
  for (const Body* body : problem.bodies)
    surfaces.push_back({"", body->port(), contact::Sphere{Vec3::Zero(), radius}});
  return scene_of(std::move(surfaces));
}

/// The bodies of a mechanism, each flown by itself: the least that a step can cost.
class FreeFlight {
public:
  FreeFlight(const Mechanism& mechanism, RotationMap map) : map_(map) {
    for (const Mechanism::Body& body : mechanism.bodies) {
      const Mat3 J = body.inertia.asDiagonal();
      bodies_.push_back({1 / body.mass, J, J.inverse(), true});
      FreeMotion motion;
      const Quaternion& q = body.start.orientation;
      motion.x = body.start.position;
      motion.q = {q.w(), q.x(), q.y(), q.z()};
      motion.p = body.mass * body.start.velocity;
      motion.pi = q * (J * (q.conjugate() * body.start.angular_velocity));
      motions_.push_back(motion);
    }
  }

  /// CPU time of a step [s].
  double time(int steps, double h) {
    const double start = cpu_time();
    Flight flight;
    for (int i = 0; i < steps; ++i)
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        flight.p1 = motions_[b].p;
        flight.pi1 = motions_[b].pi;
        fly(bodies_[b], motions_[b], h, map_, flight);
        land(flight, map_, motions_[b]);
      }
    return (cpu_time() - start) / steps;
  }

private:
  RotationMap map_;
  std::vector<FreeBody> bodies_;
  std::vector<FreeMotion> motions_;
};

/// emmy on a mechanism with contact, from step to step.
class Contactor {
public:
  Contactor(const Problem& problem, contact::Scene scene, RotationMap map)
      : problem_(problem), integrator_(*problem.model, std::move(scene), options(map)), state_(problem.initial) {
    integrator_.begin(state_);
    ledger_.open(problem.model->books_at(state_));
  }

  double time(int steps, double h, bool keeps_ledger) {
    const double start = cpu_time();
    for (int i = 0; i < steps; ++i) {
      if (const StepReport report = integrator_.step(state_, h); !report.converged)
        throw std::runtime_error(problem_.name() + ": " + report.why);
      if (keeps_ledger)
        ledger_.add(integrator_.books(state_));
    }
    return (cpu_time() - start) / steps;
  }
  double energy() const {
    const std::vector<BodyMotion> motions = problem_.motions(state_);
    return energy_of(problem_.mechanism, motions).kinetic;
  }

private:
  static FreeBodiesOptions options(RotationMap map) {
    FreeBodiesOptions options;
    options.exponential = map == RotationMap::exponential;
    return options;
  }

  const Problem& problem_;
  FreeBodies integrator_;
  State state_;
  Ledger ledger_;
};

void rod_in_box(bool quick, Report& report) {
  const RodInBox rod_in_box;
  const Problem problem(rod_in_box.mechanism());
  const double h = 1e-6, before = energy_of(problem.mechanism, problem.motions(problem.initial)).kinetic;
  const auto map = RotationMap::exponential; // that of the paper
  const int steps = quick ? 20000 : 200000, rounds = quick ? 2 : 5;

  // Everybody goes on from where the last round ended, through the same impacts at first.
  FreeFlight flight(problem.mechanism, map);
  Contactor emmy(problem, scene_of(rod_in_box, problem), map);
  struct Peer {
    std::string name;
    std::unique_ptr<Simulation> simulation;
  };
  std::vector<Peer> peers;
  for (const auto& [name, start] : rod_in_box_peers())
    peers.push_back({name, start(rod_in_box)});

  std::vector<std::function<double()>> runs = {[&] { return flight.time(steps, h); },
                                               [&] { return emmy.time(steps, h, true); }};
  for (const Peer& peer : peers)
    runs.emplace_back([&] {
      const double start = cpu_time();
      for (int i = 0; i < steps; ++i)
        peer.simulation->step(h);
      return (cpu_time() - start) / steps;
    });
  const std::vector<double> times = best_times(runs, rounds);

  const double free = times[0], own = times[1];
  std::vector<tables::Row> rows = {{"free flight of both bodies", microseconds(free), "1", nothing},
                                   {"emmy, with its ledger", microseconds(own), ratio(own / free),
                                    power_of_ten(std::abs(emmy.energy() / before - 1))}};
  report.promises.at_most("rod in a box with its ledger, in times of free flight", own / free, most_of_rod);
  report.figures["rod_in_box"] = {{"free_flight", free}, {"emmy", own}};
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const double energy = energy_of(problem.mechanism, peers[i].simulation->motions()).kinetic;
    rows.push_back({peers[i].name, microseconds(times[i + 2]), ratio(times[i + 2] / free),
                    power_of_ten(std::abs(energy / before - 1))});
    report.promises.at_least("rod in a box, " + peers[i].name + " : emmy with its ledger", times[i + 2] / own, 1);
    report.figures["rod_in_box"][peers[i].name] = times[i + 2];
  }
  report.add("rod_in_box", "Rod in a box, h = 1 µs: µs per step", {"", "µs", "free flights", "energy error"}, rows);
}

void flying_apart(bool quick, Report& report) {
  const double radius = 0.05, h = 1e-3;
  const int N = quick ? 1000 : 10000, steps = quick ? 50 : 100, rounds = quick ? 3 : 6;
  const Problem problem(exploding_spheres(N, radius));
  const auto map = RotationMap::cayley;
  FreeFlight flight(problem.mechanism, map);
  Contactor alone(problem, spheres(problem, radius), map), booked(problem, spheres(problem, radius), map);
  const std::vector<double> times =
      best_times({[&] { return flight.time(steps, h); }, [&] { return alone.time(steps, h, false); },
                  [&] { return booked.time(steps, h, true); }},
                 rounds);
  const auto row = [&](const char* name, double time) {
    return tables::Row{name, milliseconds(time), ratio(time / times[0])};
  };
  report.add("flying_apart", problem.name() + ": ms per step", {"", "ms", "free flights"},
             {row("free flight", times[0]), row("emmy", times[1]), row("emmy, with its ledger", times[2])});
  report.promises.at_most(problem.name() + ", in times of free flight", times[1] / times[0], most_of_spheres);
  report.figures["flying_apart"] = {{"free_flight", times[0]}, {"emmy", times[1]}, {"with_ledger", times[2]}};
}

} // namespace

void contact_steps(bool quick, Report& report) {
  rod_in_box(quick, report);
  flying_apart(quick, report);
}

} // namespace emmy::benchmark
