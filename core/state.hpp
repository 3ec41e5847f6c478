#pragma once
/// Everything that changes in time, at one instant, and the step that leads to the next one.

#include "core/contact_memory.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <string>

namespace emmy {

/// What an integrator carries beyond the motion of a model. It says whose it is, and in which version: to others it
/// means nothing, and they begin anew.
struct IntegratorMemory {
  std::string owner; ///< "composition of 7 stages, 1"; empty before the first step
  VecX numbers;

  bool is_of(const std::string& whoever, Index size) const { return owner == whoever && numbers.size() == size; }
  /// Zero, of a new owner.
  void start(const std::string& new_owner, Index size) {
    owner = new_owner;
    numbers.setZero(size);
  }
  void clear() { start({}, 0); }
  double* data() { return numbers.data(); }
  const double* data() const { return numbers.data(); }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.owner, self.numbers);
  }
};

/// Copyable and comparable: a run that starts from a stored State continues bit for bit.
struct State {
  double time = 0;  ///< [s]
  VecX values;      ///< configuration of all nodes
  VecX remainders;  ///< what rounding took from the values when they were last advanced; zero where nobody counts it
  VecX rates;       ///< rate of every unknown: velocities in space, angular velocity Omega of a rotation convected
  VecX multipliers; ///< of all elements, means over the step that ended here: reactions in N and N m
  VecX history;     ///< what elements remember from step to step
  IntegratorMemory memory;
  ContactMemory contacts; ///< that carried impulses in the step that ended here, sorted by key

  /// Copies everything but the memory of the integrator.
  void copy_motion(const State& other) {
    time = other.time;
    copy(other.values, values);
    copy(other.remainders, remainders);
    copy(other.rates, rates);
    copy(other.multipliers, multipliers);
    copy(other.history, history);
    contacts = other.contacts;
  }

  bool operator==(const State& other) const {
    return time == other.time && same(values, other.values) && same(remainders, other.remainders) &&
           same(rates, other.rates) && same(multipliers, other.multipliers) && same(history, other.history) &&
           memory.owner == other.memory.owner && same(memory.numbers, other.memory.numbers) &&
           contacts == other.contacts;
  }
  bool operator!=(const State& other) const { return !(*this == other); }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.time, self.values, self.remainders, self.rates, self.multipliers, self.history, self.memory, self.contacts);
  }

private:
  /// As memory, with the widest registers that there are: Eigen takes those that every processor has.
  static void copy(const VecX& from, VecX& to) {
    to.resize(from.size());
    std::copy(from.data(), from.data() + from.size(), to.data());
  }
  /// Vectors of different models differ in size, which Eigen's == takes for granted.
  static bool same(const VecX& a, const VecX& b) { return a.size() == b.size() && a == b; }
};

/// Length of a step that stands for an instant [s]: nothing has happened in it, and time functions are taken at its
/// start. Its 1/h is given as 0, or as 1 where masses are wanted.
inline constexpr double no_time = 1e-200;

/// One attempted step: the state it starts from and the current iterate.
struct Step {
  const State& n;
  double h;           ///< step size [s]; negative in stages of a composition that go back in time
  double inv_h;       ///< 1/h, stored once: h * (1/h) is not 1, and residual and update must use the same number
  const VecX& z;      ///< increments of all unknowns
  const VecX& lambda; ///< multipliers of all elements
};

} // namespace emmy
