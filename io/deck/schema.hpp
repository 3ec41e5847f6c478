#pragma once
/// The one declaration of what a deck may contain. Reading, error messages, the JSON Schema and the reference in
/// docs/deck.md all come from this table (table.cpp): a new type of joint is one entry there and the lines that fill
/// its struct.

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace emmy::deck {

enum class Type {
  text,
  choice,         ///< one word of a list
  flag,           ///< true or false
  integer,        ///< an expression with a whole value
  number,         ///< an expression
  function,       ///< an expression of the time t
  stiffness,      ///< an expression, or rigid
  step_size,      ///< an expression, or auto
  numbers,        ///< a list of ascending numbers
  vector,         ///< [x, y, z]
  body_vector,    ///< [x, y, z] in global axes, or {body_axes: [x, y, z]}
  load_vector,    ///< the same with components that are functions of time
  quaternion,     ///< [w, x, y, z]
  matrix,         ///< three rows
  matrix6,        ///< 6 numbers, or six rows
  inertia,        ///< 3 or 6 numbers, or three rows
  axis,           ///< x, -y, ... or a vector of any length but zero
  point,          ///< [x, y, z] in space, {body, point}, body.marker, or a body for its centre of mass
  direction,      ///< an axis in space, or {body, along}
  point_pair,     ///< a point, or {first, second}
  direction_pair, ///< a direction, or {first, second}
  two_points,     ///< [first, second]
  orientation,    ///< one of several ways, or a list of them
  body,           ///< the name of a body, or ground
  body_pair,      ///< [first, second]
  joint,          ///< the name of a joint
  joint_pair,     ///< [first, second]
  selection,      ///< all, none, or names
  patterns,       ///< a word or a list of words
  output_points,  ///< a list of markers, or a map of names to points
  named_numbers,
  named_vectors,
  entry,           ///< a map with the fields of another entry of this table
  word_or_entry,   ///< such a map, or the word of its first field alone
  number_or_entry, ///< such a map, or the number of its first field alone
  counters,        ///< a map of counters to how far they run
  line,            ///< two points of a body
  vectors,         ///< a list of vectors
  nodes,           ///< such a list, or points on a line
  facets,          ///< a list of lists of three or four nodes
  two_names,       ///< [A, B], of surfaces, bodies or groups
  name_pairs,      ///< a list of these
  named_lists,     ///< a map of names to lists of them
  named_entries    ///< a map of names to such entries
};

/// How a type is called in messages ("expected a number") and what a user may write.
struct TypeForm {
  Type type;
  const char* name;     ///< as in the tables of docs/deck.md
  const char* expected; ///< with its article
  const char* form;     ///< how it is written
};
const std::vector<TypeForm>& type_forms();
const TypeForm& type_form(Type type);

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_is_open = false; ///< min itself is not allowed
  bool max_is_open = false;
  double multiple_of = 0; ///< only multiples of it are allowed, from min to max; 0: any number

  bool contains(double value) const;
  std::string text() const; ///< "> 0", "1 to 50", "2, 4 or 6"; empty without limits
};
inline Range above(double min) {
  return {min, std::numeric_limits<double>::infinity(), true, false};
}
inline Range at_least(double min) {
  return {min, std::numeric_limits<double>::infinity(), false, false};
}
inline Range from_to(double min, double max) {
  return {min, max, false, false};
}

/// From a multiple of `unit` to another.
inline Range multiples(double unit, double min, double max) {
  return {min, max, false, false, unit};
}

struct Field {
  std::string name;
  Type type = Type::text;
  std::string unit; ///< of numbers and what is made of them; "1" when dimensionless
  std::string doc;
  Range allowed;                    ///< of a number or each component of a vector
  bool is_required = false;         ///< otherwise `fallback` holds; empty means that the doc says what happens
  std::string fallback;             ///< as it would be written in a deck
  std::vector<std::string> choices; ///< of a choice
  std::vector<std::string> later;   ///< choices that are known but not served yet
  std::string entry;                ///< id of the entry, for the types made of entries
  std::string other_entry;          ///< id of a second form of it, if there is one

  // The table reads as a list of sentences with these.
  Field within(Range range) const;
  Field required() const;
  Field otherwise(std::string text) const;
  Field of(std::vector<std::string> words, std::vector<std::string> not_served = {}) const;
  Field like(std::string entry_id, std::string other_id = "") const;

  std::string unit_suffix() const; ///< " kg", or nothing when dimensionless
  std::string expected() const;    ///< "a number > 0 in kg"
};
Field field(std::string name, Type type, std::string unit, std::string doc);

/// Fields of which at most one may be given, or exactly one, or at least one.
struct Group {
  std::vector<std::string> names;
  bool needs_one = false;
  bool excludes = true; ///< not more than one
};

/// Fields that a reader may expect in an entry, and why they are not there.
struct Absent {
  std::vector<std::string> names;
  std::string reason;
};

struct Entry {
  std::string id;    ///< "body"
  std::string title; ///< heading in the reference
  std::string doc;
  std::vector<Field> fields;
  std::vector<Group> groups;
  /// Alternatives, each complete (it repeats the common fields). The field `selector` names the alternative; without a
  /// selector it is the one whose first field is given.
  std::string selector;
  std::vector<Entry> variants;
  Absent absent = {};

  const Field* find(std::string_view name) const;
  const Entry* variant(std::string_view variant_id) const;
  std::vector<std::string> names() const;
};

/// Copies in a deck that `repeat` may make: what fits into memory, and is read in seconds.
inline constexpr int most_copies = 200'000;

/// All entries, the deck itself first.
const std::vector<Entry>& table();
const Entry& table_entry(std::string_view id);

/// Names of bodies, joints, forces, markers and points: they become columns of CSV files. "ground" is taken.
bool is_valid_name(std::string_view name);
inline constexpr const char* name_pattern = "^[A-Za-z_][A-Za-z0-9_-]*$";

} // namespace emmy::deck
