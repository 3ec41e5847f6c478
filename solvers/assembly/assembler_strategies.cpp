// The part of Assembler that lets strategies of enforcement change the equations of an element before they are summed,
// evaluated by itself or in a batch.
#include "solvers/assembly/assembler.hpp"

#include <algorithm>

namespace emmy {

/// Residual and tangent of an element whose constraints have a strategy.
void Assembler::evaluate_with_strategy(const Block& block, bool tangent) {
  const Step s = step();
  const Index nz = block.element->unknowns(), m = block.size - nz;
  auto r = local_.head(block.size);
  Eigen::Map<MatX> k(local_k_.data(), block.size, block.size);
  auto lambda = lambda_.segment(block.element->first_multiplier(), m);
  if (block.strategy->forces_follow_values()) {
    LocalSystem values{r, k, false};
    equations_.evaluate(s, *block.element, values);
    block.strategy->pull(r.tail(m), lambda);
    r.setZero();
  } else {
    block.strategy->pull(r.tail(m), lambda);
  }
  LocalSystem out{r, k, tangent};
  equations_.evaluate(s, *block.element, out);
  absorb(block, out);
}

/// Lets the strategy make of local equations what remains of them, and keeps how they are to be judged.
void Assembler::absorb(const Block& block, LocalSystem& local) {
  const Index m = block.size - block.element->unknowns();
  auto balance = local_balance_.head(block.size);
  balance = local.r;
  block.strategy->absorb(local, 1 / s_, balance.tail(m));
  if (!block.strategy->is_folded())
    balance = local.r;
}

void Assembler::evaluate_batch(bool tangent, BatchScope scope) {
  const BatchEvaluation e = batch_evaluation();
  batch_.move(e, scope);
  if (!handed_.empty())
    pull_handed(e, scope);
  batch_.evaluate(e, tangent, scope);
}

/// With what elements of the batch that hand their rows over pull.
void Assembler::pull_handed(const BatchEvaluation& e, BatchScope scope) {
  const double inv_s = 1 / s_;
  scatter();
  const auto follows_values = [&](std::size_t i) {
    return elements_[i].strategy != nullptr && elements_[i].strategy->forces_follow_values();
  };
  if (std::any_of(handed_.begin(), handed_.end(), follows_values))
    batch_.find_values(e, scope);
  for (const std::size_t i : handed_) {
    const Block& block = elements_[i];
    const Index m = block.element->multipliers();
    auto lambda = lambda_.segment(block.element->first_multiplier(), m);
    auto phi = local_.head(m);
    if (block.strategy != nullptr) {
      phi.setZero();
      batch_.rows().add_values(i, phi);
      block.strategy->pull(phi, lambda);
    }
    phi = inv_s * lambda;
    batch_.rows().pull(i, phi.data());
  }
}

/// Adds the rows that were handed over, after all that the batch sets.
void Assembler::add_handed(bool tangent) {
  for (const std::size_t i : handed_) {
    const Block& block = elements_[i];
    auto r = local_.head(block.size);
    Eigen::Map<MatX> k(local_k_.data(), block.size, block.size);
    r.setZero();
    if (tangent)
      k.setZero();
    LocalSystem out{r, k, tangent};
    batch_.rows().add_to(i, blocks_, out);
    if (block.strategy != nullptr)
      absorb(block, out);
    add_equations(block, tangent);
  }
}

} // namespace emmy
