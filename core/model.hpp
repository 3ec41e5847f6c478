#pragma once
/// A model is the list of nodes, ports and elements, with the numbering that State needs. It does not change once
/// time runs.

#include "core/body.hpp"
#include "core/interaction.hpp"

#include <memory>
#include <vector>

namespace emmy {

class Model {
public:
  /// Port 0 is the fixed world.
  static constexpr Index ground = 0;

  Model();

  Node add_node(NodeKind kind);
  Index add_port(std::unique_ptr<Connectivity> port);

  /// Takes an element over and numbers its multipliers and history.
  template <class E>
  E& add(std::unique_ptr<E> element) {
    E& added = *element;
    enrol(std::move(element));
    if constexpr (std::is_base_of_v<Body, E>)
      bodies_.push_back(&added);
    return added;
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Ports& ports() const { return ports_; }
  const std::vector<std::unique_ptr<Element>>& elements() const { return elements_; }
  const std::vector<const Body*>& bodies() const { return bodies_; }

  Index values() const { return values_; }
  Index unknowns() const { return unknowns_; }
  Index multipliers() const { return multipliers_; }
  Index history() const { return history_; }

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
  StepBooks books(const Step& s, const PortMotions& motions, const State& n1) const;

  /// Lets every element write what it remembers at the start to state.history.
  void begin(State& state) const;

  /// Books at an instant: a step that does not move.
  StepBooks books_at(const State& state) const;

private:
  void enrol(std::unique_ptr<Element> element);

  std::vector<Node> nodes_;
  Ports ports_;
  std::vector<std::unique_ptr<Element>> elements_;
  std::vector<const Body*> bodies_;
  Index values_ = 0, unknowns_ = 0, multipliers_ = 0, history_ = 0;
};

} // namespace emmy
