// The iteration of Newton that goes by increments.
#include "solvers/log_events.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Part of a step's increments below which what is left of the iteration does not matter: it has the same sign in many
/// steps, so it must stay far below rounding, which has not.
constexpr double negligible_increment = 0.02 * eps;
/// The same as a part of the rounding of increments: with the same sign in ten million steps it is as much as that of
/// one.
constexpr double negligible_rounding = 1e-7;
/// Forces that are balanced by others may be off by this part of the rounding of increments: it adds up like a random
/// walk, and stays below that of the coordinates for a hundred steps.
constexpr double small_rounding = 0.1;
/// Increments this many times above rounding tell something.
constexpr double clear_of_rounding = 4;
/// A tangent is kept for another iteration while it shrinks increments by more than this factor.
constexpr double good_rate = 0.03;
/// Increments that shrink less than this, where Newton converges quadratically, are at a standstill.
constexpr double standstill = 0.5;
/// A standstill above this part of a step is none of rounding's.
constexpr double small_part = 1e-5;
/// Slower motion than this [m/s] is rest: a step is then measured by it.
constexpr double creep = 1e-6;
/// One in so many solves is followed by another, whether or not that is needed, to see how it converges.
constexpr long look_every = 32;
/// What a measured constant loses of its weight from step to step.
constexpr double forgetting = 0.7;
/// Increments of so many units in the last place of the coordinates are rounding.
constexpr double rounding_units = 8;

/// Whether it takes less to bring an error `left` below `enough` with the same tangent, by the factor `rate` each time,
/// or with new ones, quadratically.
bool keeping_pays(double left, double rate, double curvature, double enough) {
  if (!(rate < good_rate))
    return false;
  constexpr double cost = 0.55; // of an iteration with the same tangent, as measured on chains
  const double kept = cost * std::ceil(std::log(enough / left) / std::log(rate));
  double renewed = 0;
  for (double error = left; error > enough && renewed < kept; ++renewed)
    error *= std::min(curvature * error, good_rate);
  return kept <= renewed;
}

} // namespace

bool Newton::runs_directly() const {
  return assembler_.constraints().empty() && options_.tolerance == 0 && !options_.by_snes && !wishes_.newton &&
         options_.augmented.form != AugmentedForm::linearised;
}

/// C of a part as two iterations show it. What is mostly rounding tells only how large it is at most. Closed loops are
/// more curved next to a singular configuration than elsewhere, by orders of magnitude, which must not count for ever:
/// there it is forgotten all the same.
void Newton::note_contraction(std::size_t part) {
  const StepNorm::Size& before = moved_before_[part];
  const double square = before.increments * (before.increments + before.reaction.size);
  double& C = curvature_[part];
  if (square == 0)
    return;
  const double moved = moved_[part].increments, measured = moved / square;
  if (moved > clear_of_rounding * rounding_[part] && C < unknown_curvature)
    C = std::max(measured, forgetting * C);
  else
    C = std::min(is_regularised() ? forgetting * C : C, measured);
}

/// Measures dx of an iteration; false if it is not finite.
bool Newton::measure_increments() {
  std::swap(moved_, moved_before_);
  norm_.measure(dx_.data(), moved_);
  if (is_regularised()) { // of redundant multipliers what they do: f - M dz is what they bear
    norm_.measure_balance(f_.data(), dx_.data(), forces_);
    for (std::size_t part = 0; part < moved_.size(); ++part)
      moved_[part].reaction = forces_[part];
  }
  return std::all_of(moved_.begin(), moved_.end(),
                     [](const StepNorm::Size& moved) { return std::isfinite(moved.increments + moved.multipliers); });
}

/// True if the iterate makes no sense any more: for the assembler to say so, which looks at it before an evaluation of
/// the whole matrix alone.
bool Newton::is_wild() const {
  constexpr double wild = 1e40;
  bool tame = true;
  for (std::size_t part = 0; part < size_.size(); ++part)
    tame = tame && size_[part] < wild && moved_[part].multipliers < wild;
  return !tame;
}

/// Looks at dx of an iteration: enough, or which one comes next.
Newton::Verdict Newton::judge_increments(int iteration, bool fresh) {
  bool done = true, chord = true;
  stands_ = false;
  const bool regularised = is_regularised(), knows_unsolved = regularised && uses_blocks();
  for (std::size_t part = 0; part < moved_.size(); ++part) {
    const double e = moved_[part].increments, before = moved_before_[part].increments;
    const double enough = std::max(negligible_increment * std::max(size_[part], creep * step_length_),
                                   negligible_rounding * rounding_[part]);
    const double rate = iteration > 1 && before > 0 ? e / before : 1;
    if (iteration == 2) {
      note_contraction(part);
      looked_ = solves_;
    }
    // Rate of a next iteration: as measured, and no better than angles allow, of bodies and of what is between them,
    // since all that turns is nonlinear in them.
    const StepNorm::Size& moved = moved_[part];
    const double turns = e > 0 ? moved.largest_turn + moved.products(moved.reaction) / e : 0;
    const double expected =
        std::max({curvature_[part] * (e + moved.reaction.size), turns, bending_.rate(part, moved, size_[part])});
    const double unsolved = knows_unsolved ? unsolved_[part] : linear_error_ * e;
    const double left = fresh ? std::max(expected * e, std::min(unsolved, rate * e)) : rate * e;
    // Multipliers that did nothing do something when bodies turn. That is balanced by others and moves nothing, but
    // momenta are not balanced as long as it is not.
    const bool is_balanced = !regularised || moved.products({moved.multipliers, moved.largest_multiplier}) <=
                                                 small_rounding * rounding_[part];
    const bool looks_again = iteration == 1 && solves_ - looked_ >= look_every; // convergence may have changed
    if ((left <= enough && is_balanced && !looks_again) || (iteration > 1 && e <= rounding_[part]))
      continue;
    done = false;
    // What is already lost in rounding needs no better tangent.
    chord = chord && is_balanced &&
            (left <= rounding_[part] || keeping_pays(left, fresh ? expected : rate, curvature_[part], enough));
    stands_ = stands_ || (rate > standstill && e <= small_part * size_[part]);
  }
  return done ? Verdict::done : chord ? Verdict::chord : Verdict::newton;
}

/// True if the residual at x, evaluated once more, is at most so many times above its rounding floor.
bool Newton::is_near_floor(double band) {
  if (!assembler_.evaluate(x_.data(), f_.data(), false))
    return false;
  assembler_.settle(x_.data());
  assembler_.measure_magnitudes();
  return assembler_.gauge().relative(f_.data()) <= band * floor_factor * eps;
}

/// Rounding of the coordinates in the norm of increments.
void Newton::measure_coordinates(const State& n) {
  const Model& model = assembler_.model();
  scratch_.setZero();
  for (const Node& node : model.nodes()) {
    const double largest = n.values.segment(node.value, node.values()).lpNorm<Eigen::Infinity>();
    for (Index i = 0; i < node.unknowns(); ++i) // angles are counted in radians, and as exact as base vectors
      scratch_[assembler_.numbering().row_of_unknown[static_cast<std::size_t>(node.unknown + i)]] =
          node.kind == NodeKind::frame && i >= 3 ? 1 : std::max(largest, 1e-3);
  }
  norm_.measure(scratch_.data(), moved_);
  for (std::size_t part = 0; part < moved_.size(); ++part)
    rounding_[part] = rounding_units * eps * moved_[part].increments;
}

/// Shows the end of an iteration to whoever looks.
NewtonReport Newton::watched(NewtonReport report) {
  if (!spectator_)
    return report;
  KSP ksp = nullptr;
  if (!uses_blocks())
    check(SNESGetKSP(snes_, &ksp));
  spectator_->see_end(x_.data(), report.iterations, report.converged, ksp);
  assembler_.settle(x_.data());
  return report;
}

NewtonReport Newton::solve_directly() {
  const LogSpan span(LogEvent::step);
  NewtonReport report;
  bool fresh = true;
  for (int iteration = 1; iteration <= options_.max_iterations; ++iteration) {
    report.iterations = iteration;
    if (spectator_)
      spectator_->see_iterate(iteration - 1, x_.data());
    if (iteration > 1 && is_wild())
      fresh = true;
    if (fresh)
      condensed_ = may_condense() && !(iteration > 1 && is_wild());
    const bool evaluated = condensed_ ? assembler_.evaluate_condensed(x_.data(), f_.data(), fresh)
                                      : assembler_.evaluate(x_.data(), f_.data(), fresh);
    if (!evaluated) {
      report.why = explain(SNES_DIVERGED_FUNCTION_DOMAIN, iteration);
      return report;
    }
    if (iteration == 1 && bending_.exists())
      bending_.measure({assembler_.step(), assembler_.evaluated_ports()});
    is_first_solve_ = iteration == 1;
    if (!find_increments(fresh) || !measure_increments()) {
      linear_failed_ = true;
      if (condensed_) // there is no residual to speak of
        assembler_.evaluate(x_.data(), f_.data(), false);
      if (!assembler_.beyond_bounds()) {
        assembler_.settle(x_.data());
        assembler_.measure_magnitudes();
      }
      report.why = explain(SNES_DIVERGED_LINEAR_SOLVE, iteration);
      return report;
    }
    if (spectator_ && uses_blocks())
      spectator_->see_solution(x_.data(), dx_.data());
    norm_.advance(x_.data(), dx_.data(), size_);
    const Verdict verdict = judge_increments(iteration, fresh);
    // Increments that no longer shrink may be rounding; and without factors small ones say nothing.
    const bool seems_done = verdict == Verdict::done, stalls = iteration > 2 && stands_;
    if ((seems_done && is_direct_) || ((seems_done || stalls) && is_near_floor(stall_band))) {
      report.converged = true;
      assembler_.settle(x_.data());
      return report;
    }
    fresh = verdict != Verdict::chord;
  }
  report.converged = is_near_floor(1); // nothing more can be asked for
  if (!report.converged)
    report.why = explain(SNES_DIVERGED_MAX_IT, options_.max_iterations);
  return report;
}

} // namespace emmy
