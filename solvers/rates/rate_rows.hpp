#pragma once
/// The gradients G of joints at an instant: what the joints ask of rates, and what impulses of their rows do to them.

#include "core/state.hpp"
#include "solvers/rates/rate_tables.hpp"

namespace emmy {

/// Where rows were found.
struct RatePlace {
  double time;
  VecX values, remainders, history;

  void copy(const State& state);
};

class RateRows {
public:
  explicit RateRows(const RateTables& tables);

  /// Goes to where a state is; false if it is there already.
  bool place(const State& state);
  /// True if a state is where this was placed last.
  bool is_at(const State& state) const { return place_.values == state.values && place_.history == state.history; }

  /// y of all bodies, and of the ground: (v, Omega), each with a zero.
  void read(const State& state, VecX& y) const;
  /// Adds k to the rates of a state.
  void add(const VecX& k, State& state) const;
  /// Makes these the rates of a state that has the rates `before`.
  void write(const VecX& y, const VecX& before, State& state) const;

  /// c = G y + phi_t, or without the latter.
  enum class Targets { moving, still };
  void find_rates(const VecX& y, Targets targets, VecX& c) const;
  /// y += factor M^-1 G^T m.
  void kick(const VecX& m, double factor, VecX& y) const;
  /// V = L^-1 G^T of all sides.
  void normalise(double* V) const;
  /// Rates of targets.
  const VecX& by_time() const { return by_time_; }

  /// G of one side of a joint: six numbers of a row, then of the next one, rate_lanes apart.
  const double* gradient(const RateTables::Joint& joint, int side) const {
    return G_.data() + tables_.gradient(joint, side);
  }
  /// Books the impulses from outside of `factor` times the kick of m.
  void book(const VecX& m, double factor, StepBooks& books) const;

private:
  void find();
  void add_to_unlike_frames(const VecX& y, const VecX& before, State& state) const;
  void recall(std::size_t group);
  void find_singles();

  const RateTables& tables_;
  RatePlace place_;
  std::vector<double> G_;
  VecX by_time_;
  std::vector<std::vector<double>> memories_; ///< of groups
  std::vector<RigidJoint> singles_;
  std::vector<std::size_t> joint_of_single_;
  Poses poses_; ///< of bodies that are no frames; of all if there are single joints
  RigidPorts ports_;
  State state_;  // work space: where bodies are asked for their poses
  VecX nothing_; // no rates
};

} // namespace emmy
