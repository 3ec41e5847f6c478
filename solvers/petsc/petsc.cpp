#include "solvers/petsc/petsc.hpp"

#include <cstdlib>

namespace emmy {

namespace {

/// What Open MPI does for programs that are started without mpirun, and that emmy can do without. What the user has set
/// in the environment stands; a launcher (which sets PMIX_NAMESPACE) knows better.
void configure_lone_mpi() {
  if (std::getenv("PMIX_NAMESPACE") != nullptr)
    return;
  // A daemon for every program, in case it wants to spawn others.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", /*overwrite=*/0);
  // A session directory in the temporary one. Without the daemon all programs of a user share its name, so one that
  // ends removes what another is about to use, which then dies in MPI_Init; and one that is killed leaves it behind.
  setenv("OMPI_MCA_orte_create_session_dirs", "0", /*overwrite=*/0);
}

} // namespace

PetscSession::PetscSession(const std::vector<std::string>& options) {
  std::vector<std::string> words{"emmy"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  char** values = arguments.data();
  configure_lone_mpi();
  // Signals stay with the program: PETSc's handlers would end it without closing the results.
  check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  check(PetscInitialize(&count, &values, nullptr, nullptr));
  check(PetscOptionsClearValue(nullptr, "-no_signal_handler"));
  check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr)); // failures come back as codes, see check()
}

PetscSession::~PetscSession() {
  PetscFinalize();
}

std::vector<std::string> PetscSession::unused_options() const {
  PetscInt count = 0;
  char** names = nullptr;
  char** values = nullptr;
  check(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  std::vector<std::string> unused(names, names + count);
  check(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
  return unused;
}

} // namespace emmy
