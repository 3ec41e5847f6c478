#pragma once
/// All constraints of a model that are not simply met by unknown multipliers, with their strategies.

#include "solvers/enforcement/strategy.hpp"

#include <vector>

namespace emmy {

/// Whether constraints that only push take part. A step in which none of them pushes is a step of the model without
/// them.
enum class OneSided { present, left_out };

class ConstraintSet {
public:
  ConstraintSet(const StepEquations& equations, const AugmentedLagrangianOptions& options,
                OneSided one_sided = OneSided::present);

  /// True if an element, as numbered in the model, takes no part in the equations.
  bool leaves_out(std::size_t element) const { return left_out_[element]; }
  /// True if something only pushes, and every step can find out whether it does.
  bool may_rest() const { return may_rest_; }
  /// True if nothing that only pushes does so in a step of length h from `n`, as far as can be told before it is
  /// solved.
  bool rests(const State& n, double h);
  /// Whether that has to be looked at once more when the step is solved; and whether it came true.
  bool rests_by_values() const { return rests_by_values_; }
  bool has_rested(const Step& solved);

  bool empty() const { return strategies_.empty(); }
  /// True if all constraints here only push, with multipliers that are unknowns or follow from values.
  bool only_push() const { return only_push_; }
  /// True if some multipliers are found by iteration.
  bool iterates() const { return !iterating_.empty(); }
  /// True if some force is switched on and off by a stiff one-sided spring.
  bool switches() const { return switches_; }
  /// Strategy of an element, as numbered in the model; or null.
  ConstraintStrategy* of(std::size_t element) const { return of_element_[element]; }

  void begin_step(const State& n, double h);

  /// The form of all augmented Lagrangians.
  void use_merged(bool merged);
  bool is_merged() const { return iterates() && iterating_.front()->is_merged(); }

  /// What an iteration of the merged form leaves of errors in multipliers, about [A13]; 0 of other forms.
  double contraction() const { return contraction_; }

  /// Largest error of the constraints that iterate, and whose it is; of all, or of joints alone: limits that contradict
  /// one another can open.
  struct Error {
    double size = 0;
    const Element* element = nullptr;
  };
  Error error() const { return largest_error(true); }
  Error joint_error() const { return largest_error(false); }
  void update();
  /// Largest quotient of [A11] that updates of this step have shown, rho sigma / (1 + r sigma): beyond 2 they diverge.
  double steepest() const { return steepest_; }
  /// Writes the multipliers that iterations improve over the forces that they pulled with.
  void write_multipliers(VecX& lambda) const;
  void follow(const VecX& dz);
  void grow(double factor);

  void book(const VecX& lambda, StepBooks& books) const;

private:
  Error largest_error(bool with_limits) const;
  void move_ports(const Step& s);
  VectorRef evaluate(const MovedStep& s, const Element& element, bool tangent);
  void look_ahead(const State& n, double h);
  void gather(const Element& element, const VecX& of_unknowns, VectorRef local) const;

  const StepEquations& equations_;
  const Model& model_;
  std::vector<std::unique_ptr<ConstraintStrategy>> strategies_;
  std::vector<ConstraintStrategy*> of_element_;
  std::vector<bool> left_out_; // by element
  std::vector<AugmentedLagrangian*> iterating_;
  std::vector<Index> ports_; // of those with strategies
  bool switches_ = false, free_motion_ = false, may_rest_ = false, rests_by_values_ = false, only_push_ = false;
  double contraction_ = 0, steepest_ = 0;
  VecX inverse_mass_; // of each unknown
  VecX zero_, free_;  // increments
  PortMotions motions_;
  VecX local_, local_z_, local_w_;
  MatX local_k_;
};

} // namespace emmy
