#pragma once
/// The deck as a tree of located values, before any meaning is given to it.

#include "io/deck/diagnostics.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace emmy::deck {

struct Node;

/// An element of a map, or of a list (then without a key).
struct Member {
  std::string_view key;
  Span key_at;
  Node* value = nullptr;
};

struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false; ///< a scalar in quotes or a block scalar: a word, never null
  Span at;
  std::string_view text; ///< of a scalar
  std::vector<Member> members;

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  /// The member called `key`, in linear time: for maps with a handful of entries.
  const Member* find(std::string_view key) const;
};

/// The place of a scalar's text, or of `length` of its bytes from `offset`: inside the scalar where it is written
/// literally on one line, the whole scalar otherwise.
Span span_of(const Node& node);
Span span_of(const Node& node, std::size_t offset, std::size_t length);

/// Owns nodes and the texts that are not literally in a source. Aliases share nodes, so the tree is really an acyclic
/// graph.
class Tree {
public:
  Node& add_node() { return nodes_.emplace_back(); }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

private:
  std::deque<Node> nodes_;
  std::deque<std::string> texts_;
};

/// Limits that keep hostile input from exhausting stack, memory or time.
inline constexpr std::size_t deepest_nesting = 64;
inline constexpr std::size_t most_aliased_nodes = 1'000'000; ///< visits of nodes through aliases and merges

/// Parses the YAML document of a source into `tree`. Reports syntax errors, duplicate keys, further documents, and what
/// passes the limits; returns null after an error that leaves nothing to read. An empty document gives a null node.
Node* parse_yaml(const Source& source, Tree& tree, Diagnostics& diagnostics);

} // namespace emmy::deck
