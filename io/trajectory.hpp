#pragma once
/// Motion and reactions of a run, kept in memory at instants that runs of the same deck with shorter steps meet too.

#include "io/model_builder.hpp"
#include "solvers/simulation.hpp"

#include <array>
#include <vector>

namespace emmy {

/// What is compared: the norm of each for every body, joint and drive.
enum Measure { position, rotation, velocity, angular_velocity, force, moment, measures };
using Measures = std::array<double, measures>;

/// The instants: ends of every `stride`-th step of the run with the longest step, and the end of that run.
struct Sampling {
  /// Of a run of so many steps, as often as memory allows.
  Sampling(const BuiltModel& built, long steps_of_run);
  bool takes(long step) const { return step % stride == 0 || step == steps; }

  long steps;
  long stride;
};

class Trajectory {
public:
  /// Of a run whose steps are `ratio` times shorter than those of the sampling.
  Trajectory(const BuiltModel& built, const Sampling& sampling, long ratio);

  void observe(const Simulation& simulation, long step);

  std::size_t instants() const { return times_.size(); }
  double time(std::size_t instant) const { return times_[instant]; }
  /// How often a limit that had not pushed in a step did so in the next.
  long impacts() const { return impacts_; }

  /// Largest differences of two runs at an instant, and the largest magnitudes of all instants. Reactions are means
  /// over the step of the longest run that ends there; those that are not determined do not count.
  static Measures differences(const Trajectory& a, const Trajectory& b, std::size_t instant);
  Measures magnitudes() const;

private:
  /// Joint or drive.
  struct Source {
    const BuiltJoint* joint;
    bool is_drive;
  };

  void look_at_limits(const Step& s);
  void add_reactions(const Simulation& simulation);
  void write(const State& state);
  std::size_t width() const;
  const double* at(std::size_t instant) const { return numbers_.data() + instant * width(); }

  const BuiltModel& built_;
  Sampling sampling_;
  long ratio_;
  std::vector<Source> sources_;
  VecX impulses_; ///< of the sources since the last instant but one step of the longest run
  double span_ = 0;
  std::vector<char> pushes_; ///< limits, in the last step
  bool has_steps_ = false;
  long impacts_ = 0;
  std::vector<double> times_, numbers_;
};

} // namespace emmy
