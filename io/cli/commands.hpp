#pragma once
/// The commands of the emmy program. Each writes how the program is to end to `result`.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace emmy::cli {

void add_commands(CLI::App& app, const std::vector<std::string>& petsc_options, int& result);

} // namespace emmy::cli
