#pragma once
/// A joint or a drive on rigid bodies, at one configuration: the gradients of its rows as wrenches on the bodies.

#include "solvers/integrators/explicit/natural_forces.hpp"

namespace emmy {

/// Where bodies are, as joints see them.
struct RigidPorts {
  explicit RigidPorts(std::size_t bodies) : ports(bodies) {}
  void place(const RigidSystem& system, const Poses& poses) {
    for (std::size_t b = 0; b < poses.size(); ++b)
      ports[b] = system.port(b, poses[b]);
  }

  std::vector<Vec12> ports;
  Vec12 ground = ground_port();
};

class RigidJoint {
public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, max_multipliers, 6>;
  struct Side {
    std::size_t unit;
    Rows W; ///< force and moment per unit of each multiplier
  };

  RigidJoint(const RigidSystem& system, const Interaction& element);

  const Interaction& element() const { return interaction_.element(); }
  Index rows() const { return element().multipliers(); }
  /// Bodies behind its natural variables; -1 is the ground.
  const std::vector<Index>& units() const { return interaction_.units(); }
  const std::vector<Side>& sides() const { return sides_; }

  /// The start of a step, from which angles are counted and time functions run.
  void begin(const RigidPorts& at, const VecX& history);
  /// The step to where bodies are now.
  NaturalStep step_to(const RigidPorts& at, double t, double h) const;
  /// Gradients there, and their rates by time.
  void linearise(const RigidSystem& system, const RigidPorts& at, const Poses& poses, double t, double h);

  // as of the last linearise()
  const MultiplierVector& time_rates() const { return phi_t_; }
  /// G M^-1 G^T of each row by itself, if arms were perpendicular to what they carry.
  const MultiplierVector& natural() const { return natural_; }
  /// Length of the gradient by each variable: multipliers x variables.
  const auto& lengths() const { return lengths_; }
  /// Size of the numbers that variable a is computed from.
  double coordinate(const RigidPorts& at, std::size_t a) const;

  /// Books the impulse -factor G^T lambda that came from outside.
  void book(const MultiplierVector& lambda, double factor, StepBooks& books) const {
    element().book_impulses(q_, G_.transpose() * lambda, factor, books);
  }

private:
  void add_wrenches_of(const RigidSystem& system, const RigidPorts& at, std::size_t a, const Pose& pose, Side& side);

  RigidInteraction interaction_;
  std::vector<Side> sides_;
  NaturalVector q_start_, q_; ///< at the start; at the last linearise()
  HistoryVector history_;
  ConstraintMatrix G_; ///< in natural variables
  MultiplierVector phi_t_, natural_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_multipliers, max_natural_variables> lengths_;
};

} // namespace emmy
