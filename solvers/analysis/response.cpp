#include "solvers/analysis/response.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace emmy {

namespace {

/// Roundings in a product with a row of K: some ten neighbours with twelve unknowns each.
constexpr double products = 100;

/// Sizes of the entries of K whose rounding may add to the stiffness of an unknown [N/m], [N m]. Elements compute the
/// three unknowns of a point or a rotation together, so a zero among them, such as that of a link about its own axis,
/// is as inexact as its neighbours.
VecX rounding_sizes(const SparseMatrix& K, const VecX& mass, const Model& model) {
  VecX size = VecX::Zero(K.rows());
  for (Index j = 0; j < K.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it)
      size[it.row()] = std::max(size[it.row()], std::abs(it.value()) * std::sqrt(mass[it.row()] / mass[j]));
  for (const Node& node : model.nodes())
    for (Index first = 0; first < node.unknowns(); first += 3) {
      auto triple = size.segment(node.unknown + first, std::min<Index>(3, node.unknowns() - first));
      triple.setConstant(triple.maxCoeff());
    }
  return size;
}

} // namespace

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

MotionStiffness stiffness_of(const VecX& x, const VecX& l, const Model& model, const Statics& s,
                             const MassMetric& metric, double largest, double imbalance) {
  const SparseMatrix K = symmetric(s.K);
  const double terms =
      x.cwiseAbs2().dot(rounding_sizes(K, metric.diagonal, model)) + l.cwiseAbs().dot(s.G.cwiseAbs() * x.cwiseAbs());
  const double inexact = products * std::numeric_limits<double>::epsilon(); // also x, which adds energy by its square
  return {x.dot(K * x) + l.cwiseAbs2().dot(s.F.diagonal()),
          (inexact + imbalance) * terms + inexact * inexact * largest * x.dot(metric.W * x)};
}

DampedResponse::DampedResponse(const Statics& s, const SparseMatrix& C, const MassMetric& metric, double stiffness,
                               double shift, MatX free)
    : mass_(metric.W), C_(symmetric(C)), scale_(metric.diagonal.cwiseSqrt()), free_(std::move(free)), shift_(shift),
      rows_(s.phi.size()) {
  const SparseMatrix K = symmetric(s.K);
  while (!saddle_.factor(K + shift_ * C_ + shift_ * shift_ * mass_, s.G, s.F.diagonal(), metric.row_scales(s.G),
                         std::max(shift_ * shift_, stiffness)))
    shift_ *= 2;
}

// With x2 = s x1 the equations are s (x1, M x2) = (x2, -K x1 - C x2). For (u1, u2) from (w1, w2) they are solved by
// u2 = w1 + shift u1 and (M shift² + C shift + K) u1 + G^T l = -M (w2 + shift w1) - C w1.
VecX DampedResponse::operator*(const VecX& w) const {
  const Index n = mass_.rows();
  const VecX w1 = without_free(w.head(n).cwiseQuotient(scale_)), w2 = without_free(w.tail(n).cwiseQuotient(scale_));
  VecX u, l;
  saddle_.solve(-(mass_ * (w2 + shift_ * w1) + C_ * w1), VecX::Zero(rows_), u, l);
  u = without_free(u);
  VecX result(2 * n);
  result << scale_.cwiseProduct(u), scale_.cwiseProduct(w1 + shift_ * u);
  return result;
}

Eigen::VectorXcd DampedResponse::shape(const Eigen::VectorXcd& w) const {
  return w.head(mass_.rows()).cwiseQuotient(scale_);
}

} // namespace emmy
