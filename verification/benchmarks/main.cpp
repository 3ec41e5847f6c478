#include "solvers/petsc.hpp"
#include "verification/benchmarks/sections.hpp"
#include <string>
int main(int argc, char** argv) {
  const emmy::PetscSession petsc;
  emmy::benchmark::Report r;
  emmy::benchmark::equal_steps(argc > 1 && std::string(argv[1]) == "--quick", r);
}
