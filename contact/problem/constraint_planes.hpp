#pragma once
/// Algorithm K: conjugate gradients on constraint planes, for unilateral contacts without friction.
///
/// A contact with P = 0 lies on its plane; the others are free. On these conjugate gradients run, with the diagonal of
/// A as preconditioner. Contacts join them where w < 0, as soon as these are further from their solution than the free
/// ones, and leave where their impulses would become negative: then the whole step is projected on the planes, so that
/// many may leave at once.
/// Sets of up to some hundred contacts are finished by Newton's method on the free set. Larger ones are left to
/// conjugate gradients down to the floor of rounding, which redundant contacts do not disturb.

#include "contact/problem/free_set_newton.hpp"

namespace emmy::contact {

class ConstraintPlanes {
public:
  /// `r` is where to start from, and the result. Returns the number of iterations. If contacts seem to press on one
  /// another without end, `jam` becomes the direction in which they do; otherwise it is empty.
  int solve(const Island& island, Vectors& r, Vectors& jam);

private:
  int conjugate_gradients(const Island& island, double tolerance, int most);
  /// Sets d_ downhill; returns its slope, < 0.
  double choose_direction(bool fresh, bool joining);
  /// Takes the step alpha d that some contacts end, from alpha_max on along their planes if that is better.
  void take_projected(double alpha, double alpha_max);

  NormalProblem problem_;
  FreeSetNewton newton_;
  Numbers d_, Ad_, w_old_;
  double length_old_ = 0; ///< w / a . w of the free set in the iteration before
  Numbers P_trial_, w_trial_, P_best_;
  Numbers jam_;
};

} // namespace emmy::contact
