#pragma once
/// The parts of a deck, each filling its part of Reading::deck from the fields of the top level. Analysis comes before
/// the integrator, both before what not all of them serve and before the output; bodies come before what refers to
/// them.

#include "io/deck/fields.hpp"

namespace emmy::deck {

void read_parameters(Reading& reading, const Fields& top);
void read_bodies(Reading& reading, const Fields& top);
void read_chains(Reading& reading, const Fields& top);
void read_joints(Reading& reading, const Fields& top);
void read_forces(Reading& reading, const Fields& top);
void read_limits(Reading& reading, const Fields& top);
void read_contact(Reading& reading, const Fields& top);
void read_initial(Reading& reading, const Fields& top);
void read_analysis(Reading& reading, const Fields& top);
void read_integrator(Reading& reading, const Fields& top);
void read_solver(Reading& reading, const Fields& top);
void read_output(Reading& reading, const Fields& top);
void read_checkpoint(Reading& reading, const Fields& top);
void read_audit(Reading& reading, const Fields& top);

/// Holds what has been read against integrators that take forces at instants.
void check_scheme(Reading& reading);

// What joints, forces and limits share.

/// Adds the named points of a body or link.
void read_markers(Reading& reading, const Fields& fields, Body& body);

/// Names are columns and appear in messages without their kind, so that all of these and bodies share one set of them.
void check_unique(Reading& reading, std::string_view name, const Span& at, const char* kind);

/// What the `type` of a joint, force or limit selects; null after an error.
const Entry* kind_of(Reading& reading, const Entry& kinds, const Node& node, const Span& at, const std::string& owner);

bool joint_turns(const Joint& joint);  ///< it has an angle
bool joint_slides(const Joint& joint); ///< it has a displacement
/// The coordinates that a stop may sit on, by the names that results have for them.
std::vector<std::string> joint_coordinates(const Joint& joint);

/// The entry `enforcement`, or its default.
Enforcement read_enforcement(Reading& reading, const Fields& fields);

} // namespace emmy::deck
