#include "contact/problem/constraint_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

} // namespace

double ConstraintPlanes::choose_direction(bool fresh, bool joining) {
  const Numbers &P = problem_.P, &w = problem_.w, &a = problem_.a;
  const auto is_free = [&](std::size_t j) { return P[j] > 0 || (joining && w[j] < 0); };
  double length = 0, change = 0;
  for (std::size_t j = 0; j < P.size(); ++j)
    if (is_free(j)) {
      length += w[j] * w[j] / a[j];
      change += w[j] * (w[j] - w_old_[j]) / a[j];
    }
  const double beta = fresh ? 0 : std::max(0.0, change / length_old_);
  double slope = 0;
  for (std::size_t j = 0; j < P.size(); ++j) {
    d_[j] = is_free(j) ? -w[j] / a[j] + beta * d_[j] : 0;
    slope += d_[j] * w[j];
  }
  w_old_ = w;
  length_old_ = length;
  return slope < 0 || fresh ? slope : choose_direction(true, joining);
}

void ConstraintPlanes::take_projected(double alpha, double alpha_max) {
  Numbers &P = problem_.P, &w = problem_.w;
  P_trial_ = P;
  for (std::size_t j = 0; j < P.size(); ++j) {
    const bool ends = d_[j] < 0 && -P[j] / d_[j] <= alpha_max;
    P[j] = ends ? 0 : std::max(0.0, P[j] + alpha_max * d_[j]);
    w[j] += alpha_max * Ad_[j];
  }
  if (std::isinf(alpha))
    return;
  for (std::size_t j = 0; j < P.size(); ++j)
    P_trial_[j] = std::max(0.0, P_trial_[j] + alpha * d_[j]);
  problem_.velocities(P_trial_, w_trial_);
  if (problem_.energy(P_trial_, w_trial_) < problem_.energy(P, w)) {
    P.swap(P_trial_);
    w.swap(w_trial_);
  }
}

int ConstraintPlanes::conjugate_gradients(const Island& island, double tolerance, int most) {
  Numbers &P = problem_.P, &w = problem_.w, &a = problem_.a;
  d_.resize(P.size());
  w_old_.resize(P.size());
  P_best_ = P;
  double best = infinite;
  bool fresh = true, exact = true; // whether w is more than what steps have added up to
  int i = 0;
  for (int best_at = 0; i < most && !island.spent(); ++i) {
    double residual = 0, of_free = 0, of_planes = 0;
    for (std::size_t j = 0; j < P.size(); ++j) {
      const double e = std::min(a[j] * P[j], w[j]);
      residual = std::max(residual, std::abs(e));
      (P[j] > 0 ? of_free : of_planes) += e * e / a[j];
    }
    const double wanted = std::max(tolerance, problem_.floor());
    if (!exact && residual <= wanted) { // by what steps have added up to
      problem_.renew();
      exact = fresh = true;
      continue;
    }
    if (residual < best) {
      if (residual < 0.7 * best)
        best_at = i;
      best = residual;
      P_best_ = P;
    }
    if (residual <= wanted || (best < 1e3 * wanted && i - best_at > 400))
      break; // solved, or as near to it as rounding allows
    const bool joining = of_planes > of_free;
    const double slope = choose_direction(fresh || joining, joining);
    problem_.apply(d_, Ad_);
    double curvature = 0, size = 0, alpha_max = infinite;
    for (std::size_t j = 0; j < P.size(); ++j) {
      curvature += d_[j] * Ad_[j];
      size += a[j] * d_[j] * d_[j];
      if (d_[j] < 0)
        alpha_max = std::min(alpha_max, -P[j] / d_[j]);
    }
    const double alpha = curvature > 1e-15 * size ? -slope / curvature : infinite;
    if (alpha < alpha_max) {
      for (std::size_t j = 0; j < P.size(); ++j) {
        P[j] += alpha * d_[j];
        w[j] += alpha * Ad_[j];
      }
      fresh = exact = false;
      if (i % 64 == 63)
        problem_.renew();
    } else if (std::isinf(alpha_max)) {
      jam_ = d_;
      break;
    } else {
      take_projected(alpha, alpha_max);
      fresh = true;
      exact = false;
    }
  }
  P = P_best_;
  return i;
}

int ConstraintPlanes::solve(const Island& island, Vectors& r, Vectors& jam) {
  problem_.begin(island, r);
  jam_.clear();
  const std::size_t m = island.size();
  double fastest = 0;
  for (const double q : problem_.q)
    fastest = std::max(fastest, std::abs(q));
  const bool finish = m <= FreeSetNewton::most_contacts;
  // Step 3 of algorithm K; where conjugate gradients are slow Newton's method needs their help less than they its.
  int iterations = finish ? conjugate_gradients(island, 1e-7 * fastest, 2 * static_cast<int>(m) + 10)
                          : conjugate_gradients(island, 0, std::numeric_limits<int>::max());
  if (finish && island.applications + static_cast<long>(m) <= island.most_applications)
    iterations += newton_.solve(problem_, jam_);
  problem_.spread(problem_.P, r);
  jam.clear();
  if (!jam_.empty())
    problem_.spread(jam_, jam);
  return iterations;
}

} // namespace emmy::contact
