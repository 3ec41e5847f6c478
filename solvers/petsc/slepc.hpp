#pragma once
/// Owners for SLEPc handles, and its life as part of PETSc's. Only solvers/ includes this.

#include "solvers/petsc/petsc.hpp"

#include <slepceps.h>
#include <slepcpep.h>

namespace emmy {

using SlepcEigen = PetscHandle<EPS, EPSDestroy>;
using SlepcPolynomial = PetscHandle<PEP, PEPDestroy>;

/// SLEPc is running while an object of this class lives; PETSc must be running already.
class SlepcSession {
public:
  SlepcSession();
  ~SlepcSession();
  SlepcSession(const SlepcSession&) = delete;
  SlepcSession& operator=(const SlepcSession&) = delete;
};

} // namespace emmy
