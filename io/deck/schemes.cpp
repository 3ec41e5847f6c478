#include "io/deck/sections.hpp"

#include <algorithm>

namespace emmy::deck {

namespace {

/// What an integrator that takes forces at instants does not serve.
class SchemeCheck {
public:
  explicit SchemeCheck(Reading& reading)
      : diagnostics_(reading.diagnostics), deck_(reading.deck), type_(reading.deck.integrator.type) {}

  void check() {
    for (const Body& body : deck_.bodies)
      check_body(body);
    for (const Force& force : deck_.forces)
      check_damping(force);
    for (const Joint& joint : deck_.joints)
      check_joint(joint);
    if (type_ == "explicit_euler")
      for (const Limit& limit : deck_.limits)
        require_penalty("limit " + quoted(limit.name), limit.where, limit.enforcement);
  }

private:
  void check_body(const Body& body) {
    const bool has_directors = type_ == "midpoint";
    const std::string& form = body.formulation;
    if (form.empty() || form == "point" || form == "planar_chain" || (has_directors && form == "director"))
      return;
    diagnostics_.error(
        body.where,
        "body " + quoted(body.name) + " is a " + quoted(form) + ", which " + type_ + " cannot move: it wants " +
            (has_directors ? "bodies whose own equations are a midpoint rule" : "coordinates that nothing binds"),
        {std::string("expected 'formulation: ") + (has_directors ? "director' or 'point'" : "point'") +
         ", or a link of a chain; all bodies go with energy_momentum"});
  }

  void check_damping(const Force& force) {
    if (force.damping == 0 && force.damping_matrix.isZero(0))
      return;
    diagnostics_.error(force.where,
                       "force " + quoted(force.name) + " has damping, which " + type_ +
                           " does not see: it takes forces of bodies that stand still",
                       {"expected no damping, or the integrator energy_momentum"});
  }

  void check_joint(const Joint& joint) {
    const std::string owner = "joint " + quoted(joint.name);
    const Enforcement how = joint.enforcement.value_or(Enforcement{});
    if (type_ == "explicit_euler")
      require_penalty(owner, joint.where, how);
    if (type_ == "explicit_euler" || type_ == "midpoint" || how.method == EnforcementMethod::penalty)
      return;
    const std::string finding = owner + " is met exactly, which makes " + type_ +
                                " unstable: errors grow by a factor of " + (type_ == "high_order" ? "5.34" : "3.73") +
                                " in every step"; // [A9], [A10]
    if (deck_.integrator.allow_unstable)
      diagnostics_.warning(joint.where, finding);
    else
      diagnostics_.error(joint.where, finding,
                         {"expected 'enforcement: {method: penalty, stiffness: NUMBER}', or the integrator "
                          "energy_momentum or midpoint",
                          "to see it fail: 'allow_unstable: true' of 'integrator'"});
  }

  void require_penalty(const std::string& owner, const Location& where, const Enforcement& how) {
    if (how.method == EnforcementMethod::penalty)
      return;
    diagnostics_.error(where, owner + " needs multipliers, which explicit_euler does not find",
                       {"expected 'enforcement: {method: penalty, stiffness: NUMBER}', or another integrator"});
  }

  Diagnostics& diagnostics_;
  const Deck& deck_;
  const std::string& type_;
};

/// What cannot run back in time, as some stages of a step of higher order do.
void check_order(Reading& reading) {
  const std::string order = "'order: " + std::to_string(reading.deck.integrator.order) + "'";
  for (const Limit& limit : reading.deck.limits)
    if (limit.enforcement.method != EnforcementMethod::penalty)
      reading.diagnostics.error(limit.where,
                                "limit " + quoted(limit.name) + " does not go with " + order +
                                    ": where a stage runs back in time it would pull",
                                {"expected 'enforcement: {method: penalty, stiffness: NUMBER}', or 'order: 2'"});
}

/// Bodies whose rates are not those of a rigid body take no kicks.
bool takes_kicks(const Body& body) {
  return body.formulation != "spring_tetra" && body.formulation != "planar_chain";
}

/// What nobody has said: on, wherever steps can be taken between kicks. With orders above 2 no constraint may be left
/// without, whose velocities would alternate from stage to stage.
std::string usual_velocity_constraints(const Deck& deck) {
  const auto& bodies = deck.bodies;
  if (deck.analysis.type != "transient" || deck.integrator.type != "energy_momentum" ||
      !deck.contact.surfaces.empty() || !std::all_of(bodies.begin(), bodies.end(), takes_kicks))
    return "off";
  const bool has_others = std::any_of(deck.joints.begin(), deck.joints.end(), [](const Joint& joint) {
    return joint.enforcement && joint.enforcement->method != EnforcementMethod::lagrange;
  });
  return deck.integrator.order > 2 && has_others ? "off" : "on";
}

void check_kicks(Reading& reading) {
  for (const Body& body : reading.deck.bodies)
    if (!takes_kicks(body))
      reading.diagnostics.error(
          body.where,
          "body " + quoted(body.name) + " (" + body.formulation +
              ") does not go with 'velocity_constraints: " + reading.deck.integrator.velocity_constraints + "'",
          {"expected the formulation frame, director or point, or 'velocity_constraints: off'"});
}

} // namespace

void check_scheme(Reading& reading) {
  std::string& velocities = reading.deck.integrator.velocity_constraints;
  if (velocities.empty())
    velocities = usual_velocity_constraints(reading.deck);
  if (reading.deck.analysis.type != "transient")
    return;
  if (family_of(reading.deck.integrator.type) == IntegratorFamily::pointwise)
    SchemeCheck(reading).check();
  if (reading.deck.integrator.type == "energy_momentum" && reading.deck.integrator.order > 2)
    check_order(reading);
  if (reading.deck.integrator.velocity_constraints != "off")
    check_kicks(reading);
}

} // namespace emmy::deck
