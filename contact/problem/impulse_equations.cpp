#include "contact/problem/impulse_equations.hpp"

#include "core/rotation.hpp"

namespace emmy::contact {

namespace {

constexpr Index most_dense_bodies = 25; // [R8]

} // namespace

bool ImpulseEquations::begin(const Island& island) {
  island_ = &island;
  form_ = island.W->bodies();
  const auto m = static_cast<Index>(island.size());
  if (form_ == nullptr) {
    n_ = 3 * m;
    if (island.applications + n_ > island.most_applications)
      return false;
    form_W();
    sparse_ = false;
    return true;
  }
  n_ = 6 * static_cast<Index>(form_->inverse_mass.size());
  sparse_ = n_ > 6 * most_dense_bodies;
  if (sparse_ && graph_.begin(*form_))
    sparse_lu_.analyzePattern(graph_.matrix());
  return true;
}

void ImpulseEquations::form_W() {
  W_.resize(static_cast<std::size_t>(n_ * n_));
  Vectors unit(island_->size(), Vec3::Zero());
  for (Index i = 0; i < n_; ++i) {
    flat(unit)[i] = 1;
    island_->apply(unit, u_);
    flat(unit)[i] = 0;
    std::copy_n(flat(u_).data(), n_, W_.data() + i * n_);
  }
}

/// 1 + M^-1 G S G^T / 2.
template <class Matrix>
void ImpulseEquations::add_bodies(Matrix&& matrix) const {
  for (Index b = 0; 6 * b < n_; ++b)
    matrix.add(b, b, Mat6::Identity());
  for (std::size_t j = 0; j < form_->contacts.size(); ++j) {
    const PointContact& contact = form_->contacts[j];
    std::array<Eigen::Matrix<double, 6, 3>, 2> G, moved; // of slave and master; moved: M^-1 G / 2
    for (std::size_t side = 0; side < 2; ++side) {
      if (contact.body[side] < 0)
        continue;
      const auto b = static_cast<std::size_t>(contact.body[side]);
      const double sign = side == 0 ? 1 : -1;
      G[side] << sign * Mat3::Identity(), sign * skew(contact.arm[side]);
      moved[side] << form_->inverse_mass[b] / 2 * G[side].topRows<3>(),
          form_->inverse_inertia[b] / 2 * G[side].bottomRows<3>();
    }
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t column = 0; column < 2; ++column)
        if (contact.body[row] >= 0 && contact.body[column] >= 0)
          matrix.add(contact.body[row], contact.body[column], moved[row] * (*S_)[j] * G[column].transpose());
  }
}

bool ImpulseEquations::factor(const std::vector<Mat3>& S) {
  struct Dense {
    Eigen::Map<MatX> values;
    void add(Index row, Index column, const Mat6& block) { values.block<6, 6>(6 * row, 6 * column) += block; }
  };
  S_ = &S;
  ++island_->applications;
  if (sparse_) {
    graph_.set_zero();
    add_bodies(graph_);
    sparse_lu_.factorize(graph_.matrix());
    return sparse_lu_.info() == Eigen::Success;
  }
  Dense dense{lu_.matrix(n_)};
  if (form_ != nullptr) {
    dense.values.setZero();
    add_bodies(dense);
  } else {
    for (Index j = 0; 3 * j < n_; ++j)
      dense.values.middleRows<3>(3 * j).noalias() = S[static_cast<std::size_t>(j)] * W().middleRows<3>(3 * j);
    dense.values.diagonal().array() += 1;
  }
  return lu_.factor();
}

void ImpulseEquations::solve(const Vectors& b, Vectors& x) {
  x = b;
  if (form_ == nullptr) {
    lu_.solve(flat(x));
    return;
  }
  v_.resize(static_cast<std::size_t>(n_));
  Eigen::Map<VecX> v(v_.data(), n_);
  sum_impulses(*form_, flat(b), v);
  mean_velocities(*form_, v);
  if (sparse_)
    v = VecX(sparse_lu_.solve(v));
  else
    lu_.solve(v);
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] -= (*S_)[j] * relative_velocity(form_->contacts[j], v);
}

} // namespace emmy::contact
