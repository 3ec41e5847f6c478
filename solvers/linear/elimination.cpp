#include "solvers/linear/elimination.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace emmy {

namespace {

/// A body with more joints than this is a hub.
constexpr int hub_joints = 8;

/// A list of neighbours so many times as long as another is not rewritten to add that to it.
constexpr std::size_t long_list = 8;

/// Parts into which joints bind what has been eliminated.
class Parts {
public:
  explicit Parts(const std::vector<BlockNode>& nodes) : parent_(nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const BlockNode& node : nodes)
      is_supported_.push_back(node.is_supported);
  }
  void bind(int a, int b) {
    const std::size_t from = root(a), to = root(b);
    parent_[from] = to;
    is_supported_[to] = is_supported_[to] || is_supported_[from];
  }
  /// True if the ground holds something in the part of this node.
  bool is_supported(int node) { return is_supported_[root(node)]; }

private:
  std::size_t root(int node) {
    auto i = static_cast<std::size_t>(node);
    for (; parent_[i] != i; i = parent_[i])
      parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::vector<std::size_t> parent_;
  std::vector<bool> is_supported_;
};

constexpr int not_queued = std::numeric_limits<int>::min();

class MinimumDegree {
public:
  explicit MinimumDegree(const BlockGraph& graph);
  void run(Elimination& result);

private:
  using Entry = std::tuple<int, long, int>; ///< degree, turn, node: among equals the one that came first

  void couple(int node, const std::vector<int>& behind);
  bool is_ready(int node) const;
  const ConstraintSide* side_left(int joint) const;
  void enqueue(int node);
  void eliminate(int node, Elimination& result);
  int next();

  int size(int node) const { return graph_.nodes[static_cast<std::size_t>(node)].size; }
  bool is_joint(int node) const { return graph_.nodes[static_cast<std::size_t>(node)].is_multiplier; }
  bool is_done(int node) const { return done_[static_cast<std::size_t>(node)]; }

  const BlockGraph& graph_;
  std::vector<std::vector<int>> neighbours_; // sorted; long lists keep some that are done
  std::vector<int> degree_;                  // rows of those that are left
  std::vector<int> bodies_left_;             // of each joint
  std::vector<bool> is_hub_, done_;
  mutable Parts eliminated_;
  std::vector<int> queued_; // with which degree
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<std::vector<int>> joints_of_;
  long turn_ = 0;
  int rows_ = 0; // of all nodes
};

MinimumDegree::MinimumDegree(const BlockGraph& graph)
    : graph_(graph), neighbours_(graph.nodes.size()), degree_(graph.nodes.size(), 0),
      bodies_left_(graph.nodes.size(), 0), is_hub_(graph.nodes.size(), false), done_(graph.nodes.size(), false),
      eliminated_(graph.nodes), queued_(graph.nodes.size(), not_queued), joints_of_(graph.nodes.size()) {
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
    for (const int j : neighbours_[i])
      degree_[i] += size(j);
    is_hub_[i] = joints_of_[i].size() > hub_joints;
    for (const int joint : joints_of_[i])
      ++bodies_left_[static_cast<std::size_t>(joint)];
  }
  for (const BlockNode& node : graph.nodes)
    rows_ += node.size;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    enqueue(static_cast<int>(i));
}

/// The one body of a joint that is left, if the others are gone, free, and subject to all its rows; null otherwise.
const ConstraintSide* MinimumDegree::side_left(int joint) const {
  const ConstraintSide* left = nullptr;
  for (const ConstraintSide& side : graph_.sides[static_cast<std::size_t>(joint)]) {
    const auto is_left = [&](int node) { return !is_done(node); };
    if (side.nodes.empty() || std::any_of(side.nodes.begin(), side.nodes.end(), is_left)) {
      if (left != nullptr || !side.is_dispensable)
        return nullptr;
      left = &side;
    } else if (std::any_of(side.nodes.begin(), side.nodes.end(),
                           [&](int node) { return eliminated_.is_supported(node); })) {
      return nullptr;
    }
  }
  return left;
}

bool MinimumDegree::is_ready(int node) const {
  const auto i = static_cast<std::size_t>(node);
  if (!is_joint(node) || bodies_left_[i] == 0)
    return true;
  const ConstraintSide* side = side_left(node);
  if (side == nullptr ||
      std::none_of(side->nodes.begin(), side->nodes.end(), [&](int j) { return is_hub_[static_cast<std::size_t>(j)]; }))
    return false;
  return std::all_of(neighbours_[i].begin(), neighbours_[i].end(), [&](int j) {
    if (is_done(j) || !is_joint(j))
      return true;
    const ConstraintSide* other = side_left(j);
    return other != nullptr && other->nodes == side->nodes;
  });
}

void MinimumDegree::enqueue(int node) {
  const auto i = static_cast<std::size_t>(node);
  if (done_[i] || !is_ready(node))
    return;
  const BlockNode& of = graph_.nodes[i];
  const int d = degree_[i] - (of.is_elsewhere ? 2 * rows_ : of.goes_first ? rows_ : 0);
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
    queued_[i] = not_queued; // a joint of a hub may have to wait again, and must be let in once more
  }
  throw std::logic_error("the block graph has nodes that nothing eliminates");
}

/// From now on `node` is coupled with all these, of which it is one.
void MinimumDegree::couple(int node, const std::vector<int>& behind) {
  auto& list = neighbours_[static_cast<std::size_t>(node)];
  int& degree = degree_[static_cast<std::size_t>(node)];
  if (list.size() > long_list * behind.size()) { // a hub with many arms is met by each of them
    for (const int j : behind) {
      const auto place = std::lower_bound(list.begin(), list.end(), j);
      if (j == node || (place != list.end() && *place == j))
        continue;
      list.insert(place, j);
      degree += size(j);
    }
    return;
  }
  std::vector<int> merged;
  merged.reserve(list.size() + behind.size());
  std::set_union(list.begin(), list.end(), behind.begin(), behind.end(), std::back_inserter(merged));
  list.clear();
  degree = 0;
  for (const int j : merged)
    if (j != node && !is_done(j)) {
      list.push_back(j);
      degree += size(j);
    }
}

void MinimumDegree::eliminate(int node, Elimination& result) {
  const auto i = static_cast<std::size_t>(node);
  done_[i] = true;
  result.order.push_back(node);
  std::vector<int> behind = std::move(neighbours_[i]);
  behind.erase(std::remove_if(behind.begin(), behind.end(), [&](int j) { return is_done(j); }), behind.end());
  for (const int j : behind) { // whom it was coupled with are coupled with one another from now on
    degree_[static_cast<std::size_t>(j)] -= size(node);
    couple(j, behind);
  }
  for (const ConstraintSide& side : graph_.sides[i]) // a hub that comes later has nothing to learn from its arms
    for (const int body : side.nodes)
      if (is_done(body))
        eliminated_.bind(body, node);
  for (const int joint : joints_of_[i]) {
    --bodies_left_[static_cast<std::size_t>(joint)];
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
