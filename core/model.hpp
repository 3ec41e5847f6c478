#pragma once
/// A model is the list of nodes, ports and elements, with the numbering that State needs. It does not change once
/// time runs.

#include "core/body.hpp"
#include "core/enforcement.hpp"
#include "core/interaction.hpp"

#include <memory>
#include <type_traits>
#include <vector>

namespace emmy {

class Model {
public:
  /// Port 0 is the fixed world.
  static constexpr Index ground = 0;

  Model();

  Node add_node(NodeKind kind);
  Index add_port(std::unique_ptr<Connectivity> port);

  /// Takes an element over and numbers its multipliers and history. `how` is of no meaning without constraints.
  template <class E>
  E& add(std::unique_ptr<E> element, const Enforcement& how = {}) {
    static_assert(!std::is_same_v<E, Element>, "add it as what it is: otherwise it is in none of the lists");
    E& added = *element;
    enrol(std::move(element));
    enforce(added, how);
    if constexpr (std::is_base_of_v<Body, E>) {
      bodies_.push_back(&added);
      body_of_.back() = &added;
    } else if constexpr (std::is_base_of_v<Interaction, E>) {
      interactions_.push_back(&added);
      interaction_of_.back() = &added;
    }
    return added;
  }

  /// How the constraints of an element are enforced: its own equations do not depend on it. Set before time runs.
  void enforce(const Element& element, const Enforcement& how) {
    enforcements_[static_cast<std::size_t>(element.number())] = how;
  }
  const Enforcement& enforcement(const Element& element) const {
    return enforcements_[static_cast<std::size_t>(element.number())];
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Ports& ports() const { return ports_; }
  const std::vector<std::unique_ptr<Element>>& elements() const { return elements_; }
  const std::vector<const Body*>& bodies() const { return bodies_; }
  const std::vector<const Interaction*>& interactions() const { return interactions_; }
  /// An element of the model as what it was added as; null if that was something else.
  const Body* body(const Element& element) const { return body_of_[static_cast<std::size_t>(element.number())]; }
  const Interaction* interaction(const Element& element) const {
    return interaction_of_[static_cast<std::size_t>(element.number())];
  }

  Index values() const { return values_; }
  Index unknowns() const { return unknowns_; }
  Index multipliers() const { return multipliers_; }
  Index history() const { return history_; }

  /// Mean mass of the bodies [kg], the scale of equations; 1 without any.
  double mean_mass() const;

  /// State of the right sizes: everything at the origin, upright and at rest.
  State rest_state() const;

  /// Room for the motion of every port.
  PortMotions port_motions() const;

  /// Moves every port by the iterate in `s`.
  void move_ports(const Step& s, PortMotions& motions) const;

  /// Places every port at both ends of `s` and leaves its maps as they are: enough for book(), begin() and advance().
  void place_ports(const Step& s, PortMotions& motions) const;

  /// Configuration at the end of `s`: every node retracted by its increment.
  void retract_nodes(const Step& s, VecX& values) const;

  /// Books of the whole model for the step `s` that ended in `n1`.
  StepBooks books(const MovedStep& s, const State& n1) const;

  /// The part of books() that belongs to penalties: the energy in them at the end of the step [A20].
  void book_penalties(const MovedStep& s, StepBooks& books) const;

  /// Lets every element write what it remembers at the start to state.history.
  void begin(State& state) const;

  /// Books at an instant: a step that does not move.
  StepBooks books_at(const State& state) const;

private:
  void enrol(std::unique_ptr<Element> element);
  double penalty_energy(const Element& element, const MovedStep& s) const;

  std::vector<Node> nodes_;
  Ports ports_;
  std::vector<std::unique_ptr<Element>> elements_;
  std::vector<const Body*> bodies_, body_of_; ///< in the order of the elements, and for each of them
  std::vector<const Interaction*> interactions_, interaction_of_;
  std::vector<Enforcement> enforcements_; ///< of the elements
  Index values_ = 0, unknowns_ = 0, multipliers_ = 0, history_ = 0;
};

} // namespace emmy
