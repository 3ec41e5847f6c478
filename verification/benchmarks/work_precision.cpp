#include "verification/benchmarks/peers/peer.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace emmy::benchmark {

namespace {

constexpr double end = 1;                                     ///< [s]
constexpr std::array<double, 2> wanted_errors = {1e-3, 1e-6}; ///< RMS over all centres [m]
constexpr double reference_accuracy = 1e-12;
constexpr int finest = 6400; ///< steps in one second at which emmy gives up

Solution solve_with_emmy(int N, int steps) {
  const Problem problem = chain(N);
  Runner runner(problem, end / steps);
  Solution solution;
  solution.cpu = runner.time(steps - 1) * steps / (steps - 1); // the first step is not timed
  for (const FrameBody* body : problem.bodies)
    solution.centres.push_back(body->motion(runner.state()).position);
  return solution;
}

double rms_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - b[i]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// Second order: the leading error falls by four when the step is halved.
std::vector<Vec3> extrapolated(const std::vector<Vec3>& coarse, const std::vector<Vec3>& fine) {
  std::vector<Vec3> limit(fine);
  for (std::size_t i = 0; i < fine.size(); ++i)
    limit[i] += (fine[i] - coarse[i]) / 3;
  return limit;
}

struct Point {
  double setting; ///< steps in one second, or accuracy
  double error, cpu;
};

/// Best CPU time of a run that is repeated, short ones more often than long ones.
Solution best_of(int repeats, const std::function<Solution()>& run) {
  Solution best = run();
  double total = best.cpu;
  for (int i = 1; total < 1 && (i < repeats || (total < 0.1 && i < 20)); ++i) {
    const double cpu = run().cpu;
    best.cpu = std::min(best.cpu, cpu);
    total += cpu;
  }
  return best;
}

/// CPU time at which the error passes `error` for good, between two settings on a double logarithmic scale; 0 if it
/// was not reached.
double cpu_at(const std::vector<Point>& curve, double error) {
  std::size_t first = curve.size();
  while (first > 0 && curve[first - 1].error <= error)
    --first;
  if (first == curve.size())
    return 0;
  if (first == 0)
    return curve[0].cpu; // even the coarsest setting does
  const Point &above = curve[first - 1], &below = curve[first];
  const double part = std::log(above.error / error) / std::log(above.error / below.error);
  return above.cpu * std::pow(below.cpu / above.cpu, part);
}

nlohmann::json figures_of(const std::vector<Point>& curve) {
  nlohmann::json list;
  for (const Point& p : curve)
    list.push_back({{"setting", p.setting}, {"rms_error", p.error}, {"cpu", p.cpu}});
  return list;
}

void print_time(double cpu) {
  if (cpu > 0)
    std::printf(" %12.3f", 1e3 * cpu);
  else
    std::printf(" %12s", "not reached");
}

/// emmy's runs with steps halved until the smallest error is reached; without a reference, against their own limit.
std::vector<Point> emmy_curve(int N, int repeats, std::vector<Vec3>& reference, double& disagreement) {
  std::vector<Solution> runs;
  std::vector<int> steps;
  for (int n = 25; n <= finest; n *= 2) {
    runs.push_back(best_of(repeats, [&] { return solve_with_emmy(N, n); }));
    steps.push_back(n);
    if (runs.size() < 2)
      continue;
    const auto limit = extrapolated(runs[runs.size() - 2].centres, runs.back().centres);
    disagreement = reference.empty() ? 0 : rms_distance(reference, limit);
    if (rms_distance(runs.back().centres, reference.empty() ? limit : reference) < wanted_errors.back()) {
      if (reference.empty())
        reference = limit;
      break;
    }
  }
  std::vector<Point> curve;
  for (std::size_t i = 0; i < runs.size(); ++i)
    curve.push_back({static_cast<double>(steps[i]), rms_distance(runs[i].centres, reference), runs[i].cpu});
  return curve;
}

std::vector<Point> peer_curve(const Peer& peer, int N, int repeats, const std::vector<Vec3>& reference) {
  std::vector<Point> curve;
  for (double accuracy = 1e-1; accuracy > reference_accuracy; accuracy /= std::sqrt(10.0)) {
    const Solution run = best_of(repeats, [&] { return peer.solve(N, accuracy, end); });
    curve.push_back({accuracy, rms_distance(run.centres, reference), run.cpu});
    if (curve.back().error < wanted_errors.back() / 2)
      break;
  }
  return curve;
}

} // namespace

nlohmann::json work_precision(bool quick) {
  const std::vector<Peer> others = peers();
  std::printf("Hanging chain to t = %g s: CPU time at equal error of the trajectory (RMS over all centres)\n", end);
  if (others.empty())
    std::printf("No other program to compare with: Simbody is not installed or was left out of the build.\n");
  else
    std::printf("Reference: %s at accuracy %g; 'check' is its distance from emmy's extrapolated limit.\n",
                others[0].name, reference_accuracy);
  std::printf("\n%6s %9s %12s", "N", "error m", "emmy ms");
  for (const Peer& peer : others)
    std::printf(" %9s ms %9s", peer.name, "ratio");
  std::printf(" %9s\n", "check m");

  nlohmann::json figures;
  const int repeats = quick ? 2 : 4;
  for (const int N : quick ? std::vector<int>{4, 32} : std::vector<int>{4, 32, 256}) {
    std::vector<Vec3> reference;
    if (!others.empty())
      reference = others[0].solve(N, reference_accuracy, end).centres;
    double disagreement = 0;
    const std::vector<Point> own = emmy_curve(N, repeats, reference, disagreement);
    nlohmann::json row{{"bodies", N}, {"reference_check", disagreement}, {"emmy", figures_of(own)}};
    std::vector<std::vector<Point>> curves;
    for (const Peer& peer : others) {
      curves.push_back(peer_curve(peer, N, repeats, reference));
      row[peer.name] = figures_of(curves.back());
    }
    for (const double error : wanted_errors) {
      const double mine = cpu_at(own, error);
      std::printf("%6d %9.0e", N, error);
      print_time(mine);
      for (const auto& curve : curves) {
        const double theirs = cpu_at(curve, error);
        print_time(theirs);
        if (mine > 0 && theirs > 0)
          std::printf(" %9.2f", theirs / mine);
        else
          std::printf(" %9s", "-");
      }
      std::printf(" %9.1e\n", disagreement);
    }
    std::fflush(stdout);
    figures.push_back(row);
  }
  std::printf("\nA ratio above one: emmy is faster.\n\n");
  return figures;
}

} // namespace emmy::benchmark
