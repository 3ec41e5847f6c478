#include "verification/tables/explicit_rotation/studies.hpp"

#include <cmath>

namespace emmy::tables::rotation {

const std::vector<double> Studies::unstable_steps{0.01, 0.005, 0.002, 0.001, 0.0005};
const std::vector<double> Studies::free_steps{0.01, 0.005, 0.001};
const std::vector<double> Studies::top_steps{0.01, 0.005, 0.001};
const std::vector<double> Studies::axis_steps{0.01, 0.005, 0.0025};

namespace {

/// Loads do not depend on the configuration: the rule does not matter.
std::vector<Scheme> basic_schemes() {
  return {simo_wong(),
          predictor_corrector(),
          staggered(),
          park_chiou_downer(),
          kick_drift_kick(RotationDrift::lie_midpoint),
          kick_drift_kick(RotationDrift::split)};
}

std::vector<Scheme> unstable_schemes(double h) {
  std::vector<Scheme> schemes = basic_schemes();
  Scheme restarted = simo_wong();
  restarted.name = "sw_restarted";
  restarted.options.restart_at = {2 - h, 2};
  Scheme every = simo_wong();
  every.name = "sw_every";
  every.options.restart_every = h;
  Scheme staggered_points = staggered();
  staggered_points.name = "stg_points";
  staggered_points.options.exact_loads = false;
  Scheme points = park_chiou_downer();
  points.name = "pcd_points";
  points.options.exact_loads = false;
  schemes.insert(schemes.end(), {restarted, every, staggered_points, points});
  return schemes;
}

std::vector<Scheme> top_schemes() {
  std::vector<Scheme> schemes = basic_schemes();
  const ImpulseRule trapezoidal = ImpulseRule::trapezoidal;
  schemes.insert(schemes.end(), {simo_wong(trapezoidal), simo_wong(ImpulseRule::symmetric_midpoint),
                                 predictor_corrector(trapezoidal), staggered(trapezoidal)});
  return schemes;
}

/// The moment is over, and so are the transients of the step after it.
double reference_time(double h) {
  return 2 + 5 * h;
}

} // namespace

void Studies::run() {
  Jobs jobs;
  for (const double h : unstable_steps)
    for (const Scheme& s : unstable_schemes(h))
      jobs.add(2 * end / h, [&r = unstable.add(h, s.name), h, s] {
        r = record(unstable_rotation(h), s, h, end, reference_time(h));
      });
  for (const double h : free_steps)
    for (const Scheme& s : basic_schemes())
      jobs.add(end / h, [&r = free.add(h, s.name), h, s] { r = record(free_rotation(), s, h, end, 2); });
  for (const Scheme& s : top_schemes()) {
    for (const double h : top_steps)
      jobs.add(end / h, [&r = top.add(h, s.name), h, s] { r = record(heavy_top(), s, h, end, 0); });
    for (const double h : axis_steps)
      jobs.add(10 / h, [&r = axis.add(h, s.name), h, s] { r = record(heavy_top(), s, h, 10, 0); });
  }
  const double h = trace_step;
  for (const Scheme& s : unstable_schemes(h))
    jobs.add(20 / h, [&trace = traces[s.name], h, s] {
      rotation::run(unstable_rotation(h), s, h, 20, [&](const Sample& sample) { trace.push_back(sample); });
    });
  jobs.add(16 / h, [this, h] {
    rotation::run(heavy_top(), staggered(), h, 16, [&](const Sample& sample) { top_trace.push_back(sample); });
  });
  jobs.run();
}

double rotation_error(const Record& r) {
  return rotation_vector(free_rotation_at_10().conjugate() * r.at_10).norm();
}

double axis_error(const Record& r) {
  const Vec3 axis = r.at_10 * Vec3::UnitZ(), exact = top_axis_at_10();
  return std::atan2(axis.cross(exact).norm(), axis.dot(exact));
}

Burst burst(const Trace& trace, double from, double to) {
  const double h = trace[1].t - trace[0].t;
  const double T_0 = trace[static_cast<std::size_t>(std::lround(reference_time(h) / h))].T;
  Burst largest;
  for (const Sample& s : trace)
    if (s.t >= from && s.t <= to && std::abs(s.T / T_0 - 1) > largest.size)
      largest = {s.t, std::abs(s.T / T_0 - 1)};
  return largest;
}

} // namespace emmy::tables::rotation

std::unique_ptr<emmy::tables::Study> emmy::tables::explicit_rotation() {
  return std::make_unique<rotation::Studies>();
}
