#define BOOST_TEST_MODULE verify
#include "solvers/petsc/petsc.hpp"

#include <boost/test/unit_test.hpp>

/// PETSc runs as long as the tests do.
struct Petsc {
  emmy::PetscSession session;
};
BOOST_TEST_GLOBAL_FIXTURE(Petsc);
