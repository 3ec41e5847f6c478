#pragma once
/// Accelerations at an instant, from the equations of motion [A1] at given positions and velocities: what schemes that
/// remember accelerations start with, and what explicit Euler integrates.

#include "solvers/integrators/pointwise/inertia_buffers.hpp"
#include "solvers/integrators/pointwise/pointwise_equations.hpp"
#include "solvers/newton/newton.hpp"

namespace emmy {

/// The equations in a step of one second that does not go anywhere: z stands for a / 2. Constraints of joints hold for
/// accelerations, phi'' = 0; penalties push as they do at the instant; one-sided constraints are taken as open.
class AccelerationEquations final : public PointwiseEquations {
public:
  AccelerationEquations(const Model& model, const std::string& scheme);

  /// Takes positions and velocities.
  void begin(const State& at);

  void move(const Step& s) override;
  double acceleration_factor() const override { return factor; }
  const VecX& a() const { return a_; }

  static constexpr double h = 1;      ///< [s]
  static constexpr double factor = 2; ///< a = factor z / h²

private:
  void evaluate_body(const Step& s, const Body& body, LocalSystem& out) const override;
  void add_body_magnitude(const Step& s, const Body& body, VectorRef size) const override;
  void evaluate_rows(const Step& s, const Element& element, LocalSystem& out) const override;
  void add_row_magnitude(const Step& s, const Element& element, VectorRef size) const override;
  /// True for joints, whose second derivatives vanish: not for springs in their place.
  bool holds(const Element& element) const;
  void add_constraints(const State& at, double tau, double weight);

  VecX a_, z_, gamma_; // gamma_: phi'' without accelerations
  PortMotions motions_;
  bool has_joints_ = false;
  mutable InertiaBuffers inertia_;
};

class Accelerations {
public:
  /// Throws std::invalid_argument where `scheme` cannot serve the model.
  Accelerations(const Model& model, const NewtonOptions& options, const std::string& scheme);

  /// From positions, velocities, time and history of `at`.
  StepReport solve(const State& at);

  // of the last solve
  const VecX& a() const { return equations_.a(); }
  /// Forces of penalties, and of joints.
  const VecX& lambda() const { return assembler_.step().lambda; }
  External external() const { return equations_.external(assembler_.step()); }

  Index size() const { return assembler_.size(); }

private:
  AccelerationEquations equations_;
  Assembler assembler_;
  Newton newton_;
  State at_;
};

} // namespace emmy
