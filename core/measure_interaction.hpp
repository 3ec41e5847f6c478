#pragma once
/// An element of measures [measures.hpp] between ports of any kind: its equations, in natural variables and in the
/// numbers of ports, follow from its lists of vectors and terms.

#include "core/interaction.hpp"
#include "core/measure_equations.hpp"

namespace emmy {

class MeasureInteraction : public Interaction {
public:
  /// `ends` are the natural variables of the vectors, in their order: a direction, or the two points of a span.
  MeasureInteraction(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> ends,
                     std::unique_ptr<MeasureEquations>&& equations, const InteractionFacts& facts);

  /// An element as one of measures; null if it is none.
  static const MeasureInteraction* of(const Element& element);

  const MeasureEquations& equations() const { return *equations_; }

  /// Writes to `memory` what the equations know of a step from t to t + h when it begins: the last numbers of the
  /// history, unless an element knows more.
  virtual void recall(double t, double h, const double* history, double* memory) const;

  void evaluate(const MovedStep& s, LocalSystem& out) const final;
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const final;
  NaturalPattern natural_pattern() const final;
  void evaluate_instant(const NaturalInstant& s, InstantForces& out) const final;
  double potential(const NaturalStep& s) const final;
  /// The shortest of spans that are multiplied with themselves.
  double bending_length(const MovedStep& s) const override;

protected:
  static constexpr int most_vectors = 8;
  using Vectors = std::array<Vec3, most_vectors>;

  /// Values at both ends of a step, with the memory of the equations in `memory`.
  using Memory = std::array<double, 4>;
  MeasureValues measure(const NaturalStep& s, Memory& memory) const;
  /// Mean forces on the measures of a force element.
  MeasureAnswer response(const NaturalStep& s) const;

  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  void advance_history(const NaturalStep& s, HistoryVector& history) const override;
  void end_of_constraints(const NaturalStep& s, const NaturalVector& q_dot, MultiplierVector& phi,
                          MultiplierVector& phi_dot) const final;

private:
  static_assert(most_measures == max_rows && most_measure_multipliers == max_multipliers);
  struct Answer : MeasureAnswer {
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_measures, 1> total; ///< forces F, of multipliers too
  };

  Vectors vectors(const NaturalVector& q) const;
  void add_values(const Vectors& v, double* y) const;
  void add_rates(const Vectors& v, const Vectors& rate, double* y) const;
  Answer answer(const NaturalStep& s, bool tangent) const;
  Gradients gradient(const Vectors& v) const;
  void add_gradient(const Vectors& v, OfPorts<PortRows>& G) const;

  // What the lists say: all equations are made of these.
  template <class Act>
  void for_ends(int vector, Act act) const; ///< act(natural variable, sign)
  template <class Act>
  void for_port_ends(int vector, Act act) const; ///< act(PortEnd)
  template <class Act>
  void for_gradient(const Vectors& v, Act act) const; ///< act(row, vector, derivative of the row by it)
  template <class F, class Act>
  void for_pairs(const F& of_rows, Act act) const; ///< act(vector, vector, number): their part of sum of F_i H_i / 2

  std::unique_ptr<MeasureEquations> equations_;
  std::array<int, most_vectors> first_end_{}; // natural variable of each vector
  struct PortEnd {
    std::size_t use; ///< entry in uses()
    Vec4 w;          ///< of the vector in the four vectors of the port, with its sign
  };
  std::vector<PortEnd> port_ends_; // of each natural variable
};

/// Facts of springs and dampers with the equations E.
template <class E>
InteractionFacts spring_facts(bool damps, Nonlinear nonlinear) {
  return {ConstraintRows::none(), memory_of<E>, Acts::between_bodies,
          damps ? Forces::of_rates : Forces::of_configuration, nonlinear};
}

/// An element of the equations E.
template <class E>
class InteractionOf : public MeasureInteraction {
public:
  using Numbers = typename E::template Numbers<double>;

  InteractionOf(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> ends,
                const Numbers& numbers, const InteractionFacts& facts)
      : MeasureInteraction(std::move(name), std::move(kind), ports, std::move(ends),
                           std::make_unique<EquationsOf<E>>(numbers), facts) {}

  const Numbers& numbers() const { return static_cast<const EquationsOf<E>&>(equations()).constants(); }
};

} // namespace emmy
