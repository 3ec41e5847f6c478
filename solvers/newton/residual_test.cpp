#include "solvers/newton/residual_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A sum of about ten rounded terms per row is not known better than this many units in the last place.
constexpr double floor_factor = 8;
/// Less progress than this factor in one iteration, where Newton converges quadratically, is a stall.
constexpr double stall_factor = 0.5;
/// Part of the rounding floor below which the error of the iteration may stay.
constexpr double negligible = 0.02;
/// A residual that grows to this multiple of its largest term leads nowhere.
constexpr double divergence = 1e12;

} // namespace

ResidualTest::ResidualTest(Assembler& assembler, double tolerance, int max_iterations)
    : assembler_(assembler), tolerance_(tolerance), max_iterations_(max_iterations) {
  residuals_.reserve(static_cast<std::size_t>(max_iterations) + 2);
}

void ResidualTest::begin() {
  was_shortened_ = is_converged_ = measures_again_ = false;
  begin_again();
}

void ResidualTest::begin_again() {
  residuals_.clear();
  is_nearly_done_ = false;
}

double ResidualTest::floor() {
  return floor_factor * eps;
}

double ResidualTest::wanted() const {
  return std::max(floor(), tolerance_);
}

bool ResidualTest::is_near_floor(double band) const {
  return assembler_.gauge().relative(assembler_.balance()) <= band * floor_factor * eps;
}

/// Relative residual after iteration k as expected from those before, by quadratic convergence r_k = C r_{k-1}²; no
/// better than what multipliers of merged augmented Lagrangians contract.
double ResidualTest::predicted(std::size_t k) const {
  const double before = residuals_[k - 1], linear = before * assembler_.constraints().contraction();
  if (k < 2)
    return std::max(before * before, linear);     // C = 1: relative residuals of a well scaled system
  const double rate = before / residuals_[k - 2]; // C from the two residuals before
  return std::max(before * rate * rate, linear);
}

/// True if the last residual cannot or need not become smaller.
bool ResidualTest::is_balanced(bool stalled, bool last) const {
  const double excess = excess_of(residuals_.back());
  const bool small = excess <= 1 && (tolerance_ > 0 || stalled || last || excess <= negligible ||
                                     predicted(residuals_.size() - 1) <= negligible * eps);
  return (small || (stalled && residuals_.back() <= stall_band * floor_factor * eps)) &&
         assembler_.gauge().admits(assembler_.balance(), floor_factor * eps);
}

SNESConvergedReason ResidualTest::judge(PetscInt iteration) {
  is_converged_ = false;
  if (iteration == 0) { // what cancels is not known yet
    assembler_.note_first();
    last_excess_ = divergence;
    return SNES_CONVERGED_ITERATING;
  }
  const ResidualGauge& gauge = assembler_.gauge();
  if (iteration == 1 || measures_again_)
    assembler_.measure_magnitudes();
  if (iteration == 1)
    residuals_.push_back(gauge.relative_first());
  residuals_.push_back(gauge.relative(assembler_.balance()));
  measures_again_ = residuals_.back() > residuals_.front(); // the first step led astray, and so do the sizes there
  is_nearly_done_ = std::max(predicted(residuals_.size()), residuals_.back() * residuals_.back()) <= eps;
  const bool stalled = excess_of(residuals_.back()) > stall_factor * last_excess_ && !was_shortened_;
  const bool last = iteration >= max_iterations_;
  is_converged_ = is_balanced(stalled, last);
  if (is_converged_) { // by terms of another iterate, which may have been far away: here they have the last word
    assembler_.measure_magnitudes();
    residuals_.back() = gauge.relative(assembler_.balance());
    is_converged_ = is_balanced(stalled, last);
  }
  last_excess_ = excess_of(residuals_.back());
  if (is_converged_)
    return SNES_CONVERGED_FNORM_ABS;
  if (!std::isfinite(residuals_.back()) || residuals_.back() > divergence)
    return SNES_DIVERGED_DTOL;
  return last ? SNES_DIVERGED_MAX_IT : SNES_CONVERGED_ITERATING;
}

} // namespace emmy
