#pragma once
/// Books of one body.

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

} // namespace emmy
