#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"
#include "verification/benchmarks/timing.hpp"

namespace emmy::benchmark {

namespace {

constexpr int boxes = 256;
constexpr int timed_steps = 40; ///< behind the untimed ones

/// A kind of chain, and how many times the step of a chain of ball joints between frames its own may take.
struct Kind {
  Mechanism (*make)(int);
  double most;
};
constexpr Kind kinds[] = {{chain, 1},         {revolute_chain, 3},       {spring_chain, 5},
                          {bushing_chain, 5}, {spring_tetra_chain, 2.5}, {director_chain, 5}};
/// Of the time of a step.
constexpr double most_ledger = 0.2;

/// Times of one kind.
class Measured {
public:
  explicit Measured(const Kind& kind) : problem_(kind.make(boxes)), runner_(problem_, step_length) {
    runner_.warm_up(untimed_steps);
  }
  double step() { return runner_.time(timed_steps) / timed_steps; }
  double booking() { return runner_.booking_time(timed_steps); }
  double iterations() const { return runner_.iterations_per_step(); }
  const std::string& name() const { return problem_.name(); }

private:
  Problem problem_;
  Runner runner_;
};

void chains(bool quick, Report& report) {
  std::vector<std::unique_ptr<Measured>> list;
  std::vector<std::function<double()>> runs; // steps, then books, of each kind
  for (const Kind& kind : kinds) {
    list.push_back(std::make_unique<Measured>(kind));
    runs.emplace_back([&m = *list.back()] { return m.step(); });
    runs.emplace_back([&m = *list.back()] { return m.booking(); });
  }
  const std::vector<double> times = best_times(runs, quick ? 8 : 25);
  std::vector<tables::Row> rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double step = times[2 * i], to_first = step / times[0], ledger = times[2 * i + 1] / step;
    const std::string& name = list[i]->name();
    rows.push_back({name, microseconds(step), tables::format("%.2f", list[i]->iterations()), ratio(to_first),
                    i == 0 ? nothing : ratio(kinds[i].most), ratio(ledger), ratio(most_ledger)});
    report.figures["ratios"].push_back({{"problem", name}, {"to_chain", to_first}, {"ledger_to_step", ledger}});
    if (i > 0)
      report.promises.at_most("step of " + name + " : step of " + list[0]->name(), to_first, kinds[i].most);
    report.promises.at_most("ledger : step, " + name, ledger, most_ledger);
  }
  report.add("ratios", "Other elements and bodies, against ball joints between frames, h = 1 ms",
             {"problem", "µs per step", "iterations", "ratio to chain", "at most", "ledger : step", "at most"}, rows);
}

/// The first singular position comes after 0.72 s.
void loops(bool quick, Report& report) {
  constexpr int steps = 600;
  constexpr double most = 1.1;
  std::vector<tables::Row> rows;
  for (const int windows : quick ? std::vector<int>{2, 40} : std::vector<int>{2, 40, 400}) {
    const Problem problem(four_bar(windows));
    Runner runner(problem, step_length);
    runner.warm_up(untimed_steps);
    runner.time(steps);
    const double mean = runner.iterations_per_step();
    rows.push_back({problem.name(), tables::format("%.2f", mean), tables::format("%.1f", most)});
    report.figures["loop_iterations"].push_back({{"problem", problem.name()}, {"iterations_per_step", mean}});
    report.promises.at_most("iterations per step, " + problem.name() + ", away from singular positions", mean, most);
  }
  report.add("loop_iterations", "Iterations of closed loops away from singular positions, h = 1 ms",
             {"problem", "iterations per step", "at most"}, rows);
}

/// Steps between kicks, against the same without them.
void kicks(bool quick, Report& report) {
  constexpr double most = 1.3, most_iterations = 1;
  struct Pair {
    explicit Pair(Mechanism mechanism) : problem(std::move(mechanism)) {
      for (const VelocityConstraints how : {VelocityConstraints::off, VelocityConstraints::on}) {
        Method method;
        method.velocities = how;
        runners.push_back(std::make_unique<Runner>(problem, step_length, method));
        runners.back()->warm_up(untimed_steps);
      }
      repeats = steps_to_fill(0.02, runners.front()->time(timed_steps), 25);
    }
    double time(std::size_t which) {
      double sum = 0;
      for (int i = 0; i < repeats; ++i)
        sum += runners[which]->time(timed_steps);
      return sum / (repeats * timed_steps);
    }
    Problem problem;
    std::vector<std::unique_ptr<Runner>> runners;
    int repeats = 1;
  };
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<std::function<double()>> runs;
  for (Mechanism mechanism : {chain(4), chain(32), chain(256), revolute_chain(32), four_bar(40)}) {
    pairs.push_back(std::make_unique<Pair>(std::move(mechanism)));
    for (const std::size_t which : {0, 1})
      runs.emplace_back([&pair = *pairs.back(), which] { return pair.time(which); });
  }
  const std::vector<double> times = best_times(runs, quick ? 8 : 25);
  std::vector<tables::Row> rows;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string& name = pairs[i]->problem.name();
    const double off = times[2 * i], on = times[2 * i + 1];
    const double iterations[] = {pairs[i]->runners[0]->iterations_per_step(),
                                 pairs[i]->runners[1]->iterations_per_step()};
    rows.push_back({name, microseconds(off), microseconds(on), ratio(on / off), ratio(most),
                    tables::format("%.2f", iterations[0]), tables::format("%.2f", iterations[1])});
    report.figures["kicks"].push_back(
        {{"problem", name}, {"off", off}, {"on", on}, {"ratio", on / off}, {"iterations", iterations[1]}});
    report.promises.at_most("velocity constraints on : off, " + name, on / off, most);
    report.promises.at_most("iterations with velocity constraints, more than without, " + name,
                            iterations[1] / iterations[0], most_iterations);
  }
  report.add("kicks", "Velocity constraints, on and off, h = 1 ms",
             {"problem", "off, µs per step", "on", "ratio", "at most", "iterations off", "on"}, rows);
}

} // namespace

void ratios(bool quick, Report& report) {
  chains(quick, report);
  kicks(quick, report);
  loops(quick, report);
  four_bar_steps(quick, report);
}

} // namespace emmy::benchmark
