#include "contact/problem/free_compliance.hpp"

#include "core/rotation.hpp"

namespace emmy::contact {

Vec3 relative_velocity(const PointContact& contact, const ConstVectorRef& v) {
  Vec3 u = Vec3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    const Index b = contact.body[side];
    if (b < 0)
      continue;
    const Vec3 at_point = v.segment<3>(6 * b) + Vec3(v.segment<3>(6 * b + 3)).cross(contact.arm[side]);
    u += side == 0 ? at_point : Vec3(-at_point); // [Q8]
  }
  return u;
}

void sum_impulses(const BodyForm& form, const ConstVectorRef& r, VectorRef p) {
  p.setZero();
  for (std::size_t j = 0; j < form.contacts.size(); ++j)
    for (std::size_t side = 0; side < 2; ++side) {
      const PointContact& contact = form.contacts[j];
      const Index b = contact.body[side];
      if (b < 0)
        continue;
      const Vec3 on_body = (side == 0 ? 1 : -1) * r.segment<3>(3 * static_cast<Index>(j));
      p.segment<3>(6 * b) += on_body;
      p.segment<3>(6 * b + 3) += contact.arm[side].cross(on_body); // [C1]
    }
}

void relative_velocities(const BodyForm& form, const ConstVectorRef& v, VectorRef u) {
  for (std::size_t j = 0; j < form.contacts.size(); ++j)
    u.segment<3>(3 * static_cast<Index>(j)) = relative_velocity(form.contacts[j], v);
}

void mean_velocities(const BodyForm& form, VectorRef p) {
  for (std::size_t b = 0; b < form.inverse_mass.size(); ++b) {
    const Index at = 6 * static_cast<Index>(b);
    p.segment<3>(at) *= form.inverse_mass[b] / 2;
    p.segment<3>(at + 3) = form.inverse_inertia[b] * Vec3(p.segment<3>(at + 3)) / 2;
  }
}

void add_velocities(const BodyForm& form, const PointContact& contact, const Vec3& r, VectorRef v) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (contact.body[side] < 0)
      continue;
    const auto b = static_cast<std::size_t>(contact.body[side]);
    const Vec3 half = side == 0 ? Vec3(r / 2) : Vec3(-r / 2);
    v.segment<3>(6 * contact.body[side]) += form.inverse_mass[b] * half;
    v.segment<3>(6 * contact.body[side] + 3) += form.inverse_inertia[b] * contact.arm[side].cross(half);
  }
}

void FreeCompliance::apply(const ConstVectorRef& r, VectorRef u) const {
  v_.resize(6 * form_.inverse_mass.size());
  Eigen::Map<VecX> v(v_.data(), static_cast<Index>(v_.size()));
  sum_impulses(form_, r, v);
  mean_velocities(form_, v);
  relative_velocities(form_, v, u);
}

Mat3 FreeCompliance::own(Index j) const {
  const PointContact& contact = form_.contacts[static_cast<std::size_t>(j)];
  Mat3 W = Mat3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (contact.body[side] < 0)
      continue;
    const auto b = static_cast<std::size_t>(contact.body[side]);
    const Mat3 A = skew(contact.arm[side]);
    W += (form_.inverse_mass[b] * Mat3::Identity() - A * form_.inverse_inertia[b] * A) / 2; // [R2]
  }
  return W;
}

} // namespace emmy::contact
