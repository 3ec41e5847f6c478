#pragma once
/// Equations of motion at the end of a step, in accelerations [A1], [A7].

#include "solvers/integrators/pointwise/inertia_buffers.hpp"
#include "solvers/integrators/pointwise/pointwise_equations.hpp"

namespace emmy {

/// Acceleration and velocity at the end of a step, linear in what the step adds to free motion, g = z/h - v_n, and in
/// the accelerations before it:
///   a_{n+1} =       a.gain g / h +    a.now a_n + a.before a_{n-1}
///   v_{n+1} = v_n + v.gain g     + h (v.now a_n + v.before a_{n-1})
/// These are the published rules of positions and velocities, solved for the end of the step.
struct AccelerationRule {
  struct Row {
    double gain, now, before;
  };
  /// The rule of velocities itself, v_{n+1} - v_n = h (next a_{n+1} + now a_n + before a_{n-1}).
  struct Impulse {
    double next, now, before;
  };
  const char* name;
  Row a, v;
  Impulse impulse;

  static AccelerationRule linear_acceleration();
  static AccelerationRule high_order();
};

class EndEquations final : public PointwiseEquations {
public:
  /// Throws std::invalid_argument for bodies without inertia at an instant, and for forces that depend on velocities.
  /// Linearised, they are those of a step that does not move [A26], and mean nothing for any other.
  EndEquations(const Model& model, const AccelerationRule& rule, bool linearised = false);

  /// Accelerations at n and n-1, for the step that is to be solved.
  void remember(const ConstVectorRef& now, const ConstVectorRef& before);

  void move(const Step& s) override;
  double acceleration_factor() const override { return rule_.a.gain; }
  bool is_linearised() const override { return linearised_; }

  // at the last move()
  const VecX& v() const { return v_; }
  const VecX& a() const { return a_; }

private:
  void evaluate_body(const Step& s, const Body& body, LocalSystem& out) const override;
  void add_body_magnitude(const Step& s, const Body& body, VectorRef size) const override;

  AccelerationRule rule_;
  bool linearised_;
  VecX now_, before_, v_, a_;
  mutable VecX a_size_, v_size_; // work space
  mutable InertiaBuffers inertia_;
};

} // namespace emmy
