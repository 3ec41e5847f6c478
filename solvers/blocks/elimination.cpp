#include "solvers/blocks/elimination.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace emmy {

namespace {

/// A body with more joints than this is a hub.
constexpr int hub_joints = 8;

class MinimumDegree {
public:
  explicit MinimumDegree(const BlockGraph& graph);
  void run(Elimination& result);

private:
  using Entry = std::tuple<int, long, int>; ///< degree, turn, node: among equals the one that came first

  int degree(int node) const;
  bool is_ready(int node) const;
  void enqueue(int node);
  void eliminate(int node, Elimination& result);
  int next();

  const BlockGraph& graph_;
  std::vector<std::vector<int>> neighbours_; // sorted, of what is left
  std::vector<int> bodies_left_, hubs_left_; // of each joint
  std::vector<bool> is_hub_, done_;
  std::vector<int> queued_; // with which degree, -1: not
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<std::vector<int>> joints_of_;
  long turn_ = 0;
  int rows_ = 0; // of all nodes
};

MinimumDegree::MinimumDegree(const BlockGraph& graph)
    : graph_(graph), neighbours_(graph.nodes.size()), bodies_left_(graph.nodes.size(), 0),
      hubs_left_(graph.nodes.size(), 0), is_hub_(graph.nodes.size(), false), done_(graph.nodes.size(), false),
      queued_(graph.nodes.size(), -1), joints_of_(graph.nodes.size()) {
  const auto is_joint = [&](int i) { return graph.nodes[static_cast<std::size_t>(i)].is_multiplier; };
  for (const Coupling& c : graph.couplings) {
    if (c.a == c.b)
      continue;
    neighbours_[static_cast<std::size_t>(c.a)].push_back(c.b);
    neighbours_[static_cast<std::size_t>(c.b)].push_back(c.a);
    if (is_joint(c.a) != is_joint(c.b))
      joints_of_[static_cast<std::size_t>(is_joint(c.a) ? c.b : c.a)].push_back(is_joint(c.a) ? c.a : c.b);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    std::sort(neighbours_[i].begin(), neighbours_[i].end());
    is_hub_[i] = joints_of_[i].size() > hub_joints;
    for (const int joint : joints_of_[i]) {
      ++bodies_left_[static_cast<std::size_t>(joint)];
      hubs_left_[static_cast<std::size_t>(joint)] += is_hub_[i] ? 1 : 0;
    }
  }
  for (const BlockNode& node : graph.nodes)
    rows_ += node.size;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    enqueue(static_cast<int>(i));
}

int MinimumDegree::degree(int node) const {
  int sum = graph_.nodes[static_cast<std::size_t>(node)].goes_first ? -rows_ : 0;
  for (const int j : neighbours_[static_cast<std::size_t>(node)])
    sum += graph_.nodes[static_cast<std::size_t>(j)].size;
  return sum;
}

bool MinimumDegree::is_ready(int node) const {
  const auto i = static_cast<std::size_t>(node);
  if (!graph_.nodes[i].is_multiplier || bodies_left_[i] == 0)
    return true;
  if (bodies_left_[i] > hubs_left_[i]) // a body that is no hub
    return false;
  return std::none_of(neighbours_[i].begin(), neighbours_[i].end(),
                      [&](int j) { return graph_.nodes[static_cast<std::size_t>(j)].is_multiplier; });
}

void MinimumDegree::enqueue(int node) {
  const auto i = static_cast<std::size_t>(node);
  if (done_[i] || !is_ready(node))
    return;
  const int d = degree(node);
  if (queued_[i] == d)
    return;
  queued_[i] = d;
  queue_.emplace(d, turn_++, node);
}

int MinimumDegree::next() {
  while (!queue_.empty()) {
    const auto [d, turn, node] = queue_.top();
    queue_.pop();
    const auto i = static_cast<std::size_t>(node);
    if (done_[i] || queued_[i] != d)
      continue;
    if (is_ready(node))
      return node;
    queued_[i] = -1; // a joint between hubs may have to wait again, and must be let in once more
  }
  throw std::logic_error("the block graph has nodes that nothing eliminates");
}

void MinimumDegree::eliminate(int node, Elimination& result) {
  const auto i = static_cast<std::size_t>(node);
  done_[i] = true;
  result.order.push_back(node);
  std::vector<int> behind = std::move(neighbours_[i]);
  std::vector<int> merged;
  for (const int j : behind) { // whom it was coupled with are coupled with one another from now on
    auto& list = neighbours_[static_cast<std::size_t>(j)];
    merged.clear();
    std::set_union(list.begin(), list.end(), behind.begin(), behind.end(), std::back_inserter(merged));
    list.clear();
    std::copy_if(merged.begin(), merged.end(), std::back_inserter(list), [&](int k) { return k != j && k != node; });
  }
  if (!graph_.nodes[i].is_multiplier)
    for (const int joint : joints_of_[i]) {
      --bodies_left_[static_cast<std::size_t>(joint)];
      hubs_left_[static_cast<std::size_t>(joint)] -= is_hub_[i] ? 1 : 0;
      enqueue(joint);
    }
  for (const int j : behind)
    enqueue(j);
  result.behind.push_back(std::move(behind));
}

void MinimumDegree::run(Elimination& result) {
  for (std::size_t count = 0; count < graph_.nodes.size(); ++count) {
    eliminate(next(), result); // bodies are always ready, and without them joints are: there is one
  }
}

} // namespace

Elimination::Elimination(const BlockGraph& graph) : position(graph.nodes.size()) {
  order.reserve(graph.nodes.size());
  behind.reserve(graph.nodes.size());
  MinimumDegree(graph).run(*this);
  for (std::size_t p = 0; p < order.size(); ++p)
    position[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
  for (auto& list : behind)
    std::sort(list.begin(), list.end(), [&](int a, int b) {
      return position[static_cast<std::size_t>(a)] < position[static_cast<std::size_t>(b)];
    });
}

} // namespace emmy
