// The part of Assembler that evaluates what is left once bodies are eliminated.
#include "solvers/assembly/assembler.hpp"
#include "solvers/petsc/log_events.hpp"

#include <algorithm>

namespace emmy {

bool Assembler::evaluate_condensed(const double* x, double* f, bool tangent) {
  const LogSpan span(LogEvent::evaluate);
  not_finite_ = beyond_bounds_ = false;
  non_finite_ = nullptr;
  x_ = x;
  has_tangent_ = tangent;
  ports_stale_ = true;
  scattered_ = false;
  if (batch_.has(BatchScope::loads))
    batch_.evaluate_loads(batch_evaluation(), tangent);
  if (has_beside_) {
    f_ = f;
    const bool is_good =
        keeps_blocks() ? evaluate_blocks(tangent, BatchScope::beside_wrenches) : evaluate_rest(tangent);
    if (!is_good)
      return false;
  }
  if (wrenches_ != nullptr)
    add_wrenches(x, f, tangent);
  return true;
}

void Assembler::evaluate_wrenches(const double* x, double* f, bool tangent) {
  if (batch_.has(BatchScope::loads))
    batch_.evaluate_loads(batch_evaluation(), tangent);
  add_wrenches(x, f, tangent);
}

void Assembler::add_wrenches(const double* x, double* f, bool tangent) {
  double* of_bodies = epsilon_ > 0 ? f : nullptr;
  wrenches_->evaluate({h_, inv_h_, 1 / s_, n_->values.data(), n_->rates.data(), x, of_bodies, nullptr, nullptr},
                      n_->remainders.data(), tangent);
}

/// What is left of other parts of the model once bodies are eliminated.
bool Assembler::evaluate_rest(bool tangent) {
  if (has_rest()) {
    std::fill(f_, f_ + size() + room_behind, 0.0);
    if (tangent)
      blocks_.clear_here();
  }
  if (batch_.has(BatchScope::rest)) {
    evaluate_batch(tangent, BatchScope::rest);
    add_handed(tangent);
  }
  if (!all_condensed_) {
    evaluate_elements(tangent, Evaluated::not_condensed);
    if (not_finite_)
      return false;
  }
  blocks_.clear_right_side();
  if (tangent) {
    blocks_.start_factor_of_rest();
    batch_.condensation().tangent(condensed_evaluation());
    if (!affine_.empty())
      affine_.tangent(affine_evaluation());
  } else {
    batch_.condensation().residual(condensed_evaluation());
    if (!affine_.empty())
      affine_.residual(affine_evaluation());
  }
  return true;
}

void Assembler::reduce(const double* b) {
  if (wrenches_ != nullptr)
    wrenches_->reduce(b);
  if (!has_beside_ || keeps_blocks())
    return;
  blocks_.clear_right_side();
  batch_.condensation().reduce(condensed_evaluation(), b);
  if (!affine_.empty())
    affine_.reduce(affine_evaluation(), b);
}

} // namespace emmy
