#pragma once
/// Frame bodies, the elements between them and their weights, evaluated together: elements of one kind many at a time,
/// by kernels that write straight into the residual and the blocks of the matrix. Everything else of a model is
/// evaluated element by element and added to what is here.
///
/// Taken is every element between two frames, or a frame and the ground, that has kernels (elements/kernels.inl), be it
/// one of measures or of natural equations, and couplers of two such pairs. Where constraints are more than equations
/// with unknown multipliers of their own, kernels do what forces do, and hand values and gradients over [BatchRows].
///
/// Loads, forces that depend on how one body is turned and on nothing else, leave a body free to be eliminated: what
/// they do to such bodies is found first, for whoever eliminates them [BodyLoads].

#include "solvers/batches/batch_program.hpp"
#include "solvers/batches/batch_rows.hpp"
#include "solvers/condensation/body_loads.hpp"
#include "solvers/condensation/centre_distance.hpp"
#include "solvers/condensation/frame_condensation.hpp"

#include <memory>
#include <vector>

namespace emmy {

class MeasureInteraction;
class NaturalInteraction;
class WrenchSystem;
struct ModelParts;

/// What is evaluated: everything; what is not on wrenches; what is left of that once bodies are eliminated, with the
/// sides that joints have there; or the loads of bodies that are eliminated.
enum class BatchScope { all, beside_wrenches, rest, loads };

class Batches {
public:
  /// Chooses its elements, and marks the nodes of bodies that can be condensed.
  Batches(const Model& model, const ConstraintSet& constraints, BlockGraph& graph, const KernelOptions& options);

  bool empty() const { return bodies_.empty(); }
  /// True if an element, numbered as in the model, is evaluated here.
  bool takes(std::size_t element) const { return taken_[element]; }
  /// True if this node of the model is moved here.
  bool moves(std::size_t node) const { return moved_[node]; }

  /// Tells the matrix which blocks will be set, not summed.
  void claim(const BlockGraph& graph, BlockMatrix& matrix);
  /// Finds all addresses, once the matrix has them.
  void bind(const Model& model, const BlockGraph& graph, BlockMatrix& matrix, double mean_mass);

  /// Takes what elements know of a step from `n` when it begins.
  void begin_step(const State& n, double h);

  /// Elements that hand their rows over; others have no part in it.
  BatchRows& rows() { return rows_; }
  const BatchRows& rows() const { return rows_; }

  /// Moves the bodies to an iterate: first of all.
  void move(const BatchEvaluation& e, BatchScope scope) const { kernels_->frames.move(of(scope).frames, e); }
  /// Finds values of constraints that are handed over, and does nothing else.
  void find_values(const BatchEvaluation& e, BatchScope scope);
  /// Residual, and the tangent if it is asked for.
  void evaluate(const BatchEvaluation& e, bool tangent, BatchScope scope);
  /// Loads of bodies that are eliminated, before these are evaluated.
  void evaluate_loads(const BatchEvaluation& e, bool tangent);
  void accept(const BatchEvaluation& e, State& state) const {
    kernels_->frames.accept(all_.frames, e, state.values.data(), state.remainders.data(), state.rates.data());
  }

  /// True if count_turns() leaves nothing for Element::advance() to do.
  bool advances(std::size_t element) const { return advanced_[element]; }
  /// Angles of joints at the end of a step, n1.values, with their turns counted from those in `n`.
  void count_turns(const State& n, State& n1) const;

  /// True if book() enters this element of the model.
  bool books(std::size_t element) const { return booked_[element]; }
  /// Enters a step that ended in `n1`; `s` times multipliers in the iterate are forces.
  void book(const BatchEvaluation& e, double s, double mean_mass, const State& n1, StepBooks& books) const;

  /// Where the bending length of an element is found after an evaluation; null if it is none of these.
  const double* length_of(std::size_t element) const {
    return length_at_[element] < 0 ? nullptr : lengths_.data() + length_at_[element];
  }

  /// Bodies of parts of the model that are eliminated onto the wrenches of their joints; null if there are none. In the
  /// matrix their equations are the first ones, and elsewhere.
  std::unique_ptr<WrenchSystem> wrenches(const BlockGraph& graph, const BlockMatrix& matrix, double mean_mass,
                                         const KernelOptions& options) const;

  /// The bodies that are eliminated as they are evaluated.
  const FrameCondensation& condensation() const { return condensation_; }
  /// True if there are bodies to evaluate.
  bool has(BatchScope scope) const { return of(scope).frames.bodies > 0; }

private:
  struct TakenBody {
    std::size_t element, node; ///< positions in the model
    Index value, unknown;
    double mass;
    Mat3 J;
    Vec3 weight;
    FrameShape shape;
    bool is_loaded; ///< by loads
    bool condensed;
    bool on_wrenches = false;
  };
  struct TakenElement {
    std::size_t element; ///< position in the model
    const MeasureInteraction* of;
    int share; ///< which half of a coupler it is; 0 of others
    int body[2];
    int handed;                                  ///< its number in rows_, -1: it writes its rows itself
    const NaturalInteraction* natural = nullptr; ///< in place of `of`, if it is one of natural equations
  };
  struct Group {
    const PairKernels* kernels;
    bool is_handed, is_booked;
    std::vector<TakenElement> elements;

    bool is_natural() const { return elements.front().natural != nullptr; }
    bool is_load() const;
  };
  /// Numbers of elements side by side, which begin packs.
  struct alignas(32) Four {
    double numbers[4];
  };
  struct Elements {
    const PairKernels* kernels = nullptr;
    int real = 0; ///< without what is filled up
    std::vector<PairPlace> places;
    std::vector<Four> vectors, numbers, memory;
    bool is_handed = false, is_booked = true;
    std::vector<TakenElement> remembering; ///< those in front, in order, if they have a memory
    PairBatch batch{};
  };
  /// What an evaluation refers to.
  struct Tables {
    std::vector<FramePlace> places;
    std::vector<double> inertia, motions, loads, rates;
    std::vector<Elements> elements;
    FrameTable frames{};
  };

  void take_bodies(const Model& model, const BlockGraph& graph);
  void take_elements(const Model& model, const ConstraintSet& constraints);
  void take_naturals(const Model& model);
  void take_weights(const Model& model);
  void take_turns(const Model& model);
  bool find_bodies(const MeasureInteraction& element, int share, int (&body)[2]) const;
  bool find_bodies(const NaturalInteraction& element, int (&body)[2]) const;
  int number_of(Index port) const;
  const PairKernels* kernels_of(const char* name) const;
  std::vector<bool> suit_wrenches(const Model& model, const ModelParts& parts, std::vector<bool>& has_moments) const;
  bool is_on_wrenches(const TakenElement& joint) const;
  void choose_wrenches(const Model& model, const ConstraintSet& constraints, BlockGraph& graph);
  void choose_condensed(const Model& model, BlockGraph& graph);
  void add_condensed_joints(const BlockGraph& graph);
  const Tables& of(BatchScope scope) const {
    switch (scope) {
    case BatchScope::all:
      return all_;
    case BatchScope::beside_wrenches:
      return has_wrenches_ ? beside_wrenches_ : all_;
    case BatchScope::rest:
      return rest_;
    case BatchScope::loads:
      break;
    }
    return loads_;
  }
  bool is_in(BatchScope scope, const TakenBody& of) const;
  void fill(Tables& tables, BatchScope scope, const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) const;
  void fill_loads(const BlockGraph& graph, BlockMatrix& matrix, double mean_mass);
  BodyLoads body_loads() const;
  Elements elements_of(const Group& group, const std::vector<int>& number, int count_of_bodies, const BlockGraph& graph,
                       BlockMatrix& matrix) const;
  void add_numbers(const TakenElement& element, const bool (&is_here)[2], std::size_t at, Elements& to) const;
  void begin_step(const State& n, double h, Tables& tables) const;
  void find_sides(const Model& model, const BlockGraph& graph);
  CentreDistances::End end_of(const TakenElement& joint, int side) const;
  int ground() const { return static_cast<int>(bodies_.size()); }
  const TakenBody& body(int number) const { return bodies_[static_cast<std::size_t>(number)]; }

  std::vector<bool> taken_, moved_, booked_, advanced_;
  std::vector<int> length_at_;          // of each element in lengths_, -1: none
  mutable std::vector<double> lengths_; // as of the last evaluation; the last one is nobody's
  std::vector<int> body_of_port_;       // -1: not a frame
  std::vector<TakenBody> bodies_;       // in the order of their shapes
  std::vector<Group> groups_;
  std::vector<TurnPlace> turns_;
  std::vector<Four> turn_vectors_;
  const BatchKernels* kernels_ = nullptr;
  Tables all_, beside_wrenches_, rest_, loads_;
  bool remembers_ = false;      ///< some element knows something of a step when it begins
  std::vector<double> turning_; // BodyLoads::turning
  BatchRows rows_;
  std::vector<double> unused_loads_; // what elements add up where nobody looks
  FrameCondensation condensation_;
  bool has_wrenches_ = false;
};

} // namespace emmy
