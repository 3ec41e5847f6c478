#pragma once
/// Rigid body that turns about a point fixed in space, such as a top: three unknowns, the convected Rodrigues vector
/// Theta. Its step is the rotation of a frame, with the inertia about the fixed point [F12].
///
///   M, J_p  mass_, J_   mass [kg], inertia about the fixed point, body axes [kg m²]
///   X_p     X_p_        the fixed point, in space [m]
///   c       c_          centre of mass from the fixed point, body components [m]: x = X_p + Q c
///   Omega               convected angular velocity [rad/s]: the rates of the node

#include "core/body.hpp"
#include "core/model.hpp"

namespace emmy {

/// Port of a rotation node: base vectors as those of a frame, the centre a sum of them [F12].
class PivotedConnectivity final : public Connectivity {
public:
  PivotedConnectivity(const Node& node, const Vec3& X_p, const Vec3& c);
  void move(const Step& s, PortMotion& m) const override;
  void place(const Step& s, PortMotion& m) const override;
  void add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const override;
  MapPattern map_pattern() const override;
  Pattern geometric_pattern(const PortPattern& r) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
  void add_support(const Vec12& r, const Vec3& moment_of_r, Vec3& force, Vec3& moment) const override;

private:
  bool is_central() const { return c_.isZero(0); }
  void place_centre(PortMotion& m) const;
  Vec3 X_p_, c_;
};

class PivotedBody final : public Body {
public:
  /// Adds node, port and body to the model. J is about the centre of mass, symmetric positive definite; the fixed point
  /// is `pivot` in body components from the centre of mass, and `X_p` in space.
  static PivotedBody& add_to(Model& model, std::string name, double mass, const Mat3& J, const Vec3& pivot,
                             const Vec3& X_p);

  PivotedBody(std::string name, const Node& node, Index port, double mass, const Mat3& J, const Vec3& pivot,
              const Vec3& X_p);

  const Mat3& inertia() const { return J_; } ///< about the fixed point

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  void add_magnitude(const MovedStep& s, VectorRef size) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

  BodyMotion motion(const State& state) const override;
  /// Position and velocity are not free: they follow.
  void set_motion(const BodyMotion& motion, State& state) const override;
  void add_velocity(const Vec3& v, const Vec3& omega, State& state) const override;
  std::optional<RigidInertia> rigid_inertia() const override { return RigidInertia{mass(), J_, true, true, -c_}; }
  double rotation_in(const Step& s) const override;

private:
  const Node& node() const { return nodes().front(); }
  Mat3 J_;
  Vec3 X_p_, c_;
};

} // namespace emmy
