#include "verification/tables/augmented_lagrangian/studies.hpp"
#include "verification/tables/csv.hpp"

namespace emmy::tables::impact {

namespace {

/// Every step of 1 ms, with the largest force since the one before.
void write_trace(const std::string& path, const Record& r) {
  CsvFile file(path, "t,E,knee,tip");
  constexpr double shown = 1e-3;
  double knee = 0, tip = 0, next = 0;
  for (const Instant& now : r.trace) {
    knee = std::max(knee, now.force[0]);
    tip = std::max(tip, now.force[1]);
    if (now.t < next - 1e-9)
      continue;
    file.add({now.t, now.E, knee, tip});
    knee = tip = 0;
    next += shown;
  }
}

} // namespace

void Studies::write_series(const std::string& directory) const {
  for (const auto& [name, record] : wall)
    write_trace(directory + "/wall_" + name + ".csv", record);
  CsvFile places(directory + "/restitution.csv", "s,la_kept,la_reset,ho_kept,ho_reset,midpoint,rate,half,"
                                                 "la_penalty,ho_penalty,midpoint_penalty,em_penalty");
  for (std::size_t i = 0; i < Restitution::samples; ++i)
    places.add({(static_cast<double>(i) + 0.5) / Restitution::samples, exact.at("la_kept").e[i],
                exact.at("la_reset").e[i], exact.at("ho_kept").e[i], exact.at("ho_reset").e[i],
                exact.at("midpoint").e[i], rate.at(1).e[i], rate.at(0.5).e[i], penalty.at({"la", 1}).e[i],
                penalty.at({"ho", 1}).e[i], penalty.at({"midpoint", 1}).e[i], penalty.at({"em", 1}).e[i]});
}

} // namespace emmy::tables::impact
