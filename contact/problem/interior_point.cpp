#include "contact/problem/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

namespace {

constexpr double sticks_epsilon = 1e-7; // [Q12], [Q15]

/// x_0^2 - |x_t|^2.
double square(const Vec3& x) {
  const double length = x.tail<2>().norm();
  return (x[0] - length) * (x[0] + length);
}

/// Product of the algebra of the cone, and what undoes it.
Vec3 product(const Vec3& a, const Vec3& b) {
  Vec3 out;
  out << a.dot(b), a[0] * b.tail<2>() + b[0] * a.tail<2>();
  return out;
}
Vec3 quotient(const Vec3& c, const Vec3& a) {
  Vec3 out;
  out[0] = (a[0] * c[0] - a.tail<2>().dot(c.tail<2>())) / square(a);
  out.tail<2>() = (c.tail<2>() - out[0] * a.tail<2>()) / a[0];
  return out;
}

/// How far one can go from x inside the cone along d before one leaves it.
double way_out(const Vec3& x, const Vec3& d) {
  const double a = square(d), b = x[0] * d[0] - x.tail<2>().dot(d.tail<2>()), c = square(x);
  const double divisor = std::sqrt(std::max(0.0, b * b - a * c)) - b; // below zero only by rounding, near the apex
  return divisor > 0 ? c / divisor : std::numeric_limits<double>::infinity();
}

} // namespace

void InteriorPoint::begin(const Island& island) {
  const std::size_t m = island.size();
  cones_.resize(m);
  r_.assign(m, Vec3::Zero());
  S_.resize(m);
  b_.resize(m);
  s_ = 0;
  for (std::size_t j = 0; j < m; ++j) {
    const ContactLaw& law = island.laws[j];
    Cone& cone = cones_[j];
    cone.exists = law.kind == ContactLaw::Kind::unilateral;
    if (!cone.exists)
      continue;
    const Vec3 t = law.normal.unitOrthogonal();
    cone.Q.setZero(); // [R13]
    if (law.friction > 0)
      cone.Q << law.normal / law.friction, t, law.normal.cross(t);
    else
      cone.Q.col(0) = law.normal;
    const double trace = (cone.Q.transpose() * island.own[j] * cone.Q).trace();
    cone.Q /= std::sqrt(trace / (law.friction > 0 ? 3 : 1)); // [R14]
    cone.Q_inverse.setZero();
    if (law.friction > 0)
      cone.Q_inverse = cone.Q.inverse();
    else
      cone.Q_inverse.row(0) = cone.Q.col(0).transpose() / cone.Q.col(0).squaredNorm();
    s_ = std::max(s_, (cone.Q.transpose() * island.q[j]).cwiseAbs().maxCoeff());
    cone.z = cone.y = Vec3::UnitX();
    cone.dz = cone.dy = Vec3::Zero();
  }
}

void InteriorPoint::scale(Cone& cone) const {
  const double length_z = std::sqrt(square(cone.z)), length_y = std::sqrt(square(cone.y));
  const Vec3 z = cone.z / length_z, y = cone.y / length_y;
  const double gamma = std::sqrt((1 + z.dot(y)) / 2);
  const Vec3 mirrored(z[0], -z[1], -z[2]);
  const Vec3 w = (y + mirrored) / (2 * gamma);
  const double beta = std::sqrt(length_y / length_z);
  Mat3 unit;
  unit << w[0], w[1], w[2], w[1], 1 + w[1] * w[1] / (1 + w[0]), w[1] * w[2] / (1 + w[0]), w[2],
      w[1] * w[2] / (1 + w[0]), 1 + w[2] * w[2] / (1 + w[0]);
  cone.scaling = beta * unit;
  unit.row(0).tail<2>() *= -1;
  unit.col(0).tail<2>() *= -1;
  cone.scaling_inverse = unit / beta;
  cone.lambda = cone.scaling * cone.z;
  cone.N.setIdentity();
  const double slip = cone.y.tail<2>().norm();
  if (slip > 0)
    cone.N.row(0).tail<2>() = -cone.y.tail<2>().transpose() / slip;                // [R15]
  cone.H_inverse = cone.scaling_inverse * cone.scaling_inverse * cone.N.inverse(); // H = N N_z^2
}

bool InteriorPoint::factor(const Island& island, ImpulseEquations& equations) {
  for (std::size_t j = 0; j < cones_.size(); ++j) {
    Cone& cone = cones_[j];
    if (!cone.exists) {
      S_[j] = Mat3::Identity() / (sticks_epsilon * island.D[j]); // [Q15]
      continue;
    }
    scale(cone);
    cone.defect = cone.Q.transpose() * u_[j] / s_ - cone.y;
    cone.defect[0] += cone.y.tail<2>().norm();
    S_[j] = cone.Q * cone.H_inverse * cone.Q.transpose();
  }
  return equations.factor(S_);
}

/// (W' + H) dz = N N_z c - defect with W' = Q^T W Q, and N dy = W' dz + defect [R15].
void InteriorPoint::find_step(const Island& island, ImpulseEquations& equations) {
  for (std::size_t j = 0; j < cones_.size(); ++j) {
    Cone& cone = cones_[j];
    b_[j] = cone.exists ? Vec3(cone.Q * cone.H_inverse * (cone.N * cone.scaling * cone.aim - cone.defect))
                        : Vec3(-S_[j] * u_[j] / s_);
  }
  equations.solve(b_, dr_);
  island.apply(dr_, W_dr_);
  for (std::size_t j = 0; j < cones_.size(); ++j) {
    Cone& cone = cones_[j];
    if (!cone.exists)
      continue;
    const Vec3 moved = cone.Q.transpose() * W_dr_[j];
    cone.dz = cone.Q_inverse * dr_[j];
    cone.dy = cone.N.inverse() * (moved + cone.defect);
  }
}

/// Mean of z . y after a part alpha of the step.
double InteriorPoint::gap(double alpha) const {
  double sum = 0, count = 0;
  for (const Cone& cone : cones_)
    if (cone.exists) {
      sum += (cone.z + alpha * cone.dz).dot(cone.y + alpha * cone.dy);
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

double InteriorPoint::step_length(double share) const {
  double alpha = 1;
  for (const Cone& cone : cones_)
    if (cone.exists)
      alpha = std::min({alpha, share * way_out(cone.z, cone.dz), share * way_out(cone.y, cone.dy)});
  return alpha;
}

int InteriorPoint::solve(const Island& island, ImpulseEquations& equations, double tolerance, int most, Vectors& r,
                         Residual& residual, Vectors& last) {
  begin(island);
  double best = std::numeric_limits<double>::infinity();
  int i = 0;
  for (int best_at = 0; i < most && !island.spent() && s_ > 0; ++i) {
    for (std::size_t j = 0; j < cones_.size(); ++j)
      if (cones_[j].exists)
        r_[j] = s_ * (cones_[j].Q * cones_[j].z);
    if (!flat(r_).allFinite())
      break;
    island.velocities(r_, u_);
    const Residual present = island.residual(r_, u_);
    if (present.value < residual.value) {
      residual = present;
      r = r_;
    }
    if (present.value < 0.999 * best) {
      best = present.value;
      best_at = i;
    }
    last = r_;
    if (present.value <= tolerance || i - best_at >= 12 || !factor(island, equations)) // [R15]
      break;
    const double g = gap(0);
    for (Cone& cone : cones_)
      cone.aim = -cone.lambda;
    find_step(island, equations);
    const double centring = std::pow(gap(step_length(1)) / g, 3); // [R14]
    for (Cone& cone : cones_)
      if (cone.exists)
        cone.aim = quotient(centring * g * Vec3::UnitX() - product(cone.lambda, cone.lambda) -
                                product(cone.scaling * cone.dz, cone.scaling_inverse * cone.dy),
                            cone.lambda);
    find_step(island, equations);
    const double alpha = step_length(0.99);
    for (std::size_t j = 0; j < cones_.size(); ++j) {
      Cone& cone = cones_[j];
      if (cone.exists) {
        cone.z += alpha * cone.dz;
        cone.y += alpha * cone.dy;
      } else {
        r_[j] += alpha * s_ * dr_[j];
      }
    }
  }
  return i;
}

} // namespace emmy::contact
