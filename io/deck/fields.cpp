#include "io/deck/fields.hpp"

#include "io/deck/hints.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace emmy::deck {

Fields::Fields(Reading& reading, const Entry& entry, const Node* node, const Span& at, std::string owner,
               const Fields* defaults)
    : reading_(reading), entry_(entry), at_(at), owner_(std::move(owner)), defaults_(defaults),
      given_(entry.fields.size(), nullptr) {
  if (node != nullptr && !node->is_null()) {
    is_map_ = node->is_map();
    if (!is_map_) {
      reading_.diagnostics.error(span_of(*node),
                                 (owner_.empty() ? "the deck" : owner_) +
                                     (node->is_list() ? " is a list" : " is a single value"),
                                 {"expected a map of entries, 'name: value'"});
      return;
    }
    take(*node);
  }
  check_required();
  check_groups();
}

namespace {

std::string of(const std::string& owner) {
  return owner.empty() ? "" : " of " + owner;
}

std::string either(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : " or ") + quoted(name);
  return text;
}

} // namespace

void Fields::take(const Node& map) {
  for (const Member& member : map.members) {
    const Field* field = entry_.find(member.key);
    const std::vector<std::string>& absent = entry_.absent.names;
    if (std::find(absent.begin(), absent.end(), member.key) != absent.end()) {
      has_absent_ = true;
      reading_.diagnostics.error(member.key_at, quoted(member.key) + of(owner_) + ": " + entry_.absent.reason,
                                 notes_for("", entry_.names()));
    } else if (field == nullptr) {
      reading_.diagnostics.error(member.key_at, "unknown entry " + quoted(member.key) + of(owner_),
                                 notes_for(member.key, entry_.names()));
      guessed_.push_back(nearest(member.key, entry_.names()));
    } else {
      given_[index(member.key)] = &member;
    }
  }
}

bool Fields::is_guessed(const std::string& name) const {
  return std::find(guessed_.begin(), guessed_.end(), name) != guessed_.end();
}

void Fields::check_required() const {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const Field& field = entry_.fields[i];
    if (field.is_required && given_[i] == nullptr && !is_guessed(field.name))
      reading_.diagnostics.error(at_, "missing entry " + quoted(field.name) + of(owner_),
                                 {"expected " + quoted(field.name) + ", " + field.expected() + ": " + field.doc});
  }
}

void Fields::check_groups() const {
  for (const Group& group : entry_.groups) {
    const Member* first = nullptr;
    for (const std::string& name : group.names) {
      const Member* member = given_[index(name)];
      if (member != nullptr && first != nullptr && group.excludes)
        reading_.diagnostics.error(member->key_at, quoted(name) + of(owner_) + " conflicts with " + quoted(first->key),
                                   {"expected only one of them"});
      else if (member != nullptr)
        first = member;
    }
    const bool is_there = std::any_of(group.names.begin(), group.names.end(),
                                      [&](const std::string& name) { return is_given(name) || is_guessed(name); });
    if (!group.needs_one || is_there || has_absent_)
      continue;
    if (group.excludes)
      reading_.diagnostics.error(at_, "missing entry" + of(owner_), notes_for("", group.names));
    else
      reading_.diagnostics.error(at_, "missing entry " + either(group.names) + of(owner_));
  }
}

std::size_t Fields::index(std::string_view name) const {
  const Field* field = entry_.find(name);
  assert(field != nullptr && "the table has no such field");
  return static_cast<std::size_t>(field - entry_.fields.data());
}

void Fields::check_type([[maybe_unused]] std::string_view name, [[maybe_unused]] Type type) const {
  assert(entry_.fields[index(name)].type == type && "the table gives the field another type");
}

bool Fields::is_given(std::string_view name) const {
  if (is_given_here(name))
    return true;
  return defaults_ != nullptr && defaults_->entry_.find(name) != nullptr && defaults_->is_given(name);
}

const Node* Fields::node(std::string_view name) const {
  const std::size_t i = index(name);
  if (given_[i] != nullptr)
    return given_[i]->value;
  if (is_given(name))
    return defaults_->node(name);
  return reading_.fallback(entry_.fields[i]);
}

Span Fields::key_at(std::string_view name) const {
  const Member* member = given_[index(name)];
  return member != nullptr ? member->key_at : at_;
}

Target Fields::target(std::string_view name) const {
  return {entry_.fields[index(name)], owner_};
}

Fields Fields::entry(std::string_view name, std::string owner) const {
  return {reading_, table_entry(entry_.fields[index(name)].entry), node(name), key_at(name), std::move(owner)};
}

const Entry* select_variant(Reading& reading, const Entry& entry, const Node& node, const Span& at,
                            const std::string& owner) {
  if (!entry.selector.empty()) {
    const Member* selector = node.find(entry.selector);
    const Field& field = *entry.find(entry.selector);
    if (selector == nullptr) {
      reading.diagnostics.error(at, "missing entry " + quoted(entry.selector) + of(owner),
                                notes_for("", field.choices));
      return nullptr;
    }
    const auto word = read_choice(reading, *selector->value, {field, owner});
    return word ? entry.variant(*word) : nullptr;
  }
  std::vector<std::string> all_names;
  std::vector<const Entry*> followed;
  for (const Entry& variant : entry.variants) {
    bool is_followed = false;
    for (const Field& field : variant.fields) {
      all_names.push_back(field.name);
      is_followed = is_followed || node.find(field.name) != nullptr;
    }
    if (is_followed)
      followed.push_back(&variant);
  }
  if (followed.size() == 1)
    return followed.front();
  if (followed.size() > 1) {
    reading.diagnostics.error(span_of(node),
                              owner + " mixes several forms: " + followed[0]->id + ", " + followed[1]->id,
                              {"expected one of them"});
  } else {
    const std::string_view word = node.members.empty() ? std::string_view{} : node.members.front().key;
    reading.diagnostics.error(word.empty() ? span_of(node) : node.members.front().key_at,
                              word.empty() ? owner + " is empty" : "unknown entry " + quoted(word) + of(owner),
                              notes_for(word, all_names));
  }
  return nullptr;
}

bool check_name(Reading& reading, std::string_view name, const Span& at, const std::string& kind) {
  if (name == "ground") {
    reading.diagnostics.error(at, "'ground' cannot be the name of a " + kind + ": it is the fixed world");
    return false;
  }
  if (!is_valid_name(name)) {
    reading.diagnostics.error(at, quoted(name) + " cannot be the name of a " + kind,
                              {"expected a letter or '_', then letters, digits, '_' and '-'"});
    return false;
  }
  return true;
}

} // namespace emmy::deck
