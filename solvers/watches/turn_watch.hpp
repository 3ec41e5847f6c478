#pragma once
/// How far bodies turn in a step, and what that costs: the Cayley map turns by less than the angular velocity asks for.
///
///   turned(x) = sum of 2 atan(c_i x / 2),   x = h omega,   c_i the stages of the step                           [F13]
///
/// Energy and momenta know nothing of it: a run that conserves them to the last digit may turn too slowly.

#include "core/model.hpp"

#include <vector>

namespace emmy {

/// By which angle a step turns a body with a constant angular velocity about a fixed axis [F13].
class TurnLaw {
public:
  /// Of Cayley maps over these parts of the step; without any the angle is what the angular velocity asks for.
  /// Angles that drives set turn as they should in any case; with velocity constraints their angular velocities are
  /// right as well [V15].
  explicit TurnLaw(std::vector<double> stages = {}, bool meets_drives = false);

  double turned(double x) const;
  /// The x that leads to an angle: inverse of turned().
  double asked(double angle) const;
  /// Part of x by which the angle is too small.
  double lag(double x) const { return 1 - turned(x) / x; }
  /// The largest x whose lag is `small_lag`; infinite where there is no lag.
  double accurate() const { return accurate_; }
  /// The angle of a step from which on it is worth a warning [rad].
  double tolerated() const;

  static constexpr double small_lag = 1e-3;
  bool meets_drives() const { return meets_drives_; }

private:
  std::vector<double> stages_;
  bool meets_drives_;
  double accurate_;
};

/// Looks at the steps of a run for the largest turn, relative to what is tolerated.
class TurnWatch {
public:
  struct Turn {
    Index body = -1;  ///< its number in the model; -1 where nothing turned
    double angle = 0; ///< of the step [rad]
    double time = 0;  ///< at its end [s]
    double h = 0;     ///< its length [s]
  };
  /// What it has seen so far: part of a run, which it is handed at each look.
  struct Seen {
    Turn largest;
    double relative = 0; ///< largest angle by what is tolerated
    double Theta2 = 0;   ///< |Theta|² of a frame that turns as far

    template <class Self, class Archive>
    static void archive(Self& self, Archive& to) {
      to(self.largest.body, self.largest.angle, self.largest.time, self.largest.h, self.relative, self.Theta2);
    }
  };

  TurnWatch(const Model& model, const TurnLaw& law);
  /// The turn that the velocities of `start` would make in a step of length h.
  Seen begin(const State& start, double h) const;

  /// Looks at a step that ended at `time`. Allocates nothing.
  void look(const Step& s, double time, Seen& seen) const;

  /// What is to be said about the body that turned most.
  struct Findings {
    const Body* body; ///< null where nothing turned
    Turn turn;
    TurnLaw law; ///< that holds for it
    /// A drive sets its angle: it then turns as it should, and its angular velocity is too large.
    bool is_driven;
    bool is_coarse;
  };
  Findings findings(const Seen& seen) const;

private:
  /// A body three of whose unknowns are its Rodrigues vector.
  struct Frame {
    Index body;
    Index Theta;
  };
  struct Other {
    Index body;
    double tolerated;
  };

  const Body& numbered(Index body) const { return *model_.bodies()[static_cast<std::size_t>(body)]; }
  const TurnLaw& law_of(const Body& body) const;
  bool is_driven(const Body& body) const;
  void note(const Turn& turn, double tolerated, Seen& seen) const;

  const Model& model_;
  TurnLaw law_, exact_;
  std::vector<Frame> frames_;
  std::vector<Other> others_;
};

} // namespace emmy
