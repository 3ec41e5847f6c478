#include "io/deck/overrides.hpp"

#include "io/deck/hints.hpp"
#include "io/deck/reading.hpp"

#include <algorithm>
#include <map>

namespace emmy::deck {

namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> words;
  for (std::size_t start = 0;;) {
    const std::size_t dot = path.find('.', start);
    words.emplace_back(path.substr(start, dot - start));
    if (dot == std::string_view::npos)
      return words;
    start = dot + 1;
  }
}

std::vector<std::string> keys(const Node* node) {
  std::vector<std::string> result;
  if (node != nullptr)
    for (const Member& member : node->members)
      result.emplace_back(member.key);
  return result;
}

/// One `--set`. The path is followed twice: once against table and deck for mistakes, once to put the value in.
class Override {
public:
  Override(const std::string& text, Tree& tree, Diagnostics& diagnostics);

  Node* apply(Node* root);

private:
  bool is_path_valid(const Node* node);
  bool has_entries(const Node* node, std::size_t i);
  bool is_name_valid(const Field& field, const Node* named, std::size_t i);
  std::vector<const Field*> fields_named(const std::vector<const Entry*>& entries, std::size_t i);
  Node* with_value(const Node* node, std::size_t i);
  void error(std::string message, std::vector<std::string> notes = {}) {
    diagnostics_.error(Span{source_, 0, 0, 0}, std::move(message), std::move(notes));
  }
  /// The path up to and including the word `i`.
  std::string path_to(std::size_t i) const;

  Tree& tree_;
  Diagnostics& diagnostics_;
  const Source* source_;
  std::vector<std::string> words_;
  std::map<std::size_t, std::string> word_for_; ///< where a word may stand for a map: the entry that the word is for
  Node* value_ = nullptr;
};

Override::Override(const std::string& text, Tree& tree, Diagnostics& diagnostics)
    : tree_(tree), diagnostics_(diagnostics) {
  const std::size_t equals = text.find('=');
  source_ = &diagnostics.add_source("--set " + text, equals == std::string::npos ? "" : text.substr(equals + 1), false);
  if (equals == std::string::npos || equals == 0) {
    error("not an assignment", {"expected path.to.entry=value, as in integrator.step=0.001"});
    return;
  }
  if (first_non_text_byte(text) != std::string_view::npos) {
    error("the text is not UTF-8 text");
    return;
  }
  words_ = split(std::string_view(text).substr(0, equals));
  value_ = parse_yaml(*source_, tree, diagnostics);
}

std::string Override::path_to(std::size_t i) const {
  std::string path = words_[0];
  for (std::size_t k = 1; k <= i; ++k)
    path += "." + words_[k];
  return path;
}

/// Names that the user chose: they must be in the deck, so that a slip of the keyboard is found. A whole new body,
/// joint or force may be added, and anything where the deck has no such map at all.
bool Override::is_name_valid(const Field& field, const Node* named, std::size_t i) {
  const bool is_whole = i + 1 == words_.size(), is_absent = named == nullptr || named->is_null();
  if (is_absent || named->find(words_[i]) != nullptr || (field.type == Type::named_entries && is_whole))
    return true;
  error(quoted(words_[i]) + " is not in " + quoted(path_to(i - 1)) + " of the deck", notes_for(words_[i], keys(named)));
  return false;
}

/// The fields of one name in all these entries and their variants, which may differ: drives of a hinge and of a slide.
std::vector<const Field*> Override::fields_named(const std::vector<const Entry*>& entries, std::size_t i) {
  std::vector<const Field*> found;
  std::vector<std::string> names;
  const auto look = [&](const Entry& entry) {
    for (const Field& f : entry.fields) {
      names.push_back(f.name);
      if (f.name == words_[i])
        found.push_back(&f);
    }
  };
  for (const Entry* entry : entries) {
    look(*entry);
    for (const Entry& variant : entry->variants)
      look(variant);
  }
  if (!found.empty())
    return found;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  error("unknown entry " + quoted(words_[i]) + (i > 0 ? " of " + quoted(path_to(i - 1)) : ""),
        notes_for(words_[i], names));
  return found;
}

/// Whether the word `i` may name something inside of `node`: a map, one to be made, or a word that is short for one.
bool Override::has_entries(const Node* node, std::size_t i) {
  if (node == nullptr || node->is_map() || node->is_null() || (node->is_scalar() && word_for_.count(i) > 0))
    return true;
  error(quoted(path_to(i - 1)) + " has no entries of its own", {"expected a value for it as a whole"});
  return false;
}

bool Override::is_path_valid(const Node* node) {
  std::vector<const Entry*> entries = {&table_entry("deck")};
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!has_entries(node, i))
      return false;
    const Member* member = node != nullptr ? node->find(words_[i]) : nullptr;
    node = member != nullptr ? member->value : nullptr;
    if (entries.empty()) // inside a value such as {axis: y, angle: pi/2}, whose reader knows its entries
      continue;
    const std::vector<const Field*> fields = fields_named(entries, i);
    if (fields.empty())
      return false;
    const Field& field = *fields.front();
    const bool has_names =
        field.type == Type::named_entries || field.type == Type::named_numbers || field.type == Type::named_vectors;
    if (has_names && i + 1 < words_.size()) {
      if (!has_entries(node, ++i) || !is_name_valid(field, node, i))
        return false;
      const Member* named = node != nullptr ? node->find(words_[i]) : nullptr;
      node = named != nullptr ? named->value : nullptr;
    }
    entries.clear();
    for (const Field* f : fields)
      if (!f->entry.empty())
        entries.push_back(&table_entry(f->entry));
    if (field.type == Type::word_or_entry || field.type == Type::number_or_entry)
      word_for_[i + 1] = entries.front()->fields.front().name;
  }
  return true;
}

/// A copy of `node` with the value put in at the rest of the path. Copies, because aliases share nodes.
Node* Override::with_value(const Node* node, std::size_t i) {
  if (i == words_.size())
    return value_;
  Node& copy = tree_.add_node();
  if (node != nullptr)
    copy = *node;
  else
    copy.at = {source_, 0, 0, 0};
  if (copy.is_scalar()) { // a word that is short for a map
    Node& word = tree_.add_node();
    word = *node;
    copy.members = {{tree_.keep(word_for_.at(i)), word.at, &word}};
  }
  copy.kind = Node::Kind::map;
  const auto is_wanted = [&](const Member& m) { return m.key == words_[i]; };
  const auto member = std::find_if(copy.members.begin(), copy.members.end(), is_wanted);
  if (member != copy.members.end()) {
    member->value = with_value(member->value, i + 1);
    if (i + 1 == words_.size())
      member->key_at = {source_, 0, 0, 0};
  } else {
    Node* child = with_value(nullptr, i + 1);
    copy.members.push_back({tree_.keep(words_[i]), {source_, 0, 0, 0}, child});
  }
  return &copy;
}

Node* Override::apply(Node* root) {
  return value_ != nullptr && is_path_valid(root) ? with_value(root, 0) : root;
}

} // namespace

Node* apply_overrides(Node* root, const std::vector<std::string>& overrides, Tree& tree, Diagnostics& diagnostics) {
  for (const std::string& text : overrides)
    root = Override(text, tree, diagnostics).apply(root);
  return root;
}

} // namespace emmy::deck
