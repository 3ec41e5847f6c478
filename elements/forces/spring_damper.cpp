#include "elements/forces/spring_damper.hpp"

#include <algorithm>
#include <utility>

namespace emmy {

namespace {

Vec3 span(const NaturalVector& q) {
  return q.tail<3>() - q.head<3>();
}

} // namespace

/// The spring over one step; symbols as in the header.
struct SpringDamper::Stretch {
  Vec3 d_n1, d_m;
  double l, dL, F;
};

SpringDamper::SpringDamper(std::string name, const Ports& ports, const NaturalVariable& a, const NaturalVariable& b,
                           const SpringLaw& law)
    : Interaction(std::move(name), "spring damper", ports, {a, b}), law_(law) {}

SpringDamper::Stretch SpringDamper::stretch(const NaturalStep& s) const {
  Stretch x;
  const Vec3 d_n = span(s.q_n);
  x.d_n1 = span(s.q_n1);
  x.d_m = span(s.q_m);
  x.l = d_n.norm() + x.d_n1.norm();
  x.dL = x.l > 0 ? 2 * x.d_m.dot(x.d_n1 - d_n) / x.l : 0;
  x.F = law_.force(x.l / 2, x.dL, s.inv_h);
  return x;
}

void SpringDamper::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const Stretch x = stretch(s);
  const double S = x.l > 0 ? 2 * x.F / x.l : law_.k; // [T10]
  const Vec3 f = S * x.d_m;
  out.r.head<3>() -= f;
  out.r.tail<3>() += f;
  if (!out.tangent)
    return;
  Mat3 k = S / 2 * Mat3::Identity(); // [T12]
  const double L_n1 = x.d_n1.norm();
  if (L_n1 > 0) {
    const double dS_dL = (2 * law_.slope(s.inv_h) - S) / x.l;
    k += x.d_m * (dS_dL / L_n1 * x.d_n1).transpose();
  }
  out.k.block<3, 3>(0, 0) += k;
  out.k.block<3, 3>(3, 3) += k;
  out.k.block<3, 3>(0, 3) -= k;
  out.k.block<3, 3>(3, 0) -= k;
}

void SpringDamper::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  Interaction::evaluate_instant(s, out);
  const Vec3 d = span(s.q);
  const double L_squared = d.squaredNorm();
  if (law_.c == 0 || L_squared == 0)
    return;
  const Vec3 f = law_.c * d.dot(span(s.q_dot)) / L_squared * d;
  out.viscous.head<3>() -= f;
  out.viscous.tail<3>() += f;
}

double SpringDamper::potential(const NaturalStep& s) const {
  return law_.potential(span(s.q_n1).norm());
}

void SpringDamper::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  books.dissipation += law_.dissipation(stretch(s).dL, s.inv_h);
}

std::string SpringDamper::row_name(Index) const {
  return "spring force";
}

double SpringDamper::bending_length(const Step& s, const PortMotions& motions) const {
  const NaturalStep step = natural_step(s, motions);
  return std::min(span(step.q_n).norm(), span(step.q_n1).norm());
}

double SpringDamper::force(const Step& s, const PortMotions& motions) const {
  return stretch(natural_step(s, motions)).F;
}

double SpringDamper::length(const Step& s, const PortMotions& motions) const {
  return span(natural_step(s, motions).q_n1).norm();
}

} // namespace emmy
