#include "verification/unit/io/program/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace emmy::test {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "emmy-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("cannot make a temporary directory");
  path_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Workplace::write(const std::string& name, const std::string& contents) const {
  std::ofstream(path_ / name, std::ios::binary) << contents;
  return (path_ / name).string();
}

std::string Workplace::read(const std::string& name) const {
  return read_file(path_ / name);
}

Ended Workplace::emmy(const std::string& arguments) const {
  return emmy_by("", arguments);
}

Ended Workplace::emmy_by(const std::string& starter, const std::string& arguments) const {
  const std::string streams = ">'" + (path_ / ".out").string() + "' 2>'" + (path_ / ".err").string() + "'";
  const std::string command =
      "cd '" + path_.string() + "' && exec " + starter + " '" EMMY_PROGRAM "' " + arguments + " " + streams;
  const int status = std::system(command.c_str()); // NOLINT: the words are ours
  Ended ended;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = read(".out");
  ended.err = read(".err");
  return ended;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Csv read_csv(const std::string& text) {
  Csv rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string one; std::getline(cells, one, ',');)
      rows.back().push_back(one);
  }
  return rows;
}

double cell(const Csv& csv, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < csv[0].size(); ++i)
    if (csv[0][i] == column)
      return std::stod(csv[row][i]);
  throw std::runtime_error("no column " + column);
}

std::string example(const std::string& name) {
  return EMMY_SOURCE_DIR "/examples/" + name;
}

std::string long_run_until_lines_appear(const Workplace& w) {
  return "run " + example("chain_spherical.yaml") +
         " -o r --set integrator.step=1e-4 --set integrator.end=1000 >log 2>&1 & "
         "for i in $(seq 600); do [ \"$(cat " +
         (w.path() / "r/history.csv").string() + " 2>/dev/null | wc -l)\" -gt 20 ] && break; sleep 0.1; done; ";
}

} // namespace emmy::test
