#pragma once
/// Uniform gravity on one body: V = -M g . x, a constant force, hence its own discrete gradient.
///
///   M, g   mass_, g_   mass [kg], acceleration of free fall [m/s²]
///   x      q           centre of mass [m]

#include "core/interaction.hpp"

namespace emmy {

class Gravity final : public Interaction {
public:
  Gravity(std::string name, const Ports& ports, Index port, double mass, const Vec3& g);
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override;
  NaturalPattern natural_pattern() const override;
  double potential(const NaturalStep& s) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

private:
  Vec3 weight_; // M g
};

} // namespace emmy
