#include "verification/tables/augmented_lagrangian/studies.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::tables::impact {

namespace {

constexpr double E_0 = 12.2625; // [J]

/// Largest difference of a restitution from what it should be, for places up to `until`.
template <class Law>
double farthest_from(const Restitution& r, double until, const Law& law) {
  double worst = 0;
  for (std::size_t i = 0; i < r.e.size(); ++i)
    if (const double s = (static_cast<double>(i) + 0.5) / Restitution::samples; s < until)
      worst = std::max(worst, std::abs(r.e[i] - law(s)));
  return worst;
}

void judge_restitution(const Studies& s, FindingList& list) {
  struct Exact {
    const char *name, *title;
    double at_0, slope, until; // e = at_0 - slope s
    double mean_square, above_one;
  };
  // Published to three digits. Where e jumps, a sample of 1000 places may put 1/1000 of them on the wrong side.
  for (const Exact& x : {Exact{"la_kept", "LA, kept", 5, 6, 0.8, 8.680, 0.833},
                         Exact{"la_reset", "LA, reset", 2, 3, 2.0 / 3, 1.333, 0.5},
                         Exact{"ho_kept", "HO, kept", 7, 8, 0.85, 16.813, 0.882},
                         Exact{"ho_reset", "HO, reset", 7.0 / 3, 10.0 / 3, 0.7, 1.815, 0.572},
                         Exact{"midpoint", "midpoint", 1, 2, 0.5, 0.333, 0}}) {
    const Restitution& r = s.exact.at(x.name);
    const std::string title = std::string("particle, multipliers, ") + x.title;
    list.at_most(title + ": e is that of [A15] to rounding",
                 farthest_from(r, x.until, [&](double place) { return x.at_0 - x.slope * place; }), 1e-12);
    list.near(title + ": mean e²", r.mean_square, x.mean_square, 0.005, 5);
    list.near(title + ": part of the places with e > 1", r.above_one, x.above_one, 0.002);
  }
  double rate = 0, consistent = 0;
  for (const auto& [e, r] : s.rate)
    rate = std::max(rate, farthest_from(r, 1, [e = e](double) { return e; }));
  for (const double z : Studies::penalty_z)
    consistent = std::max(consistent, farthest_from(s.penalty.at({"em", z}), 1, [](double) { return 1; }));
  list.at_most("particle, rate contact [A18]: e as asked for at every place, to rounding", rate, 1e-12);
  list.at_most("particle, penalty, energy-momentum [A20]: e = 1 at every place and z, to rounding", consistent, 1e-12);
  struct Spring {
    const char *name, *title;
    double z, least, largest, mean; // 0: not given
  };
  // By an independent program with 2000 places; the ends of the range are found to the distance of places, 1e-3.
  for (const Spring& x :
       {Spring{"la", "LA", 0.5, 0.9723, 1.0285, 1.0004}, Spring{"la", "LA", 1, 0.9099, 1.0991, 1.0045},
        Spring{"la", "LA", 2, 0.7143, 1.3998, 1.0571}, Spring{"ho", "HO", 0.5, 0.9804, 1.0335, 1.0069},
        Spring{"ho", "HO", 1, 0.9552, 1.1265, 1.0408}, Spring{"ho", "HO", 2, 0.7144, 1.6663, 1.1905},
        Spring{"euler", "explicit Euler", 0.5, 2.0867, 2.1718, 0}, Spring{"euler", "explicit Euler", 1, 4, 4, 0},
        Spring{"euler", "explicit Euler", 2, 8.334, 10.999, 0}}) {
    const Restitution& r = s.penalty.at({x.name, x.z});
    const std::string title = std::string("particle, penalty, ") + x.title + ", z = " + short_number(x.z);
    list.at_most(title + ": difference of least and largest e from the other program's",
                 std::max(std::abs(r.range.least - x.least), std::abs(r.range.largest - x.largest)),
                 1e-3 * std::max(1.0, x.largest - x.least));
    if (x.mean > 0)
      list.near(title + ": mean e", r.mean, x.mean, 1e-4, 5);
  }
}

void judge_smooth_motion(const Studies& s, FindingList& list) {
  double growth = 0;
  for (const double z : Studies::growth_z)
    growth = std::max(growth, std::abs(s.growth.at({"la", z})));
  // Rounding of x_n x_{n+2} - x_{n+1}², some eps over the square of the angle of the root, which is 0.09 at the last z.
  list.at_most("oscillator, LA: growth per step up to z = 3.46", growth, 1e-12);
  struct Growth {
    double z, growth;
  };
  for (const Growth& x : {Growth{0.1, 2.0799e-6}, Growth{0.5, 1.2455e-3}, Growth{1, 1.6976e-2}, Growth{2, 0.13052}})
    list.near("oscillator, HO, z = " + short_number(x.z) + ": growth per step", s.growth.at({"ho", x.z}), x.growth,
              1e-4 * x.growth, 5);
  list.near("constraint at the end of the step, LA: growth of errors", s.growth_of_constraint.at("la"), 3.7321, 1e-4,
            5);
  list.near("constraint at the end of the step, HO: growth of errors", s.growth_of_constraint.at("ho"), 5.3431, 1e-4,
            5);
  struct Flight {
    const char *name, *title;
    double h, error;
  };
  // Given to four digits.
  for (const Flight& x :
       {Flight{"la", "LA", 4e-3, 5.707e-5}, Flight{"la", "LA", 2e-3, 1.427e-5}, Flight{"la", "LA", 1e-3, 3.568e-6},
        Flight{"ho", "HO", 4e-3, 3.721e-7}, Flight{"ho", "HO", 2e-3, 4.794e-8}, Flight{"ho", "HO", 1e-3, 6.080e-9}})
    list.near(std::string("two links in flight, ") + x.title + ", h = " + short_number(x.h) + ": error at 0.6 s",
              s.flight.at({x.name, x.h}), x.error, 2e-4 * x.error);
  const auto drift = [&](const char* name) { return s.wall.at(name).energy(0.65) - E_0; };
  list.near("two links in flight, LA: drift of the energy at 0.65 s [J]", drift("la_reset"), -2.245e-5, 1e-8);
  list.near("two links in flight, HO: the same", drift("ho_reset"), 7.15e-8, 1e-10, 3);
  list.near("two links in flight, explicit Euler: the same", drift("euler_1e4"), 12.31084 - E_0, 1e-5);
}

void judge_uzawa(const Studies& s, FindingList& list) {
  struct Count {
    double r, relaxation, sweeps;
  };
  // Newton within a sweep is exact to a hundredth of the tolerance only: one sweep more or less.
  for (const Count& x :
       {Count{1e5, 1, 375}, Count{1e6, 1, 45}, Count{1e7, 1, 10}, Count{1e8, 1, 5}, Count{1e9, 1, 3}, Count{1e11, 1, 2},
        Count{1e5, 1.9, 194}, Count{1e6, 1.9, 20}, Count{1e7, 1.9, 61}, Count{1e8, 1.9, 109}})
    for (const Uzawa& u : s.uzawa)
      if (u.r == x.r && u.relaxation == x.relaxation)
        list.near("Uzawa, r = " + short_number(x.r) + ", ρ = " + (x.relaxation == 1 ? "r" : "1.9 r") + ": most sweeps",
                  u.sweeps, x.sweeps, 1);
  for (const Uzawa& u : s.uzawa)
    if (u.relaxation == 1 && u.r < 1e9)
      list.near("Uzawa, r = " + short_number(u.r) + ", ρ = r: most sweeps over [A13]", u.sweeps / u.predicted(), 1,
                std::max(0.15, 2 / u.predicted()));
}

void judge_multiplier_method(const Studies& s, FindingList& list) {
  // Whole sweeps, and the mass of the tip, which changes with its place by some percent.
  for (const MultiplierSweeps& m : s.multiplier_method)
    if (m.rho < 0.9 * MultiplierSweeps::bound())
      list.near("multiplier method, HO, ρ = " + short_number(m.rho) + ": most sweeps to 0.70 s over [A13]",
                m.sweeps / m.predicted(), 1, std::max(0.15, 2 / m.predicted()));
    else
      list.at_least("multiplier method, HO, ρ = " + short_number(m.rho) + ", beyond 2/σ: told that sweeps diverge",
                    m.why.find("sweeps diverge") != std::string::npos, 1);
  for (const MultiplierSweeps& m : s.multiplier_method)
    if (m.rho == 2.5e5)
      list.near("multiplier method, HO, ρ = 2.5e5: most sweeps, where r = 10⁷ takes 11", m.sweeps, 192, 10);
  // One update a step, of 16 ways to do it in the other program: 39 to 1380 J, all of which blew up.
  for (const auto& [name, r] : {std::pair("ho_one_solve", "r = 0"), std::pair("ho_one_solve_augmented", "r = ρ")}) {
    const std::string title = std::string("one solve a step, HO, ") + r;
    list.at_least(title + ": E(0.70) [J]", s.wall.at(name).energy(0.70), 39);
    list.at_most(title + ": the run ends at [s]", s.wall.at(name).end.value_or(Studies::end), 2.9);
  }
  for (const auto& [name, title] : {std::pair("la_one_solve", "LA"), std::pair("ho_one_solve", "HO")})
    list.near(std::string("two links in flight, one solve a step, ") + title + ": order",
              std::log2(s.flight.at({name, 2e-3}) / s.flight.at({name, 1e-3})), 2, 0.02, 3);
}

void judge_linkage(const Studies& s, FindingList& list) {
  using Way = LinkageRun::Way;
  for (const LinkageRun& run : s.linkage) {
    const std::string beta = ", β = " + short_number(run.scale);
    if (run.way == Way::factorised)
      list.at_most("four-bar linkage, multipliers, LU: completed", run.completed, 0);
    if (run.way == Way::nested) {
      list.at_most("four-bar linkage, AL, nested" + beta + ": largest error of the energy [J]", run.energy_error, 3e-7);
      list.at_most("four-bar linkage, AL, nested" + beta + ": largest error of constraints [m]", run.violation, 1e-10);
    }
    if (run.way == Way::merged) // 60 J are exchanged in 200 steps
      list.at_most("four-bar linkage, AL, merged" + beta + ": largest error of the energy [J]", run.energy_error,
                   5e-11);
    if (run.way == Way::merged && run.scale == 1e7)
      list.at_most("four-bar linkage, AL, merged" + beta + ": linear solves a step", run.solves, 3.2);
    if (run.way == Way::proximal || run.way == Way::nested || run.way == Way::merged) // of the scheme, order h²
      list.near("four-bar linkage, " + std::string(run.way == Way::proximal ? "multipliers" : "AL" + beta) +
                    ": error of the crank at 2 s [rad]",
                run.angle_error, -1.54e-4, 1e-6, 3);
  }
  // β α² times the stiffness of the bodies, some 4e4 N/m
  for (const LinkageRun& run : s.tilted)
    if (run.completed)
      list.at_most("four-bar linkage with a hinge tilted by " + short_number(run.tilt) +
                       ", β = " + short_number(run.scale) + ": error of the energy [J]",
                   run.energy_error, 4e4 * run.scale * run.tilt * run.tilt + 1e-9);
}

void judge_wall(const Studies& s, FindingList& list) {
  struct Energies {
    const char* name;
    double at_070, at_150, at_290; // 0: chance, or the run has ended
    double within;
  };
  // By an independent program, to one in its last digit.
  const Energies all[] = {{"ho_kept", 278.66, 0, 0, 0.01},
                          {"ho_kept_merged", 278.66, 0, 0, 0.01},
                          {"ho_kept_nested", 278.66, 0, 0, 0.01},
                          {"ho_kept_uzawa", 278.66, 0, 0, 0.01},
                          {"ho_reset_uzawa", 36.105, 35.506, 0, 1e-3},
                          {"la_reset_uzawa", 28.0653, 23.8955, 0, 1e-4},
                          {"midpoint_uzawa", 11.40277, 4.80363, 0, 1e-5},
                          {"ho_reset", 36.105, 35.506, 0, 1e-3},
                          {"ho_reset_merged", 36.105, 35.506, 0, 1e-3},
                          {"ho_reset_nested", 36.105, 35.506, 0, 1e-3},
                          {"la_kept", 144.380, 0, 0, 1e-3},
                          {"la_kept_merged", 144.380, 0, 0, 1e-3},
                          {"la_kept_nested", 144.380, 0, 0, 1e-3},
                          {"la_reset", 28.0653, 23.8955, 0, 1e-4},
                          {"la_reset_merged", 28.0653, 23.8955, 0, 1e-4},
                          {"la_reset_nested", 28.0653, 23.8955, 0, 1e-4},
                          {"midpoint", 11.40277, 4.80363, 0, 1e-5},
                          {"midpoint_merged", 11.40277, 4.80363, 0, 1e-5},
                          {"midpoint_nested", 11.40277, 4.80363, 0, 1e-5},
                          {"ho_1e4", 12.28908, 12.29516, 12.36403, 1e-5},
                          {"ho_1e5", 12.47256, 12.47301, 11.91295, 1e-5},
                          {"ho_1e6", 13.04956, 12.46860, 10.91282, 1e-5},
                          {"ho_1e7", 159.324, 0, 0, 1e-3},
                          {"ho_1e4_fine", 12.26219, 12.26224, 12.26187, 1e-5},
                          {"ho_1e5_fine", 12.26207, 12.26122, 12.26009, 1e-5},
                          {"la_1e4", 12.28493, 12.29325, 12.34318, 1e-5},
                          {"euler_1e4", 16.57508, 19.06831, 33.68986, 1e-5},
                          {"euler_1e4_fine", 12.59969, 12.83262, 13.58475, 1e-5},
                          {"euler_1e6", 367.83, 0, 0, 0.01},
                          {"midpoint_1e4", 12.252, 12.247, 12.217, 1e-3},
                          {"em_1e4", 12.26238, 12.26304, 12.26304, 1e-5},
                          {"em_1e5", 12.26085, 12.26386, 12.26401, 1e-5},
                          {"em_1e6", 12.25750, 12.26653, 12.26684, 1e-5},
                          {"em_1e7", 12.25633, 12.27733, 12.27893, 1e-5},
                          {"rods_half", 7.702835, 2.95325, 1.39332, 1e-5},
                          {"rods_plastic", 6.182292, 0.674656, 0.297398, 1e-6}};
  const auto title = [&](const std::string& name) {
    for (const Combination& c : s.combinations)
      if (c.name == name)
        return c.title;
    return name;
  };
  for (const Energies& x : all) {
    const Record& r = s.wall.at(x.name);
    std::string times;
    double worst = 0;
    const auto compare = [&](double t, double expected) {
      if (expected == 0)
        return;
      times += (times.empty() ? "" : ", ") + short_number(t);
      if (const double difference = std::abs(r.energy(t) - expected); !(difference <= worst))
        worst = difference; // also what is not a number
    };
    compare(0.70, x.at_070);
    compare(1.5, x.at_150);
    compare(2.9, x.at_290);
    list.at_most(title(x.name) + ": difference of E(" + times + ") from the other program's [J]", worst, x.within);
  }
  // Six pushes multiply what is left of the constraints: 1e-10 m make 1e-3 J by then, and 1e-11 m are granted here.
  for (const char* name : {"midpoint", "midpoint_merged"})
    list.near(title(name) + ": E(2.9)", s.wall.at(name).energy(2.9), 2.9471, 1e-4, 5);
  struct Force {
    const char* name;
    double until, peak;
  };
  for (const Force& x : {Force{"ho_kept", 0.7, 15845.7}, Force{"midpoint", 2.9, 3969.9}, Force{"ho_1e4", 2.9, 488.6},
                         Force{"ho_1e5", 2.9, 1517.2}, Force{"ho_1e6", 2.9, 5055.2}, Force{"ho_1e4_fine", 2.9, 487.7},
                         Force{"ho_1e5_fine", 2.9, 1544.1}, Force{"la_1e4", 2.9, 487.8}})
    list.near(title(x.name) + ": peak force [N]", s.wall.at(x.name).peak(x.until), x.peak, 0.1, 6);
  struct Impulses {
    const char* name;
    double knee, tip, within;
  };
  for (const Impulses& x :
       {Impulses{"ho_1e4", 7.3087, 9.4200, 1e-4}, Impulses{"ho_1e5", 7.2784, 9.5034, 1e-4},
        Impulses{"ho_1e4_fine", 7.3060, 9.4002, 1e-4}, Impulses{"rods_elastic", 7.26059, 4.12091 + 5.35975, 2e-5}}) {
    list.near(title(x.name) + ": impulse on the knee [N s]", s.wall.at(x.name).impulse(0), x.knee, x.within, 6);
    list.near(title(x.name) + ": on the tip", s.wall.at(x.name).impulse(1), x.tip, x.within, 6);
  }
  // Multipliers: 3000 steps with some 10 roundings of 20 J, if all had the same sign. AL: reactions of some 1e4 N times
  // what is left of lengths and gaps [A16], 1e-13 m as published.
  for (const auto& [name, limit] : {std::pair("rods_elastic", 2e-9), std::pair("rods_multipliers", 1e-10)}) {
    const Record& r = s.wall.at(name);
    double error = 0;
    for (const Instant& now : r.trace)
      error = std::max(error, std::abs(now.E - E_0));
    list.at_most(title(name) + ": largest error of the energy [J]", error, limit);
    list.near(title(name) + ": θ₁(3)", r.theta[0], 0.91251, 1e-5, 5);
    list.near(title(name) + ": θ₂(3)", r.theta[1], 0.25201, 1e-5, 5);
  }
  list.at_most(title("rods_plastic") + ": largest gain of energy in a step [J]", s.wall.at("rods_plastic").gain, 1e-12);
  list.near(title("rods_plastic") + ": θ₁(3)", s.wall.at("rods_plastic").theta[0], -0.13893, 1e-5, 5);
  list.near(title("rods_plastic") + ": θ₂(3)", s.wall.at("rods_plastic").theta[1], -0.15832, 1e-5, 5);
}

} // namespace

std::vector<Finding> Studies::findings() const {
  FindingList list;
  judge_restitution(*this, list);
  judge_smooth_motion(*this, list);
  judge_uzawa(*this, list);
  judge_multiplier_method(*this, list);
  judge_linkage(*this, list);
  judge_wall(*this, list);
  return list.take();
}

} // namespace emmy::tables::impact
