#pragma once
/// Applied force at a body point and applied torque on a body, with components in space or in the body that are
/// constant or functions of time. They act over a step with their value at its middle, so the impulse over many steps
/// is the midpoint rule. They have no potential: what they do is booked as work. Their equations are those of
/// load_equations.hpp.

#include "core/natural_interaction.hpp"
#include "core/time_function.hpp"

#include <array>

namespace emmy {

/// Axes in which the components of a load are given.
enum class LoadAxes { space, body };

/// Components of a load, each a function of time.
class LoadComponents {
public:
  LoadComponents(const Vec3& constant) // NOLINT: a vector is a load that does not change
      : LoadComponents(constant.x(), constant.y(), constant.z()) {}
  LoadComponents(const TimeFunction& x, const TimeFunction& y, const TimeFunction& z);

  bool is_constant() const { return is_constant_; }
  /// Means over a span of time, or values if it has no length.
  Vec3 mean(double from, double to) const {
    return is_constant_ ? constant_ : Vec3(f_[0].mean(from, to), f_[1].mean(from, to), f_[2].mean(from, to));
  }
  Vec3 at(double t) const { return is_constant_ ? constant_ : Vec3(f_[0](t), f_[1](t), f_[2](t)); }

private:
  std::array<TimeFunction, 3> f_;
  bool is_constant_;
  Vec3 constant_ = Vec3::Zero();
};

/// Force f [N] at a body point X: acting force f (space) or the mean of Q f (body) over the step, work f . dX.
class AppliedForce final : public NaturalInteraction {
public:
  AppliedForce(std::string name, const Ports& ports, Index port, const Vec3& at, const LoadComponents& f,
               LoadAxes axes);
  std::string row_name(Index i) const override;

private:
  NaturalNumbers numbers(double from, double to) const override;
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  LoadComponents f_;
};

/// Torque m [N m]. A port knows forces on its base vectors, not torques: the torque is spread as F_i = c x q_i with
///   (tr B 1 - B) c = m,   B = sum of q_i q_i^T,   all at the mean configuration,                           [T17]
/// so that sum of q_i x F_i = m whatever the strain of the base vectors.
class AppliedTorque final : public NaturalInteraction {
public:
  AppliedTorque(std::string name, const Ports& ports, Index port, const LoadComponents& m, LoadAxes axes);
  std::string row_name(Index i) const override;

private:
  NaturalNumbers numbers(double from, double to) const override;
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  LoadComponents m_;
};

} // namespace emmy
