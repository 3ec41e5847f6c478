#pragma once
/// Applied force at a body point and applied torque on a body, with constant components in space or in the body. They
/// have no potential: what they do is booked as work.

#include "core/interaction.hpp"

namespace emmy {

/// Axes in which the components of a load are constant.
enum class LoadAxes { space, body };

/// Force f [N] at a body point X: acting force f (space) or the mean of Q f (body) over the step, work f . dX.
class AppliedForce final : public Interaction {
public:
  AppliedForce(std::string name, const Ports& ports, Index port, const Vec3& at, const Vec3& f, LoadAxes axes);
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override;
  bool external() const override { return true; }
  std::string row_name(Index i) const override;

private:
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  Vec3 f_;
  LoadAxes axes_;
};

/// Torque m [N m]. A port knows forces on its base vectors, not torques: the torque is spread as F_i = c x q_i with
///   (tr B 1 - B) c = m,   B = sum of q_i q_i^T,   all at the mean configuration,                           [T17]
/// so that sum of q_i x F_i = m whatever the strain of the base vectors.
class AppliedTorque final : public Interaction {
public:
  AppliedTorque(std::string name, const Ports& ports, Index port, const Vec3& m, LoadAxes axes);
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override;
  bool external() const override { return true; }
  std::string row_name(Index i) const override;

private:
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  Vec3 m_;
  LoadAxes axes_;
};

} // namespace emmy
