#pragma once
/// Interior point method for contacts with friction [R13] to [R15]: robust from afar, where semismooth Newton fails,
/// and less exact at the end.
///
/// In axes (normal, two tangents) z = (mu P, I_t) and y = (u_n / mu + |u_t|, u_t) both lie in the cone x_0 >= |x_t| and
/// are perpendicular. The term |u_t| makes this Coulomb's law. Both stay inside the cone, and their product is lowered
/// step by step. A contact without friction has the first of the three numbers alone.

#include "contact/problem/impulse_equations.hpp"

namespace emmy::contact {

class InteriorPoint {
public:
  /// Starts from its own point. `r` and `residual` are replaced by what is found if that is better. Returns the number
  /// of iterations. `last` is where it ended: in a jam [R23] it grows without end.
  int solve(const Island& island, ImpulseEquations& equations, double tolerance, int most, Vectors& r,
            Residual& residual, Vectors& last);

private:
  struct Cone {
    Mat3 Q; ///< r = s Q z, and u' = Q^T u / s is y without the term |u_t| [R14]
    Mat3 Q_inverse;
    Vec3 z, y;
    Vec3 defect;                   ///< u' + |y_t| e_0 - y
    Vec3 lambda;                   ///< N_z z = N_z^-1 y
    Mat3 scaling, scaling_inverse; ///< N_z, of Nesterov and Todd
    Mat3 N;                        ///< [R15]
    Mat3 H_inverse;                ///< of H = N N_z^2 [R15]
    Vec3 aim;                      ///< c in N_z dz + N_z^-1 dy = c
    Vec3 dz, dy;
    bool exists; ///< false for a contact that always sticks
  };

  void begin(const Island& island);
  void scale(Cone& cone) const;
  bool factor(const Island& island, ImpulseEquations& equations);
  void find_step(const Island& island, ImpulseEquations& equations);
  double gap(double alpha) const;
  double step_length(double share) const;

  std::vector<Cone> cones_;
  double s_ = 0;
  Vectors r_, u_, b_, dr_, W_dr_;
  std::vector<Mat3> S_;
};

} // namespace emmy::contact
