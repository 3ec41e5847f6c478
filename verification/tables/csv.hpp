#pragma once
/// Columns for the figures.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy::tables {

class CsvFile {
public:
  /// Throws std::runtime_error if the file cannot be written.
  CsvFile(const std::string& path, const std::string& header) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (!file_)
      throw std::runtime_error("cannot write '" + path_ + "'");
    std::fprintf(file_, "%s\n", header.c_str());
  }
  ~CsvFile() { std::fclose(file_); }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  void add(const std::vector<double>& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      std::fprintf(file_, "%s%.9g", i ? "," : "", row[i]);
    std::fputc('\n', file_);
  }

private:
  std::string path_;
  std::FILE* file_;
};

} // namespace emmy::tables
