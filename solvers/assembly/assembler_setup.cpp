// Setting up an Assembler: addresses of elements, pivots and ports, names of rows, and the matrices that PETSc gets.
#include "solvers/assembly/assembler.hpp"
#include "solvers/linear/block_mat_solver.hpp"

#include <algorithm>

namespace emmy {

namespace {

KernelOptions kernels_for(const StepEquations& equations, KernelOptions kernels) {
  kernels.batches = kernels.batches && equations.takes_elements_as_they_are();
  return kernels;
}

} // namespace

Assembler::Assembler(StepEquations& equations, const AugmentedLagrangianOptions& options, const KernelOptions& kernels,
                     OneSided one_sided)
    : equations_(equations), model_(equations.model()), constraints_(equations, options, one_sided),
      graph_(model_, constraints_), batch_(model_, constraints_, graph_, kernels_for(equations, kernels)),
      affine_(model_, constraints_, graph_, kernels_for(equations, kernels)), blocks_(graph_),
      numbering_(model_, graph_, blocks_), gauge_(model_, numbering_, constraints_), mean_mass_(model_.mean_mass()),
      z_(VecX::Zero(model_.unknowns())), lambda_(VecX::Zero(model_.multipliers())) {
  batch_.claim(graph_, blocks_);
  blocks_.allocate();
  batch_.bind(model_, graph_, blocks_, mean_mass_);
  wrenches_ = batch_.wrenches(graph_, blocks_, mean_mass_, kernels);
  affine_.bind(blocks_, mean_mass_);
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
    const Index equations = strategy != nullptr && strategy->is_folded() ? nz : size;
    Block block{element,
                strategy,
                size,
                equations,
                rows_.size(),
                targets_.size(),
                0,
                constraints_.leaves_out(e),
                batch_.takes(e) || constraints_.leaves_out(e),
                batch_.rows().has(e),
                batch_.takes(e) || affine_.takes(e) || constraints_.leaves_out(e)};
    if (block.handed)
      handed_.push_back(e);
    if (!block.batched || block.handed) {
      const Pattern pattern = equations_pattern(*element, strategy);
      for (const ElementSlice& p : graph.slices_of[e])
        for (const ElementSlice& q : graph.slices_of[e]) {
          const int sides = (p.offset >= nz ? 1 : 0) + (q.offset >= nz ? 1 : 0);
          if (block.handed && sides == 0 && equations == size) // that is done
            continue;
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
  all_condensed_ = std::all_of(elements_.begin(), elements_.end(), [](const Block& block) { return block.condensed; });
  has_beside_ = batch_.has(BatchScope::beside_wrenches) || !all_batched_;
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
    for (const Index port : block.element->ports())
      used[static_cast<std::size_t>(port)] = true;
  }
  for (std::size_t p = 0; p < used.size(); ++p)
    if (used[p])
      ports_.push_back(static_cast<Index>(p));
  for (std::size_t i = 0; i < model_.nodes().size(); ++i)
    if (!batch_.moves(i) && !affine_.moves(i))
      own_nodes_.push_back(i);
}

void Assembler::prepare_proximal(const VecX& scales, const std::vector<bool>& redundant) {
  scales_ = scales;
  redundant_ = redundant;
  scale_of_rows_.setZero(size());
  for (std::size_t i = 0; i < numbering_.row_of_multiplier.size(); ++i)
    if (is_unknown(i))
      scale_of_rows_[numbering_.row_of_multiplier[i]] = scales[static_cast<Index>(i)];
}

void Assembler::leave_out(const std::vector<bool>& multipliers) {
  cleared_.clear();
  left_out_.clear();
  leaves_out_wrenches_ = false;
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    if (multipliers[i] && is_unknown(i)) {
      left_out_.push_back(i);
      leaves_out_wrenches_ = leaves_out_wrenches_ || numbering_.row_of_multiplier[i] < rows_on_wrenches();
    }
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
