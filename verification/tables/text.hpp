#pragma once
/// Numbers and tables as they stand on a page.

#include <string>
#include <vector>

namespace emmy::tables {

using Row = std::vector<std::string>;

struct Range {
  double least = 1e300, largest = -1e300;
  void add(double x);
  void add(const Range& r);
};

/// By a pattern of printf.
std::string format(const char* pattern, double x);
/// e-03 is e-3, and e+04 e4.
std::string short_exponent(const std::string& text);
/// Three digits, 4.48e-3.
std::string number(double x);
/// As short as so many digits allow.
std::string short_number(double x, int digits = 4);
std::string range(const Range& r, int digits = 4);

std::string table(const Row& header, const std::vector<Row>& rows);

} // namespace emmy::tables
