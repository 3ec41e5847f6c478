#include "contact/problem/law.hpp"

namespace emmy::contact {

// Where the normal impulse stays, phi is u itself: as a difference of impulses it would drown in those of a jam.
LawResidual law_residual(const ContactLaw& law, double D, const Vec3& r, const Vec3& u) {
  if (law.kind == ContactLaw::Kind::both_sided)
    return {u, Mat3::Identity()}; // [Q15]
  const Vec3& n = law.normal;
  const Vec3 tau = r - u / D;
  const double tau_n = n.dot(tau);
  if (tau_n <= 0)
    return {D * r, Mat3::Zero()}; // open
  const Vec3 tau_t = tau - tau_n * n;
  const double length = tau_t.norm(), limit = law.friction * tau_n;
  if (length < limit)
    return {u, Mat3::Identity()}; // sticks
  const Vec3 d = length > 0 ? Vec3(tau_t / length) : Vec3::Zero();
  const double k = length > 0 ? limit / length : 0;
  const Mat3 normal = n * n.transpose();
  return {n.dot(u) * n + D * (r - n.dot(r) * n - limit * d), // slips: [R4], [Q9]
          normal + law.friction * d * n.transpose() + k * (Mat3::Identity() - normal - d * d.transpose())};
}

SolveGrade grade(double residual, double good) {
  if (residual <= 1e-12)
    return SolveGrade::converged;
  if (residual <= good)
    return SolveGrade::good;
  return residual <= 1e-5 ? SolveGrade::usable : SolveGrade::poor; // also if it is not a number
}

} // namespace emmy::contact
