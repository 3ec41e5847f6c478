/// emmy_long: a chain and two bodies in flight over a million steps, a rod that hits the walls of a free cube over ten
/// million, and N parallelogram windows through their ten flat positions in 10 s, in all sizes and steps that
/// docs/theory/redundancy.md promises, also turned in space. Prints a table; 1 if a promise is broken.

#include "elements/bodies/frame.hpp"
#include "solvers/integrators/explicit/explicit.hpp"
#include "solvers/petsc/petsc.hpp"
#include "verification/long/rod_in_cube.hpp"
#include "verification/long/stopwatch.hpp"
#include "verification/support/loops.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

namespace {

using namespace emmy;
using namespace emmy::test;

// What every run must keep.
constexpr int crossings = 10;
constexpr double largest_energy = 1e-11; // relative
constexpr double largest_gap = 1e-12;    // [m]
constexpr double largest_angle = 1e-8;   // [rad]: rounding of positions over the smallest cosine of a crossing
constexpr int most_iterations = 8;       // in a step
constexpr double end = 10;               // [s]

struct Setting {
  int windows;
  double h;
  bool turned;
};

constexpr Setting settings[] = {{2, 1e-2, false},   {2, 1e-2, true},  {2, 1e-3, false},  {2, 1e-3, true},
                                {40, 1e-2, false},  {40, 1e-2, true}, {40, 1e-3, false}, {40, 1e-3, true},
                                {400, 1e-2, false}, {400, 1e-2, true}};

bool passes(const Setting& setting) {
  const Quaternion turn = setting.turned ? exponential(Vec3(0.3, -0.7, 0.4)) : Quaternion::Identity();
  const Stopwatch start;
  WindowsRun run(setting.windows, turn, setting.h, end);
  const double prepared = start.seconds();
  const Stopwatch run_time;
  const Outcome outcome = run.simulation.run();
  const double wall = run_time.seconds();
  const Ledger& ledger = run.simulation.ledger();
  const double angle = std::max(run.out_of_parallel, run.tilt);
  const bool good = outcome.completed && run.crossings == crossings &&
                    ledger.relative_energy_imbalance() <= largest_energy &&
                    ledger.max_position_violation() <= largest_gap && angle <= largest_angle &&
                    outcome.max_iterations <= most_iterations && outcome.rejected_steps == 0 && run.warnings.empty();
  std::printf("%4d  %5.0e  %-6s  %9d  %7.1e  %7.1e  %10.1e  %12.2f (%d)  %8ld  %7ld ", setting.windows, setting.h,
              setting.turned ? "yes" : "no", run.crossings, ledger.relative_energy_imbalance(),
              ledger.max_position_violation(), angle, outcome.mean_iterations(), outcome.max_iterations,
              outcome.rejected_steps, outcome.rescued_steps);
  for (const double t : {1.0, 10.0})
    if (const auto found = run.top_errors.find(t); found != run.top_errors.end())
      std::printf(" %12.2e", found->second);
    else
      std::printf(" %12s", "-");
  std::printf("  %9.2f  %7.3f  %s\n", prepared, 1e3 * wall / static_cast<double>(std::max(outcome.steps, 1L)),
              good ? "ok" : "FAILED");
  if (!run.warnings.empty())
    std::printf("%s", run.warnings.c_str());
  if (!outcome.completed)
    std::printf("%s\n", outcome.failure.c_str());
  std::fflush(stdout);
  return good;
}

/// The hanging chain of four, a million steps of a millisecond: rounding must not add up.
bool soak() {
  constexpr long steps = 1000000;
  Mechanism m = hanging_chain(4, ChainJoint::spherical);
  EnergyMomentum integrator(*m.model, {});
  Ledger ledger;
  ledger.open(m.model->books_at(m.initial));
  long iterations = 0;
  bool good = true;
  const Stopwatch run_time;
  for (long i = 0; good && i < steps; ++i) {
    const StepReport report = integrator.step(m.initial, 1e-3);
    good = report.converged;
    iterations += report.iterations;
    ledger.add(integrator.books(m.initial));
  }
  const double wall = run_time.seconds();
  constexpr double most_energy = 1e-12, most_mean = 1.1; // iterations as docs/performance.md promises
  const double mean = static_cast<double>(iterations) / static_cast<double>(steps);
  good = good && ledger.relative_energy_imbalance() <= most_energy && mean <= most_mean;
  std::printf("chain of 4, %ld steps of 1 ms: energy %.1e, gap %.1e m, %.3f iterations a step, %.2f us a step with the "
              "ledger  %s\n",
              steps, ledger.relative_energy_imbalance(), ledger.max_position_violation(), mean, 1e6 * wall / steps,
              good ? "ok" : "FAILED");
  std::fflush(stdout);
  return good;
}

/// Two free bodies under kick-drift-kick, a million steps of a millisecond: the same is lost of their places in every
/// step, and must not add up. They end 500 m away.
bool flight() {
  constexpr long steps = 1000000;
  Model model;
  const Body& a = FrameBody::add_to(model, "a", 2, Vec3(1.4, 2, 0.9).asDiagonal());
  const Body& b = FrameBody::add_to(model, "b", 5, Vec3(2, 1.2, 1.1).asDiagonal());
  State state = model.rest_state();
  a.set_motion({{3, -2, 0.5}, Quaternion::Identity(), {0.4, 0.1, -0.2}, {1.2, -0.7, 1.5}}, state);
  b.set_motion({{-1, 4, 1.5}, Quaternion::Identity(), {-0.3, 0.2, 0.1}, {0.2, 1.7, -0.5}}, state);
  const auto integrator = make_explicit(model, {});
  Ledger ledger;
  ledger.open(model.books_at(state));
  bool good = true;
  for (long i = 0; good && i < steps; ++i) {
    good = integrator->step(state, 1e-3).converged;
    ledger.add(integrator->books(state));
  }
  // Rounding of places, and of three operations over the way to them: 4 x 2.2e-16 of 500 m, with momenta of 1 and 2 N
  // s.
  const double most = 4 * std::numeric_limits<double>::epsilon() * 500 * 3;
  good = good && ledger.max_angular_imbalance() <= most;
  std::printf("flight of 2, %ld steps of 1 ms by kick-drift-kick: angular momentum %.1e N m s, at most %.1e  %s\n",
              steps, ledger.max_angular_imbalance(), most, good ? "ok" : "FAILED");
  std::fflush(stdout);
  return good;
}

} // namespace

/// Without arguments all settings, otherwise those with the numbers of windows that are given; `rod` and a directory
/// runs the rod alone and writes its errors over time there.
int main(int argc, char** argv) {
  try {
    const PetscSession petsc;
    if (argc == 3 && std::string(argv[1]) == "rod")
      return run_rod_in_cube(argv[2]) ? 0 : 1;
    bool good = argc > 1 || soak();
    good = (argc > 1 || flight()) && good;
    good = (argc > 1 || run_rod_in_cube("")) && good;
    good = (argc > 1 || run_rod_ensemble()) && good;
    std::printf("N windows of parallelograms, ten flat positions in %g s\n", end);
    std::printf("   N      h  turned  crossings   energy  gap [m]  bars [rad]  iterations (max)  rejected  rescued  "
                "top, 1 s [m]   10 s [m]  start [s]  ms/step\n");
    for (const Setting& setting : settings)
      if (argc == 1 ||
          std::any_of(argv + 1, argv + argc, [&](const char* n) { return std::atoi(n) == setting.windows; }))
        good = passes(setting) && good;
    return good ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "emmy_long: %s\n", failure.what());
    return 2;
  }
}
