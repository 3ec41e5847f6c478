#include "verification/benchmarks/timing.hpp"

#include "core/ledger.hpp"
#include "solvers/petsc/petsc.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <stdexcept>

namespace emmy::benchmark {

double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<double> best_times(const std::vector<std::function<double()>>& runs, int rounds) {
  std::vector<double> best(runs.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < runs.size(); ++i)
      best[i] = std::min(best[i], runs[i]());
  return best;
}

int steps_to_fill(double goal, double per_step, int most) {
  return static_cast<int>(std::clamp(goal / per_step, 1.0, static_cast<double>(most)));
}

void Runner::step() {
  const StepReport report = integrator_->step(state_, h_);
  if (!report.converged)
    throw std::runtime_error(problem_.name() + ": " + report.why);
  iterations_ += report.iterations;
}

void Runner::warm_up(int steps) {
  state_ = start_;
  for (int i = 0; i < steps; ++i)
    step();
  start_ = state_;
}

double Runner::time(int steps) {
  if (!is_set_up_) {
    state_ = start_;
    step();
    is_set_up_ = true;
  }
  state_ = start_;
  iterations_ = 0;
  const double start = cpu_time();
  for (int i = 0; i < steps; ++i)
    step();
  const double elapsed = cpu_time() - start;
  iterations_ /= steps;
  return elapsed;
}

double Runner::energy_imbalance(int steps) {
  state_ = start_;
  Ledger ledger;
  ledger.open(problem_.model->books_at(state_));
  for (int i = 0; i < steps; ++i) {
    step();
    ledger.add(integrator_->books(state_));
  }
  return ledger.relative_energy_imbalance();
}

double Runner::booking_time(int repeats) {
  double sum = 0;
  const double start = cpu_time();
  for (int i = 0; i < repeats; ++i)
    sum += integrator_->books(state_).energy();
  const double elapsed = cpu_time() - start;
  if (sum != sum)
    throw std::runtime_error(problem_.name() + ": the books are not finite");
  return elapsed / repeats;
}

namespace {

double event_time(const char* name) {
  PetscLogEvent event = 0;
  PetscEventPerfInfo info{};
  check(PetscLogEventGetId(name, &event));
  if (event < 0)
    return 0;
  check(PetscLogEventGetPerfInfo(0, event, &info));
  return info.time;
}

} // namespace

Shares shares(Runner& runner, int steps) {
  const auto now = [] {
    return std::array<double, 5>{event_time("emmy step"), event_time("emmy evaluate"), event_time("emmy assemble"),
                                 event_time("emmy factorise"), event_time("emmy solve")};
  };
  runner.time(1);
  check(PetscLogDefaultBegin());
  const auto before = now();
  runner.time(steps);
  const auto after = now();
  check(PetscLogSet(nullptr, nullptr));
  const double total = after[0] - before[0];
  return {(after[1] - before[1]) / total, (after[2] - before[2]) / total, (after[3] - before[3]) / total,
          (after[4] - before[4]) / total};
}

} // namespace emmy::benchmark
