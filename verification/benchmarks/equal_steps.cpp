#include "verification/benchmarks/peers/peer.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

constexpr double end = 1; ///< [s]
constexpr int all_steps = 1000;
static_assert(all_steps * step_length == end);

class EmmySimulation final : public Simulation {
public:
  explicit EmmySimulation(const Problem& problem)
      : problem_(problem), integrator_(conserving(problem_, step_length)), state_(problem_.initial) {
    step(step_length); // sets up what the first step needs
    state_ = problem_.initial;
    integrator_->begin(state_);
  }
  void step(double length) override {
    const StepReport report = integrator_->step(state_, length);
    if (!report.converged)
      throw std::runtime_error(problem_.name() + ": " + report.why);
  }
  std::vector<BodyMotion> motions() const override { return problem_.motions(state_); }

private:
  const Problem& problem_;
  std::unique_ptr<Integrator> integrator_;
  State state_;
};

/// emmy first, then those that can do a size.
std::vector<FixedStepPeer> contenders(const Problem& problem, int size, int FixedStepPeer::*limit) {
  constexpr int any = std::numeric_limits<int>::max();
  std::vector<FixedStepPeer> list = {{"emmy", "energy_momentum", 2, any, any, [&problem](const Mechanism&) {
                                        return std::make_unique<EmmySimulation>(problem);
                                      }}};
  for (const FixedStepPeer& peer : fixed_step_peers())
    if (size <= peer.*limit)
      list.push_back(peer);
  return list;
}

struct Outcome {
  const FixedStepPeer* who;
  double per_step = 0;                                      ///< [s]
  double energy = std::numeric_limits<double>::quiet_NaN(); ///< largest error / (largest T + largest change of V)
  double error = std::numeric_limits<double>::quiet_NaN();  ///< largest distance of a centre at the end [m]
};

/// Energy on the way to the end, and the trajectory there.
void judge(const Mechanism& mechanism, const std::vector<Vec3>& reference, Outcome& outcome) {
  const auto run = outcome.who->start(mechanism);
  const Energy start = energy_of(mechanism, run->motions());
  double error = 0, kinetic = start.kinetic, potential = 0;
  for (int i = 1; i <= all_steps; ++i) {
    run->step(step_length);
    if (i % 10 != 0)
      continue;
    const Energy now = energy_of(mechanism, run->motions());
    const double change = now.potential - start.potential;
    error = std::max(error, std::abs(now.kinetic - start.kinetic + change));
    kinetic = std::max(kinetic, now.kinetic);
    potential = std::max(potential, std::abs(change));
  }
  outcome.energy = error / (kinetic + potential);
  if (!reference.empty())
    outcome.error = largest_distance(centres_of(run->motions()), reference);
}

double time_steps(const FixedStepPeer& who, const Mechanism& mechanism, int steps) {
  const auto run = who.start(mechanism);
  const double start = cpu_time();
  for (int i = 0; i < steps; ++i)
    run->step(step_length);
  return (cpu_time() - start) / steps;
}

std::vector<Outcome> compare(const Mechanism& mechanism, const std::vector<FixedStepPeer>& all,
                             const std::vector<Vec3>& reference, bool quick) {
  std::vector<Outcome> outcomes;
  std::vector<std::function<double()>> runs;
  for (const FixedStepPeer& who : all) {
    const double once = time_steps(who, mechanism, 2);
    const int steps = steps_to_fill(quick ? 0.02 : 0.15, once, all_steps);
    outcomes.push_back({&who});
    runs.emplace_back([&mechanism, &who, steps] { return time_steps(who, mechanism, steps); });
    const double patience = quick ? 2 : 12; // [s]
    if (once * all_steps < patience)
      judge(mechanism, reference, outcomes.back());
  }
  const std::vector<double> times = best_times(runs, quick ? 3 : 6);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    outcomes[i].per_step = times[i];
  return outcomes;
}

/// Tables and figures of one mechanism.
void enter(const Mechanism& mechanism, const std::vector<Outcome>& outcomes, std::vector<tables::Row>& rows,
           nlohmann::json& figures) {
  const double own = outcomes.front().per_step;
  for (const Outcome& o : outcomes) {
    rows.push_back({mechanism.name, std::string(o.who->name) + ", " + o.who->method, microseconds(o.per_step),
                    ratio(o.per_step / own), power_of_ten(o.energy), power_of_ten(o.error)});
    figures.push_back({{"problem", mechanism.name},
                       {"program", o.who->name},
                       {"method", o.who->method},
                       {"order", o.who->order},
                       {"cpu_per_step", o.per_step},
                       {"relative_energy_error", o.energy},
                       {"trajectory_error", o.error}});
  }
}

/// The fastest step of the others relative to emmy's.
double least_ratio(const std::vector<Outcome>& outcomes) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < outcomes.size(); ++i)
    least = std::min(least, outcomes[i].per_step / outcomes[0].per_step);
  return least;
}

const tables::Row header = {"problem", "program", "µs per step", "ratio to emmy", "energy error", "trajectory, m"};

/// What a step of MuJoCo takes at least relative to one of emmy's: by Runge and Kutta, and by Euler, whose energy error
/// is larger by eleven orders of magnitude.
double least_ratio_of(const FixedStepPeer& who) {
  return who.order > 1 ? 1.8 : 0.5;
}

} // namespace

void equal_steps(bool quick, Report& report) {
  const auto references = error_controlled_peers();
  std::vector<tables::Row> rows;
  for (const int N : quick ? std::vector<int>{4, 32} : std::vector<int>{4, 32, 256, 2048}) {
    const Problem problem(chain(N));
    const Mechanism& mechanism = problem.mechanism;
    const auto able = contenders(problem, N, &FixedStepPeer::longest_chain);
    std::vector<Vec3> reference;
    if (!references.empty()) // far more accurate than steps of a millisecond
      reference = references.front().solve(mechanism, N <= 256 ? 1e-10 : 1e-8, end).centres;
    const auto outcomes = compare(mechanism, able, reference, quick);
    enter(mechanism, outcomes, rows, report.figures["equal_steps"]);
    if (outcomes.size() > 1) {
      report.promises.at_least("fastest step of all others : emmy's, " + mechanism.name, least_ratio(outcomes), 1);
      report.promises.at_most("energy error in these steps, " + mechanism.name, outcomes.front().energy, 1e-12);
    }
  }
  report.add("equal_steps_chain", "Hanging chain, steps of 1 ms to t = 1 s", header, rows);
}

void four_bar_steps(bool quick, Report& report) {
  std::vector<tables::Row> rows;
  for (const int windows : quick ? std::vector<int>{2, 40} : std::vector<int>{2, 40, 400}) {
    const Problem problem(four_bar(windows));
    const Mechanism& mechanism = problem.mechanism;
    const auto able = contenders(problem, windows, &FixedStepPeer::most_windows);
    const auto outcomes = compare(mechanism, able, four_bar_centres(windows, end), quick);
    enter(mechanism, outcomes, rows, report.figures["equal_steps"]);
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
      const FixedStepPeer& who = *outcomes[i].who;
      if (who.name == std::string("MuJoCo"))
        report.promises.at_least(std::string("MuJoCo's step by ") + who.method + " : emmy's, " + mechanism.name,
                                 outcomes[i].per_step / outcomes.front().per_step, least_ratio_of(who));
    }
  }
  report.add("equal_steps_four_bar", "Four-bar windows, steps of 1 ms to t = 1 s", header, rows);
}

} // namespace emmy::benchmark
