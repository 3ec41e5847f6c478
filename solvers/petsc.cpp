#include "solvers/petsc.hpp"

#include <cstdlib>

namespace emmy {

PetscSession::PetscSession(const std::vector<std::string>& options) {
  std::vector<std::string> words{"emmy"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  char** values = arguments.data();
  // Open MPI forks a daemon for every program that is started without mpirun, in case it wants to spawn others.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", /*overwrite=*/0);
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
