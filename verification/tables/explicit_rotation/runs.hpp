#pragma once
/// Runs of the two problems, and what is kept of them.

#include "solvers/integrators/explicit/explicit.hpp"
#include "verification/tables/explicit_rotation/problems.hpp"
#include "verification/tables/text.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace emmy::tables::rotation {

/// One way to integrate: a column of the tables.
struct Scheme {
  std::string name; ///< also of files
  ExplicitOptions options;
};

Scheme simo_wong(ImpulseRule rule = ImpulseRule::midpoint);
Scheme predictor_corrector(ImpulseRule rule = ImpulseRule::midpoint);
Scheme staggered(ImpulseRule rule = ImpulseRule::midpoint);
Scheme park_chiou_downer();
Scheme kick_drift_kick(RotationDrift kernel);

/// A body at one instant.
struct Sample {
  double t = 0; ///< [s]
  Quaternion q; ///< body to space
  Vec3 Omega;   ///< convected [rad/s]
  Vec3 pi;      ///< spatial angular momentum about the origin, from q and Omega [N m s]
  double T = 0; ///< kinetic energy [J]
  double E = 0; ///< with the potential [J]
};

/// Integrates from the initial state to the time `end`, showing the start and every step. Returns the time at which
/// numbers overflowed, if they did.
std::optional<double> run(const Problem& problem, const Scheme& scheme, double h, double end,
                          const std::function<void(const Sample&)>& observer);

/// What the tables need of a run to t = 1000.
struct Record {
  double to_100 = 0, to_1000 = 0; ///< largest |E/E_0 - 1|
  double momentum = 0;            ///< largest |pi - pi_0| / |pi_0|
  double pi_3 = 0;                ///< likewise of the vertical component alone
  std::optional<double> overflow; ///< [s]
  Quaternion at_10;               ///< orientation at t = 10
  std::vector<Range> nutation;    ///< of every second
  std::vector<double> error;      ///< largest |E/E_0 - 1| of every second
};
/// Compares with what was there at the time `from`: earlier samples do not count.
Record record(const Problem& problem, const Scheme& scheme, double h, double end, double from);

/// Everything that can be done at the same time, on all cores.
class Jobs {
public:
  /// `steps` says how long it takes: long ones go first.
  void add(double steps, std::function<void()> job) { jobs_.push_back({steps, std::move(job)}); }
  void run();

private:
  struct Job {
    double steps;
    std::function<void()> work;
  };
  std::vector<Job> jobs_;
};

} // namespace emmy::tables::rotation
