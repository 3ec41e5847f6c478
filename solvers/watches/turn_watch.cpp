#include "solvers/watches/turn_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {
/// Angles of a step [rad]: a Cayley map is off by 0.75 % at the first; beyond the second nothing is to be trusted,
/// however well a scheme turns about fixed axes, since axes and forces change meanwhile.
constexpr double inaccurate = 0.3;
constexpr double coarse = 1.0;
/// A turn counts as larger than another by more than what rounding and iterations leave: of a steady rotation the
/// first step is named.
constexpr double distinct = 1 + 1e-6;
} // namespace

TurnLaw::TurnLaw(std::vector<double> stages, bool meets_drives)
    : stages_(std::move(stages)), meets_drives_(meets_drives), accurate_(std::numeric_limits<double>::infinity()) {
  if (stages_.empty())
    return;
  double low = 0, high = 1;
  while (std::abs(lag(high)) < small_lag)
    high *= 2;
  for (double middle = high / 2; low < middle && middle < high; middle = (low + high) / 2)
    (std::abs(lag(middle)) < small_lag ? low : high) = middle;
  accurate_ = high;
}

double TurnLaw::turned(double x) const {
  if (stages_.empty())
    return x;
  double angle = 0;
  for (const double c : stages_)
    angle += 2 * std::atan(c * x / 2); // [F13]
  return angle;
}

double TurnLaw::asked(double angle) const {
  constexpr int most_iterations = 60;
  double x = angle;
  for (int i = 0; i < most_iterations; ++i) { // Newton's, from the side from which it cannot overshoot
    double slope = stages_.empty() ? 1 : 0;
    for (const double c : stages_)
      slope += c / (1 + c * c * x * x / 4);
    const double change = (angle - turned(x)) / slope;
    x += change;
    if (std::abs(change) <= std::numeric_limits<double>::epsilon() * x)
      break;
  }
  return x;
}

double TurnLaw::tolerated() const {
  return std::clamp(accurate_, inaccurate, coarse);
}

TurnWatch::TurnWatch(const Model& model, const TurnLaw& law) : model_(model), law_(law) {
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const Body& body = *model.bodies()[b];
    const NodeKind kind = body.nodes().empty() ? NodeKind::point : body.nodes().front().kind;
    const auto number = static_cast<Index>(b);
    if ((kind == NodeKind::frame || kind == NodeKind::rotation) && &law_of(body) == &law_)
      frames_.push_back({number, body.nodes().front().unknown + unknown_size(kind) - 3});
    else
      others_.push_back({number, law_of(body).tolerated()});
  }
}

TurnWatch::Seen TurnWatch::begin(const State& start, double h) const {
  Seen seen;
  for (std::size_t b = 0; b < model_.bodies().size(); ++b) {
    const Body& body = *model_.bodies()[b];
    const TurnLaw& own = law_of(body);
    const double x = h * body.motion(start).angular_velocity.norm();
    note({static_cast<Index>(b), own.turned(x), start.time, h}, own.tolerated(), seen);
  }
  return seen;
}

/// Links of planar chains have their angle for an unknown, which moves by its mean rate.
const TurnLaw& TurnWatch::law_of(const Body& body) const {
  if (law_.meets_drives() && is_driven(body))
    return exact_;
  return !body.nodes().empty() && body.nodes().back().kind == NodeKind::scalar ? exact_ : law_;
}

TurnWatch::Findings TurnWatch::findings(const Seen& seen) const {
  const Turn& turn = seen.largest;
  if (turn.body < 0)
    return {nullptr, turn, law_, false, false};
  const Body& body = numbered(turn.body);
  return {&body, turn, law_of(body), is_driven(body), seen.relative >= 1};
}

bool TurnWatch::is_driven(const Body& body) const {
  const auto turns = [&](const Interaction* motor) { // an angle is one of directions alone
    const auto& variables = motor->variables();
    const auto& ports = motor->ports();
    return motor->acts() == Acts::as_motor &&
           std::all_of(variables.begin(), variables.end(), [](const NaturalVariable& v) { return v.w[0] == 0; }) &&
           std::find(ports.begin(), ports.end(), body.port()) != ports.end();
  };
  return std::any_of(model_.interactions().begin(), model_.interactions().end(), turns);
}

void TurnWatch::note(const Turn& turn, double tolerated, Seen& seen) const {
  if (!(turn.angle > distinct * seen.relative * tolerated))
    return;
  seen.relative = turn.angle / tolerated;
  seen.largest = turn;
  const double tangent = std::tan(std::min(distinct * seen.relative * law_.tolerated(), M_PI) / 2);
  seen.Theta2 = 4 * tangent * tangent; // [F1]
}

void TurnWatch::look(const Step& s, double time, Seen& seen) const {
  const Frame* largest = nullptr;
  double largest2 = seen.Theta2;
  for (const Frame& frame : frames_) {
    const double Theta2 = s.z.segment<3>(frame.Theta).squaredNorm();
    if (Theta2 > largest2) {
      largest2 = Theta2;
      largest = &frame;
    }
  }
  if (largest != nullptr)
    note({largest->body, numbered(largest->body).rotation_in(s), time, s.h}, law_.tolerated(), seen);
  for (const Other& other : others_)
    note({other.body, numbered(other.body).rotation_in(s), time, s.h}, other.tolerated, seen);
}

} // namespace emmy
