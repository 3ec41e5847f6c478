#pragma once
/// Frame bodies, the joints between them and their weights, evaluated together: four at a time, by kernels that write
/// straight into the residual and the blocks of the matrix. Everything else of a model is evaluated element by element
/// and added to what is here.
///
/// Taken are joints by multipliers that are composed of coincident points and perpendicular directions: spherical,
/// revolute, universal, constant velocity and fixed ones.

#include "solvers/frames/centre_distance.hpp"
#include "solvers/frames/condensation.hpp"
#include "solvers/frames/frame_program.hpp"

#include <vector>

namespace emmy {

class Joint;

class FrameBatch {
public:
  /// Chooses its elements, and marks the nodes of bodies that can be condensed.
  FrameBatch(const Model& model, const ConstraintSet& constraints, BlockGraph& graph, const KernelOptions& options);

  bool empty() const { return bodies_.empty(); }
  /// True if an element, numbered as in the model, is evaluated here.
  bool takes(std::size_t element) const { return taken_[element]; }
  /// True if this node of the model is moved here.
  bool moves(std::size_t node) const { return moved_[node]; }

  /// Tells the matrix which blocks will be written.
  void claim(const BlockGraph& graph, BlockMatrix& matrix) const;
  /// Finds all addresses, once the matrix has them.
  void bind(const BlockGraph& graph, BlockMatrix& matrix, double mean_mass);

  void residual(const FrameEvaluation& e) const { evaluate(kernels_->residual, all_, e); }
  void tangent(const FrameEvaluation& e) const { evaluate(kernels_->tangent, all_, e); }
  void accept(const FrameEvaluation& e, State& state) const {
    kernels_->accept(all_.program, e, state.values.data(), state.lost.data(), state.rates.data());
  }

  /// The bodies that are eliminated as they are evaluated.
  const Condensation& condensation() const { return condensation_; }
  /// Residual and tangent of what is not, and of the sides of joints there.
  void residual_of_rest(const FrameEvaluation& e) const { evaluate(kernels_->residual, rest_, e); }
  void tangent_of_rest(const FrameEvaluation& e) const { evaluate(kernels_->tangent, rest_, e); }
  /// False if there is nothing else.
  bool has_rest() const { return rest_.program.bodies > 0; }

private:
  struct TakenBody {
    std::size_t element, node; ///< positions in the model
    Index value, unknown;
    double mass;
    Mat3 J;
    Vec3 weight;
    bool condensed;
  };
  struct TakenJoint {
    std::size_t element;
    const Joint* joint;
    int body[2];
  };
  struct Group {
    JointShape shape;
    std::vector<TakenJoint> joints;
  };
  /// What a program refers to.
  struct Tables {
    std::vector<FramePlace> places;
    std::vector<double> inertia, motions, loads;
    struct Joints {
      std::vector<JointPlace> places;
      std::vector<double> w;
    };
    std::vector<Joints> joints;
    std::vector<JointGroup> groups;
    CentreDistances distances;
    FrameProgram program{};
  };

  template <class Kernel>
  static void evaluate(Kernel kernel, const Tables& tables, const FrameEvaluation& e) {
    tables.distances.write(e.values, e.lost, e.f);
    kernel(tables.program, e);
  }

  void take_bodies(const Model& model);
  void take_joints(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph);
  void take_weights(const Model& model);
  void choose_condensed(const Model& model, BlockGraph& graph);
  void add_condensed_joints(const BlockGraph& graph);
  void fill(Tables& tables, bool rest, const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) const;
  Tables::Joints joints_of(const Group& group, const std::vector<int>& number, const BlockGraph& graph,
                           BlockMatrix& matrix, CentreDistances& distances) const;
  /// Where the distance of a joint that holds points together begins or ends, by the number of its variable.
  CentreDistances::End end_of(const Group& group, const TakenJoint& joint, int variable) const;
  bool describe(const Joint& joint, JointShape& shape, int (&body)[2]) const;
  int ground() const { return static_cast<int>(bodies_.size()); }
  static int centre(const BlockGraph& graph, const TakenBody& body) { return graph.first_node[body.node]; }
  static int rotation(const BlockGraph& graph, const TakenBody& body) { return graph.first_node[body.node] + 1; }

  std::vector<bool> taken_, moved_;
  std::vector<int> body_of_port_; // -1: not a frame
  std::vector<TakenBody> bodies_;
  std::vector<Group> groups_;
  const FrameKernels* kernels_ = nullptr;
  Tables all_, rest_;
  Condensation condensation_;
};

} // namespace emmy
