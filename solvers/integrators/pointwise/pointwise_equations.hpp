#pragma once
/// Equations of schemes that take forces at one instant of the step instead of their mean over it
/// (docs/theory/augmented_lagrangian.md, integrators with accelerations).
///
/// An element that is asked about a step which does not move answers with forces and gradients at an instant. Its
/// tangent is then half of their derivative: discrete gradients see the mean of a step, which moves half as far as its
/// end.

#include "solvers/assembly/step_equations.hpp"

namespace emmy {

/// Force and moment from outside, or their impulses.
struct External {
  Vec3 force = Vec3::Zero();  ///< [N] or [N s]
  Vec3 moment = Vec3::Zero(); ///< about the origin [N m] or [N m s]
  double force_sum = 0;       ///< sums of magnitudes
  double moment_sum = 0;

  void add(double factor, const External& other);

  static constexpr Index size = 8; ///< as numbers of State::memory
  void read(const ConstVectorRef& numbers);
  void write(VectorRef numbers) const;
};

/// Interactions at a configuration on the way of the step, q_n + share z, and at the time t_n + share h. Constraints
/// hold at the end of the step; penalties are springs, and are taken where forces are.
class PointwiseEquations : public StepEquations {
public:
  void move(const Step& s) override;
  void evaluate(const Step& s, const Element& element, LocalSystem& out) const final;
  void add_magnitude(const Step& s, const Element& element, VectorRef size) const final;
  ConstraintLevel level() const final { return {false, false}; }

  /// What interactions bring from outside at the instant of the last move().
  External external(const Step& s) const;

protected:
  /// `scheme` is for messages. Throws std::invalid_argument if forces depend on velocities, which a step that does not
  /// move cannot see.
  PointwiseEquations(const Model& model, double share, const std::string& scheme);

  virtual void evaluate_body(const Step& s, const Body& body, LocalSystem& out) const = 0;
  virtual void add_body_magnitude(const Step& s, const Body& body, VectorRef size) const = 0;
  /// Writes the constraints of an element, and their derivative by z, over those at the instant.
  virtual void evaluate_rows(const Step& s, const Element& element, LocalSystem& out) const;
  /// Adds to the size of these constraints what the instant does not show of it.
  virtual void add_row_magnitude(const Step& s, const Element& element, VectorRef size) const;

  /// Equations of an element in work space, valid until the next call.
  LocalSystem evaluate_apart(const Element& element, const MovedStep& s, bool tangent) const;

  bool is_penalty(const Element& element) const {
    return model().enforcement(element).method == EnforcementMethod::penalty;
  }
  /// The instant, as a step.
  MovedStep still(const Step& s) const { return {{at_, no_time, 0, zero_, s.lambda}, still_}; }
  const State& at() const { return at_; }

private:
  double share_;
  State at_;
  VecX zero_, part_;           // increments
  PortMotions still_, on_way_; // ports at the instant, and of the part of the step that leads there
  bool has_penalties_ = false;
  mutable VecX apart_; // work space: equations of one element
  mutable MatX apart_k_;
};

/// Throws std::invalid_argument unless bodies have equations of motion at an instant, in coordinates that are free.
void require_inertia_at_instant(const Model& model, const std::string& scheme);

/// Books of a step of such a scheme, to which interactions brought `impulse` from outside.
StepBooks books_with(const External& impulse, const Model& model, const MovedStep& s, const State& n1);

} // namespace emmy
