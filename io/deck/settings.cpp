#include "io/deck/geometry.hpp"
#include "io/deck/sections.hpp"

#include <cmath>
#include <unordered_set>

namespace emmy::deck {

void read_parameters(Reading& reading, const Fields& top) {
  const Target target = top.target("parameters");
  const Node* parameters = top.node("parameters");
  if (parameters == nullptr || parameters->is_null())
    return;
  if (!parameters->is_map()) {
    report_wrong_kind(reading, *parameters, target);
    return;
  }
  for (const Member& member : parameters->members)
    reading.later_parameters.emplace(member.key);
  for (const Member& member : parameters->members) {
    const std::string name(member.key);
    if (!Expressions::is_name(name)) {
      reading.diagnostics.error(member.key_at, quoted(name) + " cannot be the name of a parameter",
                                {"expected a letter or '_', then letters, digits and '_'"});
      continue;
    }
    if (const std::string meaning = Expressions::meaning(name); !meaning.empty()) {
      reading.diagnostics.error(member.key_at, quoted(name) + " cannot be the name of a parameter: it is " + meaning,
                                {"expected another name, here and where it is used"});
      reading.misnamed_parameters.push_back(name);
      continue;
    }
    if (name.size() > Expressions::longest_name) {
      reading.diagnostics.error(member.key_at,
                                quoted(name) + " cannot be the name of a parameter: it has " +
                                    std::to_string(name.size()) + " characters",
                                {"expected at most " + std::to_string(Expressions::longest_name)});
      reading.later_parameters.erase(name);
      continue;
    }
    Field number = target.field;
    number.type = Type::number;
    number.name = name;
    const auto value = read_number(reading, *member.value, {number, "'parameters'"});
    // Defined even after an error, so that what uses it is not reported as well.
    reading.later_parameters.erase(name);
    reading.expressions.define(name, value.value_or(1));
    reading.deck.parameters.emplace_back(name, value.value_or(1));
  }
}

void read_initial(Reading& reading, const Fields& top) {
  const Fields fields = top.entry("initial", "'initial'");
  if (fields.is_map())
    reading.deck.initial.assemble = fields.flag("assemble").value_or(false);
}

void read_analysis(Reading& reading, const Fields& top) {
  Analysis& analysis = reading.deck.analysis;
  const Node* node = top.node("analysis");
  if (node->is_scalar()) {
    const Field& type = *table_entry("analysis").find("type");
    analysis.type = read_choice(reading, *node, {type, "'analysis'"}).value_or("");
    return;
  }
  const Fields fields = top.entry("analysis", "'analysis'");
  if (!fields.is_map())
    return;
  analysis.type = fields.choice("type").value_or("");
  analysis.number = fields.integer("number").value_or(0);
  if (fields.is_given("number") && !analysis.type.empty() && analysis.type != "modes")
    reading.diagnostics.error(fields.key_at("number"), "'number' of 'analysis' counts modes, of which a " +
                                                           analysis.type + " analysis has none");
}

namespace {

/// Calls `visit` with the place, owner and enforcement of all that is enforced by augmented Lagrangians.
template <class Visit>
void for_each_augmented(const Deck& deck, Visit visit) {
  const auto look = [&](const char* kind, const auto& entry, const Enforcement& how) {
    if (how.method == EnforcementMethod::augmented_lagrangian)
      visit(entry.where, kind + quoted(entry.name), how);
  };
  for (const Body& body : deck.bodies)
    look("body ", body, body.enforcement);
  for (const Joint& joint : deck.joints)
    look("joint ", joint, joint.enforcement.value_or(Enforcement{}));
  for (const Limit& limit : deck.limits)
    look("limit ", limit, limit.enforcement);
}

/// What goes with which form, and the bounds [A12] of rho.
void check_multiplier_update(Reading& reading, const Fields& fields, const AugmentedLagrangian& settings) {
  const std::string& type = reading.deck.integrator.type;
  if (settings.form == "linearised" && type != "linear_acceleration" && type != "high_order")
    reading.diagnostics.error(span_of(*fields.node("form")),
                              fields.target("form").describe() + " is 'linearised', which " + type + " does not know",
                              {"expected the integrator linear_acceleration or high_order, or another form"});
  for (const char* name : {"augmentation", "rho", "relaxation"})
    if (settings.form == "merged" && fields.is_given(name))
      reading.diagnostics.error(fields.key_at(name),
                                fields.target(name).describe() +
                                    " has no meaning: merged multipliers follow the stiffness in linear solves",
                                {"expected 'form: nested' or 'form: linearised' beside it"});
  if (settings.rho > 0 && fields.is_given("relaxation"))
    reading.diagnostics.error(fields.key_at("relaxation"),
                              fields.target("relaxation").describe() + " has no meaning: 'rho' is given",
                              {"expected one of them"});
  if (!settings.augmentation)
    for_each_augmented(reading.deck, [&](const Location& where, const std::string& owner, const Enforcement& how) {
      if (how.stiffness > 0 || how.beta > 0)
        reading.diagnostics.error(where, "the stiffness of " + owner + " has no meaning without 'augmentation'",
                                  {"expected 'method: augmented_lagrangian' alone"});
    });
  const std::string unsure = ": sweeps converge only while it is below 2 r + 2/sigma, which the bodies decide";
  if (settings.augmentation && settings.relaxation >= 2)
    reading.diagnostics.warning(fields.key_at("relaxation"), fields.target("relaxation").describe() + " is " +
                                                                 number_text(settings.relaxation) + ", not below 2" +
                                                                 unsure);
  if (settings.augmentation && settings.rho > 0)
    for_each_augmented(reading.deck, [&](const Location&, const std::string& owner, const Enforcement& how) {
      if (how.stiffness > 0 && settings.rho >= 2 * how.stiffness)
        reading.diagnostics.warning(fields.key_at("rho"), fields.target("rho").describe() + " is " +
                                                              number_text(settings.rho) +
                                                              ", not below twice the stiffness of " + owner + ", " +
                                                              number_text(how.stiffness) + unsure);
    });
}

void read_augmented_lagrangian(Reading& reading, const Fields& fields, AugmentedLagrangian& settings) {
  constexpr double of_nested = 1e-10; // [m]
  const auto form = fields.choice("form");
  settings.form = form.value_or("merged");
  const bool is_nested = settings.form == "nested";
  settings.tolerance = fields.number("tolerance").value_or(is_nested ? of_nested : 0);
  settings.max_sweeps = fields.integer("max_sweeps").value_or(1);
  settings.growth = fields.flag("growth").value_or(true);
  settings.augmentation = fields.flag("augmentation").value_or(true);
  settings.rho = fields.number("rho").value_or(0);
  settings.relaxation = fields.number("relaxation").value_or(1);
  if (form)
    check_multiplier_update(reading, fields, settings);
  if (is_nested && settings.tolerance == 0)
    reading.diagnostics.error(span_of(*fields.node("tolerance")),
                              fields.target("tolerance").describe() + " is 0, which nested sweeps do not reach",
                              {"expected a number > 0 in m, e.g. 1e-10"});
}

} // namespace

void read_solver(Reading& reading, const Fields& top) {
  const Fields fields = top.entry("solver", "'solver'");
  if (!fields.is_map())
    return;
  Solver& solver = reading.deck.solver;
  solver.linear = fields.choice("linear").value_or("auto");
  solver.max_iterations = fields.integer("max_iterations").value_or(1);
  solver.tolerance = fields.number("tolerance").value_or(0);
  solver.max_halvings = fields.integer("max_halvings").value_or(0);
  solver.refuse_redundant = fields.choice("redundant") == "refuse";
  const Fields multipliers = fields.entry("augmented_lagrangian", "'augmented_lagrangian' of 'solver'");
  if (multipliers.is_map())
    read_augmented_lagrangian(reading, multipliers, solver.augmented_lagrangian);
}

} // namespace emmy::deck
