#include "contact/problem/pivoted_cholesky.hpp"

#include <cmath>

namespace emmy::contact {

namespace {

/// Of pivots, relative to a diagonal of 1: what is left of a row that depends on the others is a sum of as many
/// products as it has entries, each rounded.
constexpr double threshold = 1e-13;

/// As std::vector wants it.
std::size_t position(Index i) {
  return static_cast<std::size_t>(i);
}

} // namespace

Eigen::Map<MatX> PivotedCholesky::matrix(Index n) {
  n_ = n;
  a_.resize(static_cast<std::size_t>(n * n));
  return held();
}

void PivotedCholesky::factor() {
  Eigen::Map<MatX> L = held();
  order_.resize(static_cast<std::size_t>(n_));
  for (Index i = 0; i < n_; ++i)
    order_[position(i)] = i;
  for (rank_ = 0; rank_ < n_; ++rank_) {
    const Index k = rank_, left = n_ - k - 1;
    Index pivot = k;
    for (Index i = k + 1; i < n_; ++i)
      if (L(i, i) > L(pivot, pivot))
        pivot = i;
    if (!(L(pivot, pivot) > threshold))
      break;
    if (pivot != k) { // rows and columns change places; only the lower triangle is kept
      std::swap(order_[position(k)], order_[position(pivot)]);
      std::swap(L(k, k), L(pivot, pivot));
      L.row(k).head(k).swap(L.row(pivot).head(k));
      L.col(k).tail(n_ - pivot - 1).swap(L.col(pivot).tail(n_ - pivot - 1));
      for (Index i = k + 1; i < pivot; ++i)
        std::swap(L(i, k), L(pivot, i));
    }
    L(k, k) = std::sqrt(L(k, k));
    L.col(k).tail(left) /= L(k, k);
    for (Index i = k + 1; i < n_; ++i)
      L.col(i).tail(n_ - i) -= L(i, k) * L.col(k).tail(n_ - i);
  }
  const Index null = n_ - rank_;
  X_.resize(static_cast<std::size_t>(rank_ * null));
  gram_.resize(static_cast<std::size_t>(null * null));
  Eigen::Map<MatX> X(X_.data(), rank_, null), gram(gram_.data(), null, null);
  X = L.bottomLeftCorner(null, rank_).transpose();
  L.topLeftCorner(rank_, rank_).triangularView<Eigen::Lower>().transpose().solveInPlace(X);
  gram = MatX::Identity(null, null);
  gram.noalias() += X.transpose().lazyProduct(X);
  [[maybe_unused]] const Eigen::LLT<Eigen::Ref<MatX>> in_place(gram);
}

void PivotedCholesky::solve(const std::vector<double>& b, std::vector<double>& x, std::vector<double>& null) {
  Eigen::Map<MatX> L = held();
  const Index left = n_ - rank_;
  const Eigen::Map<MatX> X(X_.data(), rank_, left), gram(gram_.data(), left, left);
  work_.resize(b.size());
  x.resize(b.size());
  null.resize(b.size());
  t_.resize(static_cast<std::size_t>(left));
  for (Index i = 0; i < n_; ++i)
    work_[position(i)] = b[position(order_[position(i)])];
  Eigen::Map<VecX> head(work_.data(), rank_), rest(work_.data() + rank_, left), t(t_.data(), left);
  const auto L_11 = L.topLeftCorner(rank_, rank_).triangularView<Eigen::Lower>();
  L_11.solveInPlace(head);
  rest.noalias() -= L.bottomLeftCorner(left, rank_) * head; // what no x reaches
  for (Index i = 0; i < n_; ++i)
    null[position(order_[position(i)])] = i < rank_ ? -X.row(i).dot(rest) : rest[i - rank_];
  L_11.transpose().solveInPlace(head);
  t.noalias() = X.transpose() * head;
  gram.triangularView<Eigen::Lower>().solveInPlace(t);
  gram.triangularView<Eigen::Lower>().transpose().solveInPlace(t);
  head.noalias() -= X * t;
  for (Index i = 0; i < n_; ++i)
    x[position(order_[position(i)])] = i < rank_ ? head[i] : t[i - rank_];
}

} // namespace emmy::contact
