#include "verification/benchmarks/sections.hpp"

#include <fstream>
#include <thread>

namespace emmy::benchmark {

void machine(Report& report) {
  std::string processor = "unknown";
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);)
    if (line.rfind("model name", 0) == 0) {
      processor = line.substr(line.find(':') + 2);
      break;
    }
  const std::string cores = std::to_string(std::thread::hardware_concurrency());
  report.add("machine", "Machine", {"processor", "cores", "compiler"}, {{processor, cores, "GCC " __VERSION__}});
  report.figures["machine"] = {{"processor", processor}, {"compiler", __VERSION__}};
}

} // namespace emmy::benchmark
