#include "io/estimate.hpp"

#include "io/progress.hpp"
#include "io/report.hpp"
#include "io/time_stepping.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

constexpr std::array<const char*, measures> keys{"positions",          "rotations", "velocities",
                                                 "angular_velocities", "forces",    "moments"};
constexpr std::array<const char*, measures> units{"m", "rad", "m/s", "rad/s", "N", "N m"};
/// Words before the measures of a kind: the first that is there has them.
constexpr std::array<const char*, measures> words{"positions by ",  "positions by ", "velocities by ",
                                                  "velocities by ", "reactions by ", "reactions by "};

/// An observed order may miss that of the scheme by so much, and exceed it by so much: errors may cancel.
constexpr double order_missed = 0.5, order_exceeded = 2;
/// Of lower orders no error is told: differences hardly fall.
constexpr double least_order = 0.5;
/// Rounding has no common sign and adds up like the square root of the steps; this many times that.
constexpr double rounding_factor = 5;
/// Differences that grow from the first of these parts of their largest to the second while time grows by less than
/// this factor grow faster than its fifth power: exponentially, or by a leap.
constexpr double small_part = 1e-3, large_part = 1e-1, short_time = 2.5;
/// Orientations that are further apart [rad] may be so by turns that nobody sees.
constexpr double large_turn = 1;

/// What rounding leaves of the difference of two runs, the finer of which has steps of h/ratio, and reactions that are
/// means over h.
Measures rounding_of(const Measures& size, double end, double h, double ratio, const Scheme& scheme) {
  double stage = 1;
  for (const double c : scheme.stages)
    stage = std::min(stage, std::abs(c));
  const double steps = ratio * end / h * static_cast<double>(scheme.stages.size()), shortest = stage * h / ratio;
  const double many = rounding_factor * std::sqrt(steps) * std::numeric_limits<double>::epsilon();
  // Joints take velocities from positions, which are rounded: by the step, and these add up as they are reflected [S9].
  const double kick = many * size[position] / shortest;
  Measures floor{};
  floor[position] = many * (size[position] + end * size[velocity]);
  floor[rotation] = many * (size[rotation] + end * size[angular_velocity]);
  floor[velocity] = many * size[velocity] + kick;
  floor[angular_velocity] = many * size[angular_velocity] + many / shortest;
  floor[force] = many * size[force] + scheme.mass * kick / h;
  floor[moment] = many * size[moment] + scheme.mass * kick / h * size[position];
  return floor;
}

/// Largest differences up to every instant.
std::vector<Measures> growth(const Trajectory& a, const Trajectory& b) {
  std::vector<Measures> largest;
  for (std::size_t i = 0; i < a.instants(); ++i) {
    largest.push_back(Trajectory::differences(a, b, i));
    if (i > 0)
      for (std::size_t k = 0; k < measures; ++k)
        largest[i][k] = std::max(largest[i][k], largest[i - 1][k]);
  }
  return largest;
}

/// `floor` and `finer_floor` are what rounding leaves of the differences.
Accuracy accuracy_of(double difference, double floor, double finer, double finer_floor, int order) {
  Accuracy a;
  a.difference = difference;
  a.finer = finer;
  a.is_present = true;
  a.is_rounding = difference <= floor;
  if (a.is_rounding)
    return a;
  if (finer <= finer_floor) { // what is left of the finer runs says nothing of the order
    a.error = difference / (1 - std::exp2(-order));
    return a;
  }
  a.order = std::log2(difference / finer); // [S14]
  if (*a.order >= least_order)
    a.error = difference / (1 - finer / difference);
  return a;
}

bool misses(const Accuracy& a, int order) {
  return a.order && (*a.order < order - order_missed || *a.order > order + order_exceeded);
}

/// Times between which the differences of a measure grew a hundredfold, if they did so at once.
std::optional<std::pair<double, double>> leap(const Trajectory& run, const std::vector<Measures>& largest,
                                              std::size_t k) {
  const auto time_of = [&](double part) {
    const auto at = std::find_if(largest.begin(), largest.end(),
                                 [&](const Measures& d) { return d[k] >= part * largest.back()[k]; });
    return run.time(static_cast<std::size_t>(at - largest.begin()));
  };
  const double from = time_of(small_part), to = time_of(large_part);
  return to < short_time * from ? std::make_optional(std::make_pair(from, to)) : std::nullopt;
}

std::string list_orders(const Estimate& estimate, int order) {
  std::string text;
  for (std::size_t k = 0; k < measures; ++k)
    if (misses(estimate.of[k], order))
      text += (text.empty() ? "" : ", ") + formatted("%s %.1f", keys[k], *estimate.of[k].order);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

} // namespace

Estimate compare(const Trajectory& run, const Trajectory& half, const Trajectory& quarter, double h,
                 const Scheme& scheme, const std::vector<std::string>& events) {
  Estimate estimate;
  estimate.step = h;
  estimate.instants = run.instants();
  estimate.doubts = events;
  const std::vector<Measures> coarse = growth(run, half), fine = growth(half, quarter);
  const Measures size = run.magnitudes();
  const double end = run.time(run.instants() - 1);
  const Measures floor = rounding_of(size, end, h, 2, scheme), finer_floor = rounding_of(size, end, h, 4, scheme);
  const auto accuracy_at = [&](std::size_t instant, std::size_t k) {
    return accuracy_of(coarse[instant][k], floor[k], fine[instant][k], finer_floor[k], scheme.order);
  };
  for (std::size_t k = 0; k < measures; ++k)
    if (size[k] > 0)
      estimate.of[k] = accuracy_at(run.instants() - 1, k);

  if (estimate.of[rotation].difference > large_turn)
    estimate.doubts.push_back("rotations differ by more than a radian: whole turns are not seen");
  const std::string orders = list_orders(estimate, scheme.order);
  if (orders.empty())
    return estimate;
  estimate.doubts.push_back(formatted("observed orders are not that of the scheme, %d: ", scheme.order) + orders);
  const std::size_t k = estimate.of[position].order ? position : rotation;
  if (!misses(estimate.of[k], scheme.order)) { // of the motion they are
    estimate.doubts.push_back(
        "positions are not in doubt; velocities and reactions may be of a lower order, or swing "
        "from step to step, as with drives and stiff springs, and differ by more than their means");
    return estimate;
  }
  if (events.empty()) {
    const auto at_once = leap(run, fine, k);
    estimate.doubts.push_back(at_once ? formatted("differences grow a hundredfold between t = %.4g and %.4g s: the "
                                                  "motion is chaotic, or something happens at once",
                                                  at_once->first, at_once->second)
                                      : "the step is too coarse for its order to be seen, or something happens at "
                                        "once, such as a load that jumps");
  }
  std::size_t seen = 0; // instants up to which the order is that of the scheme
  while (seen < coarse.size() && !misses(accuracy_at(seen, k), scheme.order))
    ++seen;
  if (seen > 0)
    estimate.doubts.push_back(formatted("up to t = %.4g s nothing speaks against the order, and positions differ by "
                                        "%.2g %s",
                                        run.time(seen - 1), coarse[seen - 1][k], units[k]));
  return estimate;
}

std::string estimate_text(const Estimate& estimate) {
  if (!estimate.failure.empty())
    return "  Estimate  none: " + estimate.failure + "\n";
  std::string text = "  Estimate  half the step changes ", errors;
  const char* before = "";
  for (std::size_t k = 0; k < measures; ++k) {
    const Accuracy& a = estimate.of[k];
    if (!a.is_present)
      continue;
    text += *before == '\0' ? words[k] : std::string(", ") + (words[k] == std::string(before) ? "" : words[k]);
    before = words[k];
    text += a.is_rounding ? formatted("rounding (%.0e %s)", a.difference, units[k])
                          : formatted("%.2g %s", a.difference, units[k]) +
                                (a.order ? formatted(" (order %.2f)", *a.order) : std::string());
    if (a.error)
      errors += (errors.empty() ? "" : ", ") + formatted("%.2g %s", *a.error, units[k]);
  }
  text += errors.empty() ? "\n" : "; errors of this run are about " + errors + "\n";
  for (const std::string& doubt : estimate.doubts)
    text += "            in doubt: " + doubt + "\n";
  return text;
}

nlohmann::ordered_json estimate_json(const Estimate& estimate) {
  if (!estimate.failure.empty())
    return {{"failure", estimate.failure}};
  const auto number = [](const std::optional<double>& x) {
    return x ? nlohmann::ordered_json(*x) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json json{{"steps", {estimate.step, estimate.step / 2, estimate.step / 4}},
                              {"instants", estimate.instants},
                              {"meaningful", estimate.doubts.empty()},
                              {"doubts", estimate.doubts}};
  for (std::size_t k = 0; k < measures; ++k)
    if (const Accuracy& a = estimate.of[k]; a.is_present)
      json[keys[k]] = {{"difference", a.difference},
                       {"finer_difference", a.finer},
                       {"rounding", a.is_rounding},
                       {"order", number(a.order)},
                       {"error", number(a.error)}};
  return json;
}

namespace {

/// How a repetition ended.
struct Repetition {
  Outcome outcome;
  double time = 0;
};

Repetition repeat(const Loaded& m, double step, Trajectory& trajectory, const Interrupt& interrupt, bool progress,
                  std::ostream& err) {
  const std::unique_ptr<Integrator> integrator = make_integrator(m, step);
  Simulation simulation(*m.built.model, m.built.initial, *integrator,
                        {step, m.deck.integrator.end, m.deck.solver.max_halvings});
  simulation.observe([&](const Simulation& s, long i) { trajectory.observe(s, i); });
  simulation.stop_when([&] { return interrupt.requested(); });
  std::optional<Progress> line;
  if (progress) {
    line.emplace(err, formatted("estimate with h = %.3g s: ", step));
    simulation.observe([&](const Simulation& s, long i) { line->observe(s, i); });
  }
  const Outcome outcome = simulation.run();
  return {outcome, simulation.state().time};
}

Scheme scheme_of(const Loaded& m) {
  const deck::Integrator& integrator = m.deck.integrator;
  Scheme scheme;
  scheme.order = integrator.type == "high_order"       ? 3
                 : integrator.type == "explicit_euler" ? 1
                                                       : traits_of(m.deck).order;
  if (integrator.type == "energy_momentum")
    scheme.stages = stages_of(m.deck);
  for (const Body* body : m.built.model->bodies())
    scheme.mass = std::max(scheme.mass, body->mass());
  return scheme;
}

} // namespace

std::optional<Estimate> estimate_accuracy(const Loaded& m, const Trajectory& run, const Outcome& outcome,
                                          const Sampling& sampling, const Interrupt& interrupt, bool progress,
                                          std::ostream& err) {
  const double h = m.deck.integrator.step;
  Trajectory half(m.built, sampling, 2), quarter(m.built, sampling, 4);
  long rejected = outcome.rejected_steps;
  for (const auto& [ratio, trajectory] : {std::make_pair(2, &half), std::make_pair(4, &quarter)}) {
    const Repetition repetition = repeat(m, h / ratio, *trajectory, interrupt, progress, err);
    rejected += repetition.outcome.rejected_steps;
    if (repetition.outcome.completed)
      continue;
    if (repetition.outcome.failure.empty())
      return std::nullopt;
    Estimate none;
    none.failure = formatted("the run with h = %.4g s ended at t = %.6g s: ", h / ratio, repetition.time) +
                   repetition.outcome.failure;
    return none;
  }
  std::vector<std::string> events;
  if (const long impacts = std::max({run.impacts(), half.impacts(), quarter.impacts()}); impacts > 0)
    events.push_back(formatted("limits were hit %ld time%s: when that is within a step is not resolved, so differences "
                               "are of first order there and leap",
                               impacts, impacts == 1 ? "" : "s"));
  if (rejected > 0)
    events.push_back(formatted("%ld attempt%s to step failed or had to be repeated in parts: steps are then not in "
                               "the ratio 4:2:1",
                               rejected, rejected == 1 ? "" : "s"));
  return compare(run, half, quarter, h, scheme_of(m), events);
}

} // namespace emmy
