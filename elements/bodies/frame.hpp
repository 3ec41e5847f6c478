#pragma once
/// Rigid body on SO(3) with the Cayley increment: six unknowns z = (dx, Theta), Theta convected. One step is the
/// Simo-Wong energy-momentum algorithm with the Cayley map [F1]-[F3], in the convected form [D11], [D14].
///
///   M, J    mass_, J_   mass [kg], inertia about the centre of mass, body axes [kg m²]
///   Q       Q           orientation, body to space; columns are the base vectors of the port
///   v, Omega            velocity in space [m/s], convected angular velocity [rad/s]: the rates of the node
///   A       A           1 - skew(Theta)/2

#include "core/body.hpp"
#include "core/model.hpp"

namespace emmy {

/// Port of a frame node: secant map N and derivative D of [D13].
class FrameConnectivity final : public Connectivity {
public:
  explicit FrameConnectivity(const Node& node);
  void move(const Step& s, PortMotion& m) const override;
  void place(const Step& s, PortMotion& m) const override;
  void add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const override;
  MapPattern map_pattern() const override;
  Pattern geometric_pattern(const PortPattern& r) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
};

class FrameBody final : public Body {
public:
  /// Adds node, port and body to the model. J must be symmetric positive definite.
  static FrameBody& add_to(Model& model, std::string name, double mass, const Mat3& J);

  FrameBody(std::string name, const Node& node, Index port, double mass, const Mat3& J);

  const Mat3& inertia() const { return J_; }

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  Pattern pattern() const override;
  void add_magnitude(const MovedStep& s, VectorRef size) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

  BodyMotion motion(const State& state) const override;
  void set_motion(const BodyMotion& motion, State& state) const override;
  void add_velocity(const Vec3& v, const Vec3& omega, State& state) const override;
  std::optional<RigidInertia> rigid_inertia() const override {
    return RigidInertia{mass(), J_, true, false, Vec3::Zero()};
  }
  double rotation_in(const Step& s) const override;

private:
  const Node& node() const { return nodes().front(); }
  Mat3 J_;
};

} // namespace emmy
