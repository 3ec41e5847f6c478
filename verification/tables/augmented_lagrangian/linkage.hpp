#pragma once
/// A planar four-bar linkage in space, 20 equations of which 17 are independent, by one enforcement after the other
/// (docs/theory/augmented_lagrangian.md, redundant rows).

#include "core/enforcement.hpp"

#include <string>
#include <vector>

namespace emmy::tables::impact {

/// How the joints are enforced, and what a run of 200 steps of 10 ms left.
struct LinkageRun {
  enum class Way { factorised, proximal, nested, merged, penalty };

  Way way;
  double scale = 0; ///< beta, or the stiffness of a penalty [N/m]
  double tilt = 0;  ///< of a second hinge of the crank, which cannot follow it then [rad]

  bool completed = false;
  bool told_contradiction = false;
  double energy_error = 0; ///< largest [J]
  double violation = 0;    ///< largest of positions [m]
  double solves = 0;       ///< linear ones, mean of all steps
  double angle_error = 0;  ///< of the crank at 2 s [rad]

  void run();
};

/// The runs of the tables: closed loops, and one with a tilted hinge.
std::vector<LinkageRun> linkage_runs();
std::vector<LinkageRun> tilted_runs();

std::string linkage_table(const std::vector<LinkageRun>& runs);
std::string tilt_table(const std::vector<LinkageRun>& runs);

} // namespace emmy::tables::impact
