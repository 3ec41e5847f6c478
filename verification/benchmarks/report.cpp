#include "verification/benchmarks/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

/// Characters, of which those beyond ASCII take several bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void print_aligned(const std::vector<tables::Row>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const tables::Row& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c)
      widths[c] = std::max(widths[c], width(line[c]));
  for (const tables::Row& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string room(widths[c] - width(line[c]), ' ');
      const std::string cell = c == 0 ? line[c] + room : room + line[c];
      std::printf("  %s", cell.c_str());
    }
    std::printf("\n");
  }
}

std::string three_digits(double x) {
  if (!std::isfinite(x) || x <= 0)
    return nothing;
  return tables::format(x >= 99.95 ? "%.0f" : x >= 9.995 ? "%.1f" : x >= 0.9995 ? "%.2f" : "%.3f", x);
}

} // namespace

void Report::add(const std::string& name, const std::string& title, const tables::Row& header,
                 const std::vector<tables::Row>& rows) {
  std::vector<tables::Row> lines = {header};
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::printf("%s\n\n", title.c_str());
  print_aligned(lines);
  std::printf("\n");
  std::fflush(stdout);
  tables_[name] = tables::table(header, rows);
}

std::string Report::table(const std::string& name) const {
  const auto found = tables_.find(name);
  if (found == tables_.end())
    throw std::runtime_error("no table '" + name + "'");
  return found->second;
}

std::string microseconds(double seconds) {
  return three_digits(1e6 * seconds);
}
std::string milliseconds(double seconds) {
  return three_digits(1e3 * seconds);
}
std::string percent(double part) {
  return std::isfinite(part) ? tables::format("%.0f %%", 100 * part) : nothing;
}
std::string power_of_ten(double x) {
  return std::isfinite(x) ? tables::short_exponent(tables::format("%.0e", x)) : nothing;
}
std::string ratio(double x) {
  return three_digits(x);
}

} // namespace emmy::benchmark
