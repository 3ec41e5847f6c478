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
  element->number_ = static_cast<Index>(elements_.size());
  element->first_multiplier_ = multipliers_;
  element->first_history_ = history_;
  multipliers_ += element->multipliers();
  history_ += element->history();
  elements_.push_back(std::move(element));
  enforcements_.emplace_back();
  body_of_.push_back(nullptr);
  interaction_of_.push_back(nullptr);
}

double Model::mean_mass() const {
  double sum = 0;
  for (const Body* body : bodies_)
    sum += body->mass();
  return sum > 0 ? sum / static_cast<double>(bodies_.size()) : 1;
}

State Model::rest_state() const {
  State state;
  state.values.setZero(values_);
  state.remainders.setZero(values_);
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

StepBooks Model::books(const MovedStep& s, const State& n1) const {
  StepBooks books;
  for (const auto& element : elements_)
    element->book(s, n1, books);
  book_penalties(s, books);
  return books;
}

/// r phi²/2, or r (phi^+)²/2 [A20].
double Model::penalty_energy(const Element& element, const MovedStep& s) const {
  constexpr int most = max_natural_variables * max_port_unknowns + max_multipliers;
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1> r(element.unknowns() + element.multipliers());
  r.setZero();
  MatX none;
  LocalSystem out{r, none, false};
  element.evaluate(s, out);
  const auto phi = r.tail(element.multipliers());
  const double squares = element.is_one_sided() ? phi.cwiseMax(0.0).squaredNorm() : phi.squaredNorm();
  return enforcement(element).stiffness / 2 * squares;
}

void Model::book_penalties(const MovedStep& s, StepBooks& books) const {
  const auto is_penalty = [this](const Element& element) {
    return element.multipliers() > 0 && enforcement(element).method == EnforcementMethod::penalty;
  };
  for (const auto& element : elements_)
    if (is_penalty(*element))
      books.potential += penalty_energy(*element, s);
  for (const Body* body : bodies_) // whose constraints keep their shape
    if (is_penalty(*body))
      books.strain += penalty_energy(*body, s);
}

void Model::begin(State& state) const {
  const VecX z = VecX::Zero(unknowns_);
  const Step still{state, no_time, 0, z, state.multipliers};
  PortMotions motions = port_motions();
  place_ports(still, motions);
  for (const auto& element : elements_)
    element->begin({still, motions}, state);
}

StepBooks Model::books_at(const State& state) const {
  const VecX z = VecX::Zero(unknowns_);
  const Step still{state, no_time, 0, z, state.multipliers};
  PortMotions motions = port_motions();
  place_ports(still, motions);
  return books({still, motions}, state);
}

} // namespace emmy
