#include "verification/tables/augmented_lagrangian/linkage.hpp"

#include "solvers/analysis/redundancy.hpp"
#include "verification/support/enforcement.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/tables/text.hpp"

#include <cmath>

namespace emmy::tables::impact {

namespace {

using Way = LinkageRun::Way;

constexpr double h = 0.01, tolerance = 1e-10;
constexpr int steps = 200;
/// Of the crank, started at pi/3, after 2 s: an independent solution with one unknown.
constexpr double reference = -4.3164473;

NewtonOptions options_of(const LinkageRun& run, const test::Mechanism& m) {
  NewtonOptions options;
  if (run.way == Way::nested)
    options = test::form(false, tolerance);
  if (run.way == Way::nested)
    options.augmented.growth = false;
  if (run.way == Way::merged) // as models with redundant rows are run
    options.augmented.cold = true;
  if (run.way == Way::factorised)
    options.linear = LinearSolver::umfpack;
  if (run.way == Way::proximal)
    options.proximal = proximal_block(*m.model, m.initial, analyse_constraints(*m.model, m.initial), h);
  return options;
}

std::string name_of(const LinkageRun& run) {
  const std::string beta = "β = " + short_number(run.scale);
  switch (run.way) {
  case Way::factorised:
    return "multipliers, LU";
  case Way::proximal:
    return "multipliers with the proximal block";
  case Way::nested:
    return "AL, nested, " + beta + ", ε_g = 10⁻¹⁰";
  case Way::merged:
    return "AL, merged, " + beta;
  case Way::penalty:
    break;
  }
  return "penalty, r = " + short_number(run.scale) + " N/m";
}

} // namespace

void LinkageRun::run() {
  test::Mechanism m = test::four_bar();
  if (tilt > 0)
    test::add_tilted_hinge(m, tilt);
  if (way == Way::nested || way == Way::merged)
    test::enforce_joints(*m.model, test::augmented(scale));
  if (way == Way::penalty)
    test::enforce_joints(*m.model, test::penalty(scale));
  test::Run run(*m.model, m.initial, options_of(*this, m));
  double phi = std::acos(-1.0) / 3;
  completed = true;
  for (int i = 0; i < steps && completed; ++i) {
    completed = run.steps(1, h);
    const Vec3 x = m.bodies[0]->motion(run.state).orientation * Vec3::UnitX();
    phi += std::remainder(std::atan2(x.y(), x.x()) - phi, 2 * std::acos(-1.0));
  }
  told_contradiction = !run.warnings.empty();
  energy_error = run.ledger.max_energy_imbalance();
  violation = run.ledger.max_position_violation();
  solves = run.mean_iterations();
  angle_error = phi - reference;
}

std::vector<LinkageRun> linkage_runs() {
  return {{Way::factorised},  {Way::proximal},    {Way::nested, 1e2}, {Way::nested, 1e3},  {Way::nested, 1e5},
          {Way::merged, 1e3}, {Way::merged, 1e5}, {Way::merged, 1e7}, {Way::penalty, 1e6}, {Way::penalty, 1e8}};
}

std::vector<LinkageRun> tilted_runs() {
  std::vector<LinkageRun> runs;
  for (const double beta : {1e3, 1e5})
    for (const double tilt : {1e-8, 1e-6, 1e-4})
      runs.push_back({Way::merged, beta, tilt});
  return runs;
}

std::string linkage_table(const std::vector<LinkageRun>& runs) {
  // What is left by rounding has no digits that another machine would find, by a tolerance next to none.
  constexpr double rounding = 1e-9; // [J], [m]
  const auto size = [](double x) { return x < rounding / 100 ? "rounding" : short_number(x, 1); };
  std::vector<Row> rows;
  for (const LinkageRun& run : runs) {
    if (run.completed)
      rows.push_back({name_of(run), run.energy_error < rounding ? "rounding" : size(run.energy_error),
                      size(run.violation), short_exponent(format("%.2e", run.angle_error)),
                      format("%.1f", run.solves)});
    else
      rows.push_back({name_of(run), "singular", "", "", ""});
  }
  return table({"enforcement", "largest \\|ΔE\\| [J]", "largest \\|g\\| [m]", "crank at 2 s, error [rad]",
                "linear solves a step"},
               rows);
}

std::string tilt_table(const std::vector<LinkageRun>& runs) {
  Row titles{"tilt [rad]"};
  std::vector<Row> rows;
  for (const LinkageRun& run : runs) {
    std::size_t row = 0;
    while (row < rows.size() && rows[row][0] != short_number(run.tilt))
      ++row;
    if (row == rows.size())
      rows.push_back({short_number(run.tilt)});
    if (row == 0)
      titles.push_back("β = " + short_number(run.scale));
    rows[row].push_back(run.completed ? short_number(run.energy_error, 1) : "fails");
  }
  return table(titles, rows);
}

} // namespace emmy::tables::impact
