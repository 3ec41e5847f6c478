#include "solvers/newton/increment_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
/// Larger increments make no sense.
constexpr double wild = 1e40;

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

IncrementTest::IncrementTest(const Assembler& assembler, const StepNorm& norm, Findings& findings)
    : assembler_(assembler), norm_(norm), findings_(findings), bending_(assembler, norm),
      is_pushed_(norm.parts(), false), moved_(norm.parts()), moved_before_(norm.parts()), size_(norm.parts()),
      forces_(norm.parts()), coordinates_(assembler.size()) {
  const Model& model = assembler.model();
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (const ConstraintStrategy* strategy = assembler.constraints().of(e);
        strategy != nullptr && strategy->element().is_one_sided() && !strategy->element().nodes().empty()) {
      const auto unknown = static_cast<std::size_t>(strategy->element().nodes().front().unknown);
      is_pushed_[norm.part_of(assembler.numbering().row_of_unknown[unknown])] = true;
    }
}

void IncrementTest::begin(const State& n, double h) {
  step_length_ = std::abs(h);
  if (findings_.knows_coordinates())
    return;
  measure_coordinates(n);
  findings_.coordinates_measured = findings_.solves;
}

/// Rounding of the coordinates in the norm of increments.
void IncrementTest::measure_coordinates(const State& n) {
  coordinates_.setZero();
  for (const Node& node : assembler_.model().nodes()) {
    const double largest = n.values.segment(node.value, node.values()).lpNorm<Eigen::Infinity>();
    for (Index i = 0; i < node.unknowns(); ++i) // angles are counted in radians, and as exact as base vectors
      coordinates_[assembler_.numbering().row_of_unknown[static_cast<std::size_t>(node.unknown + i)]] =
          node.kind == NodeKind::frame && i >= 3 ? 1 : std::max(largest, 1e-3);
  }
  norm_.measure(coordinates_.data(), moved_);
  for (std::size_t part = 0; part < moved_.size(); ++part)
    findings_.rounding[part] = rounding_units * eps * moved_[part].increments;
}

void IncrementTest::note_start() {
  if (bending_.exists())
    bending_.measure({assembler_.step(), assembler_.evaluated_ports()});
}

bool IncrementTest::measure(const Iterate& at) {
  std::swap(moved_, moved_before_);
  norm_.measure(at.dx.data(), moved_);
  if (is_regularised()) { // of redundant multipliers what they do: f - M dz is what they bear
    norm_.measure_balance(at.f.data(), at.dx.data(), forces_);
    for (std::size_t part = 0; part < moved_.size(); ++part)
      moved_[part].reaction = forces_[part];
  }
  return std::all_of(moved_.begin(), moved_.end(),
                     [](const StepNorm::Size& moved) { return std::isfinite(moved.increments + moved.multipliers); });
}

bool IncrementTest::is_wild() const {
  bool tame = true;
  for (std::size_t part = 0; part < size_.size(); ++part)
    tame = tame && size_[part] < wild && moved_[part].multipliers < wild;
  return !tame;
}

/// C of a part as two iterations show it. What is mostly rounding tells only how large it is at most. Closed loops are
/// more curved next to a singular configuration than elsewhere, by orders of magnitude, which must not count for ever:
/// there it is forgotten all the same.
void IncrementTest::note_contraction(std::size_t part) {
  const StepNorm::Size& before = moved_before_[part];
  const double square = before.increments * (before.increments + before.reaction.size);
  double& C = findings_.curvature[part];
  if (square == 0)
    return;
  const double moved = moved_[part].increments, measured = moved / square;
  if (moved > clear_of_rounding * findings_.rounding[part] && C < Findings::unknown_curvature)
    C = std::max(measured, forgetting * C);
  else
    C = std::min(is_regularised() ? forgetting * C : C, measured);
}

/// Rate of a next iteration: as measured, and no better than angles allow, of bodies and of what is between them, since
/// all that turns is nonlinear in them.
double IncrementTest::expected_rate(std::size_t part) const {
  if (is_pushed_[part])
    return Findings::unknown_curvature;
  const StepNorm::Size& moved = moved_[part];
  const double e = moved.increments;
  const double turns = e > 0 ? moved.largest_turn + moved.products(moved.reaction) / e : 0;
  return std::max(
      {findings_.curvature[part] * (e + moved.reaction.size), turns, bending_.rate(part, moved, size_[part])});
}

IncrementTest::Verdict IncrementTest::judge(int iteration, bool fresh, const LinearSystem& system) {
  bool done = true, chord = true;
  stands_ = false;
  const bool regularised = is_regularised();
  for (std::size_t part = 0; part < moved_.size(); ++part) {
    const double e = moved_[part].increments, before = moved_before_[part].increments;
    const double rounding = findings_.rounding[part];
    const double enough =
        std::max(negligible_increment * std::max(size_[part], creep * step_length_), negligible_rounding * rounding);
    const double rate = iteration > 1 && before > 0 ? e / before : 1;
    if (iteration == 2) {
      note_contraction(part);
      findings_.looked = findings_.solves;
    }
    const double expected = expected_rate(part);
    const double unsolved = system.unsolved() != nullptr ? system.unsolved()[part] : findings_.linear_error * e;
    const double left = fresh ? std::max(expected * e, std::min(unsolved, rate * e)) : rate * e;
    // Multipliers that did nothing do something when bodies turn. That is balanced by others and moves nothing, but
    // momenta are not balanced as long as it is not.
    const StepNorm::Size& moved = moved_[part];
    const bool is_balanced =
        !regularised || moved.products({moved.multipliers, moved.largest_multiplier}) <= small_rounding * rounding;
    // Convergence may have changed; and what only pushes may have been switched by the solve itself.
    const bool looks_again = iteration == 1 && (is_pushed_[part] || findings_.solves - findings_.looked >= look_every);
    if ((left <= enough && is_balanced && !looks_again) || (iteration > 1 && e <= rounding))
      continue;
    done = false;
    // What is already lost in rounding needs no better tangent.
    chord = chord && is_balanced &&
            (left <= rounding || keeping_pays(left, fresh ? expected : rate, findings_.curvature[part], enough));
    stands_ = stands_ || (rate > standstill && e <= small_part * size_[part]);
  }
  return done ? Verdict::done : chord ? Verdict::chord : Verdict::newton;
}

} // namespace emmy
