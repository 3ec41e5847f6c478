/// The table and what is made of it.
#include "io/deck/schema.hpp"

#include "io/deck/reading.hpp"
#include "verification/unit/io/deck/support.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

using namespace emmy::deck;
using namespace emmy::deck::test;
using nlohmann::json;

namespace {

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  for (const Entry& entry : table()) {
    entries.push_back(entry);
    entries.insert(entries.end(), entry.variants.begin(), entry.variants.end());
  }
  return entries;
}

bool has_unit(Type type) {
  static const std::set<Type> numeric = {
      Type::integer,       Type::number,        Type::vector,          Type::body_vector,
      Type::quaternion,    Type::matrix,        Type::inertia,         Type::axis,
      Type::point,         Type::direction,     Type::point_pair,      Type::direction_pair,
      Type::named_numbers, Type::named_vectors, Type::function,        Type::stiffness,
      Type::load_vector,   Type::matrix6,       Type::two_points,      Type::step_size,
      Type::numbers,       Type::counters,      Type::number_or_entry, Type::line,
      Type::vectors,       Type::nodes,         Type::facets};
  return numeric.count(type) > 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Schema)

BOOST_AUTO_TEST_CASE(every_field_has_a_unit_and_a_line_of_explanation) {
  for (const Entry& entry : all_entries())
    for (const Field& field : entry.fields) {
      const std::string name = entry.id + "." + field.name;
      BOOST_TEST(!field.doc.empty(), name);
      BOOST_TEST(!contains(field.doc, "\n"), name);
      BOOST_TEST((has_unit(field.type) == !field.unit.empty()), name);
      BOOST_TEST((field.type == Type::choice) == !field.choices.empty(), name);
      const bool is_made_of_entries = field.type == Type::entry || field.type == Type::named_entries ||
                                      field.type == Type::word_or_entry || field.type == Type::number_or_entry;
      BOOST_TEST(is_made_of_entries == !field.entry.empty(), name);
      BOOST_TEST(!(field.is_required && !field.fallback.empty()), name);
    }
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_groups_name_fields) {
  std::set<std::string> ids;
  for (const Entry& entry : table())
    BOOST_TEST(ids.insert(entry.id).second, entry.id);
  for (const Entry& entry : all_entries()) {
    std::set<std::string> names;
    for (const Field& field : entry.fields)
      BOOST_TEST(names.insert(field.name).second, entry.id + "." + field.name);
    for (const Group& group : entry.groups)
      for (const std::string& name : group.names)
        BOOST_TEST(names.count(name) == 1U, name);
  }
}

BOOST_AUTO_TEST_CASE(the_top_level_has_the_agreed_entries) {
  const std::vector<std::string> names = {"title",      "parameters", "gravity", "defaults",   "bodies",  "chains",
                                          "joints",     "forces",     "limits",  "contact",    "initial", "analysis",
                                          "integrator", "solver",     "output",  "checkpoint", "audit"};
  BOOST_TEST(table_entry("deck").names() == names, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ranges_say_what_they_contain) {
  BOOST_TEST(above(0).text() == "> 0");
  BOOST_TEST(!above(0).contains(0));
  BOOST_TEST(at_least(0).text() == ">= 0");
  BOOST_TEST(at_least(0).contains(0));
  BOOST_TEST(from_to(1, 5).text() == "1 to 5");
  BOOST_TEST((Range{0, 1, false, true}.text()) == ">= 0 and < 1");
  BOOST_TEST(!(Range{0, 1, false, true}.contains(1)));
  BOOST_TEST(Range{}.text() == "");
  BOOST_TEST(!Range{}.contains(std::numeric_limits<double>::quiet_NaN()));
}

BOOST_AUTO_TEST_CASE(the_json_schema_holds_every_field) {
  const json schema = json::parse(json_schema());
  BOOST_TEST(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  for (const Entry& entry : table()) {
    const json& object = entry.id == "deck" ? schema : schema.at("$defs").at(entry.id);
    if (entry.variants.empty())
      for (const Field& field : entry.fields)
        BOOST_TEST(object.at("properties").contains(field.name), entry.id + "." + field.name);
    for (std::size_t i = 0; i < entry.variants.size(); ++i)
      for (const Field& field : entry.variants[i].fields)
        BOOST_TEST(object.at("anyOf").at(i).at("properties").contains(field.name), entry.id + "." + field.name);
  }
}

BOOST_AUTO_TEST_CASE(the_json_schema_knows_both_kinds_of_bodies_and_words_for_maps) {
  const json schema = json::parse(json_schema());
  const json& bodies = schema.at("properties").at("bodies").at("additionalProperties").at("anyOf");
  BOOST_TEST(bodies.at(0).at("$ref") == "#/$defs/body");
  BOOST_TEST(bodies.at(1).at("$ref") == "#/$defs/point_mass");
  const json& analysis = schema.at("properties").at("analysis").at("anyOf");
  BOOST_TEST(analysis.at(0).at("enum") == json({"transient", "static", "modes"}));
  BOOST_TEST(analysis.at(1).at("$ref") == "#/$defs/analysis");
  BOOST_TEST(schema.at("allOf").at(0).at("anyOf") ==
             json::parse(R"([{"required": ["bodies"]}, {"required": ["chains"]}])"));
  BOOST_TEST(schema.at("allOf").size() == 1U); // both may be given
}

BOOST_AUTO_TEST_CASE(the_json_schema_knows_the_entries_of_explicit_integrators) {
  const json schema = json::parse(json_schema()).at("$defs").at("integrator");
  const json& properties = schema.at("properties");
  BOOST_TEST(properties.at("type").at("enum") ==
             json({"energy_momentum", "kick_drift_kick", "simo_wong_explicit", "predictor_corrector", "staggered",
                   "park_chiou_downer", "linear_acceleration", "high_order", "midpoint", "explicit_euler"}));
  BOOST_TEST(properties.at("kernel").at("default") == "split");
  BOOST_TEST(!properties.at("impulse").contains("default")); // it depends on the type
  BOOST_TEST(properties.at("restart_at").at("type") == "array");
  BOOST_TEST(properties.at("restart_at").at("items").at("anyOf").at(0).at("minimum") == 0.0);
  const auto& order = properties.at("order").at("anyOf").at(0);
  BOOST_TEST(order.at("minimum") == 2.0);
  BOOST_TEST(order.at("maximum") == 6.0);
  BOOST_TEST(order.at("multipleOf") == 2.0);
  BOOST_TEST(properties.at("step").at("anyOf").at(0).at("exclusiveMinimum") == 0.0);
  BOOST_TEST(properties.at("step").at("anyOf").at(1).at("type") == "string"); // auto, or an expression
  BOOST_TEST(properties.at("safety").at("anyOf").at(0).at("maximum") == 1.0);
  BOOST_TEST(schema.at("required") == json({"step", "end"}));
}

BOOST_AUTO_TEST_CASE(the_references_of_the_json_schema_lead_somewhere) {
  const json schema = json::parse(json_schema());
  int count = 0;
  const std::function<void(const json&)> visit = [&](const json& value) {
    if (value.is_object() && value.contains("$ref") && value["$ref"].is_string()) {
      const std::string pointer = value["$ref"].get<std::string>().substr(1);
      BOOST_TEST(schema.contains(json::json_pointer(pointer)), pointer);
      ++count;
    }
    if (value.is_structured())
      for (const json& child : value)
        visit(child);
  };
  visit(schema);
  BOOST_TEST(count > 10);
}

BOOST_AUTO_TEST_CASE(the_reference_lists_every_field_and_never_changes_by_itself) {
  const std::string reference = markdown_reference();
  BOOST_TEST(reference == markdown_reference());
  for (const Entry& entry : all_entries())
    for (const Field& field : entry.fields)
      BOOST_TEST(contains(reference, "| `" + field.name + "` | "), entry.id + "." + field.name);
  BOOST_TEST(contains(reference, "| `mass` | number | kg | > 0 |  | mass |\n"));
}

BOOST_AUTO_TEST_CASE(docs_hold_the_reference_as_it_is) {
  std::ifstream in(EMMY_SOURCE_DIR "/docs/deck.md");
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string mark = "<!-- generated by 'emmy schema --markdown': do not edit below -->\n";
  const std::size_t at = page.find(mark);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  BOOST_TEST(page.substr(at + mark.size()) == "\n" + markdown_reference());
}

BOOST_AUTO_TEST_SUITE_END()
