#include "solvers/assembler.hpp"

#include "solvers/constraint_analysis.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// No place in the matrix.
constexpr auto none = static_cast<std::size_t>(-1);

/// Square of an iterate that no mechanism reaches: what a vanishing pivot leaves behind.
constexpr double absurd = 1e100;

} // namespace

Assembler::Assembler(Discretisation& discretisation, const AugmentedLagrangianOptions& options)
    : discretisation_(discretisation), model_(discretisation.model()), constraints_(discretisation, options),
      numbering_(model_, constraints_), gauge_(model_, numbering_, constraints_), mean_mass_(mean_mass(model_)),
      z_(VecX::Zero(model_.unknowns())), lambda_(VecX::Zero(model_.multipliers())) {
  number_blocks();
  preallocate(matrix_);
}

void Assembler::prepare_proximal(const VecX& scales, const std::vector<bool>& cold) {
  scales_ = scales;
  cold_ = cold;
  preallocate(proximal_);
}

void Assembler::leave_out(const std::vector<bool>& multipliers) {
  cleared_.clear();
  left_out_.clear();
  if (multipliers.empty())
    return;
  for (const Block& block : blocks_) {
    const Index nz = block.element->unknowns(), first = block.element->first_multiplier();
    if (block.equations == nz)
      continue;
    const auto is_out = [&](Index i) { return i >= nz && multipliers[static_cast<std::size_t>(first + i - nz)]; };
    for (std::size_t e = block.first_entry; e < block.end_entry; ++e)
      if (is_out(place_[e] % block.size) || is_out(place_[e] / block.size))
        cleared_.push_back(e);
  }
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    if (multipliers[i] && is_unknown(i))
      left_out_.push_back(i);
}

void Assembler::number_blocks() {
  Index largest = 0;
  pivot_entry_.assign(static_cast<std::size_t>(model_.multipliers()), none);
  for (std::size_t e = 0; e < model_.elements().size(); ++e) {
    const Element* element = model_.elements()[e].get();
    ConstraintStrategy* strategy = constraints_.of(e);
    const Index nz = element->unknowns(), size = nz + element->multipliers();
    const Index equations = strategy != nullptr && strategy->is_condensed() ? nz : size;
    Pattern pattern = element->pattern();
    if (equations < size) // a stiffness couples whatever the constraint acts on
      pattern.topLeftCorner(nz, nz) += pattern.topRightCorner(nz, size - nz) * pattern.bottomLeftCorner(size - nz, nz);
    Block block{element, strategy, size, equations, rows_.size(), place_.size(), 0, 0, 0};
    const auto add_entries = [&](int multiplier_sides) {
      for (Index j = 0; j < equations; ++j)
        for (Index i = 0; i < equations; ++i) {
          const bool pivot = i == j && i >= nz;
          // A factorisation wants a place for every pivot, also for those of the multipliers, which are zero here.
          if ((i >= nz) + (j >= nz) != multiplier_sides || (pattern(i, j) == 0 && !pivot))
            continue;
          if (pivot)
            pivot_entry_[static_cast<std::size_t>(element->first_multiplier() + i - nz)] = place_.size();
          place_.push_back(static_cast<int>(i + j * size));
        }
      return place_.size();
    };
    block.other_entry = add_entries(0);
    block.compliance_entry = add_entries(1);
    block.end_entry = add_entries(2);
    blocks_.push_back(block);
    largest = std::max(largest, size);
    for (const Node& node : element->nodes())
      for (Index i = 0; i < node.unknowns(); ++i)
        rows_.push_back(static_cast<PetscInt>(numbering_.row_of_unknown[static_cast<std::size_t>(node.unknown + i)]));
    for (Index i = 0; i < element->multipliers(); ++i)
      rows_.push_back(static_cast<PetscInt>(
          numbering_.row_of_multiplier[static_cast<std::size_t>(element->first_multiplier() + i)]));
  }
  values_.resize(place_.size());
  local_.resize(largest);
  local_k_.resize(largest * largest);
  local_balance_.resize(largest);
  dz_.resize(model_.unknowns());
  balance_.setZero(model_.unknowns() + model_.multipliers());
  global_size_.resize(balance_.size());
}

void Assembler::preallocate(PetscMatrix& matrix) const {
  std::vector<PetscInt> row, column;
  row.reserve(values_.size());
  column.reserve(values_.size());
  for (const Block& block : blocks_)
    for (std::size_t e = block.first_entry; e < block.end_entry; ++e) {
      const auto size = static_cast<int>(block.size);
      row.push_back(rows_[block.first_row + static_cast<std::size_t>(place_[e] % size)]);
      column.push_back(rows_[block.first_row + static_cast<std::size_t>(place_[e] / size)]);
    }
  const auto n = static_cast<PetscInt>(size());
  check(MatCreate(PETSC_COMM_SELF, matrix.out()));
  check(MatSetSizes(matrix, n, n, n, n));
  check(MatSetType(matrix, MATAIJ));
  check(MatSetPreallocationCOO(matrix, static_cast<PetscCount>(row.size()), row.data(), column.data()));
}

void Assembler::begin_step(const State& n, double h, double* x) {
  n_ = &n;
  h_ = h;
  inv_h_ = 1 / h;
  s_ = 2 * mean_mass_ * inv_h_ * inv_h_;
  evaluations_ = 0;
  gauge_.begin_step(s_);
  constraints_.begin_step(n, h);
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    x[numbering_.row_of_unknown[i]] = h * n.rates[static_cast<Index>(i)];
  for (std::size_t i = 0; i < numbering_.row_of_multiplier.size(); ++i)
    if (is_unknown(i))
      x[numbering_.row_of_multiplier[i]] = !cold_.empty() && cold_[i] ? 0 : n.multipliers[static_cast<Index>(i)] / s_;
  for (const std::size_t i : left_out_)
    x[numbering_.row_of_multiplier[i]] = 0;
}

void Assembler::scatter(const double* x) {
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    z_[static_cast<Index>(i)] = x[numbering_.row_of_unknown[i]];
  for (std::size_t i = 0; i < numbering_.row_of_multiplier.size(); ++i)
    if (is_unknown(i)) // others are what their strategies pull with
      lambda_[static_cast<Index>(i)] = s_ * x[numbering_.row_of_multiplier[i]];
}

void Assembler::follow(const double* dx) {
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    dz_[static_cast<Index>(i)] = -dx[numbering_.row_of_unknown[i]];
  constraints_.follow(dz_);
}

/// Residual and tangent of an element with a strategy to local_ and local_k_, the residual as it is to be judged to
/// local_balance_.
void Assembler::evaluate_with_strategy(const Block& block, bool tangent) {
  const Step s = step();
  const Index nz = block.element->unknowns(), m = block.size - nz;
  auto r = local_.head(block.size), balance = local_balance_.head(block.size);
  Eigen::Map<MatX> k(local_k_.data(), block.size, block.size);
  auto lambda = lambda_.segment(block.element->first_multiplier(), m);
  if (block.strategy->forces_follow_values()) {
    LocalSystem values{r, k, false};
    discretisation_.evaluate(s, *block.element, values);
    block.strategy->pull(r.tail(m), lambda);
    r.setZero();
  } else {
    block.strategy->pull(r.tail(m), lambda);
  }
  LocalSystem out{r, k, tangent};
  discretisation_.evaluate(s, *block.element, out);
  balance = r;
  block.strategy->absorb(out, 1 / s_, balance.tail(m));
  if (!block.strategy->is_condensed())
    balance = r;
}

bool Assembler::evaluate(const double* x, double* f, bool tangent) {
  non_finite_ = nullptr;
  scatter(x);
  beyond_bounds_ = !(z_.squaredNorm() + lambda_.squaredNorm() < absurd); // true for NaN too
  if (beyond_bounds_)
    return false;
  const Step s = step();
  discretisation_.move(s);
  if (++evaluations_ == 2)
    measure_magnitudes();
  std::fill(f, f + size(), 0.0);
  const bool is_judged_apart = !constraints_.empty();
  if (is_judged_apart)
    balance_.setZero();
  has_tangent_ = tangent;
  const double inv_s = 1 / s_;
  for (const Block& block : blocks_) {
    const Index nz = block.element->unknowns();
    const bool has_entries = tangent && block.end_entry > block.first_entry; // gravity, for one, has none
    auto r = local_.head(block.size);
    Eigen::Map<MatX> k(local_k_.data(), block.size, block.size);
    r.setZero();
    if (has_entries)
      k.setZero();
    if (block.strategy != nullptr) {
      evaluate_with_strategy(block, has_entries);
    } else {
      LocalSystem out{r, k, has_entries};
      discretisation_.evaluate(s, *block.element, out);
    }
    if (!std::isfinite(r.sum())) {
      non_finite_ = block.element;
      return false;
    }
    if (has_entries)
      keep_entries(block);
    const PetscInt* row = rows_.data() + block.first_row;
    for (Index i = 0; i < nz; ++i)
      f[row[i]] += r[i] * inv_s;
    for (Index i = nz; i < block.equations; ++i)
      f[row[i]] += r[i];
    if (is_judged_apart)
      add_to_balance(block, block.strategy != nullptr ? local_balance_ : local_);
  }
  for (const std::size_t i : left_out_) { // the equation mu = 0 instead
    const Index row = numbering_.row_of_multiplier[i];
    f[row] = balance_[row] = x[row];
  }
  if (!is_judged_apart)
    std::copy(f, f + size(), balance_.data());
  if (tangent) {
    for (const std::size_t e : cleared_)
      values_[e] = 0;
    for (const std::size_t i : left_out_)
      values_[pivot_entry_[i]] = 1;
  }
  if (tangent && !std::isfinite(Eigen::Map<const VecX>(values_.data(), static_cast<Index>(values_.size())).sum())) {
    non_finite_ = first_not_finite();
    return false;
  }
  if (evaluations_ == 1)
    gauge_.note_first(balance());
  return true;
}

void Assembler::add_to_balance(const Block& block, const VecX& judged) {
  const PetscInt* row = rows_.data() + block.first_row;
  const Index nz = block.element->unknowns();
  for (Index i = 0; i < nz; ++i)
    balance_[row[i]] += judged[i] / s_;
  for (Index i = nz; i < block.size; ++i)
    balance_[row[i]] += judged[i];
}

/// Copies the entries in the pattern from the dense block to their addresses. The columns of lambda become those of mu,
/// s times as large, after rows of forces have been divided by s.
void Assembler::keep_entries(const Block& block) {
  const double inv_s = 1 / s_;
  for (std::size_t e = block.first_entry; e < block.other_entry; ++e)
    values_[e] = inv_s * local_k_[place_[e]];
  for (std::size_t e = block.other_entry; e < block.compliance_entry; ++e)
    values_[e] = local_k_[place_[e]];
  for (std::size_t e = block.compliance_entry; e < block.end_entry; ++e)
    values_[e] = s_ * local_k_[place_[e]];
}

/// Element whose tangent has the first entry that is not finite.
const Element* Assembler::first_not_finite() const {
  for (const Block& block : blocks_)
    for (std::size_t e = block.first_entry; e < block.end_entry; ++e)
      if (!std::isfinite(values_[e]))
        return block.element;
  return nullptr;
}

void Assembler::measure_magnitudes() {
  const Step s = step();
  global_size_.setZero();
  for (const Block& block : blocks_) {
    auto size = local_.head(block.size);
    size.setZero();
    discretisation_.add_magnitude(s, *block.element, size);
    if (block.strategy != nullptr && block.strategy->is_condensed())
      block.strategy->add_magnitude(size);
    for (Index i = 0; i < block.size; ++i)
      global_size_[rows_[block.first_row + static_cast<std::size_t>(i)]] += size[i];
  }
  gauge_.measure(global_size_);
}

void Assembler::fill_matrix() {
  check(MatSetValuesCOO(matrix_, values_.data(), INSERT_VALUES));
  if (epsilon_ == 0)
    return;
  for (std::size_t i = 0; i < pivot_entry_.size(); ++i)
    if (pivot_entry_[i] != none)
      values_[pivot_entry_[i]] -= epsilon_ * scales_[static_cast<Index>(i)]; // [S4]
  check(MatSetValuesCOO(proximal_, values_.data(), INSERT_VALUES));
  has_tangent_ = false; // its values are no longer those of the elements
}

std::string Assembler::row_name(std::size_t row) const {
  for (const Block& block : blocks_)
    for (Index i = 0; i < block.size; ++i)
      if (rows_[block.first_row + static_cast<std::size_t>(i)] == static_cast<PetscInt>(row))
        // the first element that touches a row is the body or joint that owns it
        return "'" + block.element->name() + "' (" + block.element->kind() + "), " + block.element->row_name(i);
  return {};
}

} // namespace emmy
