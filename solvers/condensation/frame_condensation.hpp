#pragma once
/// Frame bodies that are eliminated as they are evaluated, four at a time: see frame_condensation_program.hpp. What is
/// left to factorise are the multipliers of their joints, and whatever else a model has.

#include "solvers/batches/body_blocks.hpp"
#include "solvers/batches/kernel_options.hpp"
#include "solvers/books/ball_joints.hpp"
#include "solvers/condensation/centre_distance.hpp"
#include "solvers/condensation/frame_condensation_program.hpp"
#include "solvers/linear/block_factor.hpp"
#include "solvers/linear/block_matrix.hpp"

#include <vector>

namespace emmy {

class FrameCondensation {
public:
  /// Side of a joint of two coinciding points.
  struct Port {
    int joint;       ///< block node of its multipliers
    double sign;     ///< of the point in the constraint
    Vec3 arm;        ///< from the centre, body components
    int booked = -1; ///< where the joint is in the books here, -1: nowhere
  };
  /// What such a joint has besides, if none but bodies that are eliminated and the ground are in it.
  struct Joint {
    int node; ///< its multipliers
    CentreDistances::End from, to;
  };
  struct Body {
    Index value, rate; ///< of its node in State
    int centre;        ///< block node
    BodyPart rotation;
    double mass;
    Mat3 J;
    Vec3 weight;
    std::vector<Port> ports;
    int load = -1; ///< its number in BodyLoads, -1: none
  };

  explicit FrameCondensation(const KernelOptions& options);

  /// True if a body may be eliminated without looking at the others.
  static bool suits(const Body& body);
  /// True if it gives way to forces and moments enough for that.
  static bool gives_way(double mass, const Mat3& J);
  void add(Body body) { bodies_.push_back(std::move(body)); }
  void add(const Joint& joint) { joints_.push_back(joint); }
  bool empty() const { return bodies_.empty() && program_.empty(); }

  /// Finds all addresses, once the matrix has them.
  void bind(BlockMatrix& matrix, const BodyLoads& loads, double mean_mass);

  void residual(const CondensedEvaluation& e) const {
    distances_.write(e.values, e.remainders, e.right_side);
    each(kernels_->residual, e);
  }
  void tangent(const CondensedEvaluation& e) const {
    distances_.write(e.values, e.remainders, e.right_side);
    each(kernels_->tangent, e);
  }
  /// What any right side b of the whole system leaves to the multipliers, with the last tangent.
  void reduce(const CondensedEvaluation& e, const double* b) const { each(kernels_->reduce, e, b); }
  void expand(const CondensedEvaluation& e, double* dx) const { each(kernels_->expand, e, dx); }
  /// Enters bodies, weights and joints in the books of a step, if there are none but those that are eliminated.
  void book(const BookedStep& step, BatchBooks& sums) const {
    each(kernels_->book, step, joint_books_.begin(step), sums);
    joint_books_.book(step, sums);
  }

private:
  /// A row of numbers of a few bodies side by side, which begins a pack.
  struct alignas(32) Four {
    double numbers[4];
  };
  struct Group {
    int ports;
    int count, real;
    std::vector<int> places;
    std::vector<Four> constants, kept;
  };

  template <class Kernel, class... Arguments>
  void each(Kernel kernel, Arguments&&... arguments) const {
    for (const CondensedGroup& group : program_)
      kernel(group, arguments...);
  }
  void place(const Body* body, const Body& like, const BlockMatrix& matrix, Group& group) const;
  void fill(Group& group, const std::vector<const Body*>& bodies, const BlockMatrix& matrix, double mean_mass) const;

  const CondensationKernels* kernels_;
  std::vector<Body> bodies_;  // until bind()
  std::vector<Joint> joints_; // likewise
  CentreDistances distances_;
  BallJointBooks joint_books_;
  BodyLoads loads_{};
  std::vector<Group> groups_;
  std::vector<CondensedGroup> program_;
};

} // namespace emmy
