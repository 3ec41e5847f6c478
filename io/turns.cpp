#include "io/turns.hpp"

#include "io/report.hpp"
#include "io/time_stepping.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace emmy {

namespace {

/// A turn that is still accurate enough where the scheme itself does not lag [rad], [E15].
constexpr double accurate_turn = 0.5;

/// What a large turn means.
struct Cost {
  double lag = 0;    ///< part of the angular velocity by which the angle lags [F13]
  double excess = 0; ///< the same as part of the angle: by which the angular velocity is too large where that is set
  double step = 0;   ///< [s] with which it is TurnLaw::small_lag, or the turn accurate_turn
  bool lags() const { return std::abs(lag) >= TurnLaw::small_lag; }
};

Cost cost_of(const TurnWatch::Findings& found) {
  const TurnWatch::Turn& turn = found.turn;
  const double x = found.law.asked(turn.angle);
  Cost cost{found.law.lag(x), x / turn.angle - 1, 0};
  // What should be turned by in a step: as the drive says, or as the angular velocity does.
  const double wanted = found.is_driven ? turn.angle : x;
  cost.step = turn.h * (cost.lags() ? found.law.accurate() : accurate_turn) / wanted;
  return cost;
}

std::string percent(double part) {
  return formatted("%.3g %%", 100 * part);
}

} // namespace

TurnLaw turn_law(const deck::Deck& deck) {
  const std::string& type = deck.integrator.type;
  if (type == "energy_momentum")
    return TurnLaw(stages_of(deck), deck.integrator.velocity_constraints != "off");
  if (type == "midpoint")
    return TurnLaw({1});
  if (type == "park_chiou_downer") // [E7] is the Cayley map of half the turn, twice
    return TurnLaw({0.5, 0.5});
  return TurnLaw(); // by the exponential map, or in angles
}

std::string turn_warning(const TurnWatch::Findings& found) {
  if (!found.is_coarse)
    return {};
  const TurnWatch::Turn& turn = found.turn;
  const Cost cost = cost_of(found);
  const std::string text = formatted("body '%s' turns by %.3g rad in a step of %.4g s at t = %.6g s, none by more: ",
                                     found.body->name().c_str(), turn.angle, turn.h, turn.time);
  if (!cost.lags())
    return text + formatted("axes and forces that turn meanwhile are not resolved; a step of %.3g s makes it half a "
                            "radian",
                            cost.step);
  return text +
         (found.is_driven
              ? "its angle is driven, and its angular velocity and momentum are too large by " + percent(cost.excess)
              : "its angle lags behind its angular velocity by " + percent(cost.lag)) +
         formatted("; energy and momenta are conserved all the same and do not show it; a step of %.3g s makes it %s",
                   cost.step, percent(TurnLaw::small_lag).c_str());
}

std::string turn_line(const TurnWatch::Findings& found) {
  if (!found.is_coarse)
    return {};
  const TurnWatch::Turn& turn = found.turn;
  const Cost cost = cost_of(found);
  const std::string text = formatted("  Rotation  up to %.3g rad a step, body '%s' at t = %.6g s: ", turn.angle,
                                     found.body->name().c_str(), turn.time);
  if (!cost.lags())
    return text + formatted("half a radian takes h = %.3g s\n", cost.step);
  return text +
         (found.is_driven ? "angular velocity too large by " + percent(cost.excess)
                          : "angle lags by " + percent(cost.lag)) +
         formatted(", %s takes h = %.3g s\n", percent(TurnLaw::small_lag).c_str(), cost.step);
}

nlohmann::ordered_json turn_json(const TurnWatch::Findings& found) {
  const TurnWatch::Turn& turn = found.turn;
  if (found.body == nullptr)
    return nullptr;
  const Cost cost = cost_of(found);
  return {{"max_per_step", turn.angle},
          {"body", found.body->name()},
          {"time", turn.time},
          {"step", turn.h},
          {"lag", cost.lag},
          {"driven", found.is_driven},
          {"accurate_step", cost.step}};
}

} // namespace emmy
