#pragma once
/// Turns a deck into a model with its initial state. A new element type of the deck is one more line in one of the
/// tables of model_builder.cpp.

#include "core/model.hpp"
#include "elements/joints/joint.hpp"
#include "io/deck/deck.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

namespace emmy {

/// A point whose motion is written to the history.
struct TracedPoint {
  std::string name;
  NaturalVariable variable;
};

struct BuiltModel {
  std::unique_ptr<Model> model;
  State initial;
  std::vector<const Body*> bodies;  ///< in the order of the deck
  std::vector<const Joint*> joints; ///< in the order of the deck
  std::vector<TracedPoint> points;
};

/// A deck asks for something that this version does not serve; what() begins with the place.
struct NotServed : std::runtime_error {
  NotServed(const deck::Location& where, const std::string& what);
};

BuiltModel build_model(const deck::Deck& deck);

} // namespace emmy
