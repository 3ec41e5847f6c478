#pragma once
/// The contact problem without friction as numbers along the normals: P >= 0, w = A P + q >= 0, P w = 0 [C27]. These
/// are the conditions for the minimum of f = P A P / 2 + q P over P >= 0.

#include "contact/problem/island.hpp"

namespace emmy::contact {

using Numbers = std::vector<double>;

class NormalProblem {
public:
  /// Starts from the impulses r, or from none if those would be worse.
  void begin(const Island& island, const Vectors& r);
  /// r = P n.
  void spread(const Numbers& impulses, Vectors& r) const;

  std::size_t size() const { return P.size(); }
  /// A x.
  void apply(const Numbers& x, Numbers& Ax);
  /// A x + q.
  void velocities(const Numbers& x, Numbers& out);
  /// w for the present P.
  void renew() { velocities(P, w); }
  double energy(const Numbers& impulses, const Numbers& velocities) const;
  /// Largest |min(a P, w)|: zero in the solution.
  double residual() const;
  /// Rounding that any w has.
  double floor() const;

  Numbers P; ///< impulses
  Numbers w; ///< velocities
  Numbers q; ///< velocities without impulses
  Numbers a; ///< diagonal of A, or an upper bound of it; > 0

private:
  const Island* island_ = nullptr;
  Vectors r_, u_;
};

} // namespace emmy::contact
