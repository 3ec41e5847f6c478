#include "solvers/newton.hpp"

#include "solvers/block_preconditioner.hpp"
#include "solvers/petsc_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Less progress than this factor in one iteration, where Newton converges quadratically, is a stall.
constexpr double stall_factor = 0.5;
/// Part of the rounding floor below which the error of the iteration may stay.
constexpr double negligible = 0.02;
/// A residual that grows to this multiple of its largest term leads nowhere.
constexpr double divergence = 1e12;

const char* petsc_name(LinearSolver solver) {
  switch (solver) {
  case LinearSolver::petsc:
    return MATSOLVERPETSC;
  case LinearSolver::klu:
    return MATSOLVERKLU;
  case LinearSolver::umfpack:
    return MATSOLVERUMFPACK;
  case LinearSolver::mumps:
    return MATSOLVERMUMPS;
  case LinearSolver::automatic:
  case LinearSolver::block:
    break;
  }
  return nullptr;
}

/// How PETSc solves linear systems, in its own words.
struct LinearMethod {
  std::string ksp, pc;
  std::string package; ///< of the factors, if there are any
};

LinearMethod method_of(KSP ksp) {
  PC pc = nullptr;
  KSPType ksp_type = nullptr;
  PCType pc_type = nullptr;
  MatSolverType package = nullptr;
  check(KSPGetPC(ksp, &pc));
  check(KSPGetType(ksp, &ksp_type));
  check(PCGetType(pc, &pc_type));
  if (std::string(pc_type) == PCLU)
    check(PCFactorGetMatSolverType(pc, &package));
  return {ksp_type, pc_type, package != nullptr ? package : ""};
}

/// True if linear systems are solved by factors, with the refinement that the proximal block wants.
bool is_direct(const LinearMethod& method) {
  return (method.ksp == KSPPREONLY || method.ksp == KSPRICHARDSON) &&
         (method.pc == PCLU || method.pc == block_preconditioner_name);
}

/// Equations come scaled [S1]: what MUMPS makes of them otherwise is less accurate near singular configurations. To be
/// called once the operators are known; the command line still wins.
void leave_scales_to_us(PC pc) {
  constexpr PetscInt scaling = 8;
  Mat factors = nullptr;
  check(PCFactorSetUpMatSolverType(pc));
  check(PCFactorGetMatrix(pc, &factors));
  check(MatMumpsSetIcntl(factors, scaling, 0));
}

/// Rows of redundant multipliers, part by part of the model.
std::vector<Index> redundant_rows(const Numbering& numbering, const StepNorm& norm, const Proximal& proximal) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < proximal.redundant.size(); ++i)
    if (proximal.redundant[i] && numbering.row_of_multiplier[i] < numbering.equations)
      rows.push_back(numbering.row_of_multiplier[i]);
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return norm.part_of(a) < norm.part_of(b); });
  return rows;
}

/// Solves after which the size of coordinates is looked at again.
constexpr long coordinates_every = 256;

} // namespace

Newton::Newton(Assembler& assembler, const NewtonOptions& options)
    : assembler_(assembler), options_(options), blocks_(assembler.blocks(), options.kernels.instructions),
      norm_(assembler.model(), assembler.numbering(), options.kernels.instructions), bending_(assembler, norm_),
      start_values_(norm_, redundant_rows(assembler.numbering(), norm_, options.proximal), findings_size(),
                    options.kernels.instructions),
      x_(VecX::Zero(assembler.size() + Assembler::room_behind)), f_(x_), dx_(x_), spare_(x_), wishes_(petsc_wishes()),
      moved_(norm_.parts()), moved_before_(norm_.parts()), size_(norm_.parts()),
      curvature_(norm_.parts(), unknown_curvature), rounding_(norm_.parts()), corrected_(norm_.parts()),
      reactions_(norm_.parts()), block_rate_(norm_.parts()), unsolved_(norm_.parts()), forces_(norm_.parts()) {
  scratch_.resize(assembler.size());
  force_.resize(assembler.size());
  history_.reserve(static_cast<std::size_t>(options.max_iterations) + 2);
  assembler.admit_violation(options.augmented.tolerance);
  const Proximal& proximal = options.proximal;
  if (proximal.scales.size() > 0)
    assembler.prepare_proximal(proximal.scales, proximal.redundant);
  assembler.leave_out(proximal.left_out);
  base_epsilon_ = proximal.always ? proximal.epsilon : 0;
  may_pivot_ = options.linear == LinearSolver::automatic;
  assembler_.set_epsilon(base_epsilon_);
  if (!runs_directly() || !uses_blocks())
    use_factorisation(false, base_epsilon_);
  if (wishes_.looks && (runs_directly() || assembler.constraints().is_merged()))
    spectator_ = std::make_unique<Spectator>(assembler, options.max_iterations);
}

void Newton::use_factorisation(bool pivoting, double epsilon) {
  pivoting_ = pivoting;
  assembler_.set_epsilon(epsilon);
  if (runs_directly() && uses_blocks())
    return;
  if (snes_ == nullptr) {
    register_block_preconditioner();
    create_snes();
  }
  check(SNESSetJacobian(snes_, assembler_.matrix(), assembler_.factorised(), form_jacobian, this));
  KSP ksp = nullptr;
  PC pc = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  if (epsilon > 0) {
    // x <- x + A_epsilon^-1 (b - A x), one refinement: a mode of relative stiffness sigma is off by
    // (epsilon / (epsilon + sigma))² [S5].
    check(KSPSetType(ksp, KSPRICHARDSON));
    check(KSPSetNormType(ksp, KSP_NORM_NONE));
    check(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2));
  } else {
    check(KSPSetType(ksp, KSPPREONLY));
  }
  check(KSPGetPC(ksp, &pc));
  check(PCReset(pc));
  const char* solver = pivoting ? MATSOLVERKLU : petsc_name(options_.linear);
  if (solver == nullptr &&
      (has_petsc_option("-pc_type lu") || has_petsc_option("-pc_factor_"))) // in our order, like all others
    solver = MATSOLVERPETSC;
  if (solver == nullptr) {
    check(PCSetType(pc, block_preconditioner_name));
  } else {
    check(PCSetType(pc, PCLU));
    check(PCFactorSetMatSolverType(pc, solver));
    check(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL)); // the numbering is the ordering
    // A pivot counts as zero only when it vanishes: small ones are natural where bodies are small against a metre, and
    // the residual tells when they spoil the solution.
    check(PCFactorSetZeroPivot(pc, 1e-200));
  }
  check(SNESSetFromOptions(snes_)); // last, so the command line wins
  check(KSPSetOperators(ksp, assembler_.matrix(), assembler_.factorised()));
  const LinearMethod method = method_of(ksp);
  if (method.package == MATSOLVERMUMPS)
    leave_scales_to_us(pc);
  is_direct_ = is_direct(method);
}

std::string Newton::method() const {
  const ConstraintSet& constraints = assembler_.constraints();
  std::string text = runs_directly()           ? "Newton"
                     : !constraints.iterates() ? "Newton by SNES"
                     : constraints.is_merged() ? "Newton merged with augmented Lagrangians"
                                               : "augmented Lagrangians around Newton by SNES";
  if (uses_blocks() && (runs_directly() || constraints.is_merged()))
    return text + ", block LU";
  KSP ksp = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  const LinearMethod method = method_of(ksp);
  return text + ", " + method.ksp + "/" + method.pc + (method.package.empty() ? "" : " by " + method.package);
}

NewtonReport Newton::solve(const State& n, double h, const double* memory, const VecX* accelerations) {
  NewtonReport report = attempt(n, h, memory, accelerations);
  if (report.converged)
    linear_failures_ = 0;
  if (!report.converged && memory != nullptr && !linear_failed_)
    report = attempt(n, h, nullptr); // extrapolation may have led astray
  if (!report.converged && may_pivot_ && !pivoting_) {
    // A zero or tiny pivot is the usual reason; the step is repeated with a factorisation that pivots, and if linear
    // systems were what failed, the rest of the run stays with it.
    linear_failures_ = linear_failed_ ? linear_failures_ + 1 : 0;
    const bool stays = linear_failures_ >= patience();
    const std::string warning = stays ? describe_fallback(n.time) : "";
    use_factorisation(true, base_epsilon_);
    NewtonReport pivoted = attempt(n, h, nullptr);
    pivoted.warning += warning;
    if (!pivoted.converged || !stays)
      use_factorisation(false, base_epsilon_);
    if (pivoted.converged)
      return pivoted;
    report = std::move(pivoted);
  }
  if (!report.converged && options_.proximal.scales.size() > 0) {
    // Near a singular configuration: a block where there was none, a weaker one where modes are weaker than usual.
    const bool pivoting = pivoting_;
    use_factorisation(may_pivot_ || pivoting, base_epsilon_ > 0 ? base_epsilon_ / 100 : options_.proximal.epsilon);
    NewtonReport last = attempt(n, h, nullptr);
    use_factorisation(pivoting, base_epsilon_);
    last.rescued = last.converged;
    if (last.converged)
      return last;
  }
  ConstraintSet& constraints = assembler_.constraints();
  if (!report.converged && constraints.is_merged()) {
    constraints.use_merged(false);
    NewtonReport last = attempt(n, h, nullptr);
    constraints.use_merged(true);
    if (last.converged)
      return last;
  }
  return report;
}

/// Where forces are switched on and off, contacts may depend on one another for a moment.
int Newton::patience() const {
  return assembler_.constraints().empty() ? 1 : 5;
}

std::string Newton::describe_fallback(double time) const {
  char how[100] = "failed", when[80];
  if (runs_directly() && uses_blocks() && std::isfinite(linear_error_))
    std::snprintf(how, sizeof how, "is inaccurate (refinement changes its solution by %.1g of it)", linear_error_);
  std::snprintf(when, sizeof when, ": from t = %.6g s on KLU, which pivots, is used", time);
  return std::string("the factorisation without pivoting ") + how + when;
}

NewtonReport Newton::attempt(const State& n, double h, const double* memory, const VecX* accelerations) {
  const bool direct = runs_directly();
  step_length_ = std::abs(h);
  linear_failed_ = was_shortened_ = converged_ = measures_again_ = is_first_solve_ = false;
  ksp_reason_ = KSP_CONVERGED_ITERATING;
  assembler_.begin_step(n, h);
  recall(memory);
  if (memory == nullptr || !start_values_.extrapolates(memory, h))
    assembler_.start_freely(x_.data(), accelerations);
  if (memory != nullptr)
    start_values_.extrapolate(memory, h, x_.data(), direct && uses_blocks()); // by others nothing is pulled to zero
  history_.clear();
  nearly_done_ = false;
  if (direct) {
    if (solves_ - coordinates_measured_ >= coordinates_every) {
      measure_coordinates(n);
      coordinates_measured_ = solves_;
    }
    return watched(solve_directly());
  }
  return solve_with_strategies();
}

/// What the steps before have shown, or nothing.
void Newton::recall(const double* memory) {
  if (memory != nullptr && StartValues::remembers(memory)) {
    const double* findings = StartValues::findings(memory);
    solves_ = static_cast<long>(findings[0]);
    coordinates_measured_ = static_cast<long>(findings[1]);
    checked_ = static_cast<long>(findings[2]);
    looked_ = static_cast<long>(findings[3]);
    linear_error_ = findings[4];
    linear_failures_ = static_cast<int>(findings[5]);
    if (linear_failures_ >= patience() && may_pivot_ && !pivoting_)
      use_factorisation(true, base_epsilon_);
    findings += fixed_findings;
    for (std::size_t part = 0; part < curvature_.size(); ++part, findings += findings_of_part) {
      curvature_[part] = findings[0];
      rounding_[part] = findings[1];
      reactions_[part] = findings[2];
    }
    return;
  }
  solves_ = checked_ = looked_ = 0;
  coordinates_measured_ = -coordinates_every; // now
  linear_error_ = 1;
  std::fill(curvature_.begin(), curvature_.end(), unknown_curvature);
}

/// What is known about convergence: solves so far, those when things were looked at, error of a linear solve, steps in
/// which these failed; of every part C, rounding and reactions.
void Newton::write_findings(VectorRef out) const {
  out[0] = static_cast<double>(solves_);
  out[1] = static_cast<double>(coordinates_measured_);
  out[2] = static_cast<double>(checked_);
  out[3] = static_cast<double>(looked_);
  out[4] = linear_error_;
  out[5] = fell_back() ? patience() : linear_failures_;
  double* next = out.data() + fixed_findings;
  for (std::size_t part = 0; part < curvature_.size(); ++part, next += findings_of_part) {
    next[0] = curvature_[part];
    next[1] = rounding_[part];
    next[2] = reactions_[part];
  }
}

/// Relative residual after iteration k as expected from those before, by quadratic convergence r_k = C r_{k-1}²; no
/// better than what multipliers of merged augmented Lagrangians contract.
double Newton::predicted_residual(std::size_t k) const {
  const double before = history_[k - 1], linear = before * assembler_.constraints().contraction();
  if (k < 2)
    return std::max(before * before, linear);   // C = 1: relative residuals of a well scaled system
  const double rate = before / history_[k - 2]; // C from the two residuals before
  return std::max(before * rate * rate, linear);
}

double Newton::wanted() const {
  return std::max(floor_factor * eps, options_.tolerance);
}

/// True if the last residual cannot or need not become smaller.
bool Newton::is_balanced(bool stalled, bool last) const {
  const double excess = excess_of(history_.back());
  const bool small = excess <= 1 && (options_.tolerance > 0 || stalled || last || excess <= negligible ||
                                     predicted_residual(history_.size() - 1) <= negligible * eps);
  return (small || (stalled && history_.back() <= stall_band * floor_factor * eps)) &&
         assembler_.gauge().admits(assembler_.balance(), floor_factor * eps);
}

SNESConvergedReason Newton::judge(PetscInt iteration) {
  converged_ = false;
  if (iteration == 0) { // what cancels is not known yet
    assembler_.note_first();
    last_excess_ = divergence;
    return SNES_CONVERGED_ITERATING;
  }
  const ResidualGauge& gauge = assembler_.gauge();
  if (iteration == 1 || measures_again_)
    assembler_.measure_magnitudes();
  if (iteration == 1)
    history_.push_back(gauge.relative_first());
  history_.push_back(gauge.relative(assembler_.balance()));
  measures_again_ = history_.back() > history_.front(); // the first step led astray, and so do the sizes found there
  nearly_done_ = std::max(predicted_residual(history_.size()), history_.back() * history_.back()) <= eps;
  const bool stalled = excess_of(history_.back()) > stall_factor * last_excess_ && !was_shortened_;
  const bool last = iteration >= options_.max_iterations;
  converged_ = is_balanced(stalled, last);
  if (converged_) { // by terms of another iterate, which may have been far away: here they have the last word
    assembler_.measure_magnitudes();
    history_.back() = gauge.relative(assembler_.balance());
    converged_ = is_balanced(stalled, last);
  }
  last_excess_ = excess_of(history_.back());
  if (converged_)
    return SNES_CONVERGED_FNORM_ABS;
  if (!std::isfinite(history_.back()) || history_.back() > divergence)
    return SNES_DIVERGED_DTOL;
  return last ? SNES_DIVERGED_MAX_IT : SNES_CONVERGED_ITERATING;
}

std::string Newton::explain(SNESConvergedReason reason, PetscInt iterations) {
  if (const Element* element = assembler_.non_finite())
    return "element '" + element->name() + "' (" + element->kind() + ") returned a value that is not finite";
  const ResidualGauge::Worst worst = assembler_.gauge().worst(assembler_.balance());
  const std::string where = "\n  largest residual: " + assembler_.row_name(worst.row);
  if (reason == SNES_DIVERGED_LINEAR_SOLVE && !is_direct_ && ksp_reason_ < 0)
    return std::string("the linear solver that was asked for did not converge (PETSc: ") +
           KSPConvergedReasons[ksp_reason_] + ")" + where;
  if (reason == SNES_DIVERGED_LINEAR_SOLVE || assembler_.beyond_bounds())
    return "the linear system is singular: over-constrained bodies, or a configuration where the joints lock" + where;
  static const char* const units[] = {"N", "N m", "m"};
  const char* unit = units[static_cast<std::size_t>(worst.row_class)];
  char text[200];
  std::snprintf(text, sizeof text,
                "Newton stopped after %d iteration%s, |R| = %.1e %s (wanted %.1e %s, rounding floor %.1e %s)",
                static_cast<int>(iterations), iterations == 1 ? "" : "s", worst.residual, unit,
                wanted() * worst.magnitude, unit, floor_factor * eps * worst.magnitude, unit);
  const bool is_short = reason == SNES_DIVERGED_MAX_IT && options_.max_iterations < NewtonOptions().max_iterations;
  return text + where + (is_short ? "\n  more iterations may be allowed (solver.max_iterations)" : "");
}

} // namespace emmy
