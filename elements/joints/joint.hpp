#pragma once
/// A joint holds two bodies together by constraints Phi = 0, enforced at the end of every step by multipliers. It is a
/// composition of quadratic primitives, written once for every body formulation:
///   Phi*_q = gradient at q_m,   r = Phi*_q^T lambda,   k = lambda H / 2                        [D15], [D16]

#include "elements/joints/primitives.hpp"

#include <vector>

namespace emmy {

/// Where a joint sits on one of its two bodies.
struct JointSide {
  Index port = 0;
  Vec3 at = Vec3::Zero();       ///< body coordinates [m]
  Mat3 axes = Mat3::Identity(); ///< columns n, s1, s2: right-handed triad in body components; n is the joint's axis
};

class Joint final : public Interaction {
public:
  /// The first two variables must be the joint's point on either side.
  Joint(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
        std::vector<Primitive> primitives);

  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override;
  NaturalPattern natural_pattern() const override;
  std::string row_name(Index i) const override;

  /// Force and moment that the joint exerts on its second body, about the joint's point; means over the step.
  Reaction reaction_on_second(const Step& s, const PortMotions& motions) const;

private:
  std::vector<Primitive> primitives_;
};

/// Spherical joint: the points coincide, 3 rows [F8].
std::unique_ptr<Joint> spherical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Revolute joint: the points and the axes n coincide, 5 rows [F8].
std::unique_ptr<Joint> revolute_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

/// Fixed joint: points and triads coincide, 6 rows.
std::unique_ptr<Joint> fixed_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J);

} // namespace emmy
