#include "solvers/response.hpp"

#include <algorithm>

namespace emmy {

Response::Response(const Statics& s, const MassMetric& metric, double stiffness, double shift)
    : mass_(metric.W), shift_(shift), rows_(s.phi.size()) {
  const SparseMatrix K = symmetric(s.K);
  while (
      !saddle_.factor(K + shift_ * metric.W, s.G, s.F.diagonal(), metric.row_scales(s.G), std::max(shift_, stiffness)))
    shift_ *= 4;
}

void Response::solve(const VecX& v, VecX& x, VecX& l) const {
  saddle_.solve(mass_.permutationPinv() * VecX(mass_.matrixL() * v), VecX::Zero(rows_), x, l);
}

VecX Response::operator*(const VecX& v) const {
  VecX x, l;
  solve(v, x, l);
  return mass_.matrixU() * VecX(mass_.permutationP() * x);
}

} // namespace emmy
