#include "core/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {
double correction(double sum, double x, double total) {
  return std::abs(sum) >= std::abs(x) ? (sum - total) + x : (x - total) + sum;
}
} // namespace

template <>
double CompensatedSum<double>::zero() {
  return 0;
}
template <>
Vec3 CompensatedSum<Vec3>::zero() {
  return Vec3::Zero();
}
template <>
void CompensatedSum<double>::add(const double& x) {
  const double total = sum_ + x;
  lost_ += correction(sum_, x, total);
  sum_ = total;
}
template <>
void CompensatedSum<Vec3>::add(const Vec3& x) {
  const Vec3 total = sum_ + x;
  for (int i = 0; i < 3; ++i)
    lost_[i] += correction(sum_[i], x[i], total[i]);
  sum_ = total;
}

void Ledger::open(const StepBooks& initial) {
  *this = Ledger();
  initial_ = last_ = initial;
  update_extremes();
}

void Ledger::add(const StepBooks& step) {
  last_ = step;
  work_.add(step.work);
  dissipation_.add(step.dissipation);
  lost_restitution_.add(step.lost_restitution);
  lost_friction_.add(step.lost_friction);
  stabilisation_.add(step.stabilisation);
  impacts_ += step.impacts;
  impulse_.add(step.impulse);
  angular_impulse_.add(step.angular_impulse);
  impulse_sum_ += step.impulse_sum;
  angular_impulse_sum_ += step.angular_impulse_sum;
  update_extremes();
}

double Ledger::energy_imbalance() const {
  return last_.energy() - initial_.energy() - work() + dissipation() - stabilisation() - last_.kicks;
}

Vec3 Ledger::linear_imbalance() const {
  return last_.linear_momentum - initial_.linear_momentum - impulse_.value();
}

Vec3 Ledger::angular_imbalance() const {
  return last_.angular_momentum - initial_.angular_momentum - angular_impulse_.value();
}

void Ledger::update_extremes() {
  const auto raise = [](double& largest, double x) { largest = std::max(largest, std::abs(x)); };
  raise(max_energy_, energy_imbalance());
  raise(max_linear_, linear_imbalance().norm());
  raise(max_angular_, angular_imbalance().norm());
  raise(max_position_, last_.position_violation);
  raise(max_velocity_, last_.velocity_violation);
  raise(max_kinetic_, last_.kinetic);
  raise(max_rigidity_, last_.rigidity_violation);
  raise(max_penetration_, last_.penetration);
  raise(max_law_residual_, last_.law_residual);
  raise(max_strain_, last_.strain);
  least_volume_ = std::min(least_volume_, last_.least_volume);
  raise(max_energy_size_, std::abs(last_.kinetic) + std::abs(last_.potential));
  raise(max_potential_change_, last_.potential - initial_.potential);
  raise(max_work_, work());
  raise(max_linear_sum_, last_.linear_momentum_sum);
  raise(max_angular_sum_, last_.angular_momentum_sum);
}

namespace {
/// imbalance / scale. `gross` is what has passed through the books: a scale below its rounding means that nothing
/// moved.
double relative(double imbalance, double scale, double gross) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  return imbalance == 0 || scale <= rounding * gross ? 0 : imbalance / scale;
}
} // namespace

double Ledger::relative_energy_imbalance() const {
  // Impulses are balanced to what an iteration may leave of them. Bodies with no more momentum than that, about arms of
  // a metre, are at rest, and their energy is nobody's.
  constexpr double balanced = 1e5 * std::numeric_limits<double>::epsilon();
  if (linear_scale() <= balanced * impulse_sum_ && angular_scale() <= balanced * (angular_impulse_sum_ + impulse_sum_))
    return 0;
  return relative(max_energy_, energy_scale(), max_energy_size_);
}

double Ledger::relative_linear_imbalance() const {
  return relative(max_linear_, linear_scale(), impulse_sum_);
}

double Ledger::relative_angular_imbalance() const {
  return relative(max_angular_, angular_scale(), angular_impulse_sum_);
}

} // namespace emmy
