#pragma once
/// Elastic support of body J on body I [BushingEquations]: V = (y - y0)^T K (y - y0) / 2, damping forces C dy/dt.
///
/// Displacements s_k^I . (X^J - X^I); rotations (s_3.t_2 - s_2.t_3)/2 and cyclic, t the triad of side J: the rotation
/// vector where it is small, and its axis times the sine of its angle in general. The restoring moment of one stiffness
/// about an axis is therefore k sin cos: largest at 45 degrees and reversed beyond a right angle. A bushing is made for
/// small angles, a rotational spring for large ones.

#include "core/measure_interaction.hpp"
#include "elements/forces/force_equations.hpp"
#include "elements/joints/joint_side.hpp"

namespace emmy {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

/// What a bushing is made of. Components 0 to 2 are displacements [m] along the axes n, s1, s2 of side I, components 3
/// to 5 rotations about them.
struct BushingLaw {
  Mat6 K = Mat6::Zero();  ///< [N/m], [N], [N m]
  Mat6 C = Mat6::Zero();  ///< [N s/m], [N s], [N m s]
  Vec6 y0 = Vec6::Zero(); ///< displacements at which it is at ease
};

class Bushing final : public InteractionOf<BushingEquations> {
public:
  /// Refuses K and C that are not symmetric and positive semidefinite.
  Bushing(std::string name, const Ports& ports, const JointSide& I, const JointSide& J, const BushingLaw& law);

  std::string row_name(Index) const override { return "spring force"; }

  /// Mean forces and moments over the step, against the growth of the displacements.
  Vec6 force(const MovedStep& s) const;
  /// Displacements at the end of the step.
  Vec6 displacement(const MovedStep& s) const;
};

std::unique_ptr<Bushing> bushing(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                 const BushingLaw& law);

} // namespace emmy
