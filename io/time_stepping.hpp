#pragma once
/// The integrator that a deck asks for, and the step it takes.

#include "io/loading.hpp"
#include "solvers/integrators/integrator.hpp"

#include <memory>
#include <string>
#include <vector>

namespace emmy {

/// For steps of this length [s]; what it says of steps names entries of the deck that may help. PETSc must be running
/// for implicit integrators.
std::unique_ptr<Integrator> make_integrator(const Loaded& m, double step);

/// Parts of the step of energy_momentum.
std::vector<double> stages_of(const deck::Deck& deck);

/// What a user may expect of the integrator of a deck.
struct IntegratorTraits {
  bool is_explicit = false;
  bool conserves_energy = false;    ///< by construction; otherwise its error is bounded at best
  bool conserves_momentum = false;  ///< of all bodies together, linear and angular
  bool projects_velocities = false; ///< velocities meet the joints, not only positions
  int order = 2;                    ///< to which velocities meet the joints otherwise
};
IntegratorTraits traits_of(const deck::Deck& deck);

/// What explicit integration needs: bodies that are rigid, a step. Finds the critical step, and the step itself where
/// the deck leaves it to emmy; the longest step of higher order with dampers. The text of an error, or nothing.
std::string prepare_time_stepping(Loaded& m);

/// What is said about the critical step: lines for the report of a model, and a warning if the step is longer.
std::string critical_step_report(const Loaded& m);
std::string critical_step_warning(const Loaded& m);

/// A warning if redundant joints disagree at the start by more than rounding: they work against one another, and
/// singular configurations may stop the run [S6].
std::string misfit_warning(const Loaded& m);

/// Warning that the run has started in a singular configuration, by the rank of the joints at a later state; else
/// empty.
std::string singular_start_warning(const Loaded& m, const State& later);

} // namespace emmy
