#include "io/deck/hints.hpp"
#include "io/deck/sections.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::deck {

namespace {

/// What an integrator takes beside the step.
struct Abilities {
  std::string type;
  IntegratorFamily family;
  std::vector<std::string> impulses; ///< the default first; empty: it needs no rule
  std::string impulse_reason;        ///< why not others, or none: what the type does instead
  std::string loads_reason;          ///< why it has no choice of loads: what it does instead; empty: it has
  bool restarts = false;
  bool remembers = false; ///< accelerations, from step to step
};

const std::vector<Abilities>& abilities() {
  using Family = IntegratorFamily;
  const std::string middle = "takes loads in the middle of a step", end = "takes loads at the end of a step";
  static const std::vector<Abilities> all = {
      {"energy_momentum", Family::energy_momentum, {}, "takes the mean force of a step", middle},
      {"kick_drift_kick", Family::rigid, {}, "takes forces at both ends of a step", ""},
      {"simo_wong_explicit", Family::rigid, {"trapezoidal", "midpoint", "symmetric_midpoint"}, "", "", true},
      {"predictor_corrector", Family::rigid, {"midpoint", "trapezoidal"}, "takes its midpoint from the predictor", ""},
      {"staggered",
       Family::rigid,
       {"midpoint", "trapezoidal"},
       "takes its midpoint from the other sequence, which is symmetric already",
       "",
       true},
      {"park_chiou_downer",
       Family::rigid,
       {"midpoint"},
       "takes forces at the configuration of the other sequence",
       "",
       true},
      {"linear_acceleration", Family::pointwise, {}, "takes forces at the end of a step", end, false, true},
      {"high_order", Family::pointwise, {}, "takes forces at the end of a step", end, false, true},
      {"midpoint", Family::pointwise, {}, "takes forces at the mean of both ends", middle},
      {"explicit_euler",
       Family::pointwise,
       {},
       "takes forces at the start of a step",
       "takes loads at the start of a step"},
  };
  return all;
}

const Abilities* abilities_of(const std::string& type) {
  const auto found =
      std::find_if(abilities().begin(), abilities().end(), [&](const Abilities& a) { return a.type == type; });
  return found != abilities().end() ? &*found : nullptr;
}

/// "a, b or c": the types that have something.
std::string types_with(bool (*has)(const Abilities&)) {
  std::vector<std::string> types;
  for (const Abilities& one : abilities())
    if (has(one))
      types.push_back(one.type);
  std::string list;
  for (const std::string& type : types)
    list += (list.empty() ? "" : &type == &types.back() ? " or " : ", ") + type;
  return list;
}

/// The entries that only some integrators have, held against the type.
class IntegratorReader {
public:
  IntegratorReader(Reading& reading, const Fields& fields, Integrator& integrator, bool has_contact)
      : reading_(reading), fields_(fields), integrator_(integrator), has_contact_(has_contact) {}

  void read();

private:
  void refuse(const char* name, const std::string& types, const std::string& reason);
  void read_order();
  void read_velocity_constraints();
  void read_kernel();
  void read_start();
  void read_impulse(const Abilities& able);
  void read_loads(const Abilities& able);
  void read_restarts(const Abilities* able);
  void read_instability(const Abilities& able);
  void read_impacts();
  void read_step(const Abilities* able);
  void check_times();

  Reading& reading_;
  const Fields& fields_;
  Integrator& integrator_;
  bool has_contact_;
};

/// Reports an entry that the type has no use for.
void IntegratorReader::refuse(const char* name, const std::string& types, const std::string& reason) {
  if (!fields_.is_given(name))
    return;
  reading_.diagnostics.error(fields_.key_at(name),
                             quoted(name) + " of 'integrator' has no meaning: the type is " + quoted(integrator_.type),
                             {"expected it with " + types + " only: " + reason});
}

void IntegratorReader::read_order() {
  integrator_.order = fields_.integer("order").value_or(2);
  if (integrator_.type != "energy_momentum")
    refuse("order", "energy_momentum", "it composes its steps");
}

void IntegratorReader::read_velocity_constraints() {
  integrator_.velocity_constraints =
      fields_.is_given("velocity_constraints") ? fields_.choice("velocity_constraints").value_or("off") : "";
  if (integrator_.type != "energy_momentum")
    refuse("velocity_constraints", "energy_momentum", "it is what its step is taken between");
  else if (has_contact_ && fields_.is_given("velocity_constraints"))
    reading_.diagnostics.error(
        fields_.key_at("velocity_constraints"),
        "'velocity_constraints' of 'integrator' has no meaning: bodies with contact have no joints",
        {"expected it without 'contact' only"});
}

void IntegratorReader::read_kernel() {
  const auto kernel = fields_.choice("kernel");
  if (integrator_.type == "kick_drift_kick")
    integrator_.kernel = kernel.value_or("");
  else
    refuse("kernel", "kick_drift_kick", "it is what turns bodies between the kicks");
}

void IntegratorReader::read_start() {
  const auto start = fields_.choice("start");
  if (integrator_.type == "staggered")
    integrator_.start = start.value_or("");
  else
    refuse("start", "staggered", "it is what half a step is begun with");
}

void IntegratorReader::read_impulse(const Abilities& able) {
  const auto word = fields_.choice("impulse");
  if (able.impulses.empty()) {
    refuse("impulse", types_with([](const Abilities& a) { return !a.impulses.empty(); }),
           able.type + " " + able.impulse_reason);
    return;
  }
  integrator_.impulse = word.value_or(able.impulses.front());
  if (std::find(able.impulses.begin(), able.impulses.end(), integrator_.impulse) != able.impulses.end())
    return;
  std::vector<std::string> notes = notes_for("", able.impulses);
  notes.front() += "; " + able.type + " " + able.impulse_reason;
  reading_.diagnostics.error(
      span_of(*fields_.node("impulse")),
      "'impulse' of 'integrator' is " + quoted(integrator_.impulse) + ", which " + able.type + " does not take", notes);
}

void IntegratorReader::read_loads(const Abilities& able) {
  integrator_.exact_loads = fields_.choice("loads") != "points";
  if (!able.loads_reason.empty())
    refuse("loads", "explicit integrators of rigid bodies", able.type + " " + able.loads_reason);
}

/// What belongs to schemes that remember accelerations.
void IntegratorReader::read_instability(const Abilities& able) {
  const auto after_impact = fields_.choice("after_impact");
  const auto allow = fields_.flag("allow_unstable");
  if (able.remembers) {
    integrator_.after_impact = after_impact.value_or("");
    integrator_.allow_unstable = allow.value_or(false);
    return;
  }
  const std::string types = types_with([](const Abilities& a) { return a.remembers; });
  refuse("after_impact", types, able.type + " remembers no accelerations");
  refuse("allow_unstable", types, able.type + " takes joints as they are");
}

void IntegratorReader::read_restarts(const Abilities* able) {
  integrator_.restart_every = fields_.number("restart_every");
  integrator_.restart_at = fields_.numbers("restart_at").value_or(std::vector<double>{});
  if (able == nullptr || able->restarts)
    return;
  for (const char* name : {"restart_every", "restart_at"})
    refuse(name, types_with([](const Abilities& a) { return a.restarts; }),
           able->type + (able->remembers ? " starts afresh after impacts" : " has nothing to start afresh"));
}

/// What belongs to contact.
void IntegratorReader::read_impacts() {
  integrator_.located = fields_.choice("events") == "located";
  integrator_.exponential = fields_.choice("rotation") == "exponential";
  for (const char* name : {"events", "rotation"})
    if (integrator_.type != "energy_momentum" && !integrator_.type.empty())
      refuse(name, "energy_momentum", "it is how bodies with contact are moved");
    else if (!has_contact_ && fields_.is_given(name))
      reading_.diagnostics.error(fields_.key_at(name),
                                 quoted(name) + " of 'integrator' has no meaning: the deck has no contact",
                                 {"expected it with 'contact' only"});
}

void IntegratorReader::read_step(const Abilities* able) {
  const auto step = fields_.step_size("step");
  integrator_.automatic_step = step && std::isinf(*step);
  integrator_.step = integrator_.automatic_step ? 0 : step.value_or(0);
  integrator_.safety = fields_.number("safety").value_or(1);
  if (integrator_.automatic_step && able != nullptr && able->family != IntegratorFamily::rigid)
    reading_.diagnostics.error(span_of(*fields_.node("step")),
                               "'step' of 'integrator' is 'auto', but " + integrator_.type + " has no critical step",
                               {"expected a number > 0 in s, as small as the motion asks for; auto is for explicit "
                                "integrators of rigid bodies"});
  if (step && !integrator_.automatic_step && fields_.is_given("safety"))
    reading_.diagnostics.error(fields_.key_at("safety"),
                               "'safety' of 'integrator' has no meaning: the step is " + number_text(*step) + " s",
                               {"expected it with 'step: auto' only, which it multiplies"});
}

void IntegratorReader::check_times() {
  constexpr double most_steps = 1e12;
  const double step = integrator_.step, end = integrator_.end;
  if (step == 0 || end == 0)
    return; // reported, or not known before the model is
  if (end < step)
    reading_.diagnostics.error(span_of(*fields_.node("end")),
                               "'end' of 'integrator' is " + number_text(end) + " s, before the end of the first step",
                               {"expected at least 'step', " + number_text(step) + " s"});
  else if (end / step > most_steps)
    reading_.diagnostics.error(span_of(*fields_.node("step")),
                               "'step' of 'integrator' is " + number_text(step) + " s, which takes " +
                                   number_text(end / step) + " steps to " + number_text(end) + " s",
                               {"expected at most 1e12 steps"});
}

void IntegratorReader::read() {
  integrator_.type = fields_.choice("type").value_or("");
  const Abilities* able = abilities_of(integrator_.type);
  if (able != nullptr) {
    read_order();
    read_velocity_constraints();
    read_kernel();
    read_start();
    read_impulse(*able);
    read_loads(*able);
    read_instability(*able);
  } else { // nothing can be said about what goes with it, but for mistakes of their own
    for (const char* name : {"kernel", "start", "impulse", "loads", "after_impact", "velocity_constraints"})
      fields_.choice(name);
    fields_.flag("allow_unstable");
    fields_.integer("order");
  }
  read_restarts(able);
  read_impacts();
  read_step(able);
  integrator_.end = fields_.number("end").value_or(0);
  check_times();
}

} // namespace

IntegratorFamily family_of(const std::string& type) {
  const Abilities* able = abilities_of(type);
  return able != nullptr ? able->family : IntegratorFamily::energy_momentum;
}

void read_integrator(Reading& reading, const Fields& top) {
  if (!top.is_given("integrator")) {
    const Field& field = top.target("integrator").field;
    if (reading.deck.analysis.type == "transient" && !top.is_guessed("integrator"))
      reading.diagnostics.error(top.at(), "missing entry 'integrator'",
                                {"expected 'integrator', " + field.expected() + ": " + field.doc});
    return;
  }
  const Fields fields = top.entry("integrator", "'integrator'");
  if (!fields.is_map())
    return;
  Integrator& integrator = reading.deck.integrator;
  integrator.where = location(top.key_at("integrator"));
  IntegratorReader(reading, fields, integrator, top.is_given("contact")).read();
}

} // namespace emmy::deck
