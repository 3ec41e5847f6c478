#include "solvers/newton/block_system.hpp"

#include "solvers/petsc/log_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

/// Relative error of a solve without regularisation that calls for pivoting.
constexpr double poor_solve = 1e-3;
/// One that needs no refinement.
constexpr double good_solve = 1e-9;
/// A solve is checked, and refined, in so many to begin with, and in every so many later.
constexpr long first_checks = 4, check_every = 64;

} // namespace

BlockSystem::BlockSystem(Assembler& assembler, const StepNorm& norm, Findings& findings, Instructions instructions)
    : assembler_(assembler), norm_(norm), findings_(findings), blocks_(assembler.blocks(), instructions),
      corrected_(norm.parts()), forces_(norm.parts()), block_rate_(norm.parts()), unsolved_(norm.parts()),
      scratch_(assembler.size()), force_(assembler.size()),
      spare_(VecX::Zero(assembler.size() + Assembler::room_behind)) {}

bool BlockSystem::is_due(long solve) const {
  return solve <= first_checks || solve - findings_.checked >= check_every;
}

/// True if the next system may be solved by eliminating bodies as they are evaluated.
bool BlockSystem::may_condense() const {
  return assembler_.condenses() && findings_.linear_error <= good_solve && !is_due(findings_.solves + 1);
}

bool BlockSystem::evaluate(Iterate& at, Factors factors, bool is_wild) {
  const bool fresh = factors != Factors::kept;
  if (fresh)
    is_condensed_ = may_condense() && !is_wild;
  return is_condensed_ ? assembler_.evaluate_condensed(at.x.data(), at.f.data(), fresh)
                       : assembler_.evaluate(at.x.data(), at.f.data(), fresh);
}

bool BlockSystem::solve(Iterate& at, Factors factors) {
  const bool is_first = factors == Factors::first;
  ++findings_.solves;
  if (is_condensed_) {
    solve_condensed(at, factors);
    return true;
  }
  if (factors == Factors::kept) {
    solve_with_factors(at, false, Nodes::all);
    return true;
  }
  factorise(Nodes::all);
  solve_with_factors(at, is_first, Nodes::all);
  if (!refine_if_needed(at, is_first))
    return false;
  if (findings_.checked == findings_.solves && assembler_.wrenches() != nullptr)
    check_wrenches(at, is_first);
  return true;
}

bool BlockSystem::solve_for(const double* b, double* x) {
  const LogSpan span(LogEvent::solve);
  if (!is_condensed_) {
    blocks_.solve(b, x);
  } else {
    assembler_.reduce(b);
    if (assembler_.has_beside() && assembler_.keeps_blocks()) {
      blocks_.solve(b, x, Nodes::here);
    } else if (assembler_.has_beside()) {
      blocks_.solve_rest(b, x);
      assembler_.expand(x);
    }
    if (WrenchSystem* wrenches = assembler_.wrenches(); wrenches != nullptr && is_regularised())
      wrenches->solve_refined(nullptr, x);
    else if (wrenches != nullptr)
      wrenches->solve(x);
  }
  return Eigen::Map<const VecX>(x, assembler_.size()).allFinite();
}

// --- the whole matrix, or its blocks beside wrenches

/// Of the tangent of the last evaluation.
void BlockSystem::factorise(Nodes nodes) {
  const LogSpan span(LogEvent::factorise);
  if (!is_regularised())
    return blocks_.factorise(nodes);
  assembler_.add_proximal(1);
  blocks_.factorise(nodes);
  assembler_.add_proximal(-1);
}

/// With a proximal block the first solve of a step also pulls what its multipliers do to no body to zero [S20].
void BlockSystem::solve_with_factors(Iterate& at, bool is_first, Nodes nodes) {
  const LogSpan span(LogEvent::solve);
  at.dx = at.f;
  if (is_first && is_regularised())
    assembler_.pull_idle(at.x.data(), at.dx.data());
  blocks_.solve(at.dx.data(), nodes);
}

/// One refinement where the solve may not be good enough by itself: with a proximal block x <- x + A_epsilon^-1 (b - A
/// x), after which a mode of relative stiffness sigma is off by (epsilon / (epsilon + sigma))² [S5]; without one where
/// it was found to be inaccurate. False if it cannot be trusted.
bool BlockSystem::refine_if_needed(Iterate& at, bool is_first) {
  if (!is_regularised() && !is_due(findings_.solves) && findings_.linear_error <= good_solve)
    return true;
  const double size = norm_.total(at.dx.data());
  if (!std::isfinite(size)) {
    findings_.linear_error = std::numeric_limits<double>::infinity();
    return false;
  }
  const VecX& correction = blocks_.refine(at.f.data(), at.dx.data());
  if (is_regularised()) {
    measure_unsolved(at, correction.data(), is_first);
    return true;
  }
  findings_.checked = findings_.solves;
  findings_.linear_error = size > 0 ? norm_.total(correction.data()) / size : 0;
  return findings_.linear_error <= poor_solve;
}

/// What refinement leaves of the increments. The block holds back multipliers mu which move bodies by y_0 = K^-1
/// G_bar^T mu; the first solve misses y_1 of that, which refinement corrects, and leaves y_2: each time the same part
/// [S21]. In the motion alone, for redundant multipliers may be anything. y_0 needs to be known by its order only.
void BlockSystem::measure_unsolved(const Iterate& at, const double* correction, bool is_first) {
  norm_.measure(correction, corrected_);
  if (is_first && is_due(findings_.solves))
    measure_reactions(at);
  for (std::size_t part = 0; part < corrected_.size(); ++part) {
    const double missed = corrected_[part].increments, reaction = findings_.reactions[part];
    if (is_first)
      block_rate_[part] = missed < reaction ? missed / reaction : 1;
    unsolved_[part] = block_rate_[part] * missed;
  }
}

/// How far the reactions that a step ends with move bodies.
void BlockSystem::measure_reactions(const Iterate& at) {
  findings_.checked = findings_.solves;
  scratch_ = (norm_.weights().array() > 0).select(0.0, at.x.head(at.size) - at.dx.head(at.size));
  blocks_.multiply(scratch_.data(), force_.data());
  norm_.measure_forces(force_.data(), forces_);
  std::transform(forces_.begin(), forces_.end(), findings_.reactions.begin(),
                 [](const StepNorm::Force& force) { return force.size; });
}

// --- without the bodies that are eliminated

/// Parts of the model on wrenches, and the others beside them.
void BlockSystem::solve_condensed(Iterate& at, Factors factors) {
  if (assembler_.has_beside() && assembler_.keeps_blocks())
    solve_beside_wrenches(at, factors);
  else if (assembler_.has_beside())
    solve_rest(at, factors);
  if (assembler_.wrenches() != nullptr)
    solve_wrenches(at, factors);
}

void BlockSystem::solve_rest(Iterate& at, Factors factors) {
  if (factors != Factors::kept) {
    const LogSpan span(LogEvent::factorise);
    blocks_.factorise_rest();
  }
  const LogSpan span(LogEvent::solve);
  blocks_.solve_rest(assembler_.has_rest() ? at.f.data() : nullptr, at.dx.data());
  assembler_.expand(at.dx.data());
}

/// By blocks, refined where there is a proximal block.
void BlockSystem::solve_beside_wrenches(Iterate& at, Factors factors) {
  const bool fresh = factors != Factors::kept;
  if (fresh)
    factorise(Nodes::here);
  solve_with_factors(at, factors == Factors::first, Nodes::here);
  if (fresh && is_regularised())
    scratch_ = blocks_.refine(at.f.data(), at.dx.data(), Nodes::here);
}

/// The same by wrenches, refined where there is a proximal block.
void BlockSystem::solve_wrenches(Iterate& at, Factors factors) {
  WrenchSystem& wrenches = *assembler_.wrenches();
  const bool fresh = factors != Factors::kept, is_first = factors == Factors::first;
  if (fresh) {
    const LogSpan span(LogEvent::factorise);
    wrenches.factorise(assembler_.epsilon(), assembler_.scale_of_rows());
  }
  const LogSpan span(LogEvent::solve);
  if (!fresh || !is_regularised())
    return wrenches.solve(at.dx.data());
  const auto change = wrenches.solve_refined(is_first ? at.x.data() : nullptr, at.dx.data());
  if (!assembler_.has_beside())
    return measure_unsolved(at, change.data(), is_first);
  const Index rows = assembler_.rows_on_wrenches(); // others are refined already
  scratch_.head(rows) = change.head(rows);
  measure_unsolved(at, scratch_.data(), is_first);
}

/// How far the solution by wrenches is from that of the whole matrix, for the same right side.
void BlockSystem::check_wrenches(Iterate& at, bool is_first) {
  WrenchSystem& wrenches = *assembler_.wrenches();
  assembler_.evaluate_wrenches(at.x.data(), spare_.data(), true);
  wrenches.factorise(assembler_.epsilon(), assembler_.scale_of_rows());
  wrenches.reduce(at.f.data());
  if (is_regularised())
    wrenches.solve_refined(is_first ? at.x.data() : nullptr, spare_.data());
  else
    wrenches.solve(spare_.data());
  const Index rows = assembler_.rows_on_wrenches();
  scratch_.setZero();
  scratch_.head(rows) = at.dx.head(rows);
  const double size = norm_.total(scratch_.data());
  scratch_.head(rows) -= spare_.head(rows);
  const double error = size > 0 ? norm_.total(scratch_.data()) / size : 0;
  findings_.linear_error = is_regularised() ? error : std::max(findings_.linear_error, error);
}

} // namespace emmy
