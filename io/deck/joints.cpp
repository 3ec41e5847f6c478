#include "io/deck/geometry.hpp"
#include "io/deck/jumps.hpp"
#include "io/deck/repeat.hpp"
#include "io/deck/sections.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace emmy::deck {

namespace {

/// Which directions of a body one side of a joint is made of.
enum class Uses { points, axis, triad };
struct JointForm {
  Uses first, second;
  bool turns = false, slides = false; ///< has an angle, a displacement
};

const JointForm& form_of(const std::string& type) {
  static const std::map<std::string, JointForm> forms = {
      {"spherical", {Uses::points, Uses::points}},
      {"distance", {Uses::points, Uses::points}},
      {"point_on_line", {Uses::triad, Uses::points}},
      {"point_on_plane", {Uses::axis, Uses::points}},
      {"universal", {Uses::axis, Uses::axis}},
      {"revolute", {Uses::triad, Uses::triad, true, false}},
      {"planar", {Uses::triad, Uses::triad, true, false}},
      {"prismatic", {Uses::triad, Uses::triad, false, true}},
      {"cylindrical", {Uses::triad, Uses::triad, true, true}},
      {"screw", {Uses::triad, Uses::triad, true, true}},
      {"fixed", {Uses::triad, Uses::triad}},
      {"parallel_axes", {Uses::triad, Uses::triad, true, false}},
      {"constant_velocity", {Uses::triad, Uses::triad}},
      {"coupler", {Uses::points, Uses::points}},
  };
  return forms.at(type);
}

/// A coordinate that jumps moves its body in no time; steps of the run show it.
void check_jumps(Reading& reading, const Fields& drive, const Drive& target) {
  const bool is_allowed = drive.choice("jumps") == "allowed";
  if (target.quantity == "angular_velocity" || target.quantity == "velocity") {
    if (drive.is_given("jumps"))
      reading.diagnostics.error(drive.key_at("jumps"),
                                "'jumps' of " + drive.owner() + " has no meaning: a rate may jump",
                                {"expected it with 'angle' or 'displacement' only"});
    return;
  }
  const Integrator& integrator = reading.deck.integrator;
  if (is_allowed || reading.deck.analysis.type != "transient" || !(integrator.end > 0))
    return;
  constexpr double where_step_is_automatic = 1000, fewest = 20, share = 0.125;
  const double steps = integrator.step > 0 ? integrator.end / integrator.step : where_step_is_automatic;
  const double spans = std::ceil(std::min(steps, std::max(fewest, share * static_cast<double>(reading.looks))));
  reading.looks -= static_cast<long>(spans);
  const auto jump = first_jump(target.value, integrator.end, static_cast<long>(spans));
  if (!jump)
    return;
  const bool turns = target.quantity == "angle";
  const Node& node = *drive.node(target.quantity);
  if (!reading.faulty.insert(&node).second)
    return;
  reading.diagnostics.error(
      span_of(node),
      drive.target(target.quantity).describe() +
          (std::isinf(jump->size) ? " is infinite" : " jumps by " + number_text(jump->size) + (turns ? " rad" : " m")) +
          " at t = " + number_text(jump->time) + " s",
      {"expected a function that does not jump: the body would be moved in one step, without force and without work",
       std::string("its rate may jump, and so may ") + quoted(turns ? "angular_velocity" : "velocity") +
           "; if a jump is what you mean: 'jumps: allowed'"});
}

void read_drive(Reading& reading, const Fields& fields, Joint& joint) {
  const Fields drive = fields.entry("drive", "'drive' of " + fields.owner());
  if (!drive.is_map())
    return;
  for (const std::string& quantity : table_entry(fields.target("drive").field.entry).groups.front().names)
    if (drive.is_given(quantity))
      if (const auto value = drive.time_function(quantity)) {
        joint.drive = Drive{quantity, *value};
        check_jumps(reading, drive, *joint.drive);
      }
}

void read_place(Reading& reading, const Entry& kind, const Fields& fields, Joint& joint) {
  const auto between = read_body_pair(reading, *fields.node("between"), fields.target("between"));
  if (between)
    joint.between = *between;
  bool placed = between.has_value();
  Span at = fields.key_at("between");
  if (kind.find("at") != nullptr && fields.is_given("at")) {
    at = span_of(*fields.node("at"));
    const auto points = read_point_pair(reading, *fields.node("at"), fields.target("at"));
    placed = placed && points;
    if (points) {
      joint.at = points->first;
      joint.at_second = points->second;
    }
  } else if (between) {
    joint.at.body = (*between)[1] != ground ? (*between)[1] : (*between)[0];
  }
  if (!placed)
    return;
  check_point(reading, at, fields.owner(), joint.between[0], joint.at);
  check_point(reading, at, fields.owner(), joint.between[1], joint.at_second.value_or(joint.at));
}

void read_axes(Reading& reading, const Entry& kind, const Fields& fields, Joint& joint) {
  const bool has_axis = kind.find("axis") != nullptr;
  if (has_axis && !fields.is_given("axis"))
    return;
  if (has_axis) {
    const auto axes = read_direction_pair(reading, *fields.node("axis"), fields.target("axis"));
    if (!axes)
      return;
    joint.axis = axes->first;
    joint.axis_second = axes->second;
    if (kind.id == "universal" && !axes->second) {
      reading.diagnostics.error(span_of(*fields.node("axis")),
                                fields.target("axis").describe() + " is one direction; a universal joint has two",
                                {"expected {first: DIRECTION, second: DIRECTION}, perpendicular to each other"});
      return;
    }
  }
  const Span at = has_axis ? span_of(*fields.node("axis")) : fields.key_at("type");
  const JointForm& form = form_of(kind.id);
  const auto check = [&](Uses uses, int body, const Direction& n) {
    if (uses != Uses::points)
      check_direction(reading, at, fields.owner(), body, uses == Uses::axis ? std::optional(n) : std::nullopt);
  };
  check(form.first, joint.between[0], joint.axis);
  check(form.second, joint.between[1], joint.axis_second.value_or(joint.axis));
}

/// Points that are to keep a distance must have one.
void check_distance(Reading& reading, const Fields& fields, const Joint& joint) {
  if (!fields.is_given("at") || joint.between[0] == joint.between[1])
    return;
  // Where the second body is, seen in space.
  const auto in_space = [&](int body, const Point& p) {
    return coordinates_in(reading.deck, ground, {body, coordinates_in(reading.deck, body, p)});
  };
  const double distance =
      (in_space(joint.between[1], joint.at_second.value_or(joint.at)) - in_space(joint.between[0], joint.at)).norm();
  if (distance == 0)
    reading.diagnostics.error(span_of(*fields.node("at")),
                              fields.target("at").describe() + " gives the same point twice",
                              {"expected {first: POINT, second: POINT}, some distance apart"});
}

void check_sharing(Reading& reading, const Fields& fields, const Joint& joint) {
  if (joint.by != "sharing")
    return;
  if (joint.enforcement)
    reading.diagnostics.error(fields.key_at("enforcement"),
                              "'enforcement' of " + fields.owner() + " has no meaning: its bodies share points",
                              {"expected it without 'by: sharing', where nothing is left to enforce"});
  for (const int body : joint.between)
    if (body != ground && reading.deck.bodies[static_cast<std::size_t>(body)].formulation != "spring_tetra") {
      reading.diagnostics.error(span_of(*fields.node("by")),
                                fields.owner() + " cannot share points of body " +
                                    quoted(reading.deck.bodies[static_cast<std::size_t>(body)].name),
                                {"expected bodies of the formulation 'spring_tetra', or 'multipliers'"});
      return;
    }
}

/// How the joint is enforced, where it says so; not everything can be done with every analysis.
void read_joint_enforcement(Reading& reading, const Fields& fields, Joint& joint) {
  if (!fields.is_given("enforcement"))
    return;
  joint.enforcement = read_enforcement(reading, fields);
  const std::string& analysis = reading.deck.analysis.type;
  const std::string& integrator = reading.deck.integrator.type;
  if (analysis == "transient" && family_of(integrator) == IntegratorFamily::rigid &&
      joint.enforcement->method != EnforcementMethod::lagrange)
    reading.diagnostics.error(fields.key_at("enforcement"),
                              fields.target("enforcement").describe() + " cannot be: " + integrator +
                                  " knows joints by multipliers only",
                              {"expected 'lagrange', or the integrator energy_momentum"});
  if ((analysis == "static" || analysis == "modes") && joint.enforcement->method == EnforcementMethod::penalty)
    reading.diagnostics.warning(fields.key_at("enforcement"), fields.owner() + " is taken as rigid: a " + analysis +
                                                                  " analysis does not see its penalty");
}

/// The joints that a coupler couples; they may stand below it, so that all joints have been read by then.
void read_coupler(Reading& reading, const Fields& fields, Joint& joint) {
  joint.ratio = fields.number("ratio").value_or(0);
  const Node* node = fields.node("joints");
  if (node == nullptr)
    return;
  const Target target = fields.target("joints");
  if (!node->is_list() || node->members.size() != 2) {
    report_wrong_kind(reading, *node, target);
    return;
  }
  const char* const choices[] = {"first", "second"};
  joint.joints = {-1, -2};
  for (std::size_t i = 0; i < 2; ++i) {
    const Node& named = *node->members[i].value;
    const auto index = read_joint_name(reading, named, target);
    const auto wanted = fields.choice(choices[i]);
    if (!index)
      continue;
    joint.joints[i] = *index;
    const Joint& coupled = reading.deck.joints[static_cast<std::size_t>(*index)];
    if (coupled.type.empty())
      continue; // it is wrong itself
    const JointForm& form = form_of(coupled.type);
    const std::string coordinate = wanted.value_or(form.turns ? "angle" : "displacement");
    const bool has_it = coordinate == "angle" ? form.turns : form.slides;
    if (!has_it)
      reading.diagnostics.error(span_of(named),
                                "joint " + quoted(coupled.name) + " in " + target.describe() + " has no " +
                                    (form.turns || form.slides ? coordinate : "angle or displacement"),
                                {"expected a joint that turns or slides"});
    else if (!wanted && form.turns && form.slides)
      reading.diagnostics.error(span_of(named),
                                "joint " + quoted(coupled.name) + " in " + target.describe() +
                                    " has an angle and a displacement",
                                {"expected " + quoted(choices[i]) + " to say which: angle or displacement"});
    joint.coordinates[i] = coordinate;
  }
  if (joint.joints[0] == joint.joints[1])
    reading.diagnostics.error(span_of(*node), fields.owner() + " couples a joint with itself",
                              {"expected two different joints"});
}

/// A coupler, whose joints are yet to be found.
struct Pending {
  std::size_t joint;
  Fields fields;
  std::vector<Counter> counters;
};

void read_joint(Reading& reading, std::string_view name, const Node& node, const Span& at,
                std::deque<Pending>& couplers) {
  const std::string owner = "joint " + quoted(name);
  check_unique(reading, name, at, "joint");
  reading.joints.add(name);
  Joint joint;
  joint.name = name;
  joint.where = location(at);
  if (const Entry* kind = kind_of(reading, table_entry("joint"), node, at, owner); kind != nullptr) {
    const Fields fields(reading, *kind, &node, at, owner);
    joint.type = kind->id;
    if (fields.is_map())
      read_joint_enforcement(reading, fields, joint);
    if (joint.type == "coupler")
      couplers.push_back({reading.deck.joints.size(), fields, reading.counters});
    else if (fields.is_map() && fields.is_given("between")) {
      read_place(reading, *kind, fields, joint);
      read_axes(reading, *kind, fields, joint);
      if (kind->find("drive") != nullptr && fields.is_given("drive"))
        read_drive(reading, fields, joint);
      if (kind->find("by") != nullptr && fields.is_given("by"))
        joint.by = fields.choice("by").value_or("");
      check_sharing(reading, fields, joint);
      if (joint.type == "distance") {
        joint.length = fields.number("length");
        check_distance(reading, fields, joint);
      }
      if (joint.type == "screw") {
        const auto pitch = fields.number("pitch");
        joint.pitch = pitch.value_or(1);
        if (pitch && *pitch == 0)
          reading.diagnostics.error(span_of(*fields.node("pitch")), fields.target("pitch").describe() + " is 0",
                                    {"expected a number other than 0; without a slide it is a revolute joint"});
      }
    }
  }
  reading.deck.joints.push_back(std::move(joint));
}

} // namespace

void check_unique(Reading& reading, std::string_view name, const Span& at, const char* kind) {
  const std::pair<const char*, const Names*> others[] = {
      {"body", &reading.bodies}, {"joint", &reading.joints}, {"force", &reading.forces}, {"limit", &reading.limits}};
  for (const auto& [other, names] : others)
    if (names->find(name) >= 0) {
      reading.diagnostics.error(at, std::string(kind) + " " + quoted(name) + " has the name of a " + other,
                                {"expected a name of its own"});
      return;
    }
}

const Entry* kind_of(Reading& reading, const Entry& kinds, const Node& node, const Span& at, const std::string& owner) {
  if (node.is_map())
    return select_variant(reading, kinds, node, at, owner);
  const Fields complaint(reading, kinds, &node, at, owner); // says that a map was expected
  return nullptr;
}

bool joint_turns(const Joint& joint) {
  return form_of(joint.type).turns;
}
bool joint_slides(const Joint& joint) {
  return form_of(joint.type).slides;
}

std::vector<std::string> joint_coordinates(const Joint& joint) {
  static const std::map<std::string, std::vector<std::string>> names = {
      {"revolute", {"angle"}},
      {"prismatic", {"displacement"}},
      {"cylindrical", {"displacement", "angle"}},
      {"screw", {"displacement"}}, // its turns at the start follow from the way that it has gone
      {"universal", {"angle1", "angle2"}},
      {"planar", {"displacement1", "displacement2", "angle"}},
      {"point_on_line", {"displacement"}},
      {"point_on_plane", {"displacement1", "displacement2"}},
      {"parallel_axes", {"angle"}},
  };
  const auto found = names.find(joint.type);
  return found != names.end() ? found->second : std::vector<std::string>{};
}

void read_joints(Reading& reading, const Fields& top) {
  std::deque<Pending> couplers;
  for_each_copy(reading, top.node("joints"), top.target("joints"), "joint", reading.joints,
                [&](auto name, const Node& node, const Span& at) { read_joint(reading, name, node, at, couplers); });
  for (const Pending& pending : couplers) {
    const CountersAgain scope(reading, pending.counters);
    read_coupler(reading, pending.fields, reading.deck.joints[pending.joint]);
  }
}

} // namespace emmy::deck
