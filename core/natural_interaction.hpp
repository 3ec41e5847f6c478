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

  virtual void evaluate(const NaturalStep& s, const NaturalNumbers& numbers, NaturalSystem& out) const = 0;
  virtual NaturalPattern pattern() const = 0;
  virtual InstantPart instant() const = 0;

protected:
  NaturalEquations() = default;
};

template <class E>
class NaturalEquationsOf final : public NaturalEquations {
public:
  static constexpr int V = E::variables;
  using Numbers = typename E::template Numbers<double>;

  void evaluate(const NaturalStep& s, const NaturalNumbers& numbers, NaturalSystem& out) const override {
    if (out.tangent)
      evaluate_with<true>(s, numbers, out);
    else
      evaluate_with<false>(s, numbers, out);
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
  InstantPart instant() const override { return E::instant; }

private:
  template <bool Tangent>
  static void evaluate_with(const NaturalStep& s, const NaturalNumbers& numbers, NaturalSystem& out) {
    static_assert(sizeof(Numbers) <= sizeof(NaturalNumbers) || std::is_empty_v<Numbers>);
    NaturalStepOf<double, V> step;
    NaturalSystemOf<double, V> system{};
    for (int a = 0; a < V; ++a)
      for (int i = 0; i < 3; ++i) {
        step.q_n[a][i] = s.q_n[3 * a + i];
        step.q_n1[a][i] = s.q_n1[3 * a + i];
        step.q_m[a][i] = s.q_m[3 * a + i];
      }
    step.inv_h = s.inv_h;
    Numbers known;
    if constexpr (!std::is_empty_v<Numbers>)
      std::memcpy(&known, numbers.data(), sizeof known); // doubles alone
    E::template natural<Tangent>(step, known, system);
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

  /// What the equations know of a step: loads at its middle.
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const final {
    const double middle = s.t + s.h / 2;
    equations_->evaluate(s, numbers(middle, middle), out);
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
