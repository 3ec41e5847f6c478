#pragma once
/// What the joints leave free: rank, mobility and redundancy of the constraints at one configuration
/// (docs/theory/joints.md, redundancy).

#include "core/model.hpp"

#include <string>
#include <vector>

namespace emmy {

struct ConstraintAnalysis {
  Index unknowns = 0;
  Index equations = 0; ///< constraint rows
  Index rank = 0;
  double position_violation = 0;                  ///< largest |Phi| [m], [1]
  double velocity_violation = 0;                  ///< largest |dPhi/dt| [m/s], [1/s]
  std::string worst_position, worst_position_row; ///< joint with the largest |Phi|, and what is off there
  std::string worst_velocity, worst_velocity_row;
  std::vector<std::string> redundant; ///< elements whose rows depend on one another

  Index degrees_of_freedom() const { return unknowns - rank; }
  Index redundancy() const { return equations - rank; }
};

ConstraintAnalysis analyse_constraints(const Model& model, const State& state);

} // namespace emmy
