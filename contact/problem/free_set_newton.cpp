#include "contact/problem/free_set_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

void FreeSetNewton::form(NormalProblem& problem) {
  const std::size_t m = problem.size();
  A_.resize(m * m);
  scale_.resize(m);
  b_.assign(m, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    b_[j] = 1;
    problem.apply(b_, step_);
    b_[j] = 0;
    std::copy(step_.begin(), step_.end(), A_.begin() + static_cast<std::ptrdiff_t>(j * m));
    scale_[j] = step_[j] > 0 ? std::sqrt(step_[j]) : 1;
  }
}

void FreeSetNewton::renew(NormalProblem& problem) const {
  const std::size_t m = problem.size();
  problem.w = problem.q;
  for (std::size_t j = 0; j < m; ++j)
    if (problem.P[j] > 0)
      for (std::size_t i = 0; i < m; ++i)
        problem.w[i] += A_[j * m + i] * problem.P[j];
}

void FreeSetNewton::choose_free(const NormalProblem& problem, double floor) {
  free_.clear();
  missed_ = 0;
  for (std::size_t j = 0; j < problem.size(); ++j)
    if (problem.P[j] > 0) {
      free_.push_back(static_cast<Index>(j));
      missed_ = std::max(missed_, std::abs(problem.w[j]));
    }
  pressing_ = free_.size();
  for (std::size_t j = 0; j < problem.size(); ++j)
    if (problem.P[j] == 0 && problem.w[j] < -floor)
      free_.push_back(static_cast<Index>(j));
}

void FreeSetNewton::find_step(const NormalProblem& problem, bool may_travel) {
  const std::size_t n = free_.size(), m = problem.size();
  Eigen::Map<MatX> scaled = factors_.matrix(static_cast<Index>(n));
  b_.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto c = static_cast<std::size_t>(free_[j]);
    b_[j] = -problem.w[c] / scale_[c];
    for (std::size_t i = j; i < n; ++i) {
      const auto k = static_cast<std::size_t>(free_[i]);
      scaled(static_cast<Index>(i), static_cast<Index>(j)) = A_[c * m + k] / (scale_[c] * scale_[k]);
    }
  }
  factors_.factor();
  factors_.solve(b_, step_, null_);
  travels_ = may_travel && std::any_of(null_.begin(), null_.end(), [](double x) { return x != 0; });
  if (travels_)
    step_ = null_;
  for (std::size_t j = 0; j < n; ++j)
    step_[j] /= scale_[static_cast<std::size_t>(free_[j])];
}

bool FreeSetNewton::drop_pulling(const NormalProblem& problem) {
  const std::size_t before = free_.size();
  std::size_t kept = 0;
  for (std::size_t j = 0; j < before; ++j)
    if (problem.P[static_cast<std::size_t>(free_[j])] > 0 || step_[j] > 0)
      free_[kept++] = free_[j];
  free_.resize(kept);
  return kept < before;
}

double FreeSetNewton::go(NormalProblem& problem) const {
  double alpha = travels_ ? std::numeric_limits<double>::infinity() : 1;
  for (std::size_t j = 0; j < free_.size(); ++j)
    if (step_[j] < 0)
      alpha = std::min(alpha, -problem.P[static_cast<std::size_t>(free_[j])] / step_[j]);
  if (std::isinf(alpha))
    return alpha;
  for (std::size_t j = 0; j < free_.size(); ++j) {
    double& P = problem.P[static_cast<std::size_t>(free_[j])];
    const bool opens = step_[j] < 0 && -P / step_[j] <= alpha;
    P = opens ? 0 : std::max(0.0, P + alpha * step_[j]);
  }
  return alpha;
}

int FreeSetNewton::solve(NormalProblem& problem, Numbers& jam) {
  jam.clear();
  form(problem);
  P_best_ = problem.P;
  double best = std::numeric_limits<double>::infinity(), missed_before = best;
  bool full = false; // the last step was taken wholly, by contacts that pressed before
  int steps = 0;
  const int most = 4 * static_cast<int>(problem.size()) + 50;
  for (; steps < most; ++steps) {
    renew(problem);
    const double floor = problem.floor(), residual = problem.residual();
    if (residual < best) {
      best = residual;
      P_best_ = problem.P;
    } else if (full && best < 64 * floor) {
      break; // rounding is all that is left
    }
    choose_free(problem, floor);
    const bool some_join = free_.size() > pressing_, minimal = missed_ <= floor;
    if (minimal && !some_join)
      break;
    // Where Newton's step does not help, no impulses would: the targets contradict one another.
    const bool stuck = full && missed_ > 0.1 * missed_before;
    missed_before = missed_;
    do
      find_step(problem, stuck);
    while (drop_pulling(problem) && !free_.empty());
    // While the others are at their minimum one at least of those that approach has to press, but for rounding.
    if (minimal && free_.size() == pressing_)
      break;
    if (stuck && !travels_ && !some_join)
      break;
    const double alpha = go(problem);
    if (std::isinf(alpha)) {
      jam.assign(problem.size(), 0.0);
      for (std::size_t j = 0; j < free_.size(); ++j)
        jam[static_cast<std::size_t>(free_[j])] = step_[j];
      break;
    }
    full = alpha == 1 && free_.size() == pressing_;
  }
  problem.P = P_best_;
  renew(problem);
  return steps;
}

} // namespace emmy::contact
