#include "core/model.hpp"

#include <utility>

namespace emmy {

Model::Model() {
  ports_.push_back(std::make_unique<Ground>());
}

Node Model::add_node(NodeKind kind) {
  const Node node{kind, values_, unknowns_};
  values_ += node.values();
  unknowns_ += node.unknowns();
  nodes_.push_back(node);
  return node;
}

Index Model::add_port(std::unique_ptr<Connectivity> port) {
  ports_.push_back(std::move(port));
  return static_cast<Index>(ports_.size()) - 1;
}

void Model::enrol(std::unique_ptr<Element> element) {
  element->first_multiplier_ = multipliers_;
  element->first_history_ = history_;
  multipliers_ += element->multipliers();
  history_ += element->history();
  elements_.push_back(std::move(element));
}

State Model::rest_state() const {
  State state;
  state.values.setZero(values_);
  state.lost.setZero(values_);
  state.rates.setZero(unknowns_);
  state.multipliers.setZero(multipliers_);
  state.history.setZero(history_);
  for (const Node& node : nodes_)
    if (node.values() > node.unknowns())
      state.values[node.value + node.values() - 4] = 1; // the unit quaternion
  for (const Body* body : bodies_)                      // in the unknowns of its formulation
    body->set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
  return state;
}

PortMotions Model::port_motions() const {
  PortMotions motions(ports_.size());
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    motions[p].P_bar.setZero(12, ports_[p]->unknowns());
    motions[p].D.setZero(12, ports_[p]->unknowns());
  }
  return motions;
}

void Model::move_ports(const Step& s, PortMotions& motions) const {
  for (std::size_t p = 0; p < ports_.size(); ++p)
    ports_[p]->move(s, motions[p]);
}

void Model::place_ports(const Step& s, PortMotions& motions) const {
  for (std::size_t p = 0; p < ports_.size(); ++p)
    ports_[p]->place(s, motions[p]);
}

void Model::retract_nodes(const Step& s, VecX& values) const {
  for (const Node& node : nodes_)
    retract(node.kind, s.n.values.segment(node.value, node.values()), s.z.segment(node.unknown, node.unknowns()),
            values.segment(node.value, node.values()));
}

StepBooks Model::books(const Step& s, const PortMotions& motions, const State& n1) const {
  StepBooks books;
  for (const auto& element : elements_)
    element->book(s, motions, n1, books);
  return books;
}

void Model::begin(State& state) const {
  const VecX z = VecX::Zero(unknowns_);
  const Step still{state, no_time, 0, z, state.multipliers};
  PortMotions motions = port_motions();
  place_ports(still, motions);
  for (const auto& element : elements_)
    element->begin(still, motions, state);
}

StepBooks Model::books_at(const State& state) const {
  const VecX z = VecX::Zero(unknowns_);
  const Step still{state, no_time, 0, z, state.multipliers};
  PortMotions motions = port_motions();
  place_ports(still, motions);
  return books(still, motions, state);
}

} // namespace emmy
