#include "io/deck/tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <unordered_map>

// yaml-cpp's events are used rather than its nodes: only events tell duplicate keys apart and give every place, and its
// maps look keys up in linear time.

namespace emmy::deck {

namespace {

/// Thrown through yaml-cpp after a reported error, to stop parsing.
struct Stop {};

/// The line's byte offset is found from line and column: yaml-cpp's own position does not count what it normalises.
Span to_span(const Source& source, const YAML::Mark& mark) {
  return {&source, mark.line + 1, mark.column + 1, 0};
}

/// A span moved past anchors and tags (`&link`, `!tag`) when the value follows on the same line.
Span skip_properties(Span span) {
  const std::string_view line = span.source->line(span.line);
  auto i = static_cast<std::size_t>(span.column) - 1;
  while (i < line.size() && (line[i] == '&' || line[i] == '!')) {
    i = line.find_first_not_of(" \t", std::min(line.find_first_of(" \t", i), line.size()));
    if (i == std::string_view::npos || line[i] == '#')
      return span;
  }
  span.column = static_cast<int>(i) + 1;
  return span;
}

std::string place_text(const Span& span) {
  if (!span.source->has_places())
    return "its end";
  const Location where = location(span);
  return "line " + std::to_string(where.line) + ", column " + std::to_string(where.column);
}

class Builder final : public YAML::EventHandler {
public:
  Builder(const Source& source, Tree& tree, Diagnostics& diagnostics)
      : source_(source), tree_(tree), diagnostics_(diagnostics) {}

  Node* root() const { return root_; }
  bool has_open() const { return !open_.empty(); }
  const Node& innermost() const { return *open_.back().node; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Node::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Node::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { end(); }

private:
  /// A list or map that is being filled.
  struct Open {
    Node* node = nullptr;
    YAML::anchor_t anchor = 0;
    std::size_t weight = 1; ///< nodes below and including this one, aliases expanded
    std::size_t height = 1; ///< levels below and including this one
    bool is_key = false;    ///< it stands where a key must stand; refused when it ends, after deeper mistakes
    bool has_key = false;
    Member next;
    std::unordered_map<std::string_view, Span> keys;
    std::vector<const Node*> merged;
  };
  struct Anchor {
    Node* node = nullptr; ///< null while the node is still being filled
    std::size_t weight = 1;
    std::size_t height = 1;
  };

  bool wants_key() const { return !open_.empty() && open_.back().node->is_map() && !open_.back().has_key; }
  std::string_view text_at(const Span& span, const std::string& value);
  [[noreturn]] void fail(const Span& at, std::string message, std::vector<std::string> notes = {});
  void refuse_key(const Span& at) { fail(at, "a key must be a word", {"expected 'name: value'"}); }
  void begin(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor);
  void end();
  void take_key(Span at, std::string_view text);
  void place(Node* node, std::size_t weight, std::size_t height);
  void merge(Open& open);

  const Source& source_;
  Tree& tree_;
  Diagnostics& diagnostics_;
  Node* root_ = nullptr;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchor> anchors_;
  std::size_t aliased_ = 0;
  int documents_ = 0;
};

void Builder::fail(const Span& at, std::string message, std::vector<std::string> notes) {
  diagnostics_.error(at, std::move(message), std::move(notes));
  throw Stop{};
}

void Builder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 1)
    return;
  const Span at = to_span(source_, mark);
  if (source_.line(at.line).substr(0, 3) == "---")
    fail(at, "a deck is one YAML document, and a second one starts here");
  fail(at, "unexpected text after the end of the deck's entries", {"check the indentation and the brackets above"});
}

/// The scalar's text as part of the source where it is written literally, otherwise kept beside it.
std::string_view Builder::text_at(const Span& span, const std::string& value) {
  std::string_view rest = source_.from(span.line, span.column);
  if (!rest.empty() && (rest[0] == '"' || rest[0] == '\''))
    rest.remove_prefix(1);
  return rest.substr(0, value.size()) == value ? rest.substr(0, value.size()) : tree_.keep(value);
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
  const Span at = skip_properties(to_span(source_, mark));
  const std::string_view rest = source_.from(at.line, at.column);
  const bool in_quotes = !rest.empty() && (rest[0] == '"' || rest[0] == '\'');
  if (in_quotes && quoted_length(rest) == std::string_view::npos) // yaml-cpp lets it end with the file
    fail(at, "the quote that starts here is not closed");
  if (wants_key())
    return take_key(at, text_at(at, value));
  Node& node = tree_.add_node();
  node.kind = Node::Kind::scalar;
  node.quoted = in_quotes || tag == "!";
  node.at = at;
  node.text = text_at(at, value);
  if (anchor != 0)
    anchors_[anchor] = {&node, 1, 1};
  place(&node, 1, 1);
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Span at = to_span(source_, mark);
  if (wants_key())
    refuse_key(at);
  Node& node = tree_.add_node();
  // yaml-cpp places a missing value at the next token; the user looks for it beside its key.
  node.at = !open_.empty() && open_.back().has_key ? open_.back().next.key_at : at;
  if (anchor != 0)
    anchors_[anchor] = {&node, 1, 1};
  place(&node, 1, 1);
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Span at = to_span(source_, mark);
  if (wants_key())
    refuse_key(at);
  const Anchor target = anchors_[anchor];
  if (target.node == nullptr)
    fail(at, "this alias stands inside the value that it names");
  aliased_ += target.weight;
  if (aliased_ > most_aliased_nodes)
    fail(at, "aliases repeat too much: more than " + std::to_string(most_aliased_nodes) + " values");
  if (open_.size() + target.height > deepest_nesting)
    fail(at, "nested too deeply: more than " + std::to_string(deepest_nesting) + " levels");
  place(target.node, target.weight, target.height);
}

void Builder::begin(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Span at = skip_properties(to_span(source_, mark));
  const bool is_key = wants_key();
  if (open_.size() >= deepest_nesting)
    fail(at, "nested too deeply: more than " + std::to_string(deepest_nesting) + " levels");
  Node& node = tree_.add_node();
  node.kind = kind;
  node.at = at;
  if (anchor != 0)
    anchors_[anchor] = {};
  Open& open = open_.emplace_back();
  open.node = &node;
  open.anchor = anchor;
  open.is_key = is_key;
}

void Builder::end() {
  if (!open_.back().merged.empty())
    merge(open_.back());
  const Open done = std::move(open_.back());
  open_.pop_back();
  if (done.is_key)
    refuse_key(done.node->at);
  if (done.anchor != 0)
    anchors_[done.anchor] = {done.node, done.weight, done.height};
  place(done.node, done.weight, done.height);
}

void Builder::take_key(Span at, std::string_view text) {
  Open& open = open_.back();
  if (source_.from(at.line, at.column).data() == text.data() && !text.empty())
    at.length = static_cast<int>(text.size());
  open.next = {text, at, nullptr};
  open.has_key = true;
  const auto [first, is_new] = open.keys.emplace(text, at);
  if (!is_new) {
    diagnostics_.error(at, "'" + std::string(text) + "' is given twice",
                       source_.has_places() ? std::vector<std::string>{"first given at " + place_text(first->second)}
                                            : std::vector<std::string>{});
  }
}

void Builder::place(Node* node, std::size_t weight, std::size_t height) {
  if (open_.empty()) {
    root_ = node;
    return;
  }
  Open& open = open_.back();
  open.weight += weight;
  open.height = std::max(open.height, height + 1);
  if (!open.has_key) {
    open.node->members.push_back({{}, node->at, node});
    return;
  }
  open.has_key = false;
  if (open.next.key == "<<")
    open.merged.push_back(node);
  else if (open.keys.at(open.next.key).line == open.next.key_at.line &&
           open.keys.at(open.next.key).column == open.next.key_at.column) // the first of its name
    open.node->members.push_back({open.next.key, open.next.key_at, node});
}

/// `<<: *base` adds the entries of a map (or of several in a list) that are not given here.
void Builder::merge(Open& open) {
  std::vector<const Node*> maps;
  for (const Node* node : open.merged) {
    if (!node->is_list())
      maps.push_back(node);
    for (const Member& member : node->members)
      if (node->is_list())
        maps.push_back(member.value);
  }
  for (const Node* map : maps) {
    if (!map->is_map())
      fail(map->at, "'<<' merges maps only", {"expected an alias of a map, as in '<<: *link'"});
    for (const Member& member : map->members)
      if (open.keys.emplace(member.key, member.key_at).second)
        open.node->members.push_back(member);
  }
}

/// What yaml-cpp found, in the words of someone who writes decks.
void report_syntax(const YAML::Exception& e, const Source& source, const Builder& builder, Diagnostics& diagnostics) {
  const Span at = to_span(source, e.mark);
  const std::string_view line = source.line(at.line);
  std::vector<std::string> notes;
  if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
    notes.emplace_back("indent with spaces: YAML does not take tabs");
  const bool list_open = e.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW, map_open = e.msg == YAML::ErrorMsg::END_OF_MAP_FLOW;
  if ((list_open || map_open) && builder.has_open()) {
    notes.push_back(std::string("expected ',' or '") + (list_open ? "]" : "}") + "' before " + place_text(at));
    diagnostics.error(builder.innermost().at, std::string(list_open ? "'['" : "'{'") + " is not closed", notes);
  } else if (e.msg == YAML::ErrorMsg::MAP_VALUE) {
    notes.emplace_back("check the indentation of this line, or put text that contains ': ' in quotes");
    diagnostics.error(at, "YAML syntax: ':' is not possible here", notes);
  } else if (e.msg == YAML::ErrorMsg::END_OF_MAP || e.msg == YAML::ErrorMsg::END_OF_SEQ) {
    notes.emplace_back("check the indentation of this line");
    diagnostics.error(at, "YAML syntax: this does not continue the entries above", notes);
  } else if (e.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) {
    notes.emplace_back("expected an anchor '&name' above it");
    diagnostics.error(at, "this alias names no anchor", notes);
  } else if (e.msg == YAML::ErrorMsg::EOF_IN_SCALAR) {
    diagnostics.error(at, "YAML syntax: the deck ends inside a quote", notes);
  } else {
    diagnostics.error(at, "YAML syntax: " + e.msg, notes);
  }
}

} // namespace

Node* parse_yaml(const Source& source, Tree& tree, Diagnostics& diagnostics) {
  Builder builder(source, tree, diagnostics);
  std::istringstream in{std::string(source.text())};
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    return nullptr;
  } catch (const YAML::Exception& e) {
    report_syntax(e, source, builder, diagnostics);
    return nullptr;
  } catch (const std::exception& e) { // the parser's own failure, e.g. of memory, must not end the program
    diagnostics.error(Span{&source, 0, 0, 0}, std::string("YAML cannot be read: ") + e.what());
    return nullptr;
  }
  if (builder.root() != nullptr)
    return builder.root();
  Node& empty = tree.add_node();
  empty.at = {&source, 0, 0, 0};
  return &empty;
}

} // namespace emmy::deck
