#include "solvers/numbering.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>

#include <algorithm>
#include <iterator>

namespace emmy {

namespace {

/// A body with more joints than this is a hub.
constexpr std::size_t hub_joints = 8;

/// Nodes of each element, as positions in Model::nodes().
std::vector<std::vector<std::size_t>> nodes_of_elements(const Model& model) {
  std::vector<std::size_t> node_at(static_cast<std::size_t>(model.unknowns()));
  for (std::size_t i = 0; i < model.nodes().size(); ++i)
    node_at[static_cast<std::size_t>(model.nodes()[i].unknown)] = i;
  std::vector<std::vector<std::size_t>> result;
  for (const auto& element : model.elements()) {
    std::vector<std::size_t> nodes;
    for (const Node& node : element->nodes())
      nodes.push_back(node_at[static_cast<std::size_t>(node.unknown)]);
    result.push_back(std::move(nodes));
  }
  return result;
}

std::vector<std::size_t> node_order(const Model& model, const std::vector<std::vector<std::size_t>>& nodes_of) {
  using Graph = boost::adjacency_list<
      boost::setS, boost::vecS, boost::undirectedS,
      boost::property<boost::vertex_color_t, boost::default_color_type, boost::property<boost::vertex_degree_t, int>>>;
  Graph graph(model.nodes().size());
  for (const auto& nodes : nodes_of)
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (nodes[i] != nodes[j])
          boost::add_edge(nodes[i], nodes[j], graph);
  std::vector<std::size_t> order;
  order.reserve(model.nodes().size());
  boost::cuthill_mckee_ordering(graph, std::back_inserter(order), boost::get(boost::vertex_color, graph),
                                boost::make_degree_map(graph));
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace

Numbering::Numbering(const Model& model, const ConstraintSet& constraints)
    : row_of_unknown(static_cast<std::size_t>(model.unknowns())),
      row_of_multiplier(static_cast<std::size_t>(model.multipliers())) {
  const auto nodes_of = nodes_of_elements(model);
  const auto order = node_order(model, nodes_of);

  const auto is_condensed = [&](std::size_t e) {
    return constraints.of(e) != nullptr && constraints.of(e)->is_condensed();
  };
  // Elements whose multipliers have no row yet: how many at each node, and how many nodes of each are still to come.
  std::vector<std::vector<std::size_t>> elements_at(order.size());
  std::vector<std::size_t> open(order.size(), 0), nodes_to_come(nodes_of.size());
  std::vector<bool> numbered(nodes_of.size(), false);
  for (std::size_t e = 0; e < nodes_of.size(); ++e) {
    if (model.elements()[e]->multipliers() == 0 || is_condensed(e))
      continue;
    nodes_to_come[e] = nodes_of[e].size();
    for (const std::size_t node : nodes_of[e]) {
      elements_at[node].push_back(e);
      ++open[node];
    }
  }

  Index row = 0;
  const auto number_multipliers = [&](std::size_t e) {
    const Element& element = *model.elements()[e];
    for (Index i = 0; i < element.multipliers(); ++i)
      row_of_multiplier[static_cast<std::size_t>(element.first_multiplier() + i)] = row++;
    numbered[e] = true;
    for (const std::size_t node : nodes_of[e])
      --open[node];
  };
  const auto at_hub = [&](std::size_t e) {
    return std::any_of(nodes_of[e].begin(), nodes_of[e].end(),
                       [&](std::size_t node) { return elements_at[node].size() > hub_joints; });
  };
  for (const std::size_t node : order) {
    for (Index i = 0; i < model.nodes()[node].unknowns(); ++i)
      row_of_unknown[static_cast<std::size_t>(model.nodes()[node].unknown + i)] = row++;
    const bool leaf = open[node] == 1; // all that hangs on it has been eliminated, and nothing else holds it
    for (const std::size_t e : elements_at[node]) {
      --nodes_to_come[e];
      const bool determined = leaf && at_hub(e) && model.elements()[e]->multipliers() <= model.nodes()[node].unknowns();
      if (!numbered[e] && (nodes_to_come[e] == 0 || determined))
        number_multipliers(e);
    }
  }
  for (std::size_t e = 0; e < nodes_of.size(); ++e) // those without nodes come at the end
    if (model.elements()[e]->multipliers() > 0 && !numbered[e] && !is_condensed(e))
      number_multipliers(e);
  equations = row;
  for (std::size_t e = 0; e < nodes_of.size(); ++e)
    if (is_condensed(e))
      number_multipliers(e);
}

} // namespace emmy
