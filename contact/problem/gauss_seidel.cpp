#include "contact/problem/gauss_seidel.hpp"

#include "contact/problem/single.hpp"

namespace emmy::contact {

void GaussSeidel::sweep(const Island& island, const ImpulseEquations& equations, bool backwards) {
  const BodyForm* form = island.W->bodies();
  Eigen::Map<VecX> v(v_.data(), static_cast<Index>(v_.size()));
  const std::size_t m = island.size();
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t j = backwards ? m - 1 - i : i;
    const Vec3 u = form != nullptr ? Vec3(relative_velocity(form->contacts[j], v) + island.q[j]) : u_[j];
    const Vec3 r = solve_single(island.laws[j], island.own[j], u - island.own[j] * r_[j]);
    const Vec3 change = r - r_[j];
    r_[j] = r;
    if (form != nullptr)
      add_velocities(*form, form->contacts[j], change, v);
    else
      flat(u_).noalias() += equations.W().middleCols<3>(3 * static_cast<Index>(j)) * change;
  }
  ++island.applications;
}

int GaussSeidel::solve(const Island& island, const ImpulseEquations& equations, double tolerance, int most, Vectors& r,
                       Residual& residual) {
  const BodyForm* form = island.W->bodies();
  r_ = r;
  island.velocities(r_, u_);
  residual = island.residual(r_, u_);
  int sweeps = 0;
  while (sweeps < most && residual.value > tolerance && !island.spent()) {
    if (form != nullptr) {
      v_.resize(6 * form->inverse_mass.size());
      Eigen::Map<VecX> v(v_.data(), static_cast<Index>(v_.size()));
      sum_impulses(*form, flat(r_), v);
      mean_velocities(*form, v);
    }
    for (const int check = std::min(most, sweeps + 10); sweeps < check; ++sweeps)
      sweep(island, equations, sweeps % 2 == 1);
    island.velocities(r_, u_);
    const Residual present = island.residual(r_, u_);
    if (present.value < residual.value) {
      residual = present;
      r = r_;
    }
  }
  return sweeps;
}

} // namespace emmy::contact
