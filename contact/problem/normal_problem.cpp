#include "contact/problem/normal_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

void NormalProblem::begin(const Island& island, const Vectors& r) {
  island_ = &island;
  const std::size_t m = island.size();
  for (Numbers* x : {&P, &w, &q, &a})
    x->resize(m);
  bool warm = false;
  for (std::size_t j = 0; j < m; ++j) {
    const Vec3& n = island.laws[j].normal;
    q[j] = n.dot(island.q[j]);
    a[j] = n.dot(island.own[j] * n);
    P[j] = std::max(0.0, n.dot(r[j]));
    warm = warm || P[j] > 0;
  }
  if (warm) {
    renew();
    warm = energy(P, w) < 0;
  }
  if (!warm) {
    std::fill(P.begin(), P.end(), 0.0);
    w = q;
  }
}

void NormalProblem::spread(const Numbers& impulses, Vectors& r) const {
  r.resize(size());
  for (std::size_t j = 0; j < size(); ++j)
    r[j] = impulses[j] * island_->laws[j].normal;
}

void NormalProblem::apply(const Numbers& x, Numbers& Ax) {
  spread(x, r_);
  island_->apply(r_, u_);
  Ax.resize(size());
  for (std::size_t j = 0; j < size(); ++j)
    Ax[j] = island_->laws[j].normal.dot(u_[j]);
}

void NormalProblem::velocities(const Numbers& x, Numbers& out) {
  apply(x, out);
  for (std::size_t j = 0; j < size(); ++j)
    out[j] += q[j];
}

double NormalProblem::energy(const Numbers& impulses, const Numbers& velocities) const {
  double f = 0;
  for (std::size_t j = 0; j < size(); ++j)
    f += impulses[j] * (velocities[j] + q[j]);
  return f / 2;
}

double NormalProblem::residual() const {
  double most = 0;
  for (std::size_t j = 0; j < size(); ++j)
    most = std::max(most, std::abs(std::min(a[j] * P[j], w[j])));
  return most;
}

double NormalProblem::floor() const {
  double most = 0;
  for (std::size_t j = 0; j < size(); ++j)
    most = std::max({most, std::abs(q[j]), a[j] * P[j]});
  return 4 * std::numeric_limits<double>::epsilon() * most;
}

} // namespace emmy::contact
