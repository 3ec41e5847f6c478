#include "solvers/petsc/slepc.hpp"

namespace emmy {

SlepcSession::SlepcSession() {
  PetscBool running = PETSC_FALSE;
  check(PetscInitialized(&running));
  if (!running)
    throw PetscFailure("SLEPc needs a PetscSession");
  check(SlepcInitializeNoArguments());
}

SlepcSession::~SlepcSession() {
  SlepcFinalize(); // leaves PETSc running
}

} // namespace emmy
