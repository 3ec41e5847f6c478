#pragma once
/// Frame bodies, the joints between them and their weights, evaluated together: four at a time, by kernels that write
/// straight into the residual and the blocks of the matrix. Everything else of a model is evaluated element by element
/// and added to what is here.
///
/// Taken are joints by multipliers that are composed of coincident points and perpendicular directions: spherical,
/// revolute, universal, constant velocity and fixed ones.

#include "solvers/blocks/block_factor.hpp"
#include "solvers/blocks/block_matrix.hpp"
#include "solvers/frames/frame_program.hpp"

#include <vector>

namespace emmy {

class Joint;

/// How kernels are run. Results agree to rounding.
struct KernelOptions {
  Instructions instructions = best_instructions();
  bool packs = true;   ///< four elements at a time, otherwise one
  bool batches = true; ///< otherwise every element by itself, through its own equations
};

class FrameBatch {
public:
  /// Chooses its elements and tells the matrix which blocks it will write.
  FrameBatch(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph, BlockMatrix& matrix,
             const KernelOptions& options);

  bool empty() const { return bodies_.empty(); }
  /// True if an element, numbered as in the model, is evaluated here.
  bool takes(std::size_t element) const { return taken_[element]; }
  /// True if this node of the model is moved here.
  bool moves(std::size_t node) const { return moved_[node]; }

  /// Finds all addresses, once the matrix has them.
  void bind(const BlockGraph& graph, BlockMatrix& matrix, double mean_mass);

  void residual(const FrameEvaluation& e) const { kernels_->residual(program_, e); }
  void tangent(const FrameEvaluation& e) const { kernels_->tangent(program_, e); }
  void accept(const FrameEvaluation& e, State& state) const {
    kernels_->accept(program_, e, state.values.data(), state.rates.data());
  }

private:
  struct TakenBody {
    std::size_t element, node; ///< positions in the model
    Index value, unknown;
    double mass;
    Mat3 J;
    Vec3 weight;
  };
  struct TakenJoint {
    std::size_t element;
    const Joint* joint;
    int body[2];
  };
  struct Group {
    JointShape shape;
    std::vector<TakenJoint> joints;
    std::vector<JointPlace> places;
    std::vector<double> w;
  };

  void take_bodies(const Model& model);
  void take_joints(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph);
  void take_weights(const Model& model);
  void claim(const BlockGraph& graph, BlockMatrix& matrix) const;
  bool describe(const Joint& joint, JointShape& shape, int (&body)[2]) const;
  int ground() const { return static_cast<int>(bodies_.size()); }
  static int centre(const BlockGraph& graph, const TakenBody& body) { return graph.first_node[body.node]; }
  static int rotation(const BlockGraph& graph, const TakenBody& body) { return graph.first_node[body.node] + 1; }

  std::vector<bool> taken_, moved_;
  std::vector<int> body_of_port_; // -1: not a frame
  std::vector<TakenBody> bodies_;
  std::vector<Group> groups_;
  const FrameKernels* kernels_ = nullptr;
  std::vector<FramePlace> places_;
  std::vector<double> inertia_, motions_, loads_;
  std::vector<JointGroup> joint_groups_;
  FrameProgram program_{};
};

} // namespace emmy
