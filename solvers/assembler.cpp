#include "solvers/assembler.hpp"

#include "solvers/block_preconditioner.hpp"
#include "solvers/constraint_analysis.hpp"
#include "solvers/log_events.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Square of an iterate that no mechanism reaches: what a vanishing pivot leaves behind.
constexpr double absurd = 1e100;

KernelOptions kernels_for(const Discretisation& discretisation, KernelOptions kernels) {
  kernels.batches = kernels.batches && discretisation.takes_elements_as_they_are();
  return kernels;
}

} // namespace

Assembler::Assembler(Discretisation& discretisation, const AugmentedLagrangianOptions& options,
                     const KernelOptions& kernels)
    : discretisation_(discretisation), model_(discretisation.model()), constraints_(discretisation, options),
      graph_(model_, constraints_), batch_(model_, constraints_, graph_, kernels_for(discretisation, kernels)),
      blocks_(graph_), numbering_(model_, graph_, blocks_), gauge_(model_, numbering_, constraints_),
      mean_mass_(mean_mass(model_)), z_(VecX::Zero(model_.unknowns())), lambda_(VecX::Zero(model_.multipliers())) {
  batch_.claim(graph_, blocks_);
  blocks_.allocate();
  batch_.bind(graph_, blocks_, mean_mass_);
  number_blocks(graph_);
  find_pivots(graph_);
  find_ports();
}

void Assembler::number_blocks(const BlockGraph& graph) {
  Index largest = 0;
  for (std::size_t e = 0; e < model_.elements().size(); ++e) {
    const Element* element = model_.elements()[e].get();
    ConstraintStrategy* strategy = constraints_.of(e);
    const Index nz = element->unknowns(), size = nz + element->multipliers();
    const Index equations = strategy != nullptr && strategy->is_condensed() ? nz : size;
    Block block{element, strategy, size, equations, rows_.size(), targets_.size(), 0, batch_.takes(e)};
    if (!block.batched) {
      const Pattern pattern = equations_pattern(*element, strategy);
      for (const ElementPart& p : graph.parts_of[e])
        for (const ElementPart& q : graph.parts_of[e]) {
          const int sides = (p.offset >= nz ? 1 : 0) + (q.offset >= nz ? 1 : 0);
          // Strategies write the diagonal of multipliers, which has no pattern.
          if (sides < 2 && pattern.block(p.offset, q.offset, p.size, q.size).isZero())
            continue;
          const BlockAddress at = blocks_.address(p.node, q.node);
          targets_.push_back({p.offset, q.offset, p.size, q.size, at.at, at.stride, at.is_diagonal, sides});
        }
    }
    block.end_target = targets_.size();
    elements_.push_back(block);
    largest = std::max(largest, size);
    for (const Node& node : element->nodes())
      for (Index i = 0; i < node.unknowns(); ++i)
        rows_.push_back(static_cast<int>(numbering_.row_of_unknown[static_cast<std::size_t>(node.unknown + i)]));
    for (Index i = 0; i < element->multipliers(); ++i)
      rows_.push_back(
          static_cast<int>(numbering_.row_of_multiplier[static_cast<std::size_t>(element->first_multiplier() + i)]));
  }
  all_batched_ = std::all_of(elements_.begin(), elements_.end(), [](const Block& block) { return block.batched; });
  local_.resize(largest);
  local_k_.resize(largest * largest);
  local_balance_.resize(largest);
  roomy_x_.setZero(size() + room_behind);
  roomy_f_.setZero(size() + room_behind);
  x_ = roomy_x_.data();
  f_ = roomy_f_.data();
  dz_.resize(model_.unknowns());
  balance_.setZero(model_.unknowns() + model_.multipliers());
  global_size_.resize(balance_.size());
}

void Assembler::find_pivots(const BlockGraph& graph) {
  pivot_at_.assign(static_cast<std::size_t>(model_.multipliers()), -1);
  for (std::size_t e = 0; e < model_.elements().size(); ++e) {
    const Element& element = *model_.elements()[e];
    const int node = graph.multiplier_node[e];
    if (node < 0)
      continue;
    const BlockAddress at = blocks_.address(node, node);
    for (Index i = 0; i < element.multipliers(); ++i)
      pivot_at_[static_cast<std::size_t>(element.first_multiplier() + i)] =
          at.at + static_cast<int>(i) * (at.is_diagonal ? 1 : at.stride + 1);
  }
}

/// Ports that must be moved for elements outside the batch.
void Assembler::find_ports() {
  std::vector<bool> used(model_.ports().size(), false);
  for (const Block& block : elements_) {
    if (block.batched)
      continue;
    if (const auto* interaction = dynamic_cast<const Interaction*>(block.element))
      for (const NaturalVariable& variable : interaction->variables())
        used[static_cast<std::size_t>(variable.port)] = true;
    else if (const auto* body = dynamic_cast<const Body*>(block.element))
      used[static_cast<std::size_t>(body->port())] = true;
    else
      used.assign(used.size(), true); // nothing is known about it
  }
  for (std::size_t p = 0; p < used.size(); ++p)
    if (used[p])
      ports_.push_back(static_cast<Index>(p));
  for (std::size_t i = 0; i < model_.nodes().size(); ++i)
    if (!batch_.moves(i))
      own_nodes_.push_back(i);
}

void Assembler::prepare_proximal(const VecX& scales, const std::vector<bool>& cold) {
  scales_ = scales;
  cold_ = cold;
}

void Assembler::leave_out(const std::vector<bool>& multipliers) {
  cleared_.clear();
  left_out_.clear();
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    if (multipliers[i] && is_unknown(i))
      left_out_.push_back(i);
  if (left_out_.empty())
    return;
  std::vector<bool> is_out(static_cast<std::size_t>(size()), false);
  for (const std::size_t i : left_out_)
    is_out[static_cast<std::size_t>(numbering_.row_of_multiplier[i])] = true;
  std::vector<int> row, column;
  blocks_.entries(row, column);
  for (std::size_t e = 0; e < row.size(); ++e)
    if (row[e] >= 0 && (is_out[static_cast<std::size_t>(row[e])] || is_out[static_cast<std::size_t>(column[e])]))
      cleared_.push_back(static_cast<int>(e));
}

void Assembler::preallocate(PetscMatrix& matrix) {
  std::vector<int> row, column;
  blocks_.entries(row, column); // what is -1 there, padding, PETSc leaves out
  const auto n = static_cast<PetscInt>(size());
  check(MatCreate(PETSC_COMM_SELF, matrix.out()));
  check(MatSetSizes(matrix, n, n, n, n));
  check(MatSetType(matrix, MATAIJ));
  std::vector<PetscInt> rows(row.begin(), row.end()), columns(column.begin(), column.end());
  check(MatSetPreallocationCOO(matrix, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()));
  attach_blocks(matrix, blocks_);
}

Mat Assembler::matrix() {
  if (matrix_ == nullptr)
    preallocate(matrix_);
  return matrix_;
}

Mat Assembler::factorised() {
  if (epsilon_ == 0)
    return matrix();
  if (proximal_ == nullptr)
    preallocate(proximal_);
  return proximal_;
}

void Assembler::begin_step(const State& n, double h) {
  n_ = &n;
  h_ = h;
  inv_h_ = 1 / h;
  s_ = 2 * mean_mass_ * inv_h_ * inv_h_;
  gauge_.begin_step(s_);
  constraints_.begin_step(n, h);
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
      x[numbering_.row_of_multiplier[i]] = is_cold(i) ? 0 : n_->multipliers[static_cast<Index>(i)] * inv_s;
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
  double* to = out.data();
  const double* pulled = lambda_.data(); // by strategies, where it is not an unknown
  for (const Index row : numbering_.row_of_multiplier) {
    *to = row < numbering_.equations ? s * x_[row] : *pulled;
    ++to;
    ++pulled;
  }
}

void Assembler::settle(const double* x) {
  x_ = x;
  scattered_ = false;
  ports_stale_ = true;
  if (!discretisation_.takes_elements_as_they_are()) // others are asked for more than ports
    static_cast<void>(motions());
}

const PortMotions& Assembler::motions() const {
  if (ports_stale_)
    discretisation_.move(step());
  ports_stale_ = false;
  return discretisation_.motions();
}

void Assembler::follow(const double* dx) {
  for (std::size_t i = 0; i < numbering_.row_of_unknown.size(); ++i)
    dz_[static_cast<Index>(i)] = -dx[numbering_.row_of_unknown[i]];
  constraints_.follow(dz_);
}

FrameEvaluation Assembler::frame_evaluation() {
  return {h_, inv_h_, 1 / s_, n_->values.data(), n_->lost.data(), n_->rates.data(), x_, f_, blocks_.values()};
}

CondensedEvaluation Assembler::condensed_evaluation() {
  return {h_,
          inv_h_,
          1 / s_,
          n_->values.data(),
          n_->lost.data(),
          n_->rates.data(),
          x_,
          blocks_.values(),
          blocks_.right_side()};
}

void Assembler::advance_by_mean_rule(State& state) const {
  if (!batch_.empty()) {
    const FrameEvaluation e{h_, inv_h_, 0, n_->values.data(), n_->lost.data(), n_->rates.data(), x_, nullptr, nullptr};
    batch_.accept(e, state);
  }
  if (own_nodes_.empty())
    return;
  const Step s = step();
  for (const std::size_t i : own_nodes_) {
    const Node& node = model_.nodes()[i];
    // The same z/h - rates as in the residual [D11]: written otherwise, its rounding makes energy drift.
    state.rates.segment(node.unknown, node.unknowns()) +=
        2 * (s.z.segment(node.unknown, node.unknowns()) * s.inv_h - s.n.rates.segment(node.unknown, node.unknowns()));
    retract(node.kind, s.n.values.segment(node.value, node.values()), s.z.segment(node.unknown, node.unknowns()),
            state.values.segment(node.value, node.values()));
  }
}

/// Residual and tangent of an element whose constraints have a strategy.
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
  Eigen::Map<VecX> residual(f, size() + room_behind);
  beyond_bounds_ = !(Eigen::Map<const VecX>(x, size()).squaredNorm() < absurd); // true for NaN too
  if (beyond_bounds_)
    return false;
  has_tangent_ = tangent;
  ports_stale_ = true;
  scattered_ = false;
  residual.setZero();
  if (tangent)
    blocks_.clear();
  if (!batch_.empty()) {
    if (tangent)
      batch_.tangent(frame_evaluation());
    else
      batch_.residual(frame_evaluation());
  }
  if (!constraints_.empty()) { // others than equations are judged, too
    balance_.setZero();
    balance_.head(size()) = residual.head(size());
  }
  if (!all_batched_)
    evaluate_elements(tangent, false);
  if (not_finite_ || !std::isfinite(residual.head(size()).sum())) {
    not_finite_ = true;
    return false;
  }
  for (const std::size_t i : left_out_) { // the equation mu = 0 instead
    const Index row = numbering_.row_of_multiplier[i];
    f[row] = balance_[row] = x[row];
  }
  if (tangent) {
    for (const int e : cleared_)
      blocks_.values()[e] = 0;
    for (const std::size_t i : left_out_)
      blocks_.values()[pivot_at_[i]] = 1;
  }
  return true;
}

bool Assembler::evaluate_condensed(const double* x, double* f, bool tangent) {
  const LogSpan span(LogEvent::evaluate);
  not_finite_ = beyond_bounds_ = false;
  non_finite_ = nullptr;
  x_ = x;
  f_ = f;
  has_tangent_ = tangent;
  ports_stale_ = true;
  scattered_ = false;
  if (has_rest()) {
    std::fill(f, f + size() + room_behind, 0.0);
    if (tangent)
      blocks_.clear();
  }
  if (batch_.has_rest()) {
    if (tangent)
      batch_.tangent_of_rest(frame_evaluation());
    else
      batch_.residual_of_rest(frame_evaluation());
  }
  if (!all_batched_) {
    evaluate_elements(tangent, false);
    if (not_finite_)
      return false;
  }
  blocks_.clear_right_side();
  if (tangent) {
    blocks_.start_factor();
    batch_.condensation().tangent(condensed_evaluation());
  } else {
    batch_.condensation().residual(condensed_evaluation());
  }
  return true;
}

/// Moves what elements outside the batch look at.
void Assembler::move_ports() {
  if (!batch_.empty()) {
    discretisation_.move_some(step(), ports_);
  } else {
    discretisation_.move(step());
    ports_stale_ = false;
  }
}

void Assembler::evaluate_elements(bool tangent, bool batched) {
  move_ports();
  const Step s = step();
  const double inv_s = 1 / s_;
  const bool is_judged_apart = !constraints_.empty();
  for (const Block& block : elements_) {
    if (block.batched && !batched)
      continue;
    const Index nz = block.element->unknowns();
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
      discretisation_.evaluate(s, *block.element, out);
    }
    if (!std::isfinite(r.sum()) || (batched && has_entries && !std::isfinite(k.sum()))) {
      not_finite_ = true;
      non_finite_ = block.element;
      return;
    }
    if (batched)
      continue;
    if (has_entries)
      add_entries(block);
    const int* row = rows_.data() + block.first_row;
    for (Index i = 0; i < nz; ++i)
      f_[row[i]] += r[i] * inv_s;
    for (Index i = nz; i < block.equations; ++i)
      f_[row[i]] += r[i];
    if (is_judged_apart)
      add_to_balance(block, block.strategy != nullptr ? local_balance_ : local_);
  }
}

const Element* Assembler::non_finite() {
  if (!not_finite_ && !has_tangent_)
    return nullptr;
  if (non_finite_ == nullptr && !beyond_bounds_) { // one by one, whose it is
    settle(x_);
    static_cast<void>(motions());
    evaluate_elements(true, true);
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

void Assembler::add_proximal(double sign) {
  double* values = blocks_.values();
  for (std::size_t i = 0; i < pivot_at_.size(); ++i)
    if (pivot_at_[i] >= 0)
      values[pivot_at_[i]] -= sign * epsilon_ * scales_[static_cast<Index>(i)]; // [S4]
}

void Assembler::fill_matrix() {
  check(MatSetValuesCOO(matrix(), blocks_.values(), INSERT_VALUES));
  if (epsilon_ == 0)
    return;
  add_proximal(1);
  check(MatSetValuesCOO(factorised(), blocks_.values(), INSERT_VALUES));
  add_proximal(-1);
}

std::string Assembler::row_name(std::size_t row) const {
  for (const Block& block : elements_)
    for (Index i = 0; i < block.size; ++i)
      if (rows_[block.first_row + static_cast<std::size_t>(i)] == static_cast<int>(row))
        // the first element that touches a row is the body or joint that owns it
        return "'" + block.element->name() + "' (" + block.element->kind() + "), " + block.element->row_name(i);
  return {};
}

} // namespace emmy
