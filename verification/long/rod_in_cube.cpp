#include "verification/long/rod_in_cube.hpp"

#include "verification/long/stopwatch.hpp"
#include "verification/support/free_scenes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace emmy::test {

namespace {

constexpr double duration = 10; // [s]
// Relative to the values at the start. The paper found 9.5e-11 of the energy and 2.9e-5 of the angular momentum.
constexpr double largest_error = 1e-12;
constexpr double paper_energy = 9.46e-11, paper_angular = 2.86e-5;

/// The first impacts by an independent program with the same map and arms: rod after the step.
struct FirstImpact {
  double time, impulse;
  double normal[3], velocity[3], spin[3];
};
constexpr FirstImpact first_impacts[] = {
    {0.010943,
     3.780832259e-04,
     {-1.000000, -0.000000, -0.000000},
     {-4.011889420, 2.000000000, 0.000000000},
     {0.000000000, 176.000037453, 0.000000000}},
    {0.273349,
     3.845878027e-04,
     {0.999957, -0.000953, 0.009225},
     {50.926862630, 1.947662929, 0.506818720},
     {-0.149802461, 21.389168063, 0.272445037}},
    {0.294145,
     7.125573305e-04,
     {-0.999958, -0.000887, -0.009143},
     {-50.862747064, 1.857378607, -0.423864716},
     {-0.153341910, -8.088106132, 3.519107342}},
    {0.313889,
     6.130588310e-04,
     {0.999960, -0.001005, 0.008878},
     {36.713590563, 1.769367540, 0.353625699},
     {-0.614075863, -115.756804863, 43.228092252}},
    {0.352046,
     3.546117291e-04,
     {-0.999972, -0.001345, -0.007372},
     {-13.943805570, 1.701243172, -0.019821427},
     {-0.225252898, 158.941463264, -59.625571054}},
    {0.355261,
     2.523428038e-04,
     {-0.999971, -0.001283, -0.007469},
     {-49.991742443, 1.654991884, -0.289057981},
     {-0.515648059, -31.303925026, 11.936928050}},
    {0.385451,
     3.208952224e-04,
     {0.999974, -0.002181, 0.006862},
     {-4.150756093, 1.555020181, 0.025505855},
     {0.434261611, 163.772299564, -64.494915178}},
    {0.392862,
     3.570606626e-04,
     {0.999973, -0.002107, 0.007099},
     {46.856511536, 1.447542416, 0.387601352},
     {-0.699474633, -66.911910059, 26.738930561}},
};
// Normals have six decimals, all else nine or ten digits; rounding grows tenfold an impact at most.
constexpr double largest_normal_error = 1e-6, largest_impact_error = 1e-9;

/// Impact counts of 24 runs by the same program.
constexpr int ensemble_runs = 24;
constexpr double ensemble_mean = 487.2, ensemble_deviation = 37.9;
constexpr double ensemble_step = 1e-5, ensemble_change = 1e-10; // [s], [m/s]

double distance(const Vec3& a, const double (&b)[3]) {
  return (a - Vec3(b[0], b[1], b[2])).norm();
}

/// How far an impact is from what was published, relative to its quantities.
double impact_error(const FirstImpact& expected, const contact::Impact& found, const BodyMotion& rod) {
  return std::max({std::abs(found.impulse / expected.impulse - 1),
                   distance(rod.velocity, expected.velocity) / rod.velocity.norm(),
                   distance(rod.angular_velocity, expected.spin) / rod.angular_velocity.norm()});
}

/// Least distance of a node from the walls [m].
double least_gap(const FreeScene& scene, const State& s) {
  const BodyMotion rod = scene.bodies[0]->motion(s), cube = scene.bodies[1]->motion(s);
  const Quaternion back = cube.orientation.conjugate();
  double farthest = 0; // a straight line is farthest out with one of its ends
  for (const double x : {-0.5, 0.5})
    farthest = std::max(
        farthest, (back * (rod.position - cube.position + rod.orientation * Vec3(x, 0, 0))).cwiseAbs().maxCoeff());
  return 1 - farthest;
}

/// Errors of the invariants relative to their start.
struct Errors {
  double energy = 0, linear = 0;
  Vec3 angular = Vec3::Zero(); ///< by component, relative to |H0|

  Errors() = default;
  Errors(const Invariants& start, const Invariants& now)
      : energy(now.energy / start.energy - 1),
        linear((now.linear_momentum - start.linear_momentum).norm() / start.linear_momentum.norm()),
        angular((now.angular_momentum - start.angular_momentum) / start.angular_momentum.norm()) {}
  void include(const Errors& other) {
    energy = std::max(energy, std::abs(other.energy));
    linear = std::max(linear, other.linear);
    angular = angular.cwiseMax(other.angular.cwiseAbs());
  }
  bool is_small() const {
    return energy <= largest_error && linear <= largest_error && angular.maxCoeff() <= largest_error;
  }
};

/// The run, and what every step of it tells.
template <class Look>
void fly(const FreeScene& scene, double h, const Look& look) {
  FreeBodies engine = scene.engine();
  State s = scene.state();
  engine.begin(s);
  const long steps = std::lround(duration / h);
  for (long i = 1; i <= steps; ++i) {
    if (const StepReport report = engine.step(s, h); !report.converged)
      throw std::runtime_error("rod in cube, step " + std::to_string(i) + ": " + report.why);
    look(i, s, *engine.happenings());
  }
}

class Series {
public:
  explicit Series(const std::string& directory) {
    if (directory.empty())
      return;
    std::filesystem::create_directories(directory);
    file_.open(directory + "/rod_in_cube.csv");
    if (!(file_ << "t,energy,linear,hx,hy,hz,impacts\n"))
      throw std::runtime_error("cannot write '" + directory + "/rod_in_cube.csv'");
  }
  void add(double t, const Errors& e, long impacts) {
    if (file_.is_open())
      file_ << t << ',' << e.energy << ',' << e.linear << ',' << e.angular.x() << ',' << e.angular.y() << ','
            << e.angular.z() << ',' << impacts << '\n';
  }

private:
  std::ofstream file_;
};

} // namespace

bool run_rod_in_cube(const std::string& directory) {
  constexpr double h = 1e-6;
  constexpr long every = 1024;
  const FreeScene scene = rod_in_cube();
  const Invariants start = invariants(scene, scene.state());
  Series series(directory);
  Errors worst;
  double gap = std::numeric_limits<double>::infinity(), impacts_error = 0, normals_error = 0, times_error = 0;
  std::size_t impacts = 0;
  const Stopwatch run_time;
  fly(scene, h, [&](long step, const State& s, const contact::Happenings& happened) {
    const double t = static_cast<double>(step) * h;
    for (const contact::Impact& impact : happened.impacts) {
      if (impacts < std::size(first_impacts)) {
        const FirstImpact& expected = first_impacts[impacts];
        impacts_error = std::max(impacts_error, impact_error(expected, impact, scene.bodies[0]->motion(s)));
        normals_error = std::max(normals_error, distance(impact.normal, expected.normal));
        times_error = std::max(times_error, std::abs(t - expected.time));
      }
      ++impacts;
    }
    gap = std::min(gap, least_gap(scene, s));
    if (!happened.impacts.empty() || step % every == 0) {
      const Errors now(start, invariants(scene, s));
      worst.include(now);
      series.add(t, now, static_cast<long>(impacts));
    }
  });
  const double wall = run_time.seconds();
  const bool good = worst.is_small() && gap >= 0 && impacts >= std::size(first_impacts) &&
                    impacts_error <= largest_impact_error && normals_error <= largest_normal_error &&
                    times_error <= h / 2;
  std::printf(
      "rod in cube, %.0e steps of 1 us: energy %.1e (the paper: %.1e), linear momentum %.1e, angular momentum "
      "%.1e %.1e %.1e (%.1e), least gap %.1e m, %zu impacts, the first %zu of them to %.1e; %.2f us a step with "
      "what is looked at  %s\n",
      duration / h, worst.energy, paper_energy, worst.linear, worst.angular.x(), worst.angular.y(), worst.angular.z(),
      paper_angular, gap, impacts, std::size(first_impacts), impacts_error, 1e6 * wall * h / duration,
      good ? "ok" : "FAILED");
  std::fflush(stdout);
  return good;
}

bool run_rod_ensemble() {
  Errors worst;
  std::array<double, ensemble_runs> counts{};
  for (int i = 0; i < ensemble_runs; ++i) {
    FreeScene scene = rod_in_cube();
    scene.motions[0].velocity.x() += ensemble_change * i;
    const Invariants start = invariants(scene, scene.state());
    double& count = counts[static_cast<std::size_t>(i)];
    fly(scene, ensemble_step, [&](long, const State& s, const contact::Happenings& happened) {
      if (happened.impacts.empty())
        return;
      count += static_cast<double>(happened.impacts.size());
      worst.include(Errors(start, invariants(scene, s)));
    });
  }
  double mean = 0, square = 0;
  for (const double count : counts)
    mean += count / ensemble_runs;
  for (const double count : counts)
    square += (count - mean) * (count - mean) / (ensemble_runs - 1);
  // Standard error of the difference of two means, with three of which chance is out of the question.
  const double most = 3 * std::sqrt((square + ensemble_deviation * ensemble_deviation) / ensemble_runs);
  const bool good = worst.is_small() && std::abs(mean - ensemble_mean) <= most;
  std::printf("rod in cube, %d runs of %.0f s with steps of 10 us: %.1f ± %.1f impacts, another program %.1f ± %.1f, "
              "means may differ by %.1f; energy %.1e, angular momentum %.1e  %s\n",
              ensemble_runs, duration, mean, std::sqrt(square), ensemble_mean, ensemble_deviation, most, worst.energy,
              worst.angular.maxCoeff(), good ? "ok" : "FAILED");
  std::fflush(stdout);
  return good;
}

} // namespace emmy::test
