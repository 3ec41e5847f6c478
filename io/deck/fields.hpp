#pragma once
/// One entry of the deck, held against the table.

#include "io/deck/values.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace emmy::deck {

/// The fields of a map. Construction reports unknown, refused, missing and conflicting ones; reading a field gives its
/// value, or its default, or nothing after a reported error. A field may be asked for only by a name and type that the
/// table has.
class Fields {
public:
  /// `node` null stands for an entry that is not in the deck: all defaults. `at` is where missing fields are reported.
  /// `defaults` supplies what is not given here.
  Fields(Reading& reading, const Entry& entry, const Node* node, const Span& at, std::string owner,
         const Fields* defaults = nullptr);

  bool is_map() const { return is_map_; }
  const std::string& owner() const { return owner_; }
  const Span& at() const { return at_; }

  bool is_given(std::string_view name) const; ///< here or by the defaults
  bool is_given_here(std::string_view name) const { return given_[index(name)] != nullptr; }
  /// An unknown entry was probably meant to be this one.
  bool is_guessed(const std::string& name) const;
  /// As written here, by the defaults or by the table; null when there is nothing.
  const Node* node(std::string_view name) const;
  Span key_at(std::string_view name) const; ///< of a field given here, otherwise of the entry
  Target target(std::string_view name) const;

  std::optional<double> number(std::string_view name) const { return read(name, Type::number, read_number); }
  std::optional<TimeFunction> time_function(std::string_view name) const {
    return read(name, Type::function, read_function);
  }
  std::optional<double> stiffness(std::string_view name) const { return read(name, Type::stiffness, read_stiffness); }
  std::optional<double> step_size(std::string_view name) const { return read(name, Type::step_size, read_step_size); }
  std::optional<std::vector<double>> numbers(std::string_view name) const {
    return read(name, Type::numbers, read_ascending);
  }
  std::optional<int> integer(std::string_view name) const { return read(name, Type::integer, read_integer); }
  std::optional<bool> flag(std::string_view name) const { return read(name, Type::flag, read_flag); }
  std::optional<std::string> text(std::string_view name) const { return read(name, Type::text, read_text); }
  std::optional<std::string> choice(std::string_view name) const { return read(name, Type::choice, read_choice); }
  std::optional<Vec3> vector(std::string_view name) const { return read(name, Type::vector, read_vector); }
  std::optional<Vec3> axis(std::string_view name) const { return read(name, Type::axis, read_axis); }
  std::optional<Mat3> inertia(std::string_view name) const { return read(name, Type::inertia, read_inertia); }
  std::optional<Mat6> matrix6(std::string_view name) const { return read(name, Type::matrix6, read_matrix6); }
  std::optional<Mat3> matrix(std::string_view name) const { return read(name, Type::matrix, read_matrix); }
  /// The fields of an entry inside this one; `owner` as for the constructor.
  Fields entry(std::string_view name, std::string owner) const;

private:
  template <class Function>
  auto read(std::string_view name, Type type, Function function) const
      -> decltype(function(std::declval<Reading&>(), std::declval<const Node&>(), std::declval<const Target&>())) {
    const Node* found = node(name);
    check_type(name, type);
    if (found == nullptr || reading_.faulty.count(found) > 0)
      return std::nullopt;
    auto result = function(reading_, *found, target(name));
    if (!result)
      reading_.faulty.insert(found);
    return result;
  }
  void check_type(std::string_view name, Type type) const;
  void take(const Node& map);
  void check_required() const;
  void check_groups() const;
  std::size_t index(std::string_view name) const;

  Reading& reading_;
  const Entry& entry_;
  Span at_;
  std::string owner_;
  const Fields* defaults_;
  bool is_map_ = true;
  bool has_absent_ = false; ///< something was given that belongs elsewhere; what is missing was probably meant by it
  std::vector<std::string>
      guessed_; ///< fields that an unknown entry was probably meant to be; not reported as missing too
  std::vector<const Member*> given_; ///< by the entry's fields, null where not given
};

/// The alternative of an entry that a map follows, by its selector or by the fields given; null after a reported error.
const Entry* select_variant(Reading& reading, const Entry& entry, const Node& node, const Span& at,
                            const std::string& owner);

/// Calls `visit(name, node, name_at)` for every entry of a map of names, after checking that it is a map and the names
/// are valid; a missing or empty value has no entries.
template <class Visit>
void for_each_named(Reading& reading, const Node* node, const Target& target, const std::string& kind, Visit visit);

/// Reports a name that cannot serve, e.g. as a column of a CSV file.
bool check_name(Reading& reading, std::string_view name, const Span& at, const std::string& kind);

template <class Visit>
void for_each_named(Reading& reading, const Node* node, const Target& target, const std::string& kind, Visit visit) {
  if (node == nullptr || node->is_null())
    return;
  if (!node->is_map()) {
    report_wrong_kind(reading, *node, target);
    return;
  }
  for (const Member& member : node->members)
    if (check_name(reading, member.key, member.key_at, kind))
      visit(member.key, *member.value, member.key_at);
}

} // namespace emmy::deck
