#pragma once
/// What the equations of a step are made of: how a scheme asks elements at an iterate. The assembler sums whatever they
/// answer, and Newton solves it.

#include "core/model.hpp"

namespace emmy {

/// Where a scheme takes one-sided constraints and penalties.
struct ConstraintLevel {
  /// One-sided constraints by multipliers hold for the rate of the gap over the step [A18]; otherwise for the gap at
  /// its end.
  bool rates = true;
  /// A penalty is the difference quotient of its energy over the step [A20]; otherwise its force at one configuration.
  bool difference_quotient = true;
};

class StepEquations {
public:
  explicit StepEquations(const Model& model) : model_(model), motions_(model.port_motions()) {}
  virtual ~StepEquations() = default;
  StepEquations(const StepEquations&) = delete;
  StepEquations& operator=(const StepEquations&) = delete;

  const Model& model() const { return model_; }

  /// Moves everything to the iterate of `s`, before elements are evaluated.
  virtual void move(const Step& s) { model_.move_ports(s, motions_); }
  /// The same for some ports only.
  void move_some(const Step& s, const std::vector<Index>& ports) {
    for (const Index port : ports)
      model_.ports()[static_cast<std::size_t>(port)]->move(s, motions_[static_cast<std::size_t>(port)]);
  }

  /// Places some ports at both ends of `s` and leaves their maps as they are.
  void place_some(const Step& s, const std::vector<Index>& ports) {
    for (const Index port : ports)
      model_.ports()[static_cast<std::size_t>(port)]->place(s, motions_[static_cast<std::size_t>(port)]);
  }

  /// True if the equations are those that elements themselves write for a step.
  virtual bool takes_elements_as_they_are() const { return false; }

  /// Adds residual and tangent of an element; s.lambda is what its constraints pull with.
  virtual void evaluate(const Step& s, const Element& element, LocalSystem& out) const = 0;

  /// Adds the size of the terms in the residual, as Element::add_magnitude() does.
  virtual void add_magnitude(const Step& s, const Element& element, VectorRef size) const {
    element.add_magnitude({s, motions_}, size);
  }

  /// True if, asked about a step that does not move, it answers with its equations linearised about the start [A26].
  virtual bool is_linearised() const { return false; }

  /// Derivative of the acceleration at an iterate by the increment, times h²: c_a of [A7], the scale of [A14].
  virtual double acceleration_factor() const = 0;

  virtual ConstraintLevel level() const = 0;

  /// Ports as of the last move().
  const PortMotions& motions() const { return motions_; }

protected:
  PortMotions& moved() { return motions_; }

private:
  const Model& model_;
  PortMotions motions_;
};

/// Discrete gradients between the ends of the step: the equations of the energy-momentum integrator.
class TwoPointEquations final : public StepEquations {
public:
  using StepEquations::StepEquations;
  void evaluate(const Step& s, const Element& element, LocalSystem& out) const override {
    element.evaluate({s, motions()}, out);
  }
  bool takes_elements_as_they_are() const override { return true; }
  double acceleration_factor() const override { return 2; }
  ConstraintLevel level() const override { return {true, true}; }
};

} // namespace emmy
