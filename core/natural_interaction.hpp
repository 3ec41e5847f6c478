#pragma once
/// An element of natural equations [natural_equations.hpp] between ports of any kind.

#include "core/interaction.hpp"
#include "core/natural_equations.hpp"

#include <array>
#include <memory>
#include <utility>

namespace emmy {

/// Most numbers that natural equations know of a step.
inline constexpr int most_natural_numbers = 4;
using NaturalNumbers = std::array<double, most_natural_numbers>;

/// Natural equations as an object, one for all elements of a type.
class NaturalEquations {
public:
  virtual ~NaturalEquations() = default;
  NaturalEquations(const NaturalEquations&) = delete;
  NaturalEquations& operator=(const NaturalEquations&) = delete;

  // what the type of the element says
  const char* name;
  const NaturalOn* variables;
  int variable_count;
  int numbers;         ///< that it needs to know of a step
  InstantPart instant; ///< which part of the forces at an instant it is
  bool is_load;        ///< depends on how one body is turned, and on nothing else

  virtual void evaluate(const NaturalStep& s, const NaturalNumbers& known, NaturalSystem& out) const = 0;
  virtual NaturalPattern pattern() const = 0;

protected:
  NaturalEquations() = default;
};

template <class E>
class NaturalEquationsOf final : public NaturalEquations {
public:
  static constexpr int V = NaturalShape<E>::variables;
  using Numbers = typename E::template Numbers<double>;

  NaturalEquationsOf() {
    name = E::name;
    variables = E::variables;
    variable_count = V;
    numbers = step_numbers<E>;
    instant = E::instant;
    is_load = NaturalShape<E>::is_load();
  }

  void evaluate(const NaturalStep& s, const NaturalNumbers& known, NaturalSystem& out) const override {
    if (out.tangent)
      evaluate_with<true>(s, known, out);
    else
      evaluate_with<false>(s, known, out);
  }
  NaturalPattern pattern() const override {
    NaturalPattern pattern{Pattern::Zero(3 * V, 3 * V), Pattern::Zero(0, 3 * V)};
    for (int a = 0; a < V; ++a)
      for (int b = 0; b < V; ++b)
        if (E::couples(a, b) == TangentBlock::full)
          pattern.k.block<3, 3>(3 * a, 3 * b).setOnes();
        else if (E::couples(a, b) == TangentBlock::diagonal)
          pattern.k.block<3, 3>(3 * a, 3 * b).setIdentity();
    return pattern;
  }

private:
  template <bool Tangent>
  static void evaluate_with(const NaturalStep& s, const NaturalNumbers& known, NaturalSystem& out) {
    static_assert(step_numbers<E> <= most_natural_numbers);
    NaturalStepOf<double, V> step;
    NaturalSystemOf<double, V> system{};
    for (int a = 0; a < V; ++a)
      for (int i = 0; i < 3; ++i) {
        step.q_n[a][i] = s.q_n[3 * a + i];
        step.q_n1[a][i] = s.q_n1[3 * a + i];
        step.q_m[a][i] = s.q_m[3 * a + i];
      }
    step.inv_h = s.inv_h;
    Numbers own;
    if constexpr (step_numbers < E >> 0)
      std::memcpy(&own, known.data(), sizeof own); // doubles alone
    E::template natural<Tangent>(step, own, system);
    for (int a = 0; a < V; ++a) {
      out.r.segment<3>(3 * a) += Eigen::Map<const Vec3>(system.r[a].x);
      for (int b = 0; Tangent && b < V; ++b)
        if (E::couples(a, b) != TangentBlock::none)
          out.k.block<3, 3>(3 * a, 3 * b) += Eigen::Map<const Mat3>(system.k[a][b].m);
    }
  }
};

/// An element of natural equations that are chosen when it is made.
class NaturalInteraction : public Interaction {
public:
  NaturalInteraction(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
                     std::unique_ptr<NaturalEquations>&& equations, const InteractionFacts& facts)
      : Interaction(std::move(name), std::move(kind), ports, std::move(variables), facts),
        equations_(std::move(equations)) {}

  /// An element as one of natural equations; null if it is none.
  static const NaturalInteraction* of(const Element& element);

  const NaturalEquations& equations() const { return *equations_; }

  /// What the equations know of a step from t to t + h: loads at its middle.
  NaturalNumbers recall(double t, double h) const {
    const double middle = t + h / 2;
    return numbers(middle, middle);
  }

  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const final {
    equations_->evaluate(s, recall(s.t, s.h), out);
  }
  NaturalPattern natural_pattern() const final { return equations_->pattern(); }
  void evaluate_instant(const NaturalInstant& s, InstantForces& out) const final;

protected:
  /// What the equations need to know, as means over a span of time, or values if it has no length.
  virtual NaturalNumbers numbers(double from, double to) const = 0;

private:
  std::unique_ptr<NaturalEquations> equations_;
};

/// An element of the natural equations E.
template <class E>
class NaturalInteractionOf : public NaturalInteraction {
public:
  NaturalInteractionOf(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
                       const InteractionFacts& facts)
      : NaturalInteraction(std::move(name), std::move(kind), ports, std::move(variables),
                           std::make_unique<NaturalEquationsOf<E>>(), facts) {}
};

} // namespace emmy
