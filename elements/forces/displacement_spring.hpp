#pragma once
/// Springs and dampers on displacements between two bodies that are bilinear in natural variables, coupled or not:
///   V = (y - y0)^T K (y - y0) / 2,   damping forces C dy/dt.
/// One displacement is the spring of a sliding joint, six are a bushing.
///
///   y    displacements; each is quadratic, so its gradient at q_m is an exact discrete gradient [D15]
///   F    K (y_m - y0) + C dy/h, y_m the mean of the two ends of the step; does the work F . dy = change of V +
///   dissipation K    stiffness, symmetric and positive semidefinite C    damping, likewise
///
/// r = G_bar^T F,   k = G_bar^T (K/2 + C/h) G + sum of F_i H_i / 2, H_i the constant second derivative of y_i.

#include "core/interaction.hpp"
#include "elements/forces/spring_law.hpp"
#include "elements/joints/joint.hpp"

#include <array>

namespace emmy {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

/// y = sum of two products factor (a . b) of natural variables.
struct BilinearDisplacement {
  struct Product {
    double factor;
    int a, b; ///< which natural variables
  };
  std::array<Product, 2> products;
};

class DisplacementSpring final : public Interaction {
public:
  using Displacements = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  using Coefficients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

  /// Refuses K and C that are not symmetric and positive semidefinite.
  DisplacementSpring(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
                     std::vector<BilinearDisplacement> displacements, const Coefficients& K, const Coefficients& C,
                     const Displacements& y0);
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override;
  void evaluate_instant(const NaturalInstant& s, InstantForces& out) const override;
  bool is_configurational() const override { return !depends_on_rates(); }
  bool depends_on_rates() const override { return !C_.isZero(0); }
  double potential(const NaturalStep& s) const override;
  std::string row_name(Index i) const override;
  bool bends() const override { return false; }

  /// Mean forces and moments over the step, against the growth of the displacements.
  Displacements force(const Step& s, const PortMotions& motions) const;
  /// Displacements at the end of the step.
  Displacements displacement(const Step& s, const PortMotions& motions) const;

private:
  using Gradients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, max_natural>;
  Displacements value(const NaturalVector& q) const;
  Gradients gradient(const NaturalVector& q) const;
  Displacements force(const NaturalStep& s, const Displacements& dy) const;
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;

  std::vector<BilinearDisplacement> displacements_;
  Coefficients K_, C_;
  Displacements y0_;
};

/// Along the axis of a sliding joint: y = n^I . (X^J - X^I) [m].
std::unique_ptr<DisplacementSpring> translational_spring_damper(std::string name, const Ports& ports,
                                                                const JointSide& I, const JointSide& J,
                                                                const SpringLaw& law);

/// What a bushing is made of. Components 0 to 2 are displacements [m] along the axes n, s1, s2 of side I, components 3
/// to 5 rotations about them.
struct BushingLaw {
  Mat6 K = Mat6::Zero();  ///< [N/m], [N], [N m]
  Mat6 C = Mat6::Zero();  ///< [N s/m], [N s], [N m s]
  Vec6 y0 = Vec6::Zero(); ///< displacements at which it is at ease
};

/// Elastic support of body J on body I. Displacements s_k^I . (X^J - X^I); rotations (s_3.t_2 - s_2.t_3)/2 and cyclic,
/// t the triad of side J: the rotation vector where it is small, and its axis times the sine of its angle in general.
/// The restoring moment of one stiffness about an axis is therefore k sin cos: largest at 45 degrees and reversed
/// beyond a right angle. A bushing is made for small angles, a rotational spring for large ones.
std::unique_ptr<DisplacementSpring> bushing(std::string name, const Ports& ports, const JointSide& I,
                                            const JointSide& J, const BushingLaw& law);

} // namespace emmy
