#include "solvers/assembly/assembler.hpp"

#include "core/mean_rule.hpp"
#include "solvers/petsc/log_events.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Square of an iterate that no mechanism reaches: what a vanishing pivot leaves behind.
constexpr double absurd = 1e100;

} // namespace

void Assembler::begin_step(const State& n, double h) {
  n_ = &n;
  h_ = h;
  inv_h_ = 1 / h;
  s_ = 2 * mean_mass_ * inv_h_ * inv_h_;
  gauge_.begin_step(s_);
  constraints_.begin_step(n, h);
  batch_.begin_step(n, h);
}

void Assembler::start_freely(double* x, const VecX* accelerations) const {
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    x[numbering_.row_of_unknown[i]] = h_ * n_->rates[static_cast<Index>(i)];
  if (accelerations != nullptr)
    for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
      x[numbering_.row_of_unknown[i]] += h_ * h_ / 2 * (*accelerations)[static_cast<Index>(i)];
  const double inv_s = 1 / s_;
  for (std::size_t i = 0; i < numbering_.row_of_multiplier.size(); ++i)
    if (is_unknown(i))
      x[numbering_.row_of_multiplier[i]] =
          !redundant_.empty() && redundant_[i] ? 0 : n_->multipliers[static_cast<Index>(i)] * inv_s;
  for (const std::size_t i : left_out_)
    x[numbering_.row_of_multiplier[i]] = 0;
}

/// Brings the iterate to the order of the model, when somebody asks for it.
void Assembler::scatter() const {
  if (scattered_)
    return;
  scattered_ = true;
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    z_[static_cast<Index>(i)] = x_[numbering_.row_of_unknown[i]];
  write_multipliers(lambda_);
}

void Assembler::write_multipliers(VecX& out) const {
  out.resize(lambda_.size()); // as it is, unless it was empty
  const double s = s_;
  const Index* row = numbering_.row_of_multiplier.data();
  if (numbering_.has_all_multipliers()) {
    for (Index i = 0; i < out.size(); ++i)
      out[i] = s * x_[row[i]];
    return;
  }
  for (Index i = 0; i < out.size(); ++i) // what is not an unknown is pulled by strategies
    out[i] = row[i] < numbering_.equations ? s * x_[row[i]] : lambda_[i];
}

void Assembler::settle(const double* x) {
  x_ = x;
  scattered_ = false;
  ports_stale_ = true;
  if (!equations_.takes_elements_as_they_are()) // others are asked for more than ports
    static_cast<void>(motions());
}

const PortMotions& Assembler::motions() const {
  if (ports_stale_)
    equations_.move(step());
  ports_stale_ = false;
  return equations_.motions();
}

void Assembler::follow(const double* dx) {
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    dz_[static_cast<Index>(i)] = -dx[numbering_.row_of_unknown[i]];
  constraints_.follow(dz_);
}

BatchEvaluation Assembler::batch_evaluation() {
  return {h_, inv_h_, 1 / s_, n_->values.data(), n_->remainders.data(), n_->rates.data(), x_, f_, blocks_.values()};
}

CondensedEvaluation Assembler::condensed_evaluation() {
  return {h_,
          inv_h_,
          1 / s_,
          n_->values.data(),
          n_->remainders.data(),
          n_->rates.data(),
          x_,
          blocks_.values(),
          blocks_.right_side()};
}

/// Of the step as it is solved.
BatchEvaluation Assembler::solved_step() const {
  return {h_, inv_h_, 0, n_->values.data(), n_->remainders.data(), n_->rates.data(), x_, nullptr, nullptr};
}

AffineEvaluation Assembler::affine_evaluation(double* matrix, double* right_side) const {
  return {h_, inv_h_, s_,        n_->values.data(), n_->remainders.data(), n_->rates.data(), n_->history.data(),
          x_, matrix, right_side};
}

void Assembler::book(const State& n1, StepBooks& books) const {
  if (!batch_.empty())
    batch_.book(solved_step(), s_, mean_mass_, n1, books);
  if (!affine_.empty())
    affine_.book({h_, s_, mean_mass_, n_->values.data(), n_->remainders.data(), x_, n1.values.data(), n1.rates.data(),
                  n1.history.data()},
                 books);
}

void Assembler::advance_by_mean_rule(State& state) const {
  if (!batch_.empty())
    batch_.accept(solved_step(), state);
  if (!affine_.empty())
    affine_.accept(affine_evaluation(nullptr, nullptr), state);
  if (own_nodes_.empty())
    return;
  const Step s = step();
  for (const std::size_t i : own_nodes_) {
    const Node& node = model_.nodes()[i];
    for (Index k = node.unknown; k < node.unknown + node.unknowns(); ++k)
      state.rates[k] = rate_at_end(s.n.rates[k], s.z[k], s.inv_h);
    retract(node.kind, s.n.values.segment(node.value, node.values()), s.z.segment(node.unknown, node.unknowns()),
            state.values.segment(node.value, node.values()));
  }
}

bool Assembler::evaluate_closely(const double* x, double* f, bool tangent) {
  std::copy(x, x + size(), roomy_x_.data());
  const bool good = evaluate(roomy_x_.data(), roomy_f_.data(), tangent);
  std::copy(roomy_f_.data(), roomy_f_.data() + size(), f);
  return good;
}

bool Assembler::is_at(const double* x) const {
  return x_ != nullptr && std::equal(x, x + size(), x_);
}

bool Assembler::evaluate(const double* x, double* f, bool tangent) {
  const LogSpan span(LogEvent::evaluate);
  not_finite_ = false;
  non_finite_ = nullptr;
  x_ = x;
  f_ = f;
  beyond_bounds_ = !(Eigen::Map<const VecX>(x, size()).squaredNorm() < absurd); // true for NaN too
  if (beyond_bounds_)
    return false;
  has_tangent_ = tangent;
  ports_stale_ = true;
  scattered_ = false;
  return evaluate_blocks(tangent, BatchScope::all);
}

/// Residual, and tangent if it is asked for, of everything or of what is not on wrenches.
bool Assembler::evaluate_blocks(bool tangent, BatchScope scope) {
  double* f = f_;
  Eigen::Map<VecX> residual(f, size() + room_behind);
  residual.setZero();
  if (tangent)
    scope == BatchScope::all ? blocks_.clear() : blocks_.clear_here();
  if (batch_.has(scope))
    evaluate_batch(tangent, scope);
  if (!constraints_.empty()) { // others than equations are judged, too
    balance_.setZero();
    balance_.head(size()) = residual.head(size());
  }
  add_handed(tangent);
  if (!all_batched_)
    evaluate_elements(tangent, Evaluated::not_batched);
  if (!affine_.empty())
    affine_.refine_gaps(affine_evaluation(), f);
  if (not_finite_ || !std::isfinite(residual.head(size()).sum())) {
    not_finite_ = true;
    return false;
  }
  for (const std::size_t i : left_out_) { // the equation mu = 0 instead
    const Index row = numbering_.row_of_multiplier[i];
    f[row] = balance_[row] = x_[row];
  }
  if (tangent) {
    for (const int e : cleared_)
      blocks_.values()[e] = 0;
    for (const std::size_t i : left_out_)
      blocks_.values()[pivot_at_[i]] = 1;
  }
  return true;
}

/// Moves what elements outside the batch look at.
void Assembler::move_ports() {
  if (!batch_.empty()) {
    equations_.move_some(step(), ports_);
  } else {
    equations_.move(step());
    ports_stale_ = false;
  }
}

void Assembler::evaluate_elements(bool tangent, Evaluated which) {
  const bool batched = which == Evaluated::all;
  move_ports();
  const Step s = step();
  for (const Block& block : elements_) {
    if (block.absent || (which == Evaluated::not_batched && block.batched) ||
        (which == Evaluated::not_condensed && block.condensed))
      continue;
    const bool has_entries =
        tangent && (batched || block.end_target > block.first_target); // gravity, for one, has none
    auto r = local_.head(block.size);
    Eigen::Map<MatX> k(local_k_.data(), block.size, block.size);
    r.setZero();
    if (has_entries)
      k.setZero();
    if (block.strategy != nullptr) {
      evaluate_with_strategy(block, has_entries);
    } else {
      LocalSystem out{r, k, has_entries};
      equations_.evaluate(s, *block.element, out);
    }
    if (!std::isfinite(r.sum()) || (batched && has_entries && !std::isfinite(k.sum()))) {
      not_finite_ = true;
      non_finite_ = block.element;
      return;
    }
    if (batched)
      continue;
    add_equations(block, has_entries);
  }
}

/// Adds the local residual, and tangent if there is one, of an element.
void Assembler::add_equations(const Block& block, bool has_entries) {
  if (has_entries)
    add_entries(block);
  const int* row = rows_.data() + block.first_row;
  const Index nz = block.element->unknowns();
  const double inv_s = 1 / s_;
  for (Index i = 0; i < nz; ++i)
    f_[row[i]] += local_[i] * inv_s;
  for (Index i = nz; i < block.equations; ++i)
    f_[row[i]] += local_[i];
  if (!constraints_.empty())
    add_to_balance(block, block.strategy != nullptr ? local_balance_ : local_);
}

const Element* Assembler::non_finite() {
  if (!not_finite_ && !has_tangent_)
    return nullptr;
  if (non_finite_ == nullptr && !beyond_bounds_) { // one by one, whose it is
    settle(x_);
    static_cast<void>(motions());
    evaluate_elements(true, Evaluated::all);
  }
  return non_finite_;
}

void Assembler::add_to_balance(const Block& block, const VecX& judged) {
  const int* row = rows_.data() + block.first_row;
  const Index nz = block.element->unknowns();
  for (Index i = 0; i < nz; ++i)
    balance_[row[i]] += judged[i] / s_;
  for (Index i = nz; i < block.size; ++i)
    balance_[row[i]] += judged[i];
}

/// Adds the dense tangent of an element to its blocks. The columns of lambda become those of mu, s times as large,
/// after rows of forces have been divided by s.
void Assembler::add_entries(const Block& block) {
  const double scales[] = {1 / s_, 1, s_};
  double* values = blocks_.values();
  const auto size = static_cast<int>(block.size);
  for (const Target* t = targets_.data() + block.first_target; t != targets_.data() + block.end_target; ++t) {
    const double scale = scales[t->multiplier_sides];
    const double* from = local_k_.data() + t->i + t->j * size;
    double* to = values + t->at;
    if (t->is_diagonal)
      for (int k = 0; k < 3; ++k)
        to[k] += scale * from[k * (size + 1)];
    else
      for (int j = 0; j < t->columns; ++j, from += size, to += t->stride)
        for (int i = 0; i < t->rows; ++i)
          to[i] += scale * from[i];
  }
}

void Assembler::measure_magnitudes() {
  const Step s = step();
  static_cast<void>(motions());
  global_size_.setZero();
  for (const Block& block : elements_) {
    if (block.absent)
      continue;
    auto size = local_.head(block.size);
    size.setZero();
    equations_.add_magnitude(s, *block.element, size);
    if (block.strategy != nullptr && block.strategy->is_folded())
      block.strategy->add_magnitude(size);
    for (Index i = 0; i < block.size; ++i)
      global_size_[rows_[block.first_row + static_cast<std::size_t>(i)]] += size[i];
  }
  gauge_.measure(global_size_);
}

void Assembler::add_proximal(double sign) {
  double* values = blocks_.values();
  for (std::size_t i = 0; i < pivot_at_.size(); ++i)
    if (pivot_at_[i] >= 0)
      values[pivot_at_[i]] -= sign * epsilon_ * scales_[static_cast<Index>(i)]; // [S4]
}

void Assembler::pull_idle(const double* x, double* b) const {
  for (std::size_t i = 0; i < pivot_at_.size(); ++i)
    if (pivot_at_[i] >= 0) {
      const Index row = numbering_.row_of_multiplier[i];
      b[row] -= epsilon_ * scales_[static_cast<Index>(i)] * x[row]; // [S20]
    }
}

} // namespace emmy
