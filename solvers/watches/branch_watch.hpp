#pragma once
/// Watches for a silent change of branch. Where branches of motion meet, a step may leave on another one. Velocities
/// then change within one step, by as much as they are large. What a step adds to free motion, h² a / 2, then differs
/// from what earlier steps added by all of itself; in smooth motion the difference is of order h³. Because velocities
/// are means over steps, they go on alternating. So a step is compared with the one before the last: what alternates
/// hides nothing that comes after it.
///
/// A drive whose target has a kink makes velocities jump, too. Its part is not looked at while that shows.
///
/// Every part of the model that nothing connects to the others is judged by itself, so that nothing fast elsewhere
/// hides what happens in it; parts without joints have one branch only.

#include "core/model.hpp"
#include "elements/joints/drive.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace emmy {

/// Steps over which a mean is taken of what is usual, and after which what happens is another event.
constexpr long usual_steps = 20;
/// What is usual is known after so many steps, and one that is not may enlarge it by this factor at most.
constexpr long settled_steps = 5;
constexpr double largest_growth = 3;

/// Takes `now` into the running mean of what was usual in `steps` steps, itself included.
void take_into_mean(double now, long steps, double& mean);

class BranchWatch {
public:
  /// What it has seen so far: part of a run, which it is handed at each look.
  struct Seen {
    /// Of one step: what it adds to the velocities of free motion, h a / 2.
    struct Push {
      VecX v;
      double h = 0;

      template <class Self, class Archive>
      static void archive(Self& self, Archive& to) {
        to(self.v, self.h);
      }
    };
    struct Part {
      double mean_change = 0;
      long steps = 0;               ///< since it has been moving
      long quiet = usual_steps + 1; ///< steps since the last change that was abrupt
      long events = 0;
      long since_kink = 0; ///< steps since targets of drives had a kink, that one included

      template <class Self, class Archive>
      static void archive(Self& self, Archive& to) {
        to(self.mean_change, self.steps, self.quiet, self.events, self.since_kink);
      }
    };
    /// Of a drive: mean rates of its target, of two steps before this one and of the last.
    struct Target {
      double rate_before = 0, rate = 0;

      template <class Self, class Archive>
      static void archive(Self& self, Archive& to) {
        to(self.rate_before, self.rate);
      }
    };
    std::array<Push, 3> pushes;  ///< of two steps before this one, and of this one
    std::vector<Part> parts;     ///< of the model
    std::vector<Target> targets; ///< of its drives

    template <class Self, class Archive>
    static void archive(Self& self, Archive& to) {
      to(self.pushes, self.parts, self.targets);
    }
  };

  explicit BranchWatch(const Model& model);
  Seen begin() const {
    return {{}, std::vector<Seen::Part>(changes_.size()), std::vector<Seen::Target>(drives_.size())};
  }

  /// A part of the model whose velocities have changed abruptly, and how often they had before.
  struct Event {
    std::size_t part = 0;
    long earlier = 0;
  };
  /// Looks at an accepted step. Events are new ones alone: changes close to one another in a part are one event. They
  /// are valid until the next step.
  const std::vector<Event>& look(const Step& s, Seen& seen);

  /// True if the element acts on the part.
  bool is_in(std::size_t part, const Element& element) const;

private:
  /// Consecutive nodes of one part.
  struct Range {
    std::size_t part;
    Index unknown, unknowns, value, values;
  };
  /// Of a part in this step: largest change of what it adds, by accelerations and by velocities, |z| and coordinate.
  struct Change {
    double by_accelerations = 0, by_velocities = 0, size = 0, reach = 0;
  };
  static bool is_abrupt(const Change& now, Seen::Part& part);
  std::size_t part_of(const Element& element) const;
  void look_at_targets(const Step& s, Seen& seen) const;

  std::vector<std::size_t> part_of_; // by unknown
  std::vector<Range> ranges_;        // of parts with joints
  std::vector<const Drive*> drives_;
  std::vector<Change> changes_;
  std::vector<Event> events_;
};

} // namespace emmy
