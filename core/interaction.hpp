#pragma once
/// An element between ports: joint, force, spring, limit. Its author writes residual and tangent in natural variables,
/// points and directions of bodies [F7], [D16]. This class sums them to those of ports; from there they are pulled back
/// to the unknowns of the bodies, whatever their formulation [port_system.hpp].

#include "core/port_system.hpp"

#include <memory>

namespace emmy {

inline constexpr int max_natural_variables = 10;
inline constexpr int max_natural = 3 * max_natural_variables;
inline constexpr int max_history = 8;

using NaturalVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_natural, 1>;
using NaturalMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_natural, max_natural>;
using MultiplierVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_multipliers, 1>;
using HistoryVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_history, 1>;
using ConstraintMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_multipliers, max_natural>;

/// The natural variables over one step, stacked in the order of Interaction::variables().
struct NaturalStep {
  double t = 0;     ///< time at the start [s]
  double h = 0;     ///< [s]
  double inv_h = 0; ///< 1/h for rates; 0 where time stands still: dampers then do nothing
  NaturalVector q_n, q_n1;
  NaturalVector q_m;       ///< mean of the two
  MultiplierVector lambda; ///< own multipliers
  HistoryVector history;   ///< what the element remembered at the start of the step
};

/// Equations in natural variables.
struct NaturalSystem {
  NaturalVector r;        ///< + discrete gradient of potentials and loads, without G_bar^T lambda
  NaturalMatrix k;        ///< derivative of r + G_bar^T lambda with respect to q_n1; only if `tangent`
  MultiplierVector phi;   ///< constraints at n+1
  MultiplierVector phi_t; ///< their partial derivative by time at n+1; only if `tangent`
  ConstraintMatrix G_bar; ///< discrete derivative: G_bar (q_n1 - q_n) = change of phi, at fixed time
  ConstraintMatrix G;     ///< derivative of phi at n+1; only if `tangent`
  bool tangent = false;
};

/// The natural variables at an instant, for integrators that take forces at points in time instead of means over a
/// step.
struct NaturalInstant {
  double from = 0, to = 0; ///< given loads act with their mean over this span of time [s], or their value if from = to
  NaturalVector q, q_dot;
  HistoryVector history;
};

/// Forces at an instant, in three parts that add up; each is the negative of what acts.
struct InstantForces {
  NaturalVector elastic; ///< gradient of the potential
  NaturalVector given;   ///< does work from outside
  NaturalVector viscous; ///< dissipates
};

/// Where the tangent in natural variables may be non-zero.
struct NaturalPattern {
  Pattern k; ///< variables x variables
  Pattern G; ///< multipliers x variables, of G and G_bar alike
};

/// Force and moment that an element exerts on one of its bodies.
struct Reaction {
  Vec3 force = Vec3::Zero();  ///< [N], global axes
  Vec3 moment = Vec3::Zero(); ///< [N m], global axes
};

/// Ports of a model as interactions know them.
using Ports = std::vector<std::unique_ptr<Connectivity>>;

class Interaction : public Element {
public:
  Interaction(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
              const InteractionFacts& facts);

  const std::vector<NaturalVariable>& variables() const { return variables_; }

  /// Residual and tangent in natural variables; the buffers are zero and of the right size.
  virtual void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const = 0;

  /// Where k, G and G_bar may ever be non-zero: everywhere, unless an element knows better.
  virtual NaturalPattern natural_pattern() const;

  /// Forces at an instant; the buffers are zero and of the right size. Unless overridden they are those of a step that
  /// does not move, and all count as elastic.
  virtual void evaluate_instant(const NaturalInstant& s, InstantForces& out) const;

  Acts acts() const { return acts_; }
  Forces forces() const { return forces_; }
  /// False if forces at an instant change with time or velocity while the bodies stay where they are.
  bool is_configurational() const { return forces_ == Forces::constant || forces_ == Forces::of_configuration; }
  bool depends_on_rates() const { return forces_ == Forces::of_rates; }

  /// Energy stored at the end of the step [J].
  virtual double potential(const NaturalStep& s) const;

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  Pattern pattern() const final;
  void add_magnitude(const MovedStep& s, VectorRef size) const final;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  void begin(const MovedStep& still, State& state) const override;
  void advance(const MovedStep& s, State& n1) const override;

  /// The part of book() that belongs to the end of the step: stored energy, and how well constraints are met. For
  /// integrators that book impulses and work as they give them.
  void book_end(const MovedStep& s, const State& n1, StepBooks& books) const;

  /// Books what the residual r in natural variables q gave to the model from outside in the time h.
  void book_impulses(const NaturalVector& q, const NaturalVector& r, double h, StepBooks& books) const;

  /// Zero buffers of the right size.
  NaturalSystem natural_system(bool tangent) const;

  /// The natural variables in a step.
  NaturalStep natural_step(const MovedStep& s) const;

  /// Residual of the element on the twelve numbers of a port; the acting force is its negative.
  Vec12 port_residual(const MovedStep& s, Index port) const;

  /// What the element did to the body at `port` in the step, about the mean of natural variable `reference`.
  Reaction reaction(const MovedStep& s, Index port, Index reference) const;

protected:
  /// The ports, in the order of the unknowns.
  const std::vector<PortUse>& uses() const { return uses_; }
  /// For each natural variable, its entry in uses().
  const std::vector<std::size_t>& use() const { return use_; }

  /// True if the ground bears part of what acts on one of the ports.
  bool is_grounded() const { return is_grounded_; }

  /// Books work that entered from outside and energy that was lost in the step, for elements that do either; r is the
  /// residual in natural variables, so the acting force -r did the work -r (q_n1 - q_n).
  virtual void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const;

  /// What to remember: at the start, and after an accepted step. Left as it was unless an element says otherwise.
  virtual void begin_history(const NaturalStep& still, HistoryVector& history) const;
  virtual void advance_history(const NaturalStep& s, HistoryVector& history) const;

  /// Constraints at the end of the step, and their rates where the natural variables have the rates `q_dot`. To be
  /// overridden by elements that find this without the whole tangent.
  virtual void end_of_constraints(const NaturalStep& s, const NaturalVector& q_dot, MultiplierVector& phi,
                                  MultiplierVector& phi_dot) const;

private:
  Vec12 port_residual(const NaturalVector& r, std::size_t use) const;
  void book_end(const NaturalStep& step, const State& n1, StepBooks& books) const;
  void book_constraints(const NaturalStep& step, const State& n1, StepBooks& books) const;
  NaturalSystem evaluate_total(const NaturalStep& s, bool tangent) const;
  void add_to_ports(const NaturalSystem& natural, PortSystem& out) const;
  const PortUse& use_of(std::size_t variable) const { return uses_[use_[variable]]; }
  static std::vector<Node> nodes_of(const Ports& ports, const std::vector<NaturalVariable>& variables);

  std::vector<NaturalVariable> variables_;
  Acts acts_;
  Forces forces_;
  std::vector<PortUse> uses_;
  std::vector<std::size_t> use_;
  bool is_grounded_ = false;
};

} // namespace emmy
