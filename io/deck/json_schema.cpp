#include "io/deck/reader.hpp"
#include "io/deck/schema.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>

// Numbers may be expressions, so wherever a number stands a string may stand too; ranges then bind plain numbers only.

namespace emmy::deck {

namespace {

using Json = nlohmann::ordered_json; // keeps the order of the table

Json reference(const std::string& name) {
  return {{"$ref", "#/$defs/" + name}};
}

Json any_of(std::vector<Json> alternatives) {
  return {{"anyOf", std::move(alternatives)}};
}

Json list_of(const Json& item, std::size_t count) {
  return {{"type", "array"}, {"items", item}, {"minItems", count}, {"maxItems", count}};
}

/// A list of one or more.
Json many(const Json& item) {
  return {{"type", "array"}, {"items", item}, {"minItems", 1}};
}

Json number(const Field& field) {
  Json plain = {{"type", field.type == Type::integer ? "integer" : "number"}};
  if (std::isfinite(field.allowed.min))
    plain[field.allowed.min_is_open ? "exclusiveMinimum" : "minimum"] = field.allowed.min;
  if (std::isfinite(field.allowed.max))
    plain[field.allowed.max_is_open ? "exclusiveMaximum" : "maximum"] = field.allowed.max;
  if (field.allowed.multiple_of > 0)
    plain["multipleOf"] = field.allowed.multiple_of;
  return any_of({plain, {{"type", "string"}}});
}

Json named(const Json& item) {
  return {{"type", {"object", "null"}},
          {"propertyNames", {{"pattern", name_pattern}, {"not", {{"const", "ground"}}}}},
          {"additionalProperties", item}};
}

Json type_of(const Field& field) {
  Json text = {{"type", "string"}};
  switch (field.type) {
  case Type::text:
    return {{"type", {"string", "number", "boolean"}}};
  case Type::choice:
    return {{"enum", field.choices}};
  case Type::flag:
    return {{"type", "boolean"}};
  case Type::integer:
  case Type::number:
  case Type::function:
  case Type::stiffness:
  case Type::step_size:
    return number(field);
  case Type::numbers:
    return {{"type", "array"}, {"items", number(field)}};
  case Type::vector:
    return list_of(number(field), 3);
  case Type::body_vector:
  case Type::load_vector:
    return any_of({list_of(number(field), 3), reference("body_vector")});
  case Type::quaternion:
    return list_of(number(field), 4);
  case Type::matrix:
    return list_of(list_of(number(field), 3), 3);
  case Type::inertia:
    return any_of({list_of(number(field), 3), list_of(number(field), 6), list_of(list_of(number(field), 3), 3)});
  case Type::matrix6:
    return any_of({list_of(number(field), 6), list_of(list_of(number(field), 6), 6)});
  case Type::two_points:
    return list_of(any_of({list_of(number(field), 3), text, reference("point")}), 2);
  case Type::axis:
    return any_of({{{"enum", {"x", "y", "z", "-x", "-y", "-z"}}}, list_of(number(field), 3)});
  case Type::point:
    return any_of({list_of(number(field), 3), text, reference("point")});
  case Type::direction:
    return any_of({{{"enum", {"x", "y", "z", "-x", "-y", "-z"}}}, list_of(number(field), 3), reference("direction")});
  case Type::point_pair:
    return any_of({list_of(number(field), 3), text, reference("point"), reference("point_pair")});
  case Type::direction_pair:
    return any_of({{{"enum", {"x", "y", "z", "-x", "-y", "-z"}}},
                   list_of(number(field), 3),
                   reference("direction"),
                   reference("direction_pair")});
  case Type::orientation:
    return any_of({reference("orientation"), {{"type", "array"}, {"items", reference("orientation")}}});
  case Type::body:
  case Type::joint:
    return text;
  case Type::body_pair:
  case Type::joint_pair:
    return list_of(text, 2);
  case Type::selection:
  case Type::patterns:
    return any_of({text, {{"type", "array"}, {"items", text}}});
  case Type::output_points:
    return any_of({{{"type", "array"}, {"items", text}}, named(any_of({text, reference("point")}))});
  case Type::named_numbers:
    return {{"type", {"object", "null"}}, {"additionalProperties", number(field)}};
  case Type::named_vectors:
    return named(list_of(number(field), 3));
  case Type::entry:
    return reference(field.entry);
  case Type::word_or_entry:
    return any_of({{{"enum", table_entry(field.entry).fields.front().choices}}, reference(field.entry)});
  case Type::number_or_entry:
    return any_of({number(field), reference(field.entry)});
  case Type::counters:
    return {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", number(field)}};
  case Type::line:
    return list_of(list_of(number(field), 3), 2);
  case Type::vectors:
    return many(list_of(number(field), 3));
  case Type::nodes:
    return any_of({many(list_of(number(field), 3)), reference("node_line")});
  case Type::facets:
    return many({{"type", "array"}, {"items", number(field)}, {"minItems", 3}, {"maxItems", 4}});
  case Type::two_names:
    return list_of(text, 2);
  case Type::name_pairs:
    return {{"type", "array"}, {"items", list_of(text, 2)}};
  case Type::named_lists:
    return named(any_of({text, {{"type", "array"}, {"items", text}}}));
  case Type::named_entries:
    return named(field.other_entry.empty() ? reference(field.entry)
                                           : any_of({reference(field.entry), reference(field.other_entry)}));
  }
  return Json::object();
}

/// The default as JSON: a number or flag where the text is one, the text otherwise.
Json default_value(const Field& field) {
  const Json parsed = Json::parse(field.fallback, nullptr, false);
  return parsed.is_discarded() ? Json(field.fallback == "''" ? "" : field.fallback) : parsed;
}

Json property(const Field& field) {
  Json result = type_of(field);
  std::string description = field.doc;
  if (!field.unit_suffix().empty())
    description += " [" + field.unit + "]";
  result["description"] = description;
  if (!field.fallback.empty())
    result["default"] = default_value(field);
  return result;
}

Json object(const Entry& entry, const std::string& selector) {
  Json properties = Json::object(), required = Json::array();
  bool all_optional = true;
  for (const Field& field : entry.fields) {
    properties[field.name] = property(field);
    if (field.name == selector)
      properties[field.name] = {{"const", entry.id}, {"description", field.doc}};
    if (field.is_required) {
      required.push_back(field.name);
      all_optional = false;
    }
  }
  Json result = {{"description", entry.doc}};
  result["type"] = all_optional && entry.groups.empty() ? Json{"object", "null"} : Json("object");
  result["properties"] = properties;
  if (!required.empty())
    result["required"] = required;
  result["additionalProperties"] = false;
  Json rules = Json::array();
  for (const Group& group : entry.groups) {
    Json needed = Json::array();
    bool has_default = false; // what 'defaults' may supply is not missed
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      needed.push_back({{"required", {group.names[i]}}});
      has_default = has_default || table_entry("defaults").find(group.names[i]) != nullptr;
      for (std::size_t j = i + 1; j < group.names.size() && group.excludes; ++j)
        rules.push_back({{"not", {{"required", {group.names[i], group.names[j]}}}}});
    }
    if (group.needs_one && !has_default)
      rules.push_back({{"anyOf", needed}});
  }
  if (!rules.empty())
    result["allOf"] = rules;
  return result;
}

Json definition(const Entry& entry) {
  if (entry.variants.empty())
    return object(entry, "");
  Json alternatives = Json::array();
  for (const Entry& variant : entry.variants)
    alternatives.push_back(object(variant, entry.selector));
  return {{"description", entry.doc}, {"anyOf", alternatives}};
}

} // namespace

std::string json_schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "emmy deck"}};
  schema.update(definition(table_entry("deck")));
  Json definitions = Json::object();
  for (const Entry& entry : table())
    if (entry.id != "deck")
      definitions[entry.id] = definition(entry);
  schema["$defs"] = definitions;
  return schema.dump(2) + "\n";
}

} // namespace emmy::deck
