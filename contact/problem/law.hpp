#pragma once
/// The law of a contact as an equation phi(r, u) = 0 [R4], with impulses and velocities as vectors in space [Q8].

#include "contact/problem/contact_problem.hpp"

namespace emmy::contact {

/// phi = D (r - r'), where r' is the impulse next to tau = r - u / D that the law allows [m/s]. D > 0 is a third of the
/// trace of the contact's own block of W [R3].
struct LawResidual {
  Vec3 phi;
  Mat3 slope; ///< J = dr'/dtau: [Q9] has A = 1 - J and B = J / D
};
LawResidual law_residual(const ContactLaw& law, double D, const Vec3& r, const Vec3& u);

/// Grade of a residual in units of the velocity scale [R4]; `good` is 1e-8 there.
SolveGrade grade(double residual, double good);

} // namespace emmy::contact
