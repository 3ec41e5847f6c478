#pragma once
/// What the joints leave free: rank, mobility and redundancy of the constraints at one configuration
/// (docs/theory/joints.md, redundancy).

#include "core/model.hpp"

#include <string>
#include <vector>

namespace emmy {

struct ConstraintAnalysis {
  Index unknowns = 0;
  Index internal = 0;            ///< unknowns that the bodies' own rigidity takes: the rank of its conditions
  Index equations = 0;           ///< constraint rows of joints
  Index rank = 0;                ///< of the joints' rows, beyond what rigidity already says
  double position_violation = 0; ///< largest |Phi| [m], [1]
  double velocity_violation = 0; ///< largest |dPhi/dt| [m/s], [1/s]
  std::string worst_position, worst_position_row; ///< joint with the largest |Phi|, and what is off there
  std::string worst_velocity, worst_velocity_row;
  double penetration = 0;             ///< largest Phi > 0 of a limit [m], [rad]; limits count nowhere else
  std::string deepest, deepest_row;   ///< limit with the largest penetration, and which of its bounds
  std::vector<std::string> redundant; ///< joints whose rows depend on one another

  Index degrees_of_freedom() const { return unknowns - internal - rank; }
  Index redundancy() const { return equations - rank; }
};

ConstraintAnalysis analyse_constraints(const Model& model, const State& state);

/// A singular configuration, where branches of motion meet, or close to one.
struct SingularConfiguration {
  Index lost = 0;                  ///< equations that nearly depend on others here, beyond those of a regular one
  std::vector<std::string> joints; ///< that they and what they depend on belong to
};

/// What the joints have lost at `state`, compared with the `regular` one; nothing is lost far from singular ones.
SingularConfiguration find_singular(const Model& model, const State& regular, const State& state);

/// For every multiplier whether its row repeats what rows before it say, those of bodies being first. The rows that do
/// not repeat say all there is. Rows of limits come and go, and never count as repeated.
std::vector<bool> repeated_rows(const Model& model, const State& state);

/// For every multiplier how far its bodies give way to it, m G_i M^-1 G_i^T with the diagonal of the mass matrix and
/// the mean mass m of the bodies: the scale of a regularisation in its row. Never zero.
VecX proximal_scales(const Model& model, const State& state);

} // namespace emmy
