/// emmy_tables: runs the two problems of docs/theory/explicit_rotation.md with all explicit integrators, writes the
/// page of tables and the data of its figures, and says whether what was published about them comes out.

#include "verification/tables/page.hpp"
#include "verification/tables/series.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf()))
    throw std::runtime_error("cannot read '" + path + "'");
  return text.str();
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s TEXT.md.in PAGE.md DATA_DIRECTORY\n", argv[0]);
    return 2;
  }
  try {
    const std::string text = read(argv[1]);
    std::filesystem::create_directories(argv[3]);
    emmy::tables::Studies studies;
    studies.run();
    emmy::tables::write_series(studies, argv[3]);
    const std::vector<emmy::tables::Finding> findings = emmy::tables::findings(studies);
    if (!(std::ofstream(argv[2]) << emmy::tables::page(text, studies, findings)))
      throw std::runtime_error(std::string("cannot write '") + argv[2] + "'");
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
