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
  explicit TurnLaw(std::vector<double> stages = {});

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

private:
  std::vector<double> stages_;
  double accurate_;
};

/// Looks at the steps of a run for the largest turn, relative to what is tolerated.
class TurnWatch {
public:
  struct Turn {
    const Body* body = nullptr; ///< null where nothing turned
    double angle = 0;           ///< of the step [rad]
    double time = 0;            ///< at its end [s]
    double h = 0;               ///< its length [s]
  };

  /// Begins with the turn that the velocities of `start` would make in a step of length h.
  TurnWatch(const Model& model, const State& start, double h, const TurnLaw& law);

  /// Looks at a step that ended at `time`. Allocates nothing.
  void look(const Step& s, double time);

  const Turn& largest() const { return largest_; }
  /// Of the body that turned most: what holds for it.
  const TurnLaw& law() const;
  /// True if a drive sets the angle of that body: it then turns as it should, and its angular velocity is too large.
  bool is_driven() const;
  bool is_coarse() const { return seen_ >= 1; }

private:
  /// A body three of whose unknowns are its Rodrigues vector.
  struct Frame {
    const Body* body;
    Index Theta;
  };
  struct Other {
    const Body* body;
    double tolerated;
  };

  const TurnLaw& law_of(const Body& body) const;
  void note(const Turn& turn, double tolerated);

  const Model& model_;
  TurnLaw law_, exact_;
  std::vector<Frame> frames_;
  std::vector<Other> others_;
  Turn largest_;
  double seen_ = 0;        ///< largest angle by what is tolerated
  double seen_Theta2_ = 0; ///< |Theta|² of a frame that turns as far
};

} // namespace emmy
