#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"
#include "verification/benchmarks/timing.hpp"

#include <malloc.h>

#include <cmath>

namespace emmy::benchmark {

namespace {

constexpr int timed_steps = 40; ///< behind the untimed ones

/// Bytes that the program has asked for and not given back.
double bytes_in_use() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

/// One model of one size, and what its steps cost.
class Measured {
public:
  Measured(Mechanism mechanism, bool quick)
      : before_(bytes_in_use()), problem_(std::move(mechanism)), runner_(problem_, step_length) {
    const double once = runner_.time(1);
    bytes_ = bytes_in_use() - before_;
    runner_.warm_up(untimed_steps);
    repeats_ = steps_to_fill(quick ? 0.02 : 0.05, timed_steps * once, 25);
  }

  /// Per step [s].
  double time() {
    double sum = 0;
    for (int i = 0; i < repeats_; ++i)
      sum += runner_.time(timed_steps);
    return sum / (repeats_ * timed_steps);
  }

  /// A row of the table and of the figures; asks for the iterations of the last run, so comes after the timing.
  void enter(double per_step, std::vector<tables::Row>& rows, nlohmann::json& figures) {
    const double bodies = problem_.mechanism.size();
    const double mean = runner_.iterations_per_step();
    const double booking = runner_.booking_time(repeats_ * timed_steps);
    const Shares share = shares(runner_, timed_steps);
    rows.push_back({problem_.name(), std::to_string(problem_.unknowns()), microseconds(per_step),
                    tables::format("%.2f", mean), microseconds(per_step / mean), percent(share.evaluation),
                    percent(share.assembly), percent(share.factorisation), percent(share.solution),
                    percent(share.rest()), microseconds(booking), tables::format("%.0f", bytes_per_body())});
    figures.push_back({{"problem", problem_.name()},
                       {"bodies", bodies},
                       {"unknowns", problem_.unknowns()},
                       {"step", step_length},
                       {"cpu_per_step", per_step},
                       {"iterations_per_step", mean},
                       {"booking_per_step", booking},
                       {"bytes_per_body", bytes_per_body()},
                       {"shares",
                        {{"evaluation", share.evaluation},
                         {"assembly", share.assembly},
                         {"factorisation", share.factorisation},
                         {"solution", share.solution},
                         {"rest", share.rest()}}}});
  }

  const Problem& problem() const { return problem_; }
  double iterations() const { return runner_.iterations_per_step(); }
  double bytes_per_body() const { return bytes_ / problem_.mechanism.size(); }

private:
  double before_; ///< the model and all it needs were built
  Problem problem_;
  Runner runner_;
  double bytes_ = 0;
  int repeats_ = 1; ///< of the timed steps, so that small models take long enough to be timed
};

/// Sizes of one kind of model between which growth is measured.
struct Family {
  const char* name;
  Mechanism (*make)(int);
  std::vector<int> sizes;
};

/// Exponents of the growth of the time per step, from size to size and over all; and of the time per iteration, since
/// rounding of a long chain makes its steps need more of them.
void enter_growth(const Family& family, const std::vector<double>& bodies, const std::vector<double>& times,
                  const std::vector<double>& iterations, std::vector<tables::Row>& rows, Report& report) {
  constexpr double most = 1.25;
  const std::size_t last = bodies.size() - 1;
  const auto exponent = [&](std::size_t from, std::size_t to) {
    return std::log(times[to] / times[from]) / std::log(bodies[to] / bodies[from]);
  };
  const auto count = [&](std::size_t i) { return tables::format("%.0f", bodies[i]); };
  tables::Row row = {family.name};
  for (std::size_t i = 1; i < bodies.size(); ++i)
    row.push_back(count(i - 1) + " to " + count(i) + ": " + tables::format("%.2f", exponent(i - 1, i)));
  while (row.size() < 3)
    row.emplace_back(nothing);
  const double over_all = exponent(0, last);
  const double per_iteration =
      over_all - std::log(iterations[last] / iterations[0]) / std::log(bodies[last] / bodies[0]);
  row.push_back(tables::format("%.2f", over_all));
  row.push_back(tables::format("%.2f", per_iteration));
  rows.push_back(row);
  report.figures["growth"][family.name] = over_all;
  report.figures["growth_per_iteration"][family.name] = per_iteration;
  report.promises.at_most(std::string("exponent of growth of the time per step, ") + family.name + ", " + count(0) +
                              " to " + count(last) + " bodies",
                          over_all, most);
}

std::vector<Family> families(bool quick) {
  if (quick)
    return {{"chain", chain, {256, 2048}}, {"four-bar", four_bar, {16, 128}}};
  return {{"chain", chain, {256, 2048, 20000}},
          {"revolute chain", revolute_chain, {256, 2048, 20000}},
          {"binary tree", tree, {255, 2047, 20001}},
          {"hub with arms", star, {256, 2048, 20000}},
          {"spring chain", spring_chain, {256, 2048, 20000}},
          {"four-bar windows", four_bar, {40, 400}}};
}

const tables::Row header = {"problem",  "unknowns", "µs per step", "iterations", "µs per iteration", "elements",
                            "assembly", "factor",   "solve",       "rest",       "ledger, µs",       "bytes per body"};

/// Times all sizes of a list in interleaved rounds.
std::vector<double> measure(std::vector<std::unique_ptr<Measured>>& list, int rounds, std::vector<tables::Row>& rows,
                            Report& report) {
  std::vector<std::function<double()>> runs;
  for (const auto& m : list)
    runs.emplace_back([&m] { return m->time(); });
  const std::vector<double> times = best_times(runs, rounds);
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i]->enter(times[i], rows, report.figures["steps"]);
  return times;
}

} // namespace

void step_costs(bool quick, Report& report) {
  const Measured first(chain(2), quick); // takes the memory that every model shares
  const int rounds = quick ? 4 : 5;
  std::vector<tables::Row> rows, growth;
  std::vector<std::unique_ptr<Measured>> singles;
  for (const int N : {2, 4, 32})
    singles.push_back(std::make_unique<Measured>(chain(N), quick));
  singles.push_back(std::make_unique<Measured>(revolute_chain(4), quick));
  singles.push_back(std::make_unique<Measured>(four_bar(2), quick));
  for (const auto make : {bushing_chain, director_chain, spring_tetra_chain})
    singles.push_back(std::make_unique<Measured>(make(256), quick));
  measure(singles, rounds, rows, report);
  for (const Family& family : families(quick)) {
    std::vector<std::unique_ptr<Measured>> list;
    std::vector<double> bodies, iterations;
    for (const int size : family.sizes) {
      list.push_back(std::make_unique<Measured>(family.make(size), quick));
      bodies.push_back(list.back()->problem().mechanism.size());
    }
    const std::vector<double> times = measure(list, rounds, rows, report);
    for (const auto& m : list)
      iterations.push_back(m->iterations());
    enter_growth(family, bodies, times, iterations, growth, report);
    if (family.make == chain)
      report.promises.at_most(tables::format("bytes per body, chain, %.0f", bodies.back()) +
                                  tables::format(" : %.0f bodies", bodies.front()),
                              list.back()->bytes_per_body() / list.front()->bytes_per_body(), 1.1);
  }
  if (!quick) {
    std::vector<std::unique_ptr<Measured>> longest;
    longest.push_back(std::make_unique<Measured>(chain(100000), quick));
    measure(longest, 2, rows, report);
  }
  report.add("steps", "Time per step, h = 1 ms", header, rows);
  report.add("growth", "Growth of the time per step: exponents of N", {"problem", "", "", "over all", "per iteration"},
             growth);
}

} // namespace emmy::benchmark
