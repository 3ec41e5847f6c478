#include "io/deck/geometry.hpp"
#include "io/deck/sections.hpp"

#include <cmath>
#include <unordered_set>
#include <utility>

namespace emmy::deck {

namespace {

/// The interval must be a whole number of steps: rounding it would write at times that nobody asked for.
void check_interval(Reading& reading, const Fields& output, double every) {
  const std::string what = output.target("every").describe();
  const double step = reading.deck.integrator.step, end = reading.deck.integrator.end;
  const bool is_automatic = reading.deck.integrator.automatic_step; // then any interval may turn out to fit
  if (every == 0 || end == 0 || (step == 0 && !is_automatic))
    return;
  const double steps = is_automatic ? 1 : every / step, whole = std::max(1.0, std::round(steps));
  if (std::abs(steps - whole) > 1e-9 * whole)
    reading.diagnostics.error(span_of(*output.node("every")),
                              what + " is " + number_text(every) + " s, " + number_text(steps) + " steps of " +
                                  number_text(step) + " s",
                              {"expected a whole number of steps, e.g. " + number_text(whole * step) + " s"});
  else if (every > end * (1 + 1e-9))
    reading.diagnostics.warning(span_of(*output.node("every")),
                                what + " is longer than the simulated time: only its ends are written");
}

void read_output_points(Reading& reading, const Fields& output) {
  const Node* node = output.node("points");
  if (node == nullptr || node->is_null())
    return;
  const Target target = output.target("points");
  std::unordered_set<std::string> taken;
  const auto take = [&](const std::string& name, const Node& value, const Span& at) {
    const auto point = read_point(reading, value, target);
    if (!point)
      return;
    if (point->body == ground)
      reading.diagnostics.error(span_of(value), "the point " + quoted(name) + " of 'output' is fixed in space",
                                {"expected a point of a body: body.marker or {body: ..., point: [x, y, z]}"});
    else if (!taken.insert(name).second || reading.bodies.find(name) >= 0 || reading.joints.find(name) >= 0 ||
             reading.forces.find(name) >= 0 || reading.limits.find(name) >= 0 || reading.pairs.find(name) >= 0)
      reading.diagnostics.error(at, "the name " + quoted(name) + " of an output point is taken",
                                {"expected a name that no body, joint, force, limit, pair or other point has"});
    else if (check_point(reading, span_of(value), "the point " + quoted(name) + " of 'output'", point->body, *point))
      reading.deck.output.points.push_back({name, *point});
  };
  if (node->is_map()) {
    for_each_named(reading, node, target, "point",
                   [&](auto name, const Node& value, const Span& at) { take(std::string(name), value, at); });
    return;
  }
  if (!node->is_list()) {
    report_wrong_kind(reading, *node, target);
    return;
  }
  for (const Member& member : node->members) {
    const Node& value = *member.value;
    if (value.is_scalar() && value.text.find('.') != std::string_view::npos)
      take(std::string(value.text), value, span_of(value));
    else
      reading.diagnostics.error(
          span_of(value), "a point in the list 'points' of 'output' is not a marker",
          {"expected body.marker; other points need a name: {top: {body: ..., point: [x, y, z]}}"});
  }
}

std::vector<ChannelPattern> read_patterns(Reading& reading, const Fields& fields) {
  std::vector<ChannelPattern> patterns;
  const Node* node = fields.node("channels");
  if (node == nullptr || node->is_null())
    return patterns;
  const Target target = fields.target("channels");
  const auto take = [&](const Node& item) {
    if (item.is_scalar() && !item.text.empty())
      patterns.push_back({std::string(item.text), location(span_of(item))});
    else
      report_wrong_kind(reading, item, target);
  };
  if (!node->is_list())
    take(*node);
  for (const Member& member : node->members)
    if (node->is_list())
      take(*member.value);
  return patterns;
}

void read_groups(Reading& reading, const Fields& output) {
  for_each_named(reading, output.node("groups"), output.target("groups"), "group",
                 [&](auto name, const Node& node, const Span& at) {
                   const Fields fields(reading, table_entry("output_group"), &node, at, "group " + quoted(name));
                   if (!fields.is_map())
                     return;
                   OutputGroup group;
                   group.name = std::string(name);
                   group.every = fields.number("every").value_or(0);
                   group.every_steps = fields.is_given("every_steps") ? fields.integer("every_steps").value_or(1) : 0;
                   group.channels = read_patterns(reading, fields);
                   check_interval(reading, fields, group.every);
                   reading.deck.output.groups.push_back(std::move(group));
                 });
}

} // namespace

void read_output(Reading& reading, const Fields& top) {
  const Fields fields = top.entry("output", "'output'");
  if (!fields.is_map())
    return;
  Output& output = reading.deck.output;
  output.every = fields.number("every").value_or(0);
  output.every_steps = fields.is_given("every_steps") ? fields.integer("every_steps").value_or(1) : 0;
  check_interval(reading, fields, output.every);
  output.by_channels = fields.is_given("channels");
  output.channels = read_patterns(reading, fields);
  read_groups(reading, fields);
  output.units = fields.flag("units").value_or(false);
  output.bodies =
      read_selection(reading, *fields.node("bodies"), fields.target("bodies"), reading.bodies).value_or(Selection{});
  output.joints =
      read_selection(reading, *fields.node("joints"), fields.target("joints"), reading.joints).value_or(Selection{});
  output.forces =
      read_selection(reading, *fields.node("forces"), fields.target("forces"), reading.forces).value_or(Selection{});
  output.limits =
      read_selection(reading, *fields.node("limits"), fields.target("limits"), reading.limits).value_or(Selection{});
  output.contacts =
      read_selection(reading, *fields.node("contacts"), fields.target("contacts"), reading.pairs).value_or(Selection{});
  read_output_points(reading, fields);
  output.energies = fields.flag("energies").value_or(true);
  output.momenta = fields.flag("momenta").value_or(true);
  output.body_angular_velocity = fields.choice("angular_velocity") == "body";
}

void read_checkpoint(Reading& reading, const Fields& top) {
  const Fields fields = top.entry("checkpoint", "'checkpoint'");
  if (!fields.is_map())
    return;
  Checkpoint& checkpoint = reading.deck.checkpoint;
  checkpoint.every = fields.number("every").value_or(0);
  checkpoint.every_steps = fields.integer("every_steps").value_or(0);
  checkpoint.every_wall = fields.number("every_wall").value_or(0);
  checkpoint.keep = fields.integer("keep").value_or(2);
}

void read_audit(Reading& reading, const Fields& top) {
  const Fields fields = top.entry("audit", "'audit'");
  if (!fields.is_map())
    return;
  Audit& audit = reading.deck.audit;
  audit.max_energy_imbalance = fields.number("max_energy_imbalance");
  audit.max_momentum_imbalance = fields.number("max_momentum_imbalance");
  audit.fail = fields.choice("action") == "fail";
}

} // namespace emmy::deck
