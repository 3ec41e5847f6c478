#pragma once
/// Turns a deck into a model with its initial state. A new element type of the deck is one more line in one of the
/// tables of model_builder.cpp.

#include "contact/scene.hpp"
#include "core/model.hpp"
#include "elements/bodies/director.hpp"
#include "elements/bodies/planar_chain.hpp"
#include "elements/bodies/spring_tetra_mesh.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/forces/translational_spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "elements/joints/joint.hpp"
#include "elements/limits/limit.hpp"
#include "io/deck/deck.hpp"

#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

namespace emmy {

/// A point whose motion is written to the history.
struct TracedPoint {
  std::string name;
  NaturalVariable variable;
};

/// A joint of the deck, however it is enforced.
struct BuiltJoint {
  std::string name;
  const Joint* joint = nullptr; ///< null where bodies share points
  Index connection = -1;        ///< in BuiltModel::mesh, where they do
  const Drive* drive = nullptr;
  Index driven = -1; ///< coordinate of the joint that the drive moves
};

/// A spring of the deck.
struct BuiltSpring {
  std::string name;
  std::variant<const SpringDamper*, const RotationalSpringDamper*, const TranslationalSpringDamper*, const Bushing*>
      element;
};

struct BuiltModel {
  std::unique_ptr<Model> model;
  std::unique_ptr<SpringTetraMesh> mesh; ///< of the spring bodies
  State initial;
  std::vector<const Body*> bodies;            ///< in the order of the deck
  std::vector<const ChainLink*> links;        ///< those of them in planar chains
  std::vector<const DirectorBody*> directors; ///< those in base vectors
  std::vector<BuiltJoint> joints;             ///< likewise
  std::vector<BuiltSpring> springs;
  std::vector<const Limit*> limits; ///< in the order of the deck
  std::vector<TracedPoint> points;
  contact::Scene scene;    ///< made by io/contact_builder; without surfaces where there is no contact
  bool has_strain = false; ///< some body can be strained
};

/// A deck that is correct but asks for something that cannot be built; what() is a message with its place.
struct BadModel : std::runtime_error {
  BadModel(const deck::Location& where, const std::string& what);
};

BuiltModel build_model(const deck::Deck& deck);

} // namespace emmy
