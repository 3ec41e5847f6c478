#pragma once
/// Two links and a wall: the example of docs/theory/augmented_lagrangian.md by one combination after the other.

#include "verification/tables/augmented_lagrangian/particle.hpp"

#include <optional>

namespace emmy::tables::impact {

enum class Bodies {
  links, ///< in absolute angles, without joints
  rods   ///< points of space that share the knee, with lengths as constraints
};

/// Figures of a row that come out again: later ones hang on the last digits of everything before.
enum class Sure { all, to_150, to_070 };

/// One way to solve it: a row of the table.
struct Combination {
  std::string name; ///< also of files
  std::string figure, title;
  InstantScheme scheme;
  Enforcement how; ///< of the wall, and of the lengths of rods unless it is a spring
  Sure sure = Sure::all;
  NewtonOptions options = {};
  double h = 1e-3;
  Bodies bodies = Bodies::links;
  double restitution = 1;
};

/// End of a step.
struct Instant {
  double t = 0, E = 0; ///< [s], [J]; with what springs of the wall hold
  double force[2]{};   ///< of the wall on knee and tip, in the step before [N]
};

struct Record {
  std::vector<Instant> trace; ///< from the start on
  std::optional<double> end;  ///< when a step failed, or the energy was beyond all bounds [s]
  std::string why;            ///< a step failed
  int most_sweeps = 0;
  double solves = 0; ///< linear ones, mean of all steps
  double gain = 0;   ///< largest growth of the energy in a step [J]
  VecX theta;        ///< angles at the end [rad]

  bool reaches(double t) const { return trace.back().t > t - 1e-9; }
  double energy(double t) const; ///< [J]; not a number if the run ended before
  double peak(double until) const;
  double impulse(int point) const; ///< force times step, all steps [N s]
};

Record run(const Combination& c, double end);

/// Norm of the error of both angles at 0.6 s, before the wall is met.
double flight_error(const InstantScheme& scheme, double h, const NewtonOptions& options = {});

} // namespace emmy::tables::impact
