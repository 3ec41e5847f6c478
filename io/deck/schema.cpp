#include "io/deck/schema.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <sstream>
#include <utility>

namespace emmy::deck {

const std::vector<TypeForm>& type_forms() {
  static const std::vector<TypeForm> forms = {
      {Type::text, "text", "text", "any text; in quotes when it contains `: ` or ` #`"},
      {Type::choice, "word", "one word", "one of the words listed"},
      {Type::flag, "flag", "true or false", "`true` or `false`"},
      {Type::integer, "integer", "a whole number", "a number or expression with a whole value"},
      {Type::number, "number", "a number", "`0.25`, or an expression: `pi/4`, `-0.5*L`"},
      {Type::function, "function", "a number or an expression of the time t",
       "a number, or an expression of the time `t` in s: `0.1*sin(2*pi*t)`"},
      {Type::stiffness, "stiffness", "rigid or a number", "a number, or `rigid`"},
      {Type::step_size, "number or auto", "auto or a number", "a number, or `auto`"},
      {Type::numbers, "numbers", "a list of ascending numbers", "a list of ascending numbers, `[0.5, 2, 3.5]`"},
      {Type::vector, "vector", "a vector [x, y, z]", "`[x, y, z]`"},
      {Type::body_vector, "vector in axes", "a vector [x, y, z] or {body_axes: [x, y, z]}",
       "`[x, y, z]` in global axes, or `{body_axes: [x, y, z]}` in those of the body"},
      {Type::load_vector, "functions in axes", "a vector [x, y, z] or {body_axes: [x, y, z]} of functions of t",
       "as a vector in axes, with components that may be functions of the time `t`: `[0, 5*sin(t), 0]`"},
      {Type::quaternion, "quaternion", "a quaternion [w, x, y, z]",
       "`[w, x, y, z]`, scalar first, body to space; of unit length to 1e-3, then normalised"},
      {Type::matrix, "matrix", "three rows of three numbers",
       "three rows of three numbers; its columns are the body's axes in space, orthonormal to 1e-3, then made exact"},
      {Type::matrix6, "matrix of 6", "6 numbers or six rows of six numbers",
       "six numbers for the diagonal, along x, y, z and about x, y, z, or six rows of six; symmetric"},
      {Type::inertia, "inertia", "3 principal moments, 6 components, or three rows of three numbers",
       "`[Jx, Jy, Jz]`, or `[Jxx, Jyy, Jzz, Jxy, Jxz, Jyz]` (components of the tensor, so Jxy = -∫xy dm), or three "
       "rows"},
      {Type::axis, "axis", "x, y, z, -x, -y, -z or a vector",
       "`x`, `y`, `z`, `-x`, `-y`, `-z`, or a vector that need not be of unit length"},
      {Type::point, "point", "a point: [x, y, z], {body: ..., point: [x, y, z]} or body.marker",
       "`[x, y, z]` in space (initial configuration), `{body: link1, point: [x, y, z]}` from a body's centre of mass "
       "along its "
       "axes, `link1.tip` for a marker, or `link1` for the centre of mass"},
      {Type::direction, "direction", "an axis, or {body: ..., along: [x, y, z]}",
       "an axis in space (initial configuration), or `{body: link1, along: AXIS}` in the axes of a body"},
      {Type::point_pair, "point or pair", "a point, or {first: POINT, second: POINT}",
       "a point, or `{first: POINT, second: POINT}` where the two bodies are attached at places that differ"},
      {Type::direction_pair, "direction or pair", "a direction, or {first: DIRECTION, second: DIRECTION}",
       "a direction, or `{first: DIRECTION, second: DIRECTION}`"},
      {Type::two_points, "two points", "two points [first, second]",
       "`[POINT, POINT]`; a point in space belongs to the ground"},
      {Type::orientation, "orientation", "an orientation such as {axis: y, angle: pi/2}, or a list of them",
       "one of the forms under *Orientation*, or a list of them, multiplied from left to right: `R = R1 R2 ...`"},
      {Type::body, "body", "the name of a body", "the name of a body, or `ground`"},
      {Type::body_pair, "two bodies", "two bodies [first, second]", "`[first, second]`, one of which may be `ground`"},
      {Type::joint, "joint", "the name of a joint", "the name of a joint"},
      {Type::joint_pair, "two joints", "two joints [first, second]", "`[first, second]`"},
      {Type::selection, "selection", "all, none, or a list of names", "`all`, `none`, a name, or a list of names"},
      {Type::patterns, "patterns", "a name or a list of names, with * for any letters",
       "`[arm.*, energy.kinetic]`: names, in which `*` stands for any letters and `?` for one, or one of them alone"},
      {Type::output_points, "points", "a list of markers or a map of names to points",
       "a list of markers, `[link1.tip]`, or a map of names to points of bodies, `{top: {body: link1, point: [0, 0, "
       "1]}}`"},
      {Type::named_numbers, "named numbers", "a map of names to numbers", "`{L: 1.5, m: 2*L}`"},
      {Type::named_vectors, "named vectors", "a map of names to vectors", "`{tip: [0, 0, -1.5]}`"},
      {Type::entry, "map", "a map", "a map with the entries of its own table"},
      {Type::word_or_entry, "word or map", "a word or a map",
       "the word that is the first entry of its own table, or a map with its entries"},
      {Type::number_or_entry, "number or map", "a map or a number",
       "the number that is the first entry of its own table, or a map with its entries"},
      {Type::counters, "counters", "a map of counters to whole numbers, such as {i: 10}",
       "`{i: 10}` or `{i: 10, j: 5}`: counters from 1 to these numbers, for use in the expressions of the entry"},
      {Type::line, "line", "two points [[x, y, z], [x, y, z]]", "`[[x, y, z], [x, y, z]]`"},
      {Type::vectors, "vectors", "a list of vectors [[x, y, z], ...]", "`[[x, y, z], ...]`"},
      {Type::nodes, "nodes", "a list of points [[x, y, z], ...], or {line: [[x, y, z], [x, y, z]], count: n}",
       "`[[x, y, z], ...]`, or `{line: [[x, y, z], [x, y, z]], count: n}`"},
      {Type::facets, "facets", "a list of facets, each of three or four nodes counted from 1",
       "`[[1, 2, 3], [1, 3, 4, 5], ...]`: three or four nodes each, counted from 1"},
      {Type::two_names, "two names", "two surfaces, bodies or groups [A, B]",
       "`[A, B]`: surfaces, bodies, `ground`, or groups"},
      {Type::name_pairs, "pairs of names", "a list of pairs [[A, B], ...] of surfaces, bodies or groups",
       "`[[A, B], ...]`: surfaces, bodies, `ground`, or groups"},
      {Type::named_lists, "named lists", "a map of names to lists of bodies or surfaces",
       "`{NAME: [A, B, ...]}`: bodies, surfaces, `ground`, or groups above it"},
      {Type::named_entries, "named maps", "a map of names to maps",
       "a map of names to maps with the entries of their own table"},
  };
  return forms;
}

const TypeForm& type_form(Type type) {
  for (const TypeForm& form : type_forms())
    if (form.type == type)
      return form;
  assert(false && "every type has a form");
  return type_forms().front();
}

bool Range::contains(double value) const {
  return std::isfinite(value) && (min_is_open ? value > min : value >= min) &&
         (max_is_open ? value < max : value <= max) && (multiple_of == 0 || std::remainder(value, multiple_of) == 0);
}

std::string Range::text() const {
  std::ostringstream out;
  if (multiple_of > 0) {
    for (double value = min; value <= max; value += multiple_of)
      out << (value == min ? "" : value == max ? " or " : ", ") << value;
    return out.str();
  }
  const bool below = std::isfinite(min), over = std::isfinite(max);
  if (below && over && !min_is_open && !max_is_open)
    out << min << " to " << max;
  else if (below)
    out << (min_is_open ? "> " : ">= ") << min;
  if (over && (min_is_open || max_is_open || !below))
    out << (below ? " and " : "") << (max_is_open ? "< " : "<= ") << max;
  return out.str();
}

Field field(std::string name, Type type, std::string unit, std::string doc) {
  Field result;
  result.name = std::move(name);
  result.type = type;
  result.unit = std::move(unit);
  result.doc = std::move(doc);
  return result;
}

Field Field::within(Range range) const {
  Field result = *this;
  result.allowed = range;
  return result;
}

Field Field::required() const {
  Field result = *this;
  result.is_required = true;
  return result;
}

Field Field::otherwise(std::string text) const {
  Field result = *this;
  result.fallback = std::move(text);
  return result;
}

Field Field::of(std::vector<std::string> words, std::vector<std::string> not_served) const {
  Field result = *this;
  result.choices = std::move(words);
  result.later = std::move(not_served);
  return result;
}

Field Field::like(std::string entry_id, std::string other_id) const {
  Field result = *this;
  result.entry = std::move(entry_id);
  result.other_entry = std::move(other_id);
  return result;
}

std::string Field::unit_suffix() const {
  return unit.empty() || unit == "1" ? "" : " " + unit;
}

std::string Field::expected() const {
  const bool is_one_number = type == Type::number || type == Type::integer || type == Type::stiffness ||
                             type == Type::step_size || type == Type::number_or_entry;
  std::string text = type_form(type).expected;
  if (type == Type::choice) {
    text = choices.size() == 1 ? "" : "one of ";
    for (const std::string& word : choices)
      text += (&word == &choices.front() ? "" : ", ") + word;
  }
  if (const std::string range = allowed.text(); !range.empty())
    text += (is_one_number || type == Type::numbers ? " "
             : type == Type::counters               ? ", "
                                                    : " with components ") +
            range;
  const bool is_plain = is_one_number || type == Type::numbers || type == Type::vector || type == Type::function;
  if (!unit_suffix().empty())
    text += is_plain ? " in " + unit : " (" + unit + ")";
  return text;
}

const Field* Entry::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return found != fields.end() ? &*found : nullptr;
}

const Entry* Entry::variant(std::string_view variant_id) const {
  const auto found = std::find_if(variants.begin(), variants.end(), [&](const Entry& e) { return e.id == variant_id; });
  return found != variants.end() ? &*found : nullptr;
}

std::vector<std::string> Entry::names() const {
  std::vector<std::string> result;
  for (const Field& f : fields)
    result.push_back(f.name);
  return result;
}

const Entry& table_entry(std::string_view id) {
  for (const Entry& entry : table())
    if (entry.id == id)
      return entry;
  assert(false && "no such entry in the table");
  return table().front();
}

bool is_valid_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_other = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_other(c); });
}

} // namespace emmy::deck
