#pragma once
/// Mass at a point: three unknowns z = dx. Its port has base vectors that never turn, so a point of it is its centre:
/// forces must act there, and directions, moments and hinges make no sense on it.

#include "core/body.hpp"
#include "core/model.hpp"
#include "elements/bodies/affine.hpp"

namespace emmy {

class PointMass final : public Body {
public:
  static PointMass& add_to(Model& model, std::string name, double mass);

  PointMass(std::string name, const Node& node, Index port, double mass);

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  Pattern pattern() const override;
  void add_magnitude(const MovedStep& s, VectorRef size) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

  /// Upright and without angular velocity, whatever was set.
  BodyMotion motion(const State& state) const override;
  void set_motion(const BodyMotion& motion, State& state) const override;
  void add_velocity(const Vec3& v, const Vec3& omega, State& state) const override;
  std::optional<RigidInertia> rigid_inertia() const override {
    return RigidInertia{mass(), Mat3::Zero(), false, false, Vec3::Zero()};
  }
  void evaluate_inertia(const MotionAt& at, InertiaSystem& out) const override;
  double rotation_in(const Step&) const override { return 0; }

private:
  const Node& node() const { return nodes().front(); }
};

} // namespace emmy
