#pragma once
/// Books of a step by kernels and by single elements, for tests that hold them against each other.

#include "verification/unit/solvers/system.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::test {

/// Largest difference of two books, entry by entry.
inline double difference(const StepBooks& a, const StepBooks& b) {
  const double numbers[] = {a.kinetic - b.kinetic,
                            a.potential - b.potential,
                            a.strain - b.strain,
                            a.dissipation - b.dissipation,
                            a.work - b.work,
                            a.least_volume - b.least_volume,
                            a.position_violation - b.position_violation,
                            a.velocity_violation - b.velocity_violation,
                            a.rigidity_violation - b.rigidity_violation,
                            a.linear_momentum_sum - b.linear_momentum_sum,
                            a.angular_momentum_sum - b.angular_momentum_sum};
  double largest = 0;
  for (const double number : numbers)
    largest = std::max(largest, std::abs(number));
  for (const Vec3& vector : {Vec3(a.linear_momentum - b.linear_momentum), Vec3(a.angular_momentum - b.angular_momentum),
                             Vec3(a.impulse - b.impulse), Vec3(a.angular_impulse - b.angular_impulse)})
    largest = std::max(largest, vector.cwiseAbs().maxCoeff());
  return largest;
}

/// The same with sums of magnitudes, which elements between several directions of the ground add up otherwise.
inline double difference_with_sums(const StepBooks& a, const StepBooks& b) {
  return std::max({difference(a, b), std::abs(a.impulse_sum - b.impulse_sum),
                   std::abs(a.angular_impulse_sum - b.angular_impulse_sum)});
}

inline double size(const StepBooks& a) {
  return 1 + std::abs(a.kinetic) + std::abs(a.potential) + a.dissipation + a.position_violation + a.velocity_violation +
         a.rigidity_violation + a.angular_momentum_sum + a.impulse_sum + a.angular_impulse_sum;
}

/// Of a step that need not meet its equations: what the assembler enters, and the same elements by themselves.
struct BothBooks {
  BothBooks(const Mechanism& m, const VecX& away, const KernelOptions& kernels) {
    System system(m, away, kernels);
    Assembler& assembler = system.assembler;
    State n1 = m.initial;
    n1.remainders.setZero(n1.values.size());
    assembler.advance_by_mean_rule(n1);
    const MovedStep step{assembler.step(), assembler.motions()};
    for (std::size_t e = 0; e < m.model->elements().size(); ++e) // as step solvers do
      if (m.model->elements()[e]->advances() && !assembler.advances(e))
        m.model->elements()[e]->advance(step, n1);
    assembler.write_multipliers(n1.multipliers);
    assembler.book(n1, together);
    for (std::size_t e = 0; e < m.model->elements().size(); ++e) {
      is_booked.push_back(assembler.books(e));
      if (is_booked.back())
        m.model->elements()[e]->book(step, n1, singly);
    }
  }
  bool has_all() const { return std::find(is_booked.begin(), is_booked.end(), false) == is_booked.end(); }

  StepBooks together, singly;
  std::vector<bool> is_booked; ///< of each element
};

} // namespace emmy::test
