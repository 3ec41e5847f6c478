#include "contact/problem/island.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::contact {

void Island::apply(const Vectors& r, Vectors& u) const {
  u.resize(r.size());
  W->apply(flat(r), flat(u));
  ++applications;
}

void Island::velocities(const Vectors& r, Vectors& u) const {
  apply(r, u);
  flat(u) += flat(q);
}

Residual Island::residual(const Vectors& r, const Vectors& u) const {
  Residual out;
  for (std::size_t j = 0; j < size(); ++j) {
    const double phi = law_residual(laws[j], D[j], r[j], u[j]).phi.norm() / v_s;
    if (phi <= out.value)
      continue;
    out = {phi, static_cast<Index>(j)};
    if (std::isnan(phi))
      break;
  }
  return out;
}

bool Island::is_jam(const Vectors& direction) const {
  const double length = flat(direction).norm();
  if (!(length > 0))
    return false;
  Vectors moved;
  apply(direction, moved);
  const double stiffest = *std::max_element(D.begin(), D.end());
  return flat(moved).norm() <= 1e-8 * stiffest * length &&
         flat(q).dot(flat(direction)) < -1e-8 * flat(q).norm() * length; // [R23]; the last factor is for rounding
}

} // namespace emmy::contact
