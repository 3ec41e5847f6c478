#include "verification/tables/explicit_rotation/runs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace emmy::tables::rotation {

namespace {

Scheme scheme(std::string name, ExplicitMethod method, ImpulseRule rule) {
  switch (rule) {
  case ImpulseRule::midpoint:
    name += "_mid";
    break;
  case ImpulseRule::trapezoidal:
    name += "_trap";
    break;
  case ImpulseRule::symmetric_midpoint:
    name += "_sym";
    break;
  }
  Scheme s{std::move(name), {}};
  s.options.method = method;
  s.options.rule = rule;
  return s;
}

} // namespace

Scheme simo_wong(ImpulseRule rule) {
  return scheme("sw", ExplicitMethod::simo_wong, rule);
}

Scheme predictor_corrector(ImpulseRule rule) {
  return scheme("pc", ExplicitMethod::predictor_corrector, rule);
}

Scheme staggered(ImpulseRule rule) {
  return scheme("stg", ExplicitMethod::staggered, rule);
}

Scheme park_chiou_downer() {
  return scheme("pcd", ExplicitMethod::park_chiou_downer, ImpulseRule::midpoint);
}

Scheme kick_drift_kick(RotationDrift kernel) {
  Scheme s{kernel == RotationDrift::split ? "split" : "lm", {}};
  s.options.drift = kernel;
  return s;
}

std::optional<double> run(const Problem& problem, const Scheme& scheme, double h, double end,
                          const std::function<void(const Sample&)>& observer) {
  const auto integrator = make_explicit(*problem.model, scheme.options);
  State state = problem.initial;
  integrator->begin(state);
  const auto show = [&](const StepBooks& books) {
    const BodyMotion motion = problem.body->motion(state);
    observer({state.time, motion.orientation, motion.orientation.conjugate() * motion.angular_velocity,
              books.angular_momentum, books.kinetic, books.energy()});
    return std::isfinite(books.energy());
  };
  show(problem.model->books_at(state));
  const double start = state.time;
  const long steps = std::lround((end - start) / h);
  for (long k = 1; k <= steps; ++k) {
    const bool stepped = integrator->step(state, h).converged;
    state.time = start + static_cast<double>(k) * h; // a sum of 10⁶ steps would lose digits
    if (!stepped || !show(integrator->books(state)))
      return state.time;
  }
  return std::nullopt;
}

Record record(const Problem& problem, const Scheme& scheme, double h, double end, double from) {
  Record r;
  std::optional<Sample> first;
  r.overflow = run(problem, scheme, h, end, [&](const Sample& s) {
    if (s.t < from - h / 2)
      return;
    if (!first)
      first = s;
    const double error = std::abs(s.E / first->E - 1);
    if (s.t < 100 + h / 2)
      r.to_100 = std::max(r.to_100, error);
    r.to_1000 = std::max(r.to_1000, error);
    r.momentum = std::max(r.momentum, (s.pi - first->pi).norm() / first->pi.norm());
    r.pi_3 = std::max(r.pi_3, std::abs(s.pi.z() / first->pi.z() - 1));
    if (std::abs(s.t - 10) < h / 2)
      r.at_10 = s.q;
    const auto second = static_cast<std::size_t>(s.t);
    if (r.nutation.size() <= second) {
      r.nutation.resize(second + 1);
      r.error.resize(second + 1);
    }
    r.nutation[second].add(nutation(s.q));
    r.error[second] = std::max(r.error[second], error);
  });
  return r;
}

void Jobs::run() {
  std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.steps > b.steps; });
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs_.size(); i = next++)
      jobs_[i].work();
  };
  std::vector<std::thread> threads(std::max(1U, std::thread::hardware_concurrency()));
  for (std::thread& t : threads)
    t = std::thread(work);
  for (std::thread& t : threads)
    t.join();
  jobs_.clear();
}

} // namespace emmy::tables::rotation
