#include "solvers/books/ball_joints.hpp"

#include "core/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

int BallJointBooks::add(const CentreDistances::End& from, const CentreDistances::End& to, int row) {
  const int at = nobody();
  ++joints_;
  numbers_.resize((joints_ + 1) * ball_joint_numbers);
  distances_.add(from, to, 1, at);
  if (from.value < 0)
    supports_.push_back({row, -1, from.point});
  if (to.value < 0)
    supports_.push_back({row, 1, to.point});
  return at;
}

double* BallJointBooks::begin(const BookedStep& step) const {
  std::fill(numbers_.begin(), numbers_.end(), 0.0);
  distances_.write(step.values_n, step.remainders_n, numbers_.data());
  return numbers_.data();
}

void BallJointBooks::book(const BookedStep& step, BatchBooks& books) const {
  double largest[ball_joint_numbers] = {}; // side by side, as instructions have it
  for (std::size_t j = 0; j < joints_; ++j)
    for (std::size_t k = 0; k < ball_joint_numbers; ++k) {
      const double number = std::abs(numbers_[j * ball_joint_numbers + k]);
      largest[k] = largest[k] < number ? number : largest[k];
    }
  books.position_violation = std::max(books.position_violation, *std::max_element(largest, largest + 4));
  books.velocity_violation = std::max(books.velocity_violation, *std::max_element(largest + 4, largest + 8));
  for (const Support& support : supports_) {
    // The acting force is -r; what the ground takes with that sign, bodies receive with the other.
    const Vec3 impulse = step.h * step.s * support.sign * Eigen::Map<const Vec3>(step.x + support.row);
    const Vec3 moment = support.point.cross(impulse);
    Eigen::Map<Vec3>(books.impulse) += impulse;
    Eigen::Map<Vec3>(books.angular_impulse) += moment;
    books.impulse_sum += impulse.norm();
    books.angular_impulse_sum += moment.norm();
  }
}

void enter(const BatchBooks& sums, StepBooks& books) {
  const auto add = [](Vec3& to, const double* sum) { to += Eigen::Map<const Vec3>(sum); };
  books.kinetic += sums.kinetic;
  books.potential += sums.potential;
  books.strain += sums.strain;
  books.dissipation += sums.dissipation;
  books.least_volume = std::min(books.least_volume, sums.least_volume);
  books.position_violation = std::max(books.position_violation, sums.position_violation);
  books.velocity_violation = std::max(books.velocity_violation, sums.velocity_violation);
  books.rigidity_violation = std::max(books.rigidity_violation, sums.rigidity_violation);
  add(books.linear_momentum, sums.linear_momentum);
  add(books.angular_momentum, sums.angular_momentum);
  add(books.impulse, sums.impulse);
  add(books.angular_impulse, sums.angular_impulse);
  books.linear_momentum_sum += sums.linear_momentum_sum;
  books.angular_momentum_sum += sums.angular_momentum_sum;
  books.impulse_sum += sums.impulse_sum;
  books.angular_impulse_sum += sums.angular_impulse_sum;
}

} // namespace emmy
