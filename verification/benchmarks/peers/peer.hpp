#pragma once
/// Other programs that solve the same mechanisms. One source file per program; one that is not installed is left out
/// of the lists below.

#include "verification/benchmarks/mechanism.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace emmy::benchmark {

/// A mechanism in the hands of a program that takes steps of equal length.
class Simulation {
public:
  virtual ~Simulation() = default;
  virtual void step(double h) = 0;
  /// Of all bodies, now.
  virtual std::vector<BodyMotion> motions() const = 0;
};

struct FixedStepPeer {
  const char* name;
  const char* method;
  int order;         ///< of its errors in the step
  int longest_chain; ///< beyond which a step takes seconds, or the program refuses
  int most_windows;  ///< of four_bar(), likewise
  std::function<std::unique_ptr<Simulation>(const Mechanism&)> start;
};
std::vector<FixedStepPeer> fixed_step_peers();

/// Where the centres of all bodies are at the end, and what it took.
struct Solution {
  std::vector<Vec3> centres; ///< [m]
  double cpu = 0;            ///< time to solve, without setting up [s]
};

/// A program that chooses its steps by an accuracy of its own, smaller is better. It solves a tree of spherical joints
/// that starts from rest, up to time `end` [s].
struct ErrorControlledPeer {
  const char* name;
  Solution (*solve)(const Mechanism&, double accuracy, double end);
};
std::vector<ErrorControlledPeer> error_controlled_peers();

/// A slender rod in a hollow cube, both free, without losses: what is compared where bodies collide.
struct RodInBox {
  double length = 1;    ///< of the rod, along x [m]
  int nodes = 6;        ///< on its axis, of which only those at its ends ever meet a wall
  double radius = 1e-3; ///< about the axis, in programs that need one [m]
  double width = 2;     ///< of the cube, inside [m]
  double wall = 0.1;    ///< [m]
  Mechanism mechanism() const;
};
struct CollidingPeer {
  const char* name;
  std::unique_ptr<Simulation> (*start)(const RodInBox&);
};
std::vector<CollidingPeer> rod_in_box_peers();

// --- the programs

Solution solve_with_simbody(const Mechanism&, double accuracy, double end);
std::unique_ptr<Simulation> ode_direct(const Mechanism&);
std::unique_ptr<Simulation> ode_quick(const Mechanism&);
std::unique_ptr<Simulation> bullet_multibody(const Mechanism&);
std::unique_ptr<Simulation> bullet_impulses(const Mechanism&);
std::unique_ptr<Simulation> ode_rod_in_box(const RodInBox&);
std::unique_ptr<Simulation> bullet_rod_in_box(const RodInBox&);
std::unique_ptr<Simulation> mujoco_euler(const Mechanism&);
std::unique_ptr<Simulation> mujoco_rk4(const Mechanism&);

} // namespace emmy::benchmark
