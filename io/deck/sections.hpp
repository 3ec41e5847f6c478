#pragma once
/// The parts of a deck, each filling its part of Reading::deck from the fields of the top level. Bodies come before
/// what refers to them, the integrator before the output.

#include "io/deck/fields.hpp"

namespace emmy::deck {

void read_parameters(Reading& reading, const Fields& top);
void read_bodies(Reading& reading, const Fields& top);
void read_joints(Reading& reading, const Fields& top);
void read_forces(Reading& reading, const Fields& top);
void read_integrator(Reading& reading, const Fields& top);
void read_solver(Reading& reading, const Fields& top);
void read_output(Reading& reading, const Fields& top);
void read_audit(Reading& reading, const Fields& top);

} // namespace emmy::deck
