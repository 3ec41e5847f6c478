#include "contact/problem/semismooth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

namespace {

double merit(const Island& island, const Vectors& r, const Vectors& u) {
  double sum = 0;
  for (std::size_t j = 0; j < island.size(); ++j)
    sum += law_residual(island.laws[j], island.D[j], r[j], u[j]).phi.squaredNorm() / island.D[j];
  return sum;
}

} // namespace

/// [R11]: delta u = (W + epsilon D) delta r in A delta r + B delta u = -phi / D gives (1 + S W) delta r = b.
bool Semismooth::find_step(const Island& island, ImpulseEquations& equations, double epsilon) {
  const std::size_t m = island.size();
  S_.resize(m);
  b_.resize(m);
  for (std::size_t j = 0; j < m; ++j) {
    const LawResidual law = law_residual(island.laws[j], island.D[j], r_[j], u_[j]);
    const Mat3 C_inverse = (Mat3::Identity() - (1 - epsilon) * law.slope).inverse(); // C = A + epsilon D B, [Q9]
    S_[j] = C_inverse * law.slope / island.D[j];
    b_[j] = -(C_inverse * law.phi) / island.D[j];
  }
  if (!equations.factor(S_))
    return false;
  equations.solve(b_, step_);
  return flat(step_).allFinite();
}

bool Semismooth::search(const Island& island) {
  island.apply(step_, W_step_);
  const double reference = *std::max_element(merits_.begin(), merits_.begin() + std::min(merit_count_, window));
  r_trial_.resize(r_.size());
  u_trial_.resize(r_.size());
  for (double alpha = 1; alpha >= 1.0 / 32; alpha /= 2) {
    flat(r_trial_) = flat(r_) + alpha * flat(step_);
    flat(u_trial_) = flat(u_) + alpha * flat(W_step_);
    const double reached = merit(island, r_trial_, u_trial_);
    if (reached <= reference - 1e-4 * alpha * merit_) { // [R12]
      r_.swap(r_trial_);
      merit_ = reached;
      return true;
    }
  }
  return false;
}

int Semismooth::solve(const Island& island, ImpulseEquations& equations, double tolerance, int most, Vectors& r,
                      Residual& residual) {
  r_ = r;
  island.velocities(r_, u_);
  residual = island.residual(r_, u_);
  merit_ = merit(island, r_, u_);
  merit_count_ = 0;
  double halved = merit_;
  int halved_at = 0, i = 0;
  Residual present = residual;
  while (i < most && !island.spent() && present.value > 1e-15 && std::isfinite(merit_)) {
    merits_[merit_count_++ % window] = merit_;
    double epsilon = std::min(1e-2, std::max(1e-7, 0.1 * present.value)); // [Q12]
    ++i;
    while (!(find_step(island, equations, epsilon) && search(island))) {
      epsilon *= 100;
      if (epsilon >= 10 || island.spent())
        return i;
    }
    island.velocities(r_, u_);
    present = island.residual(r_, u_);
    const bool gained = present.value < residual.value / 2;
    if (present.value < residual.value) {
      residual = present;
      r = r_;
    }
    if (residual.value <= tolerance && !gained)
      return i; // the floor of rounding
    if (merit_ < halved / 2) {
      halved = merit_;
      halved_at = i;
    }
    if (i - halved_at >= 30)
      return i;
  }
  return i;
}

} // namespace emmy::contact
