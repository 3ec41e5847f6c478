#include "solvers/numbering.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>

#include <algorithm>
#include <iterator>

namespace emmy {

namespace {

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

Numbering::Numbering(const Model& model)
    : row_of_unknown(static_cast<std::size_t>(model.unknowns())),
      row_of_multiplier(static_cast<std::size_t>(model.multipliers())) {
  const auto nodes_of = nodes_of_elements(model);
  const auto order = node_order(model, nodes_of);
  std::vector<std::size_t> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    place[order[p]] = p;

  // Elements with multipliers, by the place of their last node; those without nodes come at the end.
  std::vector<std::vector<const Element*>> after(order.size() + 1);
  for (std::size_t e = 0; e < nodes_of.size(); ++e) {
    std::size_t last = nodes_of[e].empty() ? order.size() : 0;
    for (const std::size_t node : nodes_of[e])
      last = std::max(last, place[node]);
    if (model.elements()[e]->multipliers() > 0)
      after[last].push_back(model.elements()[e].get());
  }

  Index row = 0;
  const auto number_multipliers = [&](const std::vector<const Element*>& elements) {
    for (const Element* element : elements)
      for (Index i = 0; i < element->multipliers(); ++i)
        row_of_multiplier[static_cast<std::size_t>(element->first_multiplier() + i)] = row++;
  };
  for (std::size_t p = 0; p < order.size(); ++p) {
    const Node& node = model.nodes()[order[p]];
    for (Index i = 0; i < node.unknowns(); ++i)
      row_of_unknown[static_cast<std::size_t>(node.unknown + i)] = row++;
    number_multipliers(after[p]);
  }
  number_multipliers(after.back());
}

} // namespace emmy
