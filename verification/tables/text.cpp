#include "verification/tables/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace emmy::tables {

void Range::add(double x) {
  least = std::min(least, x);
  largest = std::max(largest, x);
}

void Range::add(const Range& r) {
  add(r.least);
  add(r.largest);
}

std::string format(const char* pattern, double x) {
  char text[40];
  std::snprintf(text, sizeof text, pattern, x);
  return text;
}

std::string short_exponent(const std::string& text) {
  const std::size_t exponent = text.find('e');
  return exponent == std::string::npos
             ? text
             : text.substr(0, exponent + 1) + std::to_string(std::stoi(text.substr(exponent + 1)));
}

std::string number(double x) {
  return short_exponent(format(std::abs(x) >= 0.1 && std::abs(x) < 100 ? "%#.3g" : "%.2e", x));
}

std::string short_number(double x, int digits) {
  return short_exponent(format(("%." + std::to_string(digits) + "g").c_str(), x));
}

std::string range(const Range& r, int digits) {
  char text[60];
  std::snprintf(text, sizeof text, "%.*f – %.*f", digits, r.least, digits, r.largest);
  return text;
}

std::string table(const Row& header, const std::vector<Row>& rows) {
  const auto line = [](const Row& cells) {
    std::string text = "|";
    for (const std::string& cell : cells)
      text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = line(header) + line(Row(header.size(), "---"));
  for (const Row& row : rows)
    text += line(row);
  text.pop_back(); // the page ends the line
  return text;
}

} // namespace emmy::tables
