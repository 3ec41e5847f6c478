#pragma once
/// Compliance of free bodies that nothing connects but contact: W = G^T M^-1 G / 2 ([R2]; [C28] for short steps). G
/// takes impulses at contacts to bodies, G^T velocities of bodies to contacts. Of each body there are six numbers:
/// impulse and its moment about the centre, or velocity and angular velocity.

#include "contact/problem/compliance.hpp"

namespace emmy::contact {

/// p = G r.
void sum_impulses(const BodyForm& form, const ConstVectorRef& r, VectorRef p);
/// u = G^T v.
void relative_velocities(const BodyForm& form, const ConstVectorRef& v, VectorRef u);
/// Impulses of bodies become the mean velocities that they cause in a step: M^-1 p / 2.
void mean_velocities(const BodyForm& form, VectorRef p);
/// One contact alone: relative velocity there, and what an impulse there adds to the mean velocities of bodies.
Vec3 relative_velocity(const PointContact& contact, const ConstVectorRef& v);
void add_velocities(const BodyForm& form, const PointContact& contact, const Vec3& r, VectorRef v);

class FreeCompliance final : public Compliance {
public:
  /// To be filled anew whenever bodies or contacts change: nothing else is kept.
  BodyForm& form() { return form_; }

  Index contacts() const override { return static_cast<Index>(form_.contacts.size()); }
  void apply(const ConstVectorRef& r, VectorRef u) const override;
  Mat3 own(Index j) const override;
  std::array<Index, 2> parts(Index j) const override { return form_.contacts[static_cast<std::size_t>(j)].body; }
  const BodyForm* bodies() const override { return &form_; }

private:
  BodyForm form_;
  mutable std::vector<double> v_; ///< of bodies, during `apply`
};

} // namespace emmy::contact
