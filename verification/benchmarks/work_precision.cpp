#include "verification/benchmarks/peers/peer.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <set>

namespace emmy::benchmark {

namespace {

constexpr double end = 1;                                           ///< [s]
constexpr std::array<double, 3> wanted_errors = {1e-3, 1e-5, 1e-7}; ///< [m]
constexpr double reference_accuracy = 1e-12, finer_reference_accuracy = 1e-13;
constexpr double wanted_ratio = 8;

/// A program with one knob, from coarse to fine.
struct Contender {
  std::string name;
  std::vector<double> settings;
  std::function<Solution(double setting)> solve;
};

/// What a contender reaches with each setting.
struct Point {
  double setting;
  double error, cpu; ///< [m], [s]
};
using Curve = std::vector<Point>;

Solution solve_with_emmy(const Problem& problem, int order, double steps) {
  Runner runner(problem, end / steps, Method{order});
  Solution solution;
  solution.cpu = runner.time(static_cast<int>(steps));
  solution.centres = centres_of(problem.motions(runner.state()));
  return solution;
}

/// emmy once for every order, then the others.
std::vector<Contender> contenders(const Problem& problem) {
  std::vector<Contender> list;
  std::vector<double> steps, accuracies;
  for (double n = 2; n < 1e5; n *= std::sqrt(2.0))
    if (const double whole = std::round(n); steps.empty() || whole > steps.back())
      steps.push_back(whole);
  for (double accuracy = 1e-1; accuracy > reference_accuracy; accuracy /= std::sqrt(10.0))
    accuracies.push_back(accuracy);
  for (const int order : orders)
    list.push_back({"emmy, order " + std::to_string(order), steps,
                    [&problem, order](double n) { return solve_with_emmy(problem, order, n); }});
  for (const ErrorControlledPeer& peer : error_controlled_peers())
    list.push_back({peer.name, accuracies,
                    [&problem, peer](double accuracy) { return peer.solve(problem.mechanism, accuracy, end); }});
  return list;
}

/// Settings one after the other until the smallest error is reached, or one run takes longer than `patience` [s].
Curve explore(const Contender& contender, const std::vector<Vec3>& reference, double patience) {
  Curve curve;
  for (const double setting : contender.settings) {
    try {
      const Solution run = contender.solve(setting);
      curve.push_back({setting, largest_distance(run.centres, reference), run.cpu});
    } catch (const std::exception&) {
      continue; // too coarse for Newton
    }
    if (curve.back().error < wanted_errors.back() / 2 || curve.back().cpu > patience)
      break;
  }
  return curve;
}

/// Where on the curve the error falls below `error` for good; the size of the curve if it does not.
std::size_t passage(const Curve& curve, double error) {
  std::size_t first = curve.size();
  while (first > 0 && curve[first - 1].error <= error)
    --first;
  return first;
}

/// Takes the times near the wanted errors once more, in rounds of all contenders.
void time_again(const std::vector<Contender>& list, std::vector<Curve>& curves, int rounds) {
  std::vector<std::function<double()>> runs;
  std::vector<Point*> points;
  for (std::size_t c = 0; c < list.size(); ++c) {
    std::set<std::size_t> near;
    for (const double error : wanted_errors) {
      const std::size_t first = passage(curves[c], error);
      if (first == curves[c].size())
        continue;
      near.insert(first);
      if (first > 0)
        near.insert(first - 1);
    }
    for (const std::size_t i : near) {
      points.push_back(&curves[c][i]);
      runs.emplace_back(
          [&contender = list[c], setting = curves[c][i].setting] { return contender.solve(setting).cpu; });
    }
  }
  const std::vector<double> times = best_times(runs, rounds);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i]->cpu = std::min(points[i]->cpu, times[i]);
}

/// CPU time at an error, between two settings on a double logarithmic scale; infinite if it was not reached.
double cpu_at(const Curve& curve, double error) {
  const std::size_t first = passage(curve, error);
  if (first == curve.size())
    return std::numeric_limits<double>::infinity();
  if (first == 0)
    return curve[0].cpu; // even the coarsest setting does
  const Point &above = curve[first - 1], &below = curve[first];
  const double part = std::log(above.error / error) / std::log(above.error / below.error);
  return above.cpu * std::pow(below.cpu / above.cpu, part);
}

std::string time_text(double cpu) {
  return std::isfinite(cpu) ? milliseconds(cpu) : "not reached";
}

/// Rows of one chain: emmy's orders, the best of them, and the others relative to it.
void enter(int N, const std::vector<Contender>& list, const std::vector<Curve>& curves, double uncertainty,
           std::vector<tables::Row>& rows, Report& report) {
  for (const double error : wanted_errors) {
    tables::Row row = {std::to_string(N), power_of_ten(error)};
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < list.size(); ++c) {
      const double cpu = cpu_at(curves[c], error);
      row.push_back(time_text(cpu));
      if (c < orders.size()) {
        best = std::min(best, cpu);
        continue;
      }
      row.push_back(ratio(cpu / best));
      report.promises.at_least(list[c].name + " : emmy at " + power_of_ten(error) + " m, chain " + std::to_string(N),
                               cpu / best, wanted_ratio);
    }
    row.push_back(power_of_ten(uncertainty));
    rows.push_back(row);
  }
  for (std::size_t c = 0; c < list.size(); ++c)
    for (const Point& p : curves[c])
      report.figures["work_precision"].push_back({{"bodies", N},
                                                  {"program", list[c].name},
                                                  {"setting", p.setting},
                                                  {"largest_error", p.error},
                                                  {"cpu", p.cpu}});
}

} // namespace

void work_precision(bool quick, Report& report) {
  const auto others = error_controlled_peers();
  tables::Row header = {"N", "error, m"};
  for (const int order : orders)
    header.push_back("emmy, order " + std::to_string(order) + ", ms");
  for (const ErrorControlledPeer& peer : others) {
    header.push_back(std::string(peer.name) + ", ms");
    header.emplace_back("ratio");
  }
  header.emplace_back("reference, m");
  std::vector<tables::Row> rows;
  for (const int N : quick ? std::vector<int>{4, 32} : std::vector<int>{4, 32, 256}) {
    if (others.empty())
      break; // no reference
    const Problem problem(chain(N));
    const auto reference = others.front().solve(problem.mechanism, finer_reference_accuracy, end).centres;
    const double uncertainty =
        largest_distance(others.front().solve(problem.mechanism, reference_accuracy, end).centres, reference);
    const std::vector<Contender> list = contenders(problem);
    std::vector<Curve> curves;
    for (const Contender& contender : list)
      curves.push_back(explore(contender, reference, quick ? 0.5 : 4));
    time_again(list, curves, quick ? 2 : 4);
    enter(N, list, curves, uncertainty, rows, report);
  }
  report.add("work_precision", "Hanging chain to t = 1 s: CPU time at equal error of the trajectory", header, rows);
}

} // namespace emmy::benchmark
