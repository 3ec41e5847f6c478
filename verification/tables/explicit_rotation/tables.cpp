#include "verification/tables/explicit_rotation/studies.hpp"

#include <stdexcept>

namespace emmy::tables::rotation {

namespace {

std::string step(double h) {
  return format("%g", h);
}

/// Error to t = 100 / to t = 1000, or when numbers overflowed.
std::string energy(const Record& r) {
  const std::string overflow = r.overflow ? "overflow at " + format("%.0f", *r.overflow) : "";
  if (r.overflow && *r.overflow <= 100)
    return overflow;
  return number(r.to_100) + " / " + (r.overflow ? overflow : number(r.to_1000));
}

/// One row per step and one column per scheme; empty where there was no run.
template <class Cell>
std::string by_step(const Grid& grid, const std::vector<double>& steps, const Row& schemes, const Row& titles,
                    const Cell& cell) {
  Row header{"h"};
  header.insert(header.end(), titles.begin(), titles.end());
  std::vector<Row> rows;
  for (const double h : steps) {
    rows.push_back({step(h)});
    for (const std::string& scheme : schemes)
      rows.back().push_back(grid.has(h, scheme) ? cell(grid(h, scheme)) : "");
  }
  return table(header, rows);
}

const Row basic{"sw_mid", "stg_mid", "pcd_mid", "pc_mid", "lm", "split"};
const Row basic_titles{"SW", "STG", "PCD", "PC", "LM", "SPLIT"};
const Row top_schemes{"sw_mid",  "sw_trap",  "sw_sym",  "pc_mid", "pc_trap",
                      "stg_mid", "stg_trap", "pcd_mid", "lm",     "split"};
const Row top_titles{"SW mid", "SW trap", "SW sym", "PC mid", "PC trap", "STG mid", "STG trap", "PCD", "LM", "SPLIT"};

std::string growth_table(const Studies& s) {
  std::vector<Row> rows{{"c"}};
  Row header{"h"};
  for (const double h : {0.002, 0.001, 0.0005}) {
    header.push_back(step(h));
    rows.front().push_back(format("%.0f", s.unstable(h, "pc_mid").to_100 / (98 * h * h * h)));
  }
  return table(header, rows);
}

std::string burst_table(const Studies& s) {
  std::vector<Row> rows{{"time [s]"}, {"torque at points"}, {"exact impulses"}};
  Row header{"flip"};
  for (const int flip : {0, 1, 2, 4, 8, 17}) {
    const double t = 2.50 + 0.98985 * flip; // period [E8]
    const Burst at_points = burst(s.traces.at("pcd_points"), t - 0.3, t + 0.3);
    header.push_back(std::to_string(flip + 1));
    rows[0].push_back(format("%.2f", at_points.t));
    rows[1].push_back(number(at_points.size));
    rows[2].push_back(number(burst(s.traces.at("pcd_mid"), t - 0.3, t + 0.3).size));
  }
  return table(header, rows);
}

std::string nutation_table(const Studies& s) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < top_schemes.size(); ++i) {
    const auto last_two = [&](double h, std::size_t end) {
      const std::vector<Range>& seconds = s.top(h, top_schemes[i]).nutation;
      Range r = seconds[end - 2];
      r.add(seconds[end - 1]);
      return range(r);
    };
    rows.push_back(
        {top_titles[i], last_two(0.01, 100), last_two(0.01, 400), last_two(0.01, 1000), last_two(0.001, 1000)});
  }
  return table({"", "h = 0.01, 98 – 100 s", "398 – 400 s", "998 – 1000 s", "h = 0.001, 998 – 1000 s"}, rows);
}

} // namespace

std::string Studies::table(const std::string& name) const {
  if (name == "unstable")
    return by_step(unstable, unstable_steps,
                   {"sw_mid", "sw_restarted", "sw_every", "pc_mid", "stg_mid", "stg_points", "pcd_mid", "pcd_points",
                    "lm", "split"},
                   {"SW", "SW, A restarted at jumps", "SW, A anew in every step", "PC", "STG", "STG, torque at points",
                    "PCD", "PCD, torque at points", "LM", "SPLIT"},
                   energy);
  if (name == "free")
    return by_step(free, free_steps, basic, basic_titles,
                   [](const Record& r) { return number(r.to_1000) + "; " + number(rotation_error(r)); });
  if (name == "top")
    return by_step(top, top_steps, top_schemes, top_titles, energy);
  if (name == "axis")
    return by_step(axis, axis_steps, top_schemes, top_titles, [](const Record& r) { return number(axis_error(r)); });
  if (name == "vertical")
    return by_step(top, top_steps, top_schemes, top_titles,
                   [](const Record& r) { return short_exponent(format("%.0e", r.pi_3)); });
  if (name == "growth")
    return growth_table(*this);
  if (name == "bursts")
    return burst_table(*this);
  if (name == "nutation")
    return nutation_table(*this);
  throw std::runtime_error("there is no table '" + name + "'");
}

} // namespace emmy::tables::rotation
