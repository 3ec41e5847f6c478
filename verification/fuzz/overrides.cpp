/// Texts behind --set, one a line, for a deck that has something of everything.
#include "io/deck/reader.hpp"
#include "verification/fuzz/fuzz.hpp"

#include <sstream>

namespace {

const char* const whole_deck = R"(title: something of everything
parameters: {L: 1, half: L/2}
gravity: [0, 0, -9.81]
defaults: {density: 7800}
bodies:
  crank: &link {box: [L, 0.1, 0.1], position: [half, 0, 0], markers: {tip: [half, 0, 0]}}
  rod: {<<: *link, position: [L + half, 0, 0], formulation: director}
  block: {mass: 2, inertia: [1, 1, 1.5], position: [2*L, 0, 0], orientation: {axis: y, angle: pi/2}}
  ball: {formulation: point, mass: 1, position: [0, 3, 0]}
chains:
  pendulum: {pivot: [0, -3, 0], links: {a: {length: 1, mass: 1}, b: {length: 0.5, mass: 2, angle: 0.3}}}
joints:
  motor: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y, drive: {angular_velocity: 2*sin(t)}}
  knee: {type: spherical, between: [crank, rod], at: crank.tip}
  slide: {type: prismatic, between: [ground, block], at: [2*L, 0, 0], axis: x}
forces:
  push: {type: force, body: rod, value: [0, 0, "t"], at: rod.tip}
  coil: {type: spring, between: [ground, ball], stiffness: 100, damping: 1}
limits:
  floor: {type: wall, between: [[0, 0, -5], ball], normal: z, restitution: 0.5}
integrator: {type: energy_momentum, step: 0.01, end: 1}
solver: {max_iterations: 20}
output: {every: 0.1, bodies: all, points: [rod.tip]}
)";

} // namespace

void emmy::fuzz::read(const std::string& text, deck::Diagnostics& diagnostics) {
  std::istringstream lines(text);
  std::vector<std::string> overrides;
  for (std::string line; std::getline(lines, line);)
    overrides.push_back(line);
  deck::read_deck_text("deck.yaml", whole_deck, overrides, diagnostics);
}
