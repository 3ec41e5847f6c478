#pragma once
/// What is looked at before time runs: surfaces that overlap, and steps in which surfaces could pass through each
/// other.

#include "contact/scene.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/diagnostics.hpp"
#include "io/model_builder.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace emmy {

/// Where the ports of a model are in a state.
std::vector<contact::Placed> places_of(const Model& model, const State& state);

/// Reports surfaces that are in each other at the start by more than rounding of what is typed, 1e-9 of their size.
void check_overlap(const deck::Deck& deck, const Model& model, const State& initial, const contact::Scene& scene,
                   deck::Diagnostics& diagnostics);

/// Watches for surfaces that are so fast that they could pass through another one within a step.
class TunnelWatch {
public:
  TunnelWatch(const Model& model, const contact::Scene& scene, double step);

  /// A warning about the pair that is worst, of every rule once; empty if there is nothing to say.
  std::string look(const State& state);

  /// By rule: whether it has been warned of.
  const std::vector<std::uint8_t>& told() const { return told_; }
  void set_told(const std::vector<std::uint8_t>& told) { told_ = told; }

private:
  const contact::Scene& scene_;
  double step_;
  std::vector<const Body*> body_of_port_;
  std::vector<double> thickness_, reach_; ///< by surface
  std::vector<double> speed_;             ///< by surface [m/s]
  std::vector<int> fastest_;
  std::vector<std::uint8_t> told_; ///< by rule
};

} // namespace emmy
