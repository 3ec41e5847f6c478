#pragma once
/// Planar chains for tests.

#include "elements/bodies/planar_chain.hpp"
#include "verification/support/random.hpp"

namespace emmy::test {

/// A chain with random data in a random plane.
struct ChainScene {
  explicit ChainScene(std::uint64_t seed, std::size_t count = 3) : random(seed) {
    const Mat3 axes = random.triad();
    chain.plane = {random.vector(), axes.col(0), axes.col(1)};
    for (std::size_t i = 0; i < count; ++i)
      chain.links.push_back({"link" + std::to_string(i + 1), random.between(0.5, 1.5), random.between(-0.2, 1),
                             random.mass(), random.between(0.05, 0.5)});
    links = chain.add_to(model);
  }
  Random random;
  PlanarChain chain;
  Model model;
  std::vector<const ChainLink*> links;
};

/// Inertia of all links at an instant.
struct ChainInertia {
  ChainInertia(const Model& model, const VecX& theta, const VecX& v, const VecX& a, bool tangent = true)
      : f(VecX::Zero(model.unknowns())), M(MatX::Zero(f.size(), f.size())), C(M), K(M) {
    for (const Body* body : model.bodies()) { // links of one chain
      const Index n = body->unknowns();
      InertiaSystem out{f.head(n), M.topLeftCorner(n, n), C.topLeftCorner(n, n), K.topLeftCorner(n, n), tangent};
      body->evaluate_inertia({theta, v, a}, out);
    }
  }
  VecX f;
  MatX M, C, K;
};

/// Kinetic energy of links from the positions of their centres, in the plane.
inline double kinetic(const std::vector<LinkProperties>& links, const VecX& theta, const VecX& v) {
  double T = 0, vx = 0, vy = 0; // of the joint where the next link begins
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto k = static_cast<Index>(i);
    const double c = std::cos(theta[k]), s = std::sin(theta[k]);
    const double x = vx + links[i].centre * c * v[k], y = vy - links[i].centre * s * v[k];
    T += (links[i].mass * (x * x + y * y) + links[i].inertia * v[k] * v[k]) / 2;
    vx += links[i].length * c * v[k];
    vy -= links[i].length * s * v[k];
  }
  return T;
}

} // namespace emmy::test
