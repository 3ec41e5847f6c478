/// emmy_tables: runs the problems of a page of docs/, writes its tables and the data of its figures, and says whether
/// what was published about them comes out.

#include "solvers/petsc/petsc.hpp"
#include "verification/tables/page.hpp"
#include "verification/tables/study.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

int main(int argc, char** argv) {
  const std::map<std::string, std::unique_ptr<emmy::tables::Study> (*)()> studies{
      {"augmented_lagrangian", emmy::tables::augmented_lagrangian},
      {"director_chains", emmy::tables::director_chains},
      {"explicit_rotation", emmy::tables::explicit_rotation}};
  if (argc != 5 || studies.count(argv[1]) == 0) {
    std::fprintf(stderr, "usage: %s NAME TEXT.md.in PAGE.md DATA_DIRECTORY, where NAME is\n", argv[0]);
    for (const auto& study : studies)
      std::fprintf(stderr, "  %s\n", study.first.c_str());
    return 2;
  }
  try {
    const emmy::PetscSession petsc;
    const std::string text = emmy::tables::read(argv[2]);
    std::filesystem::create_directories(argv[4]);
    const auto study = studies.at(argv[1])();
    study->run();
    study->write_series(argv[4]);
    const std::vector<emmy::tables::Finding> findings = study->findings();
    if (!(std::ofstream(argv[3]) << emmy::tables::page(
              text, [&](const std::string& name) { return study->table(name); }, findings)))
      throw std::runtime_error(std::string("cannot write '") + argv[3] + "'");
    bool hold = true;
    for (const emmy::tables::Finding& f : findings) {
      std::printf("  %-6s %10s   %-20s %s\n", f.holds ? "" : "MISSED", f.found.c_str(), f.expected.c_str(),
                  f.statement.c_str());
      hold &= f.holds;
    }
    return hold ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "emmy_tables: %s\n", failure.what());
    return 2;
  }
}
