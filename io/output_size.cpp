#include "io/output_size.hpp"

#include "io/channels/catalogue.hpp"
#include "io/history.hpp"
#include "io/report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

namespace emmy {

namespace {

namespace fs = std::filesystem;

/// A number that changes is written with 16 or 17 digits, a point, and a comma behind it; with its sign or exponent,
/// now and then, that is 19 bytes. A zero takes 2, so that half and half is 10.5: runs of spatial and of planar
/// mechanisms have 18 and 11 bytes a number.
constexpr double bytes_of_number = 19;
constexpr double bytes_of_planar = 10;
/// From here on a file is worth a warning [bytes]: fifty million numbers, which take 0.4 GB where they are read at
/// once, and more than anybody plots.
constexpr double large = 1e9;

std::string bytes_text(double bytes) {
  const char* const units[] = {"kB", "MB", "GB", "TB", "PB"};
  double scaled = bytes / 1e3;
  std::size_t unit = 0;
  for (; scaled >= 999.5 && unit + 1 < std::size(units); ++unit)
    scaled /= 1e3;
  return formatted("%.3g %s", scaled, units[unit]);
}

/// A tenth, hundredth, ... of the lines, whatever leaves a file that is not large; or fewer columns.
std::string what_to_do(const Loaded& m, const OutputSize& size) {
  const double step = m.deck.integrator.step;
  const double every =
      static_cast<double>(size.stride) * step * std::pow(10, std::max(1.0, std::ceil(std::log10(size.most / large))));
  return every <= m.deck.integrator.end
             ? formatted("write fewer lines, e.g. by '%s: {every: %g}', or fewer columns", size.entry.c_str(), every)
             : "write fewer columns, by 'channels' of '" + size.entry + "'";
}

std::string size_text(const OutputSize& size) {
  return formatted("%.3g lines of %.0f numbers", size.rows, size.columns) +
         (size.entry == "output" ? "" : " in the largest");
}

} // namespace

OutputSize output_size(const Loaded& m, long done) {
  OutputSize size;
  if (m.deck.analysis.type != "transient")
    return size;
  const double steps =
      std::max(0.0, std::ceil(m.deck.integrator.end / m.deck.integrator.step) - static_cast<double>(done));
  const std::vector<ChannelSource> sources = channels_of(m.built, m.deck.output, nullptr);
  for (const RowsPlan& plan : plan_rows(sources, m.deck.output, m.deck.integrator.step)) {
    const double rows = std::ceil(steps / static_cast<double>(plan.stride)) + 1;
    const double columns = static_cast<double>(plan.columns.columns().size()) + 1;
    if (rows * columns > size.rows * size.columns) {
      size.rows = rows;
      size.columns = columns;
      size.stride = plan.stride;
      size.entry = plan.entry;
    }
    size.most += rows * columns * bytes_of_number;
    size.least += rows * columns * bytes_of_planar;
    size.files += size.files.empty() ? plan.name : " and " + plan.name;
  }
  return size;
}

std::string output_warning(const Loaded& m, double free) {
  const OutputSize size = output_size(m);
  if (size.most <= large && size.most <= free)
    return {};
  return formatted("%s may take %s: %s", size.files.c_str(), bytes_text(size.most).c_str(), size_text(size).c_str()) +
         (size.most > free ? formatted(", and %s are free", bytes_text(free).c_str()) : "") + "; " +
         what_to_do(m, size);
}

std::string output_refusal(const Loaded& m, double free, long done) {
  const OutputSize size = output_size(m, done);
  if (size.least <= free)
    return {};
  return m.deck.file +
         formatted(": error: %s would take %s to %s: %s, and %s are free\n  ", size.files.c_str(),
                   bytes_text(size.least).c_str(), bytes_text(size.most).c_str(), size_text(size).c_str(),
                   bytes_text(free).c_str()) +
         what_to_do(m, size) + "\n";
}

double free_space(const std::string& directory) {
  std::error_code failed;
  const auto replaced = fs::file_size(fs::path(directory) / "history.csv", failed);
  const double freed = failed ? 0 : static_cast<double>(replaced);
  for (fs::path there = fs::absolute(directory, failed); !there.empty(); there = there.parent_path()) {
    const fs::space_info space = fs::space(there, failed);
    if (!failed)
      return static_cast<double>(space.available) + freed;
    if (there == there.parent_path())
      break;
  }
  return std::numeric_limits<double>::infinity(); // nobody knows: writing will tell
}

} // namespace emmy
