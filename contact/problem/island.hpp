#pragma once
/// One island of a contact problem, as the methods that solve it see it. Impulses and velocities are vectors in space,
/// one a contact.

#include "contact/problem/free_compliance.hpp"
#include "contact/problem/law.hpp"

namespace emmy::contact {

using Vectors = std::vector<Vec3>;

inline Eigen::Map<VecX> flat(Vectors& x) {
  return {x.empty() ? nullptr : x[0].data(), 3 * static_cast<Index>(x.size())};
}
inline Eigen::Map<const VecX> flat(const Vectors& x) {
  return {x.empty() ? nullptr : x[0].data(), 3 * static_cast<Index>(x.size())};
}

struct Residual {
  double value = 0; ///< largest |phi| [R4], in units of v_s
  Index worst = -1; ///< contact where it is
};

struct Island {
  const Compliance* W = nullptr; ///< of the contacts of the island alone
  Vectors q;
  std::vector<ContactLaw> laws;
  std::vector<Mat3> own;         ///< blocks of W of each contact with itself, or upper bounds of them
  std::vector<double> D;         ///< a third of their traces, > 0 [R3]
  double v_s = 0;                ///< > 0
  long most_applications = 0;    ///< budget
  mutable long applications = 0; ///< that were used up

  std::size_t size() const { return q.size(); }
  bool spent() const { return applications >= most_applications; }
  /// u = W r.
  void apply(const Vectors& r, Vectors& u) const;
  /// u = W r + q.
  void velocities(const Vectors& r, Vectors& u) const;
  Residual residual(const Vectors& r, const Vectors& u) const;
  /// Whether the impulses have become a jam [R23]: a direction in which contacts press on one another without moving
  /// anything, while the free motion presses them further.
  bool is_jam(const Vectors& direction) const;
};

} // namespace emmy::contact
