#pragma once
/// What solvers think would help, by the entries of the deck that ask for it.

#include "solvers/integrators/integrator.hpp"

#include <memory>

namespace emmy {

/// A sentence for a person who wrote a deck; empty if there is no remedy.
const char* advice(Remedy remedy);

/// An integrator that ends what it says of a step with advice.
std::unique_ptr<Integrator> advised(std::unique_ptr<Integrator> integrator);

} // namespace emmy
