#pragma once
/// Closed loops in motion, with the proximal block that their redundancy asks for, and what is to be known of the
/// windows of docs/theory/redundancy.md on their way through flat positions.

#include "elements/bodies/frame.hpp"
#include "solvers/analysis/redundancy.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/mechanisms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace emmy::test {

/// A mechanism with its run; another epsilon than the one that emmy chooses if it is given.
struct LoopRun {
  LoopRun(Mechanism mechanism, double h, double end, std::optional<double> epsilon = {})
      : m(std::move(mechanism)), analysis(analyse_constraints(*m.model, m.initial)),
        integrator(*m.model, options(h, epsilon)),
        simulation(*m.model, m.initial, integrator, SimulationOptions{h, end, max_halvings}) {
    simulation.on_warning([this](const std::string& text) { warnings += text + "\n"; });
  }
  NewtonOptions options(double h, std::optional<double> epsilon) const {
    NewtonOptions result;
    result.proximal = proximal_block(*m.model, m.initial, analysis, h);
    if (epsilon)
      result.proximal.epsilon = *epsilon;
    return result;
  }
  /// Angle of a body about z, in (-pi, pi].
  double angle(std::size_t body) const {
    const Vec3 x = m.bodies[body]->motion(simulation.state()).orientation * Vec3::UnitX();
    return std::atan2(x.y(), x.x());
  }
  static constexpr int max_halvings = 4;
  Mechanism m;
  ConstraintAnalysis analysis;
  EnergyMomentum integrator;
  Simulation simulation;
  std::string warnings;
};

/// theta of the parallel branch of n windows, from the upright, by the classical Runge-Kutta rule with steps of 1e-4 s:
/// its error, (1e-4 x 4 rad/s)^4 a second, is below 1e-12.
inline double parallel_branch(int n, double end) {
  const double factor = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
  double theta = 0, rate = 1;
  const double h = 1e-4;
  for (long i = 0; i < std::lround(end / h); ++i) {
    const auto f = [&](double x) { return factor * std::sin(x); };
    const double k1 = f(theta), k2 = f(theta + h / 2 * rate), k3 = f(theta + h / 2 * rate + h * h / 4 * k1),
                 k4 = f(theta + h * rate + h * h / 2 * k2);
    theta += h * rate + h * h / 6 * (k1 + k2 + k3);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return theta;
}

/// The mechanism beside a body that nothing holds, with this velocity.
inline Mechanism beside_free_body(Mechanism m, const Vec3& velocity) {
  const State alone = m.initial;
  const Body& free = FrameBody::add_to(*m.model, "free", 1, Mat3::Identity());
  m.initial = m.model->rest_state();
  for (const Body* body : m.bodies)
    body->set_motion(body->motion(alone), m.initial);
  free.set_motion({Vec3::Zero(), Quaternion::Identity(), velocity, Vec3::Zero()}, m.initial);
  begin(m);
  return m;
}

/// Windows, all turned in space by `turn`, alone or beside something else.
struct WindowsRun : LoopRun {
  WindowsRun(int windows_count, const Quaternion& turn, double h, double end, std::optional<double> epsilon = {})
      : WindowsRun(windows(windows_count, turn), turn, h, end, epsilon) {}
  WindowsRun(Mechanism mechanism, const Quaternion& turn, double h, double end, std::optional<double> epsilon = {})
      : LoopRun(std::move(mechanism), h, end, epsilon), n(static_cast<int>(m.bodies.size()) / 2),
        axes(turn.toRotationMatrix()) {
    simulation.observe([this](const Simulation&, long) { look(); });
  }

  static constexpr double parallel = 1e-3; ///< rounding leaves less by far on the branch [rad]
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  bool has_left() const { return left_at < infinite; }

  int n;
  Mat3 axes;                           ///< of the mechanism
  int crossings = 0;                   ///< flat positions passed: changes of sign of cos theta
  double out_of_parallel = 0;          ///< largest angle between the first upright and any other [rad]
  double left_at = infinite;           ///< when that was first more than `parallel` [s]
  double tilt = 0;                     ///< largest angle by which a horizontal rod has turned [rad]
  std::map<double, double> top_errors; ///< distance of the first top from the parallel branch at 1, 2, 5, 10 s [m]

private:
  Quaternion orientation(std::size_t body, const State& state) const {
    return m.bodies[body]->motion(state).orientation;
  }

  void look() {
    const State& now = simulation.state();
    const auto uprights = static_cast<std::size_t>(n) + 1;
    const Quaternion first = orientation(0, now);
    const Vec3 top = axes.transpose() * (first * Vec3::UnitX()); // from the foot
    crossings += top.y() * last_cos_ < 0;
    last_cos_ = top.y();
    for (std::size_t i = 1; i < uprights; ++i)
      out_of_parallel = std::max(out_of_parallel, first.angularDistance(orientation(i, now)));
    if (out_of_parallel > parallel)
      left_at = std::min(left_at, now.time);
    for (std::size_t i = uprights; i < m.bodies.size(); ++i)
      tilt = std::max(tilt, orientation(i, m.initial).angularDistance(orientation(i, now)));
    for (const double t : {1.0, 2.0, 5.0, 10.0})
      if (std::abs(now.time - t) < 1e-9) {
        const double theta = parallel_branch(n, t);
        top_errors[t] = (top - Vec3(std::sin(theta), std::cos(theta), 0)).norm();
      }
  }

  double last_cos_ = 1;
};

} // namespace emmy::test
