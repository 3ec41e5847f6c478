#pragma once
/// Uniform gravity on one body: V = -M g . x, a constant force, hence its own discrete gradient.
///
///   M, g   mass_, g_   mass [kg], acceleration of free fall [m/s²]
///   x      q           centre of mass [m]

#include "core/natural_interaction.hpp"
#include "elements/forces/load_equations.hpp"

namespace emmy {

class Gravity final : public NaturalInteractionOf<WeightEquations> {
public:
  Gravity(std::string name, const Ports& ports, Index port, double mass, const Vec3& g);
  double potential(const NaturalStep& s) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

private:
  NaturalNumbers numbers(double from, double to) const override;
  Vec3 weight_; // M g
};

} // namespace emmy
