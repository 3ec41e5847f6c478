#include "io/history.hpp"
#include "io/loading.hpp"
#include "io/report.hpp"
#include "io/time_stepping.hpp"
#include "solvers/simulation.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <cmath>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

/// What is promised of a run that writes every channel at every step, in times of the same run that writes nothing.
constexpr double most_of_all_channels = 3.3;

constexpr double step_length = 1e-3;

/// The chain of N boxes that hangs by ball joints, as in the other sections.
std::string chain_deck(int N) {
  std::ostringstream text;
  text << "gravity: [0, 0, -9.81]\nbodies:\n";
  Vec3 joint = Vec3::Zero();
  std::ostringstream joints;
  for (int i = 0; i < N; ++i) {
    const double angle = (i < N / 2 ? 45 : 135) * M_PI / 180, out = M_PI / 4;
    const Vec3 along(std::sin(angle) * std::cos(out), std::sin(angle) * std::sin(out), -std::cos(angle));
    const Vec3 centre = joint + 1.5 * along;
    text << formatted("  link%d: {box: [1, 0.5, 3], mass: 12, position: [%.17g, %.17g, %.17g], "
                      "orientation: {axis: [%.17g, %.17g, 0], angle: %.17g}}\n",
                      i, centre[0], centre[1], centre[2], -std::sin(out), std::cos(out), M_PI - angle);
    joints << formatted("  joint%d: {type: spherical, between: [%s, link%d], at: [%.17g, %.17g, %.17g]}\n", i,
                        i == 0 ? "ground" : ("link" + std::to_string(i - 1)).c_str(), i, joint[0], joint[1], joint[2]);
    joint += 3 * along;
  }
  text << "joints:\n" << joints.str() << "integrator: {step: " << step_length << ", end: 1000}\n";
  return text.str();
}

/// What looks at a run, or nothing.
using Attach = std::function<void(Simulation&)>;

/// A chain whose runs are timed.
class TimedRun {
public:
  explicit TimedRun(int N) {
    std::ostringstream said;
    std::optional<Loaded> m = load_text("chain", chain_deck(N), {}, said);
    if (!m)
      throw std::runtime_error(said.str());
    m_ = std::move(*m);
  }

  const Loaded& loaded() const { return m_; }
  /// CPU time of a step [s], once factorisations are there.
  double time(int steps, const Attach& attach) const {
    const std::unique_ptr<Integrator> integrator = make_integrator(m_, step_length);
    State warm = m_.built.initial;
    integrator->begin(warm);
    if (!integrator->step(warm, step_length).converged)
      throw std::runtime_error("the first step of the chain failed");
    Simulation simulation(*m_.built.model, m_.built.initial, *integrator,
                          {step_length, steps * step_length, 0, "step"});
    attach(simulation);
    const double start = cpu_time();
    if (!simulation.run().completed)
      throw std::runtime_error(simulation.outcome().failure);
    return (cpu_time() - start) / steps;
  }

private:
  Loaded m_;
};

} // namespace

void output_costs(bool quick, Report& report) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("emmy_bench." + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::vector<tables::Row> rows;
  for (const int N : {4, 32}) {
    const TimedRun run(N);
    const int steps = (quick ? 4000 : 20000) / N;
    std::size_t columns = 0;
    const auto with_history = [&](const std::vector<deck::ChannelPattern>& patterns) {
      deck::Output output = run.loaded().deck.output;
      output.by_channels = !patterns.empty();
      output.channels = patterns;
      History history(directory.string(), run.loaded().built, output, step_length);
      const double time = run.time(
          steps, [&](Simulation& s) { s.observe([&](const Simulation& now, long i) { history.observe(now, i); }); });
      columns = history.columns();
      return time;
    };
    const std::vector<double> times = best_times({[&] { return run.time(steps, [](Simulation&) {}); },
                                                  [&] {
                                                    return with_history({{"energy", {}}});
                                                  },
                                                  [&] { return with_history({}); }},
                                                 quick ? 5 : 15);
    const double ratio_of_all = times[2] / times[0];
    rows.push_back({"chain " + std::to_string(N), std::to_string(columns), microseconds(times[0]),
                    ratio(times[1] / times[0]), ratio(ratio_of_all),
                    tables::format("%.0f ns", 1e9 * (times[2] - times[0]) / static_cast<double>(columns))});
    report.figures["output"].push_back({{"bodies", N}, {"columns", columns}, {"all_channels", ratio_of_all}});
    if (N == 4)
      report.promises.at_most("run with all channels at every step : run without output, chain 4", ratio_of_all,
                              most_of_all_channels);
  }
  std::filesystem::remove_all(directory);
  report.add("output", "What history.csv costs at every step",
             {"problem", "columns", "µs per step without", "energies : without", "all channels : without", "a number"},
             rows);
}

} // namespace emmy::benchmark
