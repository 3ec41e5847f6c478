#pragma once
/// What options of PETSc ask of the solvers, wherever they were given: command line, environment or resource file
/// (docs/petsc_options.md).

#include "solvers/remedy.hpp"

#include <string>
#include <vector>

namespace emmy {

/// True if an option of PETSc begins like this.
bool has_petsc_option(const std::string& prefix);

/// All of them with their values, as PETSc lists them. PETSc must be running.
std::string petsc_options_in_use();

struct PetscWishes {
  bool newton = false; ///< SNES runs the iteration
  bool linear = false; ///< a KSP solves linear systems
  bool looks = false;  ///< something is to be shown: whoever solves, it is shown, and solved as without
};

/// PETSc must be running.
PetscWishes petsc_wishes();

/// An option that cannot work.
struct RefusedOption {
  std::string option; ///< with its value
  std::string reason;
  Remedy remedy;
};

/// PETSc must be running.
std::vector<RefusedOption> refused_petsc_options();

} // namespace emmy
