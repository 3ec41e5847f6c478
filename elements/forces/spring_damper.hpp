#pragma once
/// Spring and damper between two points a and b of bodies or of the ground: V = k (L - L0)²/2 [T8], and a damper with
/// the force c dL/dt along the line between them.
///
///   d    d     X_b - X_a, L = |d| [m]
///   l    l     L_n + L_n1 [m]
///   dL   dL    L_n1 - L_n = 2 d_m . (d_n1 - d_n) / l, without the cancellation of two lengths [m]
///   F    F     mean tension over the step, see SpringLaw [N]
///   S    S     F per length, S = 2 F / l: k (1 - 2 L0/l) [T10] and the damper [N/m]
///
/// The force S d_m is central in the mean configuration, so momenta are conserved, and does the work F dL. A free
/// length of 0 is a spring without singularity, S = k. With L0 > 0 points that coincide have no line to act along, and
/// the spring does nothing until they part.

#include "core/interaction.hpp"
#include "elements/forces/spring_law.hpp"

namespace emmy {

class SpringDamper final : public Interaction {
public:
  /// `a` and `b` are points: body_point().
  SpringDamper(std::string name, const Ports& ports, const NaturalVariable& a, const NaturalVariable& b,
               const SpringLaw& law);
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override; // [T10], [T12]
  void evaluate_instant(const NaturalInstant& s, InstantForces& out) const override;
  bool is_configurational() const override { return !depends_on_rates(); }
  bool depends_on_rates() const override { return law_.c != 0; }
  double potential(const NaturalStep& s) const override; // [T8]
  std::string row_name(Index i) const override;
  bool bends() const override { return law_.y0 != 0 || law_.c != 0; }
  double bending_length(const Step& s, const PortMotions& motions) const override;

  /// Mean tension over the step [N].
  double force(const Step& s, const PortMotions& motions) const;
  /// Length at the end of the step [m].
  double length(const Step& s, const PortMotions& motions) const;

private:
  struct Stretch;
  Stretch stretch(const NaturalStep& s) const;
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override;
  SpringLaw law_;
};

} // namespace emmy
