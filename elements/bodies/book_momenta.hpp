#pragma once
/// Books of one body; momenta.hpp has what is entered.

#include "core/ledger.hpp"
#include "elements/bodies/momenta.hpp"
#include "elements/bodies/plain.hpp"

namespace emmy {

inline void book_momenta(const BodyMomenta<double>& of, StepBooks& books) {
  const auto p = of_eigen(of.linear), l = of_eigen(of.angular);
  books.kinetic += of.kinetic;
  books.linear_momentum += p;
  books.angular_momentum += l;
  books.linear_momentum_sum += p.norm();
  books.angular_momentum_sum += l.norm();
}

/// What the ground gives to a body without a joint: an impulse, and its moment about the origin.
inline void book_answer_of_ground(const Vec3& impulse, const Vec3& moment, StepBooks& books) {
  books.impulse += impulse;
  books.angular_impulse += moment;
  books.impulse_sum += impulse.norm();
  books.angular_impulse_sum += moment.norm();
}

} // namespace emmy
