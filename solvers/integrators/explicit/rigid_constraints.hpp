#pragma once
/// Joints and drives on rigid bodies: constraint values, their gradients as wrenches on the bodies, the matrix
/// S = G M^-1 G^T, and the solution for multipliers [E11]. The acting wrench of multipliers lambda is -G^T lambda.

#include "solvers/integrators/explicit/multiplier_solve.hpp"
#include "solvers/integrators/explicit/rigid_joint.hpp"

namespace emmy {

class RigidConstraints {
public:
  /// All of a model. Throws std::invalid_argument for one that only pushes.
  explicit RigidConstraints(const RigidSystem& system);

  int rows() const { return rows_; }
  bool empty() const { return rows_ == 0; }

  /// The start of the step, from which angles are counted and time functions run.
  void start(double t, const Poses& poses, const VecX& history);

  /// Gradients, their rates by time and S at poses that are reached `h` after the start; factors S. False if something
  /// is not finite.
  bool linearise(const Poses& poses, double h);

  /// Adds the impulse -factor G^T lambda to the momenta, with G of the last linearise().
  void add_impulse(const VecX& lambda, double factor, Momenta& momenta) const;
  /// Adds -G^T lambda to the wrenches.
  void add_wrenches(const VecX& lambda, Wrenches& wrenches) const;

  /// Books the impulse -factor G^T lambda that came from outside, and adds the wrenches of drives, which do work.
  void book(const VecX& lambda, double factor, StepBooks& books, Wrenches& given) const;

  /// Multipliers that close the joints at the poses `reach(lambda)`, h after the start; -d(phi)/d(lambda) is about
  /// stiffness * S.
  template <class Reach>
  MultiplierSolve::Report close(VecX& lambda, double stiffness, double h, Reach reach) {
    return solve_->solve(lambda, stiffness, size_, max_iterations_,
                         [&](const VecX& now, VecX& phi) { values(reach(now), h, phi); });
  }

  /// Takes from the momenta what tears joints apart, with G of the last linearise(): P <- P - G^T mu such that G M^-1 P
  /// = -phi_t. Sets mu.
  MultiplierSolve::Report project(const Poses& poses, Momenta& momenta, VecX& mu);

  /// Iterations that a solution may take.
  void set_max_iterations(int most) { max_iterations_ = most; }

  /// Joint and row for a message: "'hinge' (revolute joint), position along x [m]".
  std::string row_name(int row) const;

private:
  using Velocity = Eigen::Matrix<double, 6, 1>; ///< of a body, both in space

  struct JointRows {
    RigidJoint joint;
    int first = 0;                   ///< row
    std::vector<RigidJoint::Rows> Y; ///< W M^-1 of each side
  };
  /// Two joints that share a body.
  struct Coupling {
    std::size_t a, b;           ///< joints, a <= b
    std::size_t side_a, side_b; ///< on the shared body
    std::size_t entry;          ///< first of its entries in the pattern
  };

  void values(const Poses& poses, double h, VecX& phi);
  /// Adds the rates of all constraints with these momenta, and the size of their terms.
  void add_rates(const Poses& poses, const Momenta& momenta, VecX& rates, VecX& size);
  void find_couplings();
  void assemble();
  auto of(const VecX& lambda, const JointRows& joint) const { return lambda.segment(joint.first, joint.joint.rows()); }

  const RigidSystem& system_;
  int rows_ = 0;
  std::vector<JointRows> joints_;
  std::vector<Coupling> couplings_;
  SymmetricPattern pattern_;
  std::optional<MultiplierSolve> solve_;
  VecX phi_t_;   ///< rates by time
  VecX size_;    ///< of the terms that are summed in phi, or in its rate
  VecX natural_; ///< of S, if arms were perpendicular to what they carry
  // work space
  VecX given_rates_, given_size_;
  Momenta impulse_;
  std::vector<Velocity> velocities_;
  RigidPorts ports_;
  double t_ = 0;
  int max_iterations_ = 20;
};

} // namespace emmy
