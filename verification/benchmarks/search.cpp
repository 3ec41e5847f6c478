#include "contact/search/broad_phase.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"
#include "verification/support/random.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::benchmark {

namespace {

using contact::Placed;

/// What is promised of the growth from the least size to the largest.
constexpr double steepest = 1.1;
/// Pairs a surface: about as many as spheres in a heap have that lie still.
constexpr double pairs_of_one = 2.7;

/// Surfaces of about a metre, one on each body, scattered over a cube.
struct Cloud {
  contact::Scene scene;
  std::vector<std::vector<Placed>> places; ///< some that differ: what repeats exactly is faster than it will ever be
  std::vector<double> margins;
  contact::BroadPhase search;
  std::vector<contact::SurfacePair> pairs;
  std::size_t next = 0;

  Cloud(int N, const contact::Geometry& shape) : margins(static_cast<std::size_t>(N), 0.) {
    for (int i = 0; i < N; ++i)
      scene.surfaces.push_back({"", i + 1, shape});
    scene.class_of.assign(static_cast<std::size_t>(N), 0);
    scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
    scene.rules.resize(1);
    test::Random random(static_cast<std::uint64_t>(N));
    for (int i = 0; i < std::max(2, 20000 / N); ++i) {
      std::vector<Placed> scattered(1);
      for (int k = 0; k < N; ++k)
        scattered.push_back({random.vector(), random.triad()});
      places.push_back(spread(scattered));
    }
  }

  /// Pulls them apart until they have as many neighbours as wanted: small clouds are mostly rim, and would have fewer.
  std::vector<Placed> spread(const std::vector<Placed>& unit) {
    std::vector<Placed> scaled = unit;
    const double N = static_cast<double>(unit.size() - 1);
    double close = 0.25 * std::cbrt(N),
           wide = 1.5 * std::cbrt(N); // half the edge: an eighth to 27 cubic metres a surface
    for (int i = 0; i < 12; ++i) {
      const double size = (close + wide) / 2;
      for (std::size_t k = 0; k < unit.size(); ++k)
        scaled[k].x = size * unit[k].x;
      search.find(scene, scaled, margins, pairs);
      (static_cast<double>(pairs.size()) > pairs_of_one * N ? close : wide) = size;
    }
    return scaled;
  }

  double time(int repeats) {
    const double start = cpu_time();
    for (int i = 0; i < repeats; ++i) {
      search.find(scene, places[next], margins, pairs);
      next = (next + 1) % places.size();
    }
    return (cpu_time() - start) / repeats;
  }
};

contact::Geometry ball() {
  return contact::Sphere{Vec3::Zero(), 0.5};
}

contact::Geometry block() {
  contact::Box box;
  box.half = Vec3(0.5, 0.3, 0.4);
  return box;
}

} // namespace

void search(bool quick, Report& report) {
  const std::vector<int> sizes =
      quick ? std::vector<int>{100, 1000, 10000} : std::vector<int>{100, 1000, 10000, 100000};
  std::vector<tables::Row> rows;
  for (const auto& [name, shape] : {std::pair("spheres", ball()), std::pair("boxes", block())}) {
    std::vector<Cloud> clouds;
    std::vector<std::function<double()>> runs;
    clouds.reserve(sizes.size());
    for (const int N : sizes) {
      Cloud& cloud = clouds.emplace_back(N, shape);
      const int repeats = std::max(1, (quick ? 30000 : 300000) / N);
      cloud.time(repeats); // work space grows
      runs.push_back([&cloud, repeats] { return cloud.time(repeats); });
    }
    const std::vector<double> times = best_times(runs, quick ? 3 : 5);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double exponent = std::log(times[i] / times[0]) / std::log(static_cast<double>(sizes[i]) / sizes[0]);
      rows.push_back({name, std::to_string(sizes[i]), std::to_string(clouds[i].pairs.size()), milliseconds(times[i]),
                      tables::format("%.0f", 1e9 * times[i] / sizes[i]),
                      i == 0 ? nothing : tables::format("%.2f", exponent)});
      report.figures["search"].push_back(
          {{"surfaces", name}, {"number", sizes[i]}, {"pairs", clouds[i].pairs.size()}, {"seconds", times[i]}});
      if (i + 1 == sizes.size())
        report.promises.at_most("exponent of growth of the search for pairs, " + std::to_string(sizes[0]) + " to " +
                                    std::to_string(sizes[i]) + " " + name,
                                exponent, steepest);
    }
  }
  report.add("search", "Pairs of surfaces that may meet, milliseconds",
             {"surfaces", "number", "pairs", "ms", "ns a surface", "exponent"}, rows);
}

} // namespace emmy::benchmark
