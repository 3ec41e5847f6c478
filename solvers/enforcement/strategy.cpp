#include "solvers/enforcement/strategy.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Stiffness r relative to that of the bodies against the constraint, unless given [A14]: joints, contact by rates and
/// contact at the end of the step. Merged with every linear solve it may be large; around Newton the curvature of a
/// contact limits it. Of joints that repeat others it is smaller: what they disagree by costs energy in proportion.
double default_beta(bool merged, bool one_sided, bool rates, bool redundant) {
  if (!one_sided)
    return !merged ? 1e3 : redundant ? 1e5 : 1e7;
  if (!rates)
    return merged ? 1e3 : 1e2;
  return merged ? 1e5 : 1e2;
}

/// That of the bodies against a row, c_a m_eff: the scale of [A14]. A one-sided constraint is switched by it too: any
/// stiffness will do for that, but one so large that force / stiffness is less than the curvature of the constraint in
/// a step would switch for ever.
double natural_stiffness(const ConstraintStart& start, Index i) {
  return start.acceleration * start.effective_mass[i];
}

/// A stiff spring, or one that only pushes [A20].
class Penalty final : public ConstraintStrategy {
public:
  Penalty(const Element& element, const Enforcement& how, const ConstraintLevel& level)
      : ConstraintStrategy(element, how, level), r_(how.stiffness) {}

  void begin(const ConstraintStart& start) override {
    ConstraintStrategy::begin(start);
    phi_n_ = start.phi;
  }

  void pull(const ConstVectorRef& phi, VectorRef lambda) override {
    for (Index i = 0; i < rows(); ++i) {
      const Law law = level().difference_quotient ? quotient(phi_n_[i], phi[i]) : at_point(phi[i]);
      lambda[i] = law.force;
      slope_[i] = law.slope;
    }
  }

  /// Springs push where they are pressed, at one end of the step or at the other.
  bool rests(const ConstVectorRef& phi) const override { return phi.maxCoeff() <= 0; }
  bool rests_by_values() const override { return true; }
  bool has_rested(const ConstVectorRef& phi) const override { return phi.maxCoeff() <= 0; }

  void absorb(LocalSystem& local, double, VectorRef error) override {
    error.setZero();
    if (local.tangent)
      fold_slopes(local);
  }

private:
  struct Law {
    double force, slope;
  };
  Law at_point(double phi) const {
    if (one_sided() && phi <= 0)
      return {0, 0};
    return {r_ * phi, r_};
  }
  /// Mean force that changes the energy r phi²/2, or r (phi^+)²/2, exactly, and its derivative by the value at the end.
  Law quotient(double from, double to) const {
    if (!one_sided() || (from >= 0 && to >= 0))
      return {r_ * (from + to) / 2, r_ / 2};
    if (from <= 0 && to <= 0)
      return {0, 0};
    const double change = to - from; // the signs differ, so it is no smaller than either
    if (to > 0)
      return {r_ * to * to / (2 * change), r_ * to * (change - from) / (2 * change * change)};
    return {-r_ * from * from / (2 * change), r_ * from * from / (2 * change * change)};
  }

  double r_;
  MultiplierVector phi_n_;
};

/// Unknown multipliers of a one-sided constraint: phi = 0 where lambda + r phi > 0, lambda = 0 elsewhere.
class OneSidedLagrange final : public ConstraintStrategy {
public:
  OneSidedLagrange(const Element& element, const Enforcement& how, const ConstraintLevel& level)
      : ConstraintStrategy(element, how, level) {}

  bool is_folded() const override { return false; }
  bool forces_follow_values() const override { return false; }

  void begin(const ConstraintStart& start) override {
    ConstraintStrategy::begin(start);
    r_.resize(rows());
    for (Index i = 0; i < rows(); ++i)
      r_[i] = natural_stiffness(start, i);
  }

  /// They are in `lambda` already.
  void pull(const ConstVectorRef&, VectorRef lambda) override { lambda_ = lambda; }

  void absorb(LocalSystem& local, double inv_s, VectorRef) override {
    const Index nz = element().unknowns();
    for (Index i = 0; i < rows(); ++i) {
      double& row = local.r[nz + i];
      row = excess(row, i);
      if (takes_part(i) && lambda_[i] + r_[i] * row > 0)
        continue;
      row = lambda_[i] * inv_s;
      if (local.tangent) {
        local.k.row(nz + i).setZero();
        local.k(nz + i, nz + i) = inv_s;
      }
    }
  }

private:
  MultiplierVector r_, lambda_;
};

} // namespace

std::unique_ptr<ConstraintStrategy> ConstraintStrategy::make(const Element& element, const Enforcement& how,
                                                             const ConstraintLevel& level,
                                                             const AugmentedLagrangianOptions& options) {
  if (element.multipliers() == 0)
    return nullptr;
  switch (how.method) {
  case EnforcementMethod::penalty:
    return std::make_unique<Penalty>(element, how, level);
  case EnforcementMethod::augmented_lagrangian:
    return std::make_unique<AugmentedLagrangian>(element, how, level, options);
  case EnforcementMethod::lagrange:
    break;
  }
  if (element.is_one_sided())
    return std::make_unique<OneSidedLagrange>(element, how, level);
  return nullptr;
}

ConstraintStrategy::ConstraintStrategy(const Element& element, const Enforcement& how, const ConstraintLevel& level)
    : slope_(MultiplierVector::Zero(element.multipliers())), element_(element), how_(how), rows_(element.multipliers()),
      level_(level), target_(slope_), lost_(slope_), G_bar_T_(MatX::Zero(element.unknowns(), rows_)),
      G_(MatX::Zero(rows_, element.unknowns())) {
  part_.fill(true);
}

void ConstraintStrategy::begin(const ConstraintStart& start) {
  if (!by_rates())
    return;
  for (Index i = 0; i < rows_; ++i) {
    part_[static_cast<std::size_t>(i)] = free_[i] > 0;
    // With secant gradients phi_n1 - phi_n = h/2 (rate_n + rate_n1), so a rate at the end is a value at the end [A18].
    // The rate at n is that of the gradient at n: where gradients turn, restitution holds to the order of the step,
    // while the books hold exactly.
    lost_[i] = start.h / 2 * (1 - element_.constraints().restitution()) * std::max(0.0, start.phi_rate[i]);
    target_[i] = start.phi[i] + lost_[i];
  }
}

void ConstraintStrategy::fold_slopes(LocalSystem& local) {
  const Index nz = element_.unknowns();
  G_bar_T_ = local.k.topRightCorner(nz, rows_);
  G_ = local.k.bottomLeftCorner(rows_, nz);
  for (Index i = 0; i < rows_; ++i) // row by row: nothing is allocated
    if (slope_[i] != 0)
      local.k.topLeftCorner(nz, nz).noalias() += (slope_[i] * G_bar_T_.col(i)) * G_.row(i);
}

void ConstraintStrategy::absorb(LocalSystem&, double, VectorRef) {}

void ConstraintStrategy::add_magnitude(VectorRef size) const {
  const Index nz = element_.unknowns();
  for (Index i = 0; i < rows_; ++i)
    size.head(nz) += G_bar_T_.col(i).cwiseAbs() * (slope_[i] * size[nz + i]);
}

void ConstraintStrategy::book(const ConstVectorRef& lambda, StepBooks& books) const {
  if (by_rates() && how_.method != EnforcementMethod::penalty)
    books.dissipation += lambda.dot(lost_); // [A19]
}

// --- augmented Lagrangian

AugmentedLagrangian::AugmentedLagrangian(const Element& element, const Enforcement& how, const ConstraintLevel& level,
                                         const AugmentedLagrangianOptions& options)
    : ConstraintStrategy(element, how, level), options_(options), merged_(options.form == AugmentedForm::merged),
      lambda_(slope_), r_(slope_), rho_(slope_), excess_(slope_), change_(slope_), before_(slope_), switch_(slope_) {}

double AugmentedLagrangian::pressed(double x, Index i) const {
  if (!one_sided())
    return x;
  return takes_part(i) ? std::max(0.0, x) : 0;
}

bool AugmentedLagrangian::is_active(Index i) const {
  return !one_sided() || (takes_part(i) && lambda_[i] + switch_[i] * excess_[i] > 0);
}

double AugmentedLagrangian::error(Index i) const {
  if (merged_)
    return is_active(i) ? excess_[i] : -lambda_[i] / switch_[i];
  return (pressed(lambda_[i] + rho_[i] * excess_[i], i) - lambda_[i]) / rho_[i]; // step 3 of the algorithm
}

void AugmentedLagrangian::begin(const ConstraintStart& start) {
  ConstraintStrategy::begin(start);
  // otherwise a step is left to the form that no beta was given for
  const bool own_form = merged_ == (options_.form == AugmentedForm::merged);
  const double beta =
      how().beta > 0 && own_form ? how().beta : default_beta(merged_, one_sided(), level().rates, options_.cold);
  for (Index i = 0; i < rows(); ++i) {
    switch_[i] = natural_stiffness(start, i);
    r_[i] = !options_.augmentation ? 0 : how().stiffness > 0 ? how().stiffness : beta * switch_[i]; // [A14]
    rho_[i] = options_.rho > 0 ? options_.rho : options_.relaxation * (r_[i] > 0 ? r_[i] : switch_[i]);
    lambda_[i] = options_.cold && !one_sided() ? 0 : pressed(start.lambda[i], i);
  }
  change_.setZero();
}

void AugmentedLagrangian::pull(const ConstVectorRef& phi, VectorRef lambda) {
  if (merged_) { // values come with the equations
    lambda = lambda_;
    return;
  }
  for (Index i = 0; i < rows(); ++i) {
    excess_[i] = excess(phi[i], i);
    lambda[i] = pressed(lambda_[i] + r_[i] * excess_[i], i); // [A3]
    slope_[i] = one_sided() && lambda[i] <= 0 ? 0 : r_[i];
  }
}

void AugmentedLagrangian::absorb(LocalSystem& local, double, VectorRef error) {
  const Index nz = element().unknowns();
  if (merged_)
    for (Index i = 0; i < rows(); ++i) {
      excess_[i] = excess(local.r[nz + i], i);
      slope_[i] = is_active(i) ? r_[i] : 0;
      error[i] = this->error(i);
    }
  else
    error.setZero(); // forces are those of the values; how far these are off is for the loop around Newton to judge
  if (!local.tangent)
    return;
  fold_slopes(local); // [A5]
  if (merged_)
    for (Index i = 0; i < rows(); ++i) // F - lambda [A22]
      local.r.head(nz) += G_bar_T_.col(i) * (slope_[i] > 0 ? r_[i] * excess_[i] : -lambda_[i]);
}

void AugmentedLagrangian::add_magnitude(VectorRef size) const {
  if (!merged_)
    ConstraintStrategy::add_magnitude(size);
}

double AugmentedLagrangian::error() const {
  double largest = 0;
  for (Index i = 0; i < rows(); ++i)
    largest = std::max(largest, std::abs(error(i)));
  return largest;
}

void AugmentedLagrangian::update(MultiplierResponse& response) {
  for (Index i = 0; i < rows(); ++i) {
    const double next = pressed(lambda_[i] + rho_[i] * excess_[i], i);
    response.work += change_[i] * (before_[i] - excess_[i]);
    response.size += change_[i] * change_[i] / rho_[i];
    change_[i] = next - lambda_[i];
    before_[i] = excess_[i];
    lambda_[i] = next;
  }
}

void AugmentedLagrangian::follow(const ConstVectorRef& dz) {
  for (Index i = 0; i < rows(); ++i)
    lambda_[i] = slope_[i] > 0 ? pressed(lambda_[i] + r_[i] * (excess_[i] + G_.row(i).dot(dz)), i) : 0;
}

void AugmentedLagrangian::grow(double factor) {
  if (one_sided() || options_.rho > 0 || !options_.augmentation)
    return;
  r_ *= factor;
  rho_ *= factor;
  change_.setZero(); // it was that of another rho
}

} // namespace emmy
