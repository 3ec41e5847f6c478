#pragma once
/// Director bodies and free-standing spring tetrahedra that are eliminated as they are evaluated, four at a time: see
/// affine_program.hpp. Only ball joints hold them: to one another, to the ground or to other bodies. Gaps of the first
/// two kinds are found here, the others with the rest of the model.
///
/// Where the whole matrix is wanted, these bodies, their weights and joints are elements like all others.

#include "solvers/batches/kernel_options.hpp"
#include "solvers/books/ball_joints.hpp"
#include "solvers/condensation/affine_program.hpp"
#include "solvers/condensation/centre_distance.hpp"
#include "solvers/linear/block_matrix.hpp"

#include <vector>

namespace emmy {

class AffineCondensation {
public:
  /// Chooses its bodies, and marks their nodes in the graph.
  AffineCondensation(const Model& model, const ConstraintSet& constraints, BlockGraph& graph,
                     const KernelOptions& options);

  bool empty() const { return bodies_ == 0; }
  /// True if an element, numbered as in the model, is evaluated here where bodies are condensed.
  bool takes(std::size_t element) const { return taken_[element]; }
  /// True if this node of the model is moved by accept().
  bool moves(std::size_t node) const { return moved_[node]; }

  /// Finds all addresses, once the matrix has them.
  void bind(const BlockMatrix& matrix, double mean_mass);

  void residual(const AffineEvaluation& e) const {
    write_distances(e);
    each(kernels_->residual, e);
  }
  void tangent(const AffineEvaluation& e) const {
    write_distances(e);
    each(kernels_->tangent, e);
  }
  /// What any right side b of the whole system leaves to the multipliers, with the last tangent.
  void reduce(const AffineEvaluation& e, const double* b) const { each(kernels_->reduce, e, b); }
  /// Completes dx, the solution of what was left.
  void expand(const AffineEvaluation& e, double* dx) const { each(kernels_->expand, e, dx); }
  /// Writes the gaps of its joints to the residual f, over those that elements found from absolute coordinates.
  /// Overwrites the right side.
  void refine_gaps(const AffineEvaluation& e, double* f) const;
  /// State at the end of the step.
  void accept(const AffineEvaluation& e, State& state) const {
    each(kernels_->accept, e,
         AffineEnd{state.values.data(), state.remainders.data(), state.rates.data(), state.history.data()});
  }
  /// Enters a step in the books: all that it takes.
  void book(const BookedStep& step, StepBooks& books) const;

private:
  struct Port {
    int joint; ///< block node of its multipliers
    double sign;
    Vec3 arm;
    std::size_t element; ///< the joint, in the model
    int booked;          ///< where the joint is in the books here, -1: it is booked elsewhere
  };
  struct Body {
    AffineKind kind;
    std::size_t element;
    Index value, rate, history;
    std::vector<int> nodes; ///< block nodes of centre and base vectors
    int springs;            ///< block node of the multipliers of a tetra
    double mass;
    Mat3 inertia;
    double compliance, at_end, stiffness;
    Vec3 weight;
    std::vector<Port> ports;
    bool suits;
  };
  /// A joint of two points that coincide, and the bodies here that are in it: -1 none, -2 the ground.
  struct BallJoint {
    std::size_t element;
    int node;
    int body[2];
    Vec4 point[2];
  };
  struct Gap {
    int row, slot;
  };
  /// A row of numbers of a few bodies side by side, which begins a pack.
  struct alignas(32) Four {
    double numbers[4];
  };
  struct Group {
    AffineKind kind;
    int ports;
    int count, real;
    std::vector<int> places;
    std::vector<Four> constants, kept;
  };
  static constexpr int elsewhere = -1, ground = -2;

  void add_bodies(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph);
  void add_joints(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph);
  void take_weights(const Model& model);
  void rule_out(const Model& model, const ConstraintSet& constraints);
  void take(const Model& model, BlockGraph& graph);
  void bind_joints(const BlockMatrix& matrix);
  template <class Kernel, class... Arguments>
  void each(Kernel kernel, Arguments&&... arguments) const {
    for (const AffineGroup& group : program_)
      kernel(group, arguments...);
  }
  void write_distances(const AffineEvaluation& e) const { distances_.write(e.values, e.remainders, e.right_side); }
  void fill(Group& group, const std::vector<const Body*>& bodies, const BlockMatrix& matrix, double mean_mass) const;

  const AffineKernels* kernels_;
  std::vector<bool> taken_, moved_;
  std::vector<int> body_of_port_;
  std::vector<Body> candidates_;  // until bind()
  std::vector<BallJoint> joints_; // likewise
  int bodies_ = 0;
  CentreDistances distances_;
  BallJointBooks joint_books_;
  std::vector<Gap> gaps_;
  std::vector<Group> groups_;
  std::vector<AffineGroup> program_;
};

} // namespace emmy
