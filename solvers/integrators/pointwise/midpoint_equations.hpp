#pragma once
/// Midpoint rule: bodies by their own two-point form, forces at the mean configuration and in the middle of the time.

#include "solvers/integrators/pointwise/pointwise_equations.hpp"

namespace emmy {

class MidpointEquations final : public PointwiseEquations {
public:
  /// Throws std::invalid_argument for bodies whose own equations are no midpoint rule, and for forces that depend on
  /// velocities.
  explicit MidpointEquations(const Model& model);

  double acceleration_factor() const override { return 2; }

private:
  void evaluate_body(const Step& s, const Body& body, LocalSystem& out) const override {
    body.evaluate({s, motions()}, out);
  }
  void add_body_magnitude(const Step& s, const Body& body, VectorRef size) const override {
    body.add_magnitude({s, motions()}, size);
  }
};

} // namespace emmy
