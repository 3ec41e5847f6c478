#pragma once
/// The contact problem without mechanics: impulses r and relative velocities u = W r + q that obey a law at every
/// contact. u is what is left after targets are taken off [R1].

#include "contact/problem/compliance.hpp"
#include "core/growing_vector.hpp"

namespace emmy::contact {

struct ContactLaw {
  enum class Kind {
    unilateral, ///< 0 <= P, u_n >= 0, P u_n = 0; Coulomb across the normal
    both_sided  ///< u = 0: a point that always sticks [Q15]
  };
  Kind kind = Kind::unilateral;
  Vec3 normal = Vec3::UnitZ();
  double friction = 0; ///< mu
};

struct ContactProblem {
  const Compliance& W;
  GrowingVector q;              ///< u without impulses [m/s]
  std::vector<ContactLaw> laws; ///< one a contact
  double velocity_scale = 0;    ///< least v_s [R3] that residuals are measured by; an island's largest |q| may be more
};

enum class SolveGrade { converged, good, usable, poor, jam }; ///< [R4], [R23]

struct SolveReport {
  SolveGrade grade = SolveGrade::converged;
  double residual = 0; ///< largest |phi| of [R4], in units of the velocity scale
  Index worst = -1;    ///< contact where it is
  int iterations = 0;
  long applications = 0;     ///< of W, or what costs as much
  std::vector<Index> jammed; ///< contacts that press on one another without end [R23]
};

} // namespace emmy::contact
