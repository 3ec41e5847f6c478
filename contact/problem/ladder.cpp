#include "contact/problem/ladder.hpp"

#include "contact/problem/single.hpp"

#include <algorithm>
#include <limits>

namespace emmy::contact {

namespace {

constexpr std::size_t large_island = 300; // contacts from which on `fast` makes a difference

bool is_frictionless(const Island& island) {
  return std::all_of(island.laws.begin(), island.laws.end(), [](const ContactLaw& law) {
    return law.kind == ContactLaw::Kind::unilateral && !(law.friction > 0);
  });
}

} // namespace

void Ladder::measure(const Island& island, const Vectors& r, Residual& residual) {
  island.velocities(r, u_);
  residual = island.residual(r, u_);
}

int Ladder::by_interior_point(const Island& island, double good, Vectors& r, Residual& residual, Vectors& jam) {
  Residual reached;
  reached.value = std::numeric_limits<double>::infinity();
  trial_ = r;
  int iterations = interior_point_.solve(island, equations_, 0.1 * good, 60, trial_, reached, jam);
  iterations += semismooth_.solve(island, equations_, good, 30, trial_, reached);
  if (reached.value < residual.value) {
    r = trial_;
    residual = reached;
  }
  if (residual.value <= good || !island.is_jam(jam))
    jam.clear();
  return iterations;
}

int Ladder::climb(Island& island, const ContactSolverOptions& options, Vectors& r, Residual& residual, Vectors& jam) {
  jam.clear();
  const double good = options.tolerance;
  const bool frictionless = is_frictionless(island);
  const auto method =
      options.method == ContactMethod::constraint_planes && !frictionless ? ContactMethod::automatic : options.method;
  island.most_applications = options.most_applications;
  if (!frictionless) {
    measure(island, r, residual);
    if (residual.value <= 1e-12)
      return 0; // [R4]: as it was
  }
  if (island.size() == 1 && island.W->bodies() != nullptr) {
    r[0] = solve_single(island.laws[0], island.own[0], island.q[0]);
    measure(island, r, residual);
    return 1;
  }
  int iterations = 0;
  if (frictionless && (method == ContactMethod::automatic || method == ContactMethod::constraint_planes)) {
    const bool alone = method == ContactMethod::constraint_planes;
    if (!alone)
      island.most_applications /= 2; // what is left is for the others
    iterations = constraint_planes_.solve(island, r, jam);
    island.most_applications = options.most_applications;
    measure(island, r, residual);
    if (!jam.empty() && !island.is_jam(jam))
      jam.clear();
    if (residual.value <= good || alone || !jam.empty())
      return iterations;
  }
  if (!equations_.begin(island))
    return iterations;
  if (method == ContactMethod::gauss_seidel)
    return iterations + gauss_seidel_.solve(island, equations_, good, std::numeric_limits<int>::max(), r, residual);
  if (options.fast && island.size() >= large_island)
    return iterations + gauss_seidel_.solve(island, equations_, good, 100, r, residual);
  if (method != ContactMethod::interior_point) {
    iterations += semismooth_.solve(island, equations_, good, 40, r, residual); // [Q13]
    if (residual.value <= good || method == ContactMethod::semismooth)
      return iterations;
  }
  iterations += by_interior_point(island, good, r, residual, jam);
  if (residual.value <= good || method == ContactMethod::interior_point)
    return iterations;
  iterations += gauss_seidel_.solve(island, equations_, good, 300, r, residual);
  return iterations + semismooth_.solve(island, equations_, good, 30, r, residual);
}

} // namespace emmy::contact
