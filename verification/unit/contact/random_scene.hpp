#pragma once
/// Random surfaces of all kinds on bodies in random places, for tests of the search.

#include "verification/unit/contact/random_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace emmy::test {

class RandomScenes {
public:
  explicit RandomScenes(std::uint64_t seed) : random(seed) {}

  Random random;

  int integer(int low, int high) {
    return std::min(high, low + static_cast<int>(random.between(0, 1) * (high - low + 1)));
  }
  /// From 1e-9 to 1e9.
  double size() { return std::pow(10., integer(-9, 9)); }

  contact::Geometry bounded(double size) {
    constexpr std::array kinds{Kind::sphere, Kind::block, Kind::capsule, Kind::nodes, Kind::mesh};
    return scaled(random_shape(kinds[static_cast<std::size_t>(integer(0, 4))], random), size);
  }
  contact::Geometry unbounded(double size) {
    constexpr std::array kinds{Kind::shell, Kind::half_space, Kind::room};
    return scaled(random_shape(kinds[static_cast<std::size_t>(integer(0, 2))], random), size);
  }

  /// Surfaces on half as many bodies; `share` of them without bounds. Some classes pass through each other, and some
  /// bodies are kept apart.
  contact::Scene scene(int surfaces, double share, double size) {
    contact::Scene scene;
    const int bodies = std::max(1, surfaces / 2);
    for (int s = 0; s < surfaces; ++s) {
      scene.surfaces.push_back(
          {"", integer(0, bodies), random.between(0, 1) < share ? unbounded(size) : bounded(size)});
      scene.class_of.push_back(integer(0, 2));
    }
    scene.rule_of = Eigen::MatrixXi::Zero(3, 3);
    scene.rule_of(1, 2) = scene.rule_of(2, 1) = -1;
    scene.rule_of(2, 2) = 1;
    scene.rules.resize(2);
    for (Index port = 0; port + 2 <= bodies; port += 5)
      scene.apart.emplace_back(port, port + 2);
    return scene;
  }

  std::vector<contact::Placed> places(const contact::Scene& scene, double size) {
    std::vector<contact::Placed> found;
    for (const contact::Surface& surface : scene.surfaces)
      while (static_cast<Index>(found.size()) <= surface.port)
        found.push_back(place(size));
    return found;
  }
  contact::Placed place(double size) { return {random.vector(size), random.triad()}; }
};

} // namespace emmy::test
