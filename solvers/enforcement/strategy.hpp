#pragma once
/// How the constraints of one element become forces in a step. The element writes its equations as for multipliers,
///   r = (f + G_bar^T lambda ; phi),   k = (K, G_bar^T ; G, 0);
/// a strategy says with which lambda it pulls, and what remains of these equations in the unknowns of the system
/// (docs/theory/augmented_lagrangian.md, enforcement). Constraints by multipliers that hold at any time need none.

#include "core/element.hpp"
#include "core/interaction.hpp"
#include "solvers/assembly/step_equations.hpp"

#include <memory>

namespace emmy {

/// When multipliers of augmented Lagrangians are improved.
enum class AugmentedForm {
  merged,    ///< with every linear solve of Newton [A22]
  nested,    ///< around Newton [A4]
  linearised ///< once a step, after the one linear solve that it is left with [A26]
};

struct AugmentedLagrangianOptions {
  AugmentedForm form = AugmentedForm::merged;
  double tolerance = 0; ///< error e of constraints, in their units; 0: rounding if merged, otherwise 1e-10
  int max_sweeps = 50;
  bool growth = true;       ///< r of joints grows where a sweep gains too little, unless rho is given
  bool augmentation = true; ///< without it r = 0, the multiplier method: forces are the multipliers alone
  double rho = 0;           ///< of the update [A4], the same for all [N/m]; 0: by `relaxation`
  double relaxation = 1;    ///< rho / r, and where r is 0 rho / (c_a m_eff)
  bool cold = false;        ///< redundant joints: multipliers start every step from zero, not from the last step's
};

/// How far constraints went with the last change of multipliers: the Rayleigh quotient work / size is at most the
/// largest rho sigma / (1 + r sigma) of [A11], and becomes it where sweeps diverge.
struct MultiplierResponse {
  double work = 0, size = 0;
};

/// A constraint element at the start of a step.
struct ConstraintStart {
  double h = 0;
  double acceleration = 0;         ///< c_a of [A7] [1/s²]
  MultiplierVector phi, phi_rate;  ///< values and rates
  MultiplierVector effective_mass; ///< of each row [A14]
  MultiplierVector lambda;         ///< of the last step
};

class ConstraintStrategy {
public:
  /// Null for constraints that are met by unknown multipliers at any time.
  static std::unique_ptr<ConstraintStrategy> make(const Element& element, const Enforcement& how,
                                                  const ConstraintLevel& level,
                                                  const AugmentedLagrangianOptions& options);

  virtual ~ConstraintStrategy() = default;
  ConstraintStrategy(const ConstraintStrategy&) = delete;
  ConstraintStrategy& operator=(const ConstraintStrategy&) = delete;

  const Element& element() const { return element_; }
  Index rows() const { return rows_; }

  /// True if the multipliers are no unknowns of the system.
  virtual bool is_folded() const { return true; }
  /// True if multipliers are improved from iteration to iteration.
  virtual bool iterates() const { return false; }

  /// Takes the values after a step of free motion, before begin(): of one-sided constraints by rates only.
  void note_free(const ConstVectorRef& phi) { free_ = phi; }
  /// True if a one-sided constraint, whose values at the start are phi, does nothing in the step as far as is known
  /// before it is solved. Of constraints by rates free motion decides that.
  virtual bool rests(const ConstVectorRef&) const { return by_rates() && free_.maxCoeff() <= 0; }
  /// True if only values at the end of the step decide that; and whether by these it came true.
  virtual bool rests_by_values() const { return false; }
  virtual bool has_rested(const ConstVectorRef&) const { return true; }
  /// Takes over what is known at the start; forgets a step that was rejected.
  virtual void begin(const ConstraintStart& start);

  /// True if forces follow from the values of the constraints at the iterate, which must then be known first.
  virtual bool forces_follow_values() const { return true; }
  /// Takes the values at an iterate and writes what the constraints pull with.
  virtual void pull(const ConstVectorRef& phi, VectorRef lambda) = 0;

  /// Changes the equations of the element, evaluated with those forces, into what remains of them; `inv_s` is what the
  /// assembler scales forces with. Returns the residual of the constraints for the gauge in `error`.
  virtual void absorb(LocalSystem& local, double inv_s, VectorRef error);
  /// Adds to the size of the residual's terms what the stiffness of the strategy makes of that of the constraints.
  virtual void add_magnitude(VectorRef size) const;

  /// Largest e of its rows at the last iterate [A4]; of those that iterate.
  virtual double error() const { return 0; }

  /// Enters what the strategy did in an accepted step with the forces lambda.
  void book(const ConstVectorRef& lambda, StepBooks& books) const;

protected:
  ConstraintStrategy(const Element& element, const Enforcement& how, const ConstraintLevel& level);

  const Enforcement& how() const { return how_; }
  bool one_sided() const { return element_.is_one_sided(); }
  bool by_rates() const { return one_sided() && level_.rates; }
  const ConstraintLevel& level() const { return level_; }

  /// A one-sided constraint by rates takes part in the step if free motion would close it [A18].
  bool takes_part(Index i) const { return part_[static_cast<std::size_t>(i)]; }
  /// phi less its target in this step. By rates the target is phi_n and what restitution leaves of the approach [A18].
  double excess(double phi, Index i) const { return phi - target_[i]; }

  /// k_zz += G_bar^T slope G, for the slope of each force.
  void fold_slopes(LocalSystem& local);
  MultiplierVector slope_; ///< derivative of each force by phi

private:
  const Element& element_;
  Enforcement how_;
  Index rows_;
  ConstraintLevel level_;
  MultiplierVector free_, target_, lost_; // lost_: part of the change of phi at which a force takes energy away
  std::array<bool, max_multipliers> part_{};

protected:
  // Transposed gradient of forces and gradient of values at the last iterate, from absorb().
  MatX G_bar_T_, G_;
};

/// Multipliers that an iteration improves, [A2] to [A5], or with every linear solve [A22].
class AugmentedLagrangian final : public ConstraintStrategy {
public:
  AugmentedLagrangian(const Element& element, const Enforcement& how, const ConstraintLevel& level,
                      const AugmentedLagrangianOptions& options);

  bool iterates() const override { return true; }
  void begin(const ConstraintStart& start) override;
  bool forces_follow_values() const override { return !merged_; }
  void pull(const ConstVectorRef& phi, VectorRef lambda) override;
  void absorb(LocalSystem& local, double inv_s, VectorRef error) override;
  void add_magnitude(VectorRef size) const override;
  double error() const override;

  void use_merged(bool merged) { merged_ = merged; }
  bool is_merged() const { return merged_; }
  /// After a solution with fixed multipliers [A4]; adds what the update before it did.
  void update(MultiplierResponse& response);
  const MultiplierVector& multipliers() const { return lambda_; }
  /// After a linear solve that moved the unknowns of the element by dz [A22].
  void follow(const ConstVectorRef& dz);
  /// Multiplies the stiffness of a joint; contact keeps its own.
  void grow(double factor);
  const MultiplierVector& stiffness() const { return r_; }
  /// Smallest stiffness relative to that of the bodies [A14].
  double least_beta() const { return r_.cwiseQuotient(switch_).minCoeff(); }

private:
  double pressed(double x, Index i) const; ///< positive part where one-sided
  bool is_active(Index i) const;           ///< of the merged form
  double error(Index i) const;

  AugmentedLagrangianOptions options_;
  bool merged_;
  MultiplierVector lambda_, r_, rho_, excess_;
  MultiplierVector change_, before_; ///< of multipliers in the last update, and excess before it
  MultiplierVector switch_;          ///< stiffness that weighs excess against force where a constraint is switched
};

} // namespace emmy
