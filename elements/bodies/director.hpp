#pragma once
/// Rigid body in convected base vectors: twelve unknowns z = dq, q = (x, q1, q2, q3), with orthonormality kept by the
/// body itself and momenta condensed, so that nothing but q reaches the system (docs/theory/directors.md).
///
///   M, J    mass_, J_   mass [kg], inertia about the centre of mass, body axes [kg m²]
///   Q       Q           base vectors as columns; rates of the node are q_dot = (v, Q skew(Omega)) [D1]
///   psi     psi         rotation of the step: dQ = skew(psi) Q_m exactly while the body is rigid [D8]
///   Theta   Theta       the same in body components, Q_n^T psi
///
/// An iterate may leave the constraint; the residual then has a part that brings it back. At the solution the step is
/// that of the frame body, to the last digits.

#include "core/body.hpp"
#include "core/model.hpp"

namespace emmy {

/// Port of a director node: q is the unknown itself, D = 1. P_bar is the orthogonal projector on the rigid motions of
/// the mean base vectors, which is how the internal constraints are eliminated from the forces of others [D7]:
/// P_bar z = dq wherever dq keeps the base vectors orthonormal, as it does at the solution.
class DirectorConnectivity final : public Connectivity {
public:
  explicit DirectorConnectivity(const Node& node);
  void move(const Step& s, PortMotion& m) const override;
  void place(const Step& s, PortMotion& m) const override;
  void add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const override;
  MapPattern map_pattern() const override;
  Pattern geometric_pattern(const PortPattern& r) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
};

class DirectorBody final : public Body {
public:
  /// Adds node, port and body to the model. J must be symmetric positive definite.
  static DirectorBody& add_to(Model& model, std::string name, double mass, const Mat3& J);

  DirectorBody(std::string name, const Node& node, Index port, double mass, const Mat3& J);

  const Mat3& inertia() const { return J_; }

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  Pattern pattern() const override;
  void add_magnitude(const MovedStep& s, VectorRef size) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  /// Rates of base vectors do not follow the mean rule, the angular velocity does: writes q_dot = Q skew(Omega), with
  /// which C(q) p = 0 holds by construction [D3].
  void advance(const MovedStep& s, State& n1) const override;
  std::string row_name(Index i) const override;

  BodyMotion motion(const State& state) const override;
  void set_motion(const BodyMotion& motion, State& state) const override;
  void add_velocity(const Vec3& v, const Vec3& omega, State& state) const override;
  Rigidity rigidity(const State& state) const override;
  /// C(q) p, in the order of [D2], for the momenta p of the rates: zero for those of a rigid body [D3] [N m s].
  Eigen::Matrix<double, 6, 1> momentum_condition(const State& state) const;
  std::optional<RigidInertia> rigid_inertia() const override {
    return RigidInertia{mass(), J_, true, false, Vec3::Zero()};
  }
  double rotation_in(const Step& s) const override;

private:
  const Node& node() const { return nodes().front(); }
  Vec3 convected_spin(const State& state) const;
  Mat3 J_;
};

} // namespace emmy
