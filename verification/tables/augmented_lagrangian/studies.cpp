#include "verification/tables/augmented_lagrangian/studies.hpp"

#include <cmath>

namespace emmy::tables::impact {

using test::explicit_euler;
using test::high_order;
using test::linear_acceleration;
using test::midpoint;

const std::vector<double> Studies::flight_steps{4e-3, 2e-3, 1e-3};
const std::vector<double> Studies::growth_z{0.1, 0.5, 1, 2, 3.46};
const std::vector<double> Studies::penalty_z{0.1, 0.2, 0.5, 1, 2};

namespace {

const Enforcement by_multipliers{};
const Enforcement merged{EnforcementMethod::augmented_lagrangian, 0, 0};

Enforcement augmented(double r) {
  return {EnforcementMethod::augmented_lagrangian, r, 0};
}

Enforcement penalty_of(double r) {
  return {EnforcementMethod::penalty, r, 0};
}

/// The loop around Newton as published: fixed r, and as many sweeps as it takes.
NewtonOptions nested(double relaxation = 1) {
  NewtonOptions options;
  options.augmented.form = AugmentedForm::nested;
  options.augmented.tolerance = 1e-10;
  options.augmented.growth = false;
  options.augmented.relaxation = relaxation;
  options.augmented.max_sweeps = 1000;
  return options;
}

/// The multiplier method: the same without r.
NewtonOptions without_stiffness(double rho) {
  NewtonOptions options = nested();
  options.augmented.augmentation = false;
  options.augmented.rho = rho;
  return options;
}

/// One linear solve a step, and one update after it.
NewtonOptions one_solve(double rho, bool augmentation) {
  NewtonOptions options;
  options.augmented.form = AugmentedForm::linearised;
  options.augmented.augmentation = augmentation;
  options.augmented.rho = rho;
  return options;
}

/// Rows for multipliers and both forms of augmented Lagrangians; their energies are the same.
void add_exact(std::vector<Combination>& all, const std::string& name, const std::string& title,
               const InstantScheme& scheme, Sure sure, const std::string& figure, const std::string& figure_al) {
  constexpr double r = 1e7; // [N/m]
  all.push_back({name, figure, "multipliers, " + title, scheme, by_multipliers, sure});
  all.push_back({name + "_uzawa", figure, "multiplier method, r = 0, ρ = 10⁶, " + title, scheme, merged, sure,
                 without_stiffness(1e6)});
  all.push_back({name + "_merged", figure_al, "AL, merged, " + title, scheme, merged, sure});
  all.push_back({name + "_nested", figure_al, "AL, nested, r = 10⁷, " + title, scheme, augmented(r), sure, nested()});
}

std::string power_of_ten(int exponent) {
  static const char* const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  return std::string("10") + raised[exponent];
}

void add_penalty(std::vector<Combination>& all, const std::string& name, const std::string& title,
                 const InstantScheme& scheme, int exponent, const std::string& figure, Sure sure = Sure::all,
                 double h = 1e-3) {
  const bool fine = h < 1e-3;
  all.push_back({name + "_1e" + std::to_string(exponent) + (fine ? "_fine" : ""),
                 figure,
                 "penalty, r = " + power_of_ten(exponent) + (fine ? ", h = 10⁻⁴" : "") + ", " + title,
                 scheme,
                 penalty_of(std::pow(10, exponent)),
                 sure,
                 {},
                 h});
}

std::vector<Combination> all_combinations() {
  const AfterImpact keep = AfterImpact::keep;
  std::vector<Combination> all;
  add_exact(all, "ho_kept", "HO, kept", high_order(keep), Sure::to_070, "2, 3", "4, 5");
  add_exact(all, "ho_reset", "HO, reset", high_order(), Sure::to_150, "2, 3", "4, 5");
  for (const bool is_augmented : {false, true})
    all.push_back({is_augmented ? "ho_one_solve_augmented" : "ho_one_solve", is_augmented ? "4, 5" : "2, 3",
                   std::string("one solve a step [A26], ") + (is_augmented ? "r = " : "r = 0, ") + "ρ = 10⁵, HO, kept",
                   high_order(keep), augmented(1e5), Sure::to_070, one_solve(1e5, is_augmented)});
  for (const int exponent : {4, 5, 6})
    add_penalty(all, "ho", "HO", high_order(), exponent, "6, 7");
  add_penalty(all, "ho", "HO", high_order(), 7, "6, 7", Sure::to_070);
  for (const int exponent : {4, 5})
    add_penalty(all, "ho", "HO", high_order(), exponent, "6, 7", Sure::all, 1e-4);
  add_exact(all, "la_kept", "LA, kept", linear_acceleration(keep), Sure::to_070, "", "8");
  add_exact(all, "la_reset", "LA, reset", linear_acceleration(), Sure::to_150, "", "8");
  add_penalty(all, "la", "LA", linear_acceleration(), 4, "");
  add_penalty(all, "euler", "explicit Euler", explicit_euler(), 4, "9");
  add_penalty(all, "euler", "explicit Euler", explicit_euler(), 4, "9", Sure::all, 1e-4);
  add_penalty(all, "euler", "explicit Euler", explicit_euler(), 6, "9", Sure::to_070);
  add_exact(all, "midpoint", "midpoint", midpoint(), Sure::all, "", "");
  add_penalty(all, "midpoint", "midpoint", midpoint(), 4, "");
  for (const int exponent : {4, 5, 6, 7})
    add_penalty(all, "em", "energy-momentum [A20]", energy_momentum(), exponent, "");
  struct Rate {
    const char *name, *title;
    double e;
  };
  for (const Rate& rate : {Rate{"elastic", "1", 1}, Rate{"half", "½", 0.5}, Rate{"plastic", "0", 0}}) {
    const std::string title = std::string("rate contact [A18], e = ") + rate.title + ", energy-momentum";
    all.push_back({std::string("rods_") + rate.name,
                   "",
                   "AL, merged, " + title,
                   energy_momentum(),
                   merged,
                   Sure::all,
                   {},
                   1e-3,
                   Bodies::rods,
                   rate.e});
  }
  all.push_back({"rods_multipliers",
                 "",
                 "multipliers, rate contact [A18], e = 1, energy-momentum",
                 energy_momentum(),
                 by_multipliers,
                 Sure::all,
                 {},
                 1e-3,
                 Bodies::rods});
  return all;
}

} // namespace

double Uzawa::predicted() const {
  // The worst step is that in which the knee meets the wall with 3.6 m/s.
  constexpr double h = 1e-3, m_eff = 1.006, first = 3.6 * h, tolerance = 1e-10, sigma = h * h / (2 * m_eff);
  const double contraction = std::abs(1 - relaxation * r * sigma / (1 + r * sigma)); // [A11]
  return std::log(tolerance / first) / std::log(contraction);
}

namespace {
// The tip meets the wall with 5.897 m/s, 0.036 of a step after its start; its mass is that of the impulse there.
constexpr double tip_step = 1e-3, tip_mass = 0.3505, tip_depth = 5.897 * (1 - 0.036) * tip_step;
constexpr double tip_sigma = tip_step * tip_step / (8 * tip_mass);
} // namespace

double MultiplierSweeps::predicted() const {
  constexpr double tolerance = 1e-10;
  return 1 + std::log(tolerance / tip_depth) / std::log(std::abs(1 - rho * tip_sigma));
}

double MultiplierSweeps::bound() {
  return 2 / tip_sigma;
}

void Studies::run() {
  const AfterImpact keep = AfterImpact::keep;
  exact["la_kept"] = restitution({linear_acceleration(keep), by_multipliers});
  exact["la_reset"] = restitution({linear_acceleration(), by_multipliers});
  exact["ho_kept"] = restitution({high_order(keep), by_multipliers});
  exact["ho_reset"] = restitution({high_order(), by_multipliers});
  exact["midpoint"] = restitution({midpoint(), by_multipliers});
  for (const double e : {1.0, 0.5, 0.0})
    rate[e] = restitution({energy_momentum(), by_multipliers, e});

  const std::map<std::string, InstantScheme> schemes{{"la", linear_acceleration()},
                                                     {"ho", high_order()},
                                                     {"midpoint", midpoint()},
                                                     {"euler", explicit_euler()},
                                                     {"em", energy_momentum()}};
  for (const auto& [name, scheme] : schemes) {
    for (const double z : penalty_z)
      penalty[{name, z}] = restitution({scheme, penalty_of(z * z)});
    for (const double z : growth_z)
      growth[{name, z}] = test::growth(scheme, z, z < 1 ? 200 : 40); // no more than numbers can hold
    if (name == "la" || name == "ho")
      growth_of_constraint[name] = impact::growth_of_constraint(scheme);
    for (const double h : flight_steps)
      flight[{name, h}] = flight_error(scheme, h);
  }

  for (const double relaxation : {1.0, 1.9})
    for (const double r : {1e5, 1e6, 1e7, 1e8, 1e9, 1e11}) {
      const Combination c{"", "", "", midpoint(), augmented(r), Sure::all, nested(relaxation)};
      uzawa.push_back({r, relaxation, impact::run(c, end).most_sweeps});
    }
  for (const double rho : {1e5, 2.5e5, 5e5, 1e6, 2e6, 4e6, 5e6, 6e6}) {
    const Combination c{"", "", "", high_order(keep), merged, Sure::to_070, without_stiffness(rho)};
    const Record r = impact::run(c, 0.70);
    multiplier_method.push_back({rho, r.most_sweeps, r.why});
  }
  for (const auto& [name, scheme] :
       {std::pair("la_one_solve", linear_acceleration()), std::pair("ho_one_solve", high_order())})
    for (const double h : flight_steps)
      flight[{name, h}] = flight_error(scheme, h, one_solve(0, true));
  linkage = linkage_runs();
  tilted = tilted_runs();
  for (auto* runs : {&linkage, &tilted})
    for (LinkageRun& run : *runs)
      run.run();
  combinations = all_combinations();
  for (const Combination& c : combinations)
    wall[c.name] = impact::run(c, end);
}

} // namespace emmy::tables::impact

std::unique_ptr<emmy::tables::Study> emmy::tables::augmented_lagrangian() {
  return std::make_unique<impact::Studies>();
}
