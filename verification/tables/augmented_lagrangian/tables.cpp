#include "verification/tables/augmented_lagrangian/studies.hpp"

#include <cmath>
#include <stdexcept>

namespace emmy::tables::impact {

namespace {

struct Column {
  const char *name, *title;
};
const std::vector<Column> columns{
    {"la", "LA"}, {"ho", "HO"}, {"midpoint", "midpoint"}, {"euler", "explicit Euler"}, {"em", "energy-momentum"}};

Row header(const std::string& first, const std::vector<Column>& all = columns) {
  Row titles{first};
  for (const Column& column : all)
    titles.emplace_back(column.title);
  return titles;
}

std::string exact_table(const Studies& s) {
  const std::vector<std::array<const char*, 3>> schemes{{"la_kept", "LA, kept", "5 − 6s"},
                                                        {"la_reset", "LA, reset", "2 − 3s"},
                                                        {"ho_kept", "HO, kept", "7 − 8s"},
                                                        {"ho_reset", "HO, reset", "(7 − 10s)/3"},
                                                        {"midpoint", "midpoint", "\\|1 − 2s\\|"}};
  std::vector<Row> rows;
  const auto row = [&](const std::string& title, const std::string& law, const Restitution& r) {
    rows.push_back({title, law});
    for (const std::size_t percent : {10, 25, 40, 60, 90}) { // of s, between two samples; the kinks are elsewhere
      const std::size_t i = percent * Restitution::samples / 100;
      rows.back().push_back(format("%.3f", (r.e[i - 1] + r.e[i]) / 2));
    }
    rows.back().push_back(format("%.3f", r.mean_square));
    rows.back().push_back(format("%.3f", r.above_one));
  };
  for (const auto& [name, title, law] : schemes)
    row(title, law, s.exact.at(name));
  row("rate contact [A18], e = 1", "1", s.rate.at(1));
  row("rate contact, e = ½", "½", s.rate.at(0.5));
  row("rate contact, e = 0", "0", s.rate.at(0));
  return tables::table({"", "[A15]", "s = 0.1", "0.25", "0.4", "0.6", "0.9", "mean e²", "P(e > 1)"}, rows);
}

std::string penalty_table(const Studies& s) {
  std::vector<Row> rows;
  for (const double z : Studies::penalty_z) {
    rows.push_back({format("%g", z)});
    for (const Column& column : columns) {
      const Restitution& r = s.penalty.at({column.name, z});
      rows.back().push_back(range(r.range, 3) + " (" + format("%.3f", r.mean) + ")");
    }
  }
  return tables::table(header("z"), rows);
}

std::string growth_table(const Studies& s) {
  std::vector<Row> rows;
  for (const double z : Studies::growth_z) {
    rows.push_back({format("%g", z)});
    for (const Column& column : columns) {
      const double growth = s.growth.at({column.name, z});
      rows.back().push_back(std::abs(growth) < 1e-12 ? "0" : short_exponent(format("%.3e", growth)));
    }
  }
  rows.push_back({"→ ∞"});
  for (const Column& column : columns) {
    const auto growth = s.growth_of_constraint.find(column.name);
    rows.back().push_back(growth == s.growth_of_constraint.end() ? "" : format("%.4f", growth->second - 1));
  }
  return tables::table(header("z"), rows);
}

std::string flight_table(const Studies& s) {
  std::vector<Column> all = columns;
  all.push_back({"la_one_solve", "LA, one solve"});
  all.push_back({"ho_one_solve", "HO, one solve"});
  std::vector<Row> rows;
  for (const double h : Studies::flight_steps) {
    rows.push_back({format("%g", h)});
    for (const Column& column : all)
      rows.back().push_back(short_exponent(format("%.3e", s.flight.at({column.name, h}))));
  }
  rows.push_back({"order"});
  for (const Column& column : all)
    rows.back().push_back(
        format("%.2f", std::log2(s.flight.at({column.name, 2e-3}) / s.flight.at({column.name, 1e-3}))));
  return tables::table(header("h", all), rows);
}

std::string multiplier_table(const Studies& s) {
  Row titles{"ρ"};
  std::vector<Row> rows{{"sweeps"}, {"by [A13]"}};
  for (const MultiplierSweeps& m : s.multiplier_method) {
    titles.push_back(short_number(m.rho));
    rows[0].push_back(m.why.empty() ? std::to_string(m.sweeps) : "diverge");
    rows[1].push_back(m.rho < MultiplierSweeps::bound() ? format("%.0f", m.predicted()) : "diverge");
  }
  return tables::table(titles, rows);
}

std::string uzawa_table(const Studies& s) {
  Row titles{""};
  std::vector<Row> rows{{"ρ = r"}, {"by [A13]"}, {"ρ = 1.9 r"}, {"by [A13]"}};
  for (const Uzawa& u : s.uzawa) {
    const std::size_t row = u.relaxation == 1 ? 0 : 2;
    if (row == 0)
      titles.push_back("r = " + short_number(u.r));
    rows[row].push_back(std::to_string(u.sweeps));
    rows[row + 1].push_back(format("%.0f", u.predicted()));
  }
  return tables::table(titles, rows);
}

/// A figure, in italics where it is chance, or when the run ended.
std::string figure(double value, bool sure, const char* pattern) {
  const std::string text = format(pattern, value);
  return sure ? text : "*" + text + "*";
}

std::string wall_table(const Studies& s) {
  std::vector<Row> rows;
  for (const Combination& c : s.combinations) {
    const Record& r = s.wall.at(c.name);
    rows.push_back({c.figure, c.title});
    Row& row = rows.back();
    bool ended = false;
    const auto energy = [&](double t, bool sure) {
      if (r.reaches(t))
        row.push_back(figure(r.energy(t), sure, r.energy(t) < 100 ? "%.4f" : "%.1f"));
      else
        row.push_back(ended ? "" : "ends at " + format("%.2f s", *r.end));
      ended = ended || !r.reaches(t);
    };
    energy(0.70, true);
    energy(1.5, c.sure != Sure::to_070);
    energy(2.9, c.sure == Sure::all);
    row.push_back(format("%.1f", r.peak(0.70)));
    row.push_back(ended ? "" : figure(r.peak(2.9), c.sure == Sure::all, "%.1f"));
    row.push_back(r.most_sweeps > 0 ? figure(r.most_sweeps, c.sure == Sure::all, "%.0f") : "");
    row.push_back(figure(r.solves, c.sure == Sure::all, "%.1f"));
  }
  return tables::table({"figure", "combination", "E(0.70)", "E(1.5)", "E(2.9)", "peak force to 0.70 s [N]",
                        "to 2.9 s [N]", "most sweeps", "solves per step"},
                       rows);
}

} // namespace

std::string Studies::table(const std::string& name) const {
  if (name == "exact")
    return exact_table(*this);
  if (name == "penalty")
    return penalty_table(*this);
  if (name == "growth")
    return growth_table(*this);
  if (name == "flight")
    return flight_table(*this);
  if (name == "uzawa")
    return uzawa_table(*this);
  if (name == "multiplier_method")
    return multiplier_table(*this);
  if (name == "linkage")
    return linkage_table(linkage);
  if (name == "tilt")
    return tilt_table(tilted);
  if (name == "wall")
    return wall_table(*this);
  throw std::runtime_error("there is no table '" + name + "'");
}

} // namespace emmy::tables::impact
