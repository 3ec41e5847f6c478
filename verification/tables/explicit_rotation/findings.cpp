#include "verification/tables/explicit_rotation/studies.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace emmy::tables::rotation {

namespace {

/// Momenta are read as Q J Omega: each entry rounds some 20 times, at both instants; nothing adds up [E3].
constexpr double rounding = 40 * std::numeric_limits<double>::epsilon();

using Names = std::initializer_list<const char*>;

/// The scheme's figure that is farthest from what is expected.
template <class Figure>
double farthest(Names schemes, double expected, const Figure& figure) {
  double worst = expected;
  for (const char* scheme : schemes)
    if (const double x = figure(scheme); !(std::abs(x - expected) <= std::abs(worst - expected)))
      worst = x;
  return worst;
}

/// Growth of the error from t = 100 to t = 1000: 1 if it is bounded, 10 if it grows steadily.
double growth(const Record& r) {
  return r.to_1000 / r.to_100;
}

/// A scheme and the error of its energy by an independent program, given to two digits.
struct Level {
  const char* scheme;
  const char* title;
  double error;
};

void judge_levels(const Grid& grid, double h, std::initializer_list<Level> levels, const std::string& what,
                  FindingList& list) {
  for (const Level& level : levels)
    list.near(what + level.title, grid(h, level.scheme).to_1000, level.error, 0.05 * level.error);
}

void judge_unstable_rotation(const Studies& s, FindingList& list) {
  const auto& full = s.unstable;
  list.at_most("momentum of SW, PC, STG, LM, SPLIT, h = 0.001: rounding, also after 10⁶ steps",
               farthest({"sw_mid", "pc_mid", "stg_mid", "lm", "split"}, 0,
                        [&](const char* name) { return full(0.001, name).momentum; }),
               rounding);
  // Steady growth would give ten. A maximum that is sampled in ten times as many flips is found a little better.
  list.near(
      "energy of SW, STG, LM, SPLIT does not grow: error to t = 1000 over error to t = 100",
      farthest({"sw_mid", "stg_mid", "lm", "split"}, 1, [&](const char* name) { return growth(full(0.001, name)); }), 1,
      0.01);
  // The next term of the error is of the order h² as well: 1 % at h = 0.01 (32.5 h² for 32 h²), a quarter at 0.005.
  list.near("energy of SW, STG, PCD, LM, SPLIT without jumps is of second order: error at h = 0.005 over 0.001",
            farthest({"sw_mid", "stg_mid", "pcd_mid", "lm", "split"}, 25,
                     [&](const char* name) { return s.free(0.005, name).to_1000 / s.free(0.001, name).to_1000; }),
            25, 0.25);
  judge_levels(s.free, 0.001,
               {{"sw_mid", "SW", 32e-6}, {"stg_mid", "STG", 16e-6}, {"lm", "LM", 16e-6}, {"split", "SPLIT", 5.4e-6}},
               "energy without jumps up to t = 1000, h = 0.001, ", list);
  // 2³, and 5 % for the next term, which the ratio 2132 : 2028 of c at both steps shows [E5].
  list.near("energy of PC grows like h³: error to t = 100 at h = 0.001 over 0.0005",
            full(0.001, "pc_mid").to_100 / full(0.0005, "pc_mid").to_100, 8.4, 0.5);
  // 998 s / 98 s if it were linear; it is exponential, so more.
  list.at_least("energy of PC grows for ever: error to t = 1000 over error to t = 100, h = 0.0005",
                growth(full(0.0005, "pc_mid")), 10);
  // T/T_0 = J_1/J_3 is the most that a given momentum allows [E5].
  list.near("energy of PC ends in the spin about the smallest inertia, h = 0.01: T/T(2)",
            1 + full(0.01, "pc_mid").to_1000, 5, 0.05);
  const Trace& points = s.traces.at("pcd_points");
  // Published as curves only. Sizes and times are those of an independent program, with margins of a fifth.
  const Burst first = burst(points, 2.2, 2.8), second = burst(points, 3.2, 3.8), last = burst(points, 19, 19.6);
  list.near("energy of PCD bursts, h = 0.001: first", first.size, 9.9e-4, 2e-4);
  list.near("second burst", second.size, 2.0e-3, 4e-4);
  list.near("its time [s]", second.t, 3.49, 0.02);
  list.near("burst before t = 20", last.size, 2.9e-2, 6e-3);
  list.near("its time [s]", last.t, 19.33, 0.03);
  double momentum = 0;
  for (const Sample& p : points)
    if (p.t > 2)
      momentum = std::max(momentum, (p.pi - Vec3(39.98, 0.2, 0)).norm() / 39.98);
  list.near("momentum of PCD is lost within 20 s, h = 0.001: relative error", momentum, 0.3, 0.1);
  // The same burst with equal impulses for both sequences: it is of the size that STG has always, 16 h².
  list.at_most("hardly any with exact impulses: energy of PCD up to t = 20, h = 0.001",
               burst(s.traces.at("pcd_mid"), 2.1, 20).size, 32 * 1e-6);
  list.near("no bursts without a jump: error of PCD over that of STG to t = 1000, h = 0.001",
            s.free(0.001, "pcd_mid").to_1000 / s.free(0.001, "stg_mid").to_1000, 1, 0.02);
}

void judge_top(const Studies& s, FindingList& list) {
  list.near("energy of the top does not grow with SW trapezoidal, STG midpoint, PCD, LM, SPLIT, h = 0.005: error to "
            "t = 1000 over error to t = 100",
            farthest({"sw_trap", "sw_sym", "stg_mid", "pcd_mid", "lm", "split"}, 1,
                     [&](const char* name) { return growth(s.top(0.005, name)); }),
            1, 0.05);
  judge_levels(s.top, 0.005,
               {{"sw_trap", "SW trap", 9.5e-7},
                {"stg_mid", "STG mid", 3.4e-7},
                {"lm", "LM", 1.4e-7},
                {"split", "SPLIT", 7.8e-8}},
               "energy of the top up to t = 1000, h = 0.005, ", list);
  // Ten if the growth were steady from the start; PC damps the nutation first, which costs it half of that.
  list.at_least("but it does with SW midpoint", growth(s.top(0.005, "sw_mid")), 5);
  list.at_least("and with PC, either rule", std::min(growth(s.top(0.005, "pc_mid")), growth(s.top(0.005, "pc_trap"))),
                5);
  double least = 1;
  for (const double h : Studies::top_steps)
    least = std::min(least, s.top(h, "stg_trap").to_1000);
  // A third of the 1.5 % of the energy that come and go.
  list.at_least("STG trapezoidal wanders whatever the step: least error of energy", least, 5e-3);
  list.at_most("yet stays bounded, h = 0.001: error to t = 1000 over error to t = 100",
               growth(s.top(0.001, "stg_trap")), 1.5);
  // 2², and what the next term makes: at most 5 % from h = 0.01 to 0.005 (STG, 3.79), a quarter of it here, doubled.
  list.near(
      "axis at t = 10 is of second order with SW, STG, LM, SPLIT: error at h = 0.005 over 0.0025",
      farthest({"sw_trap", "stg_mid", "lm", "split"}, 4,
               [&](const char* name) { return axis_error(s.axis(0.005, name)) / axis_error(s.axis(0.0025, name)); }),
      4, 0.1);
  // The weight has no vertical moment, x 0 - y 0: what is seen is the rounding of reading.
  list.at_most("vertical momentum of all but PCD, h = 0.001: rounding",
               farthest({"sw_mid", "sw_trap", "pc_mid", "pc_trap", "stg_mid", "stg_trap", "lm", "split"}, 0,
                        [&](const char* name) { return s.top(0.001, name).pi_3; }),
               rounding);
}

} // namespace

std::vector<Finding> Studies::findings() const {
  FindingList list;
  judge_unstable_rotation(*this, list);
  judge_top(*this, list);
  return list.take();
}

} // namespace emmy::tables::rotation
