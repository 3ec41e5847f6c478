#pragma once
/// Runs the emmy program as a user does, in a directory of its own.

#include <filesystem>
#include <string>
#include <vector>

namespace emmy::test {

/// How a run of the program ended.
struct Ended {
  int code = -1; ///< exit code, or 128 + signal
  std::string out, err;
};

/// A directory that lives as long as the object.
class Workplace {
public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the directory and returns its path.
  std::string write(const std::string& name, const std::string& contents) const;
  std::string read(const std::string& name) const;
  /// Runs `emmy ARGUMENTS` here, through the shell.
  Ended emmy(const std::string& arguments) const;
  /// The same behind words that start a program: `env NAME=value`, say.
  Ended emmy_by(const std::string& starter, const std::string& arguments) const;

private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

bool contains(const std::string& text, const std::string& part);

/// Cells of a CSV file, row by row; the first row is the head.
using Csv = std::vector<std::vector<std::string>>;
Csv read_csv(const std::string& text);
/// A number by its row and the name of its column.
double cell(const Csv& csv, std::size_t row, const std::string& column);

/// Path of a deck in examples/.
std::string example(const std::string& name);

/// Shell words for a run of ten million steps in the background, which go on once its history has some lines.
std::string long_run_until_lines_appear(const Workplace& w);

} // namespace emmy::test
