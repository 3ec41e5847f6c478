#include "io/deck/reader.hpp"
#include "io/time_stepping.hpp"
#include "solvers/simulation.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

/// What is promised of the largest model [s], and of the growth from the least to it.
constexpr double longest = 15, steepest = 1.1;

constexpr double pitch = 0.1; // of the boxes of a chain [m]

/// The text of a deck with a horizontal chain of N boxes.
std::string chain_deck(int N, const std::string& joint) {
  std::ostringstream text;
  text << "gravity: [0, 0, -9.81]\nbodies:\n";
  for (int i = 0; i < N; ++i)
    text << "  link" << i << ": {box: [0.1, 0.05, 0.05], mass: 0.5, position: ["
         << tables::format("%.10g", (i + 0.5) * pitch) << ", 0, 0]}\n";
  text << "joints:\n";
  for (int i = 0; i < N; ++i)
    text << "  joint" << i << ": {type: " << joint << ", between: ["
         << (i == 0 ? "ground" : "link" + std::to_string(i - 1)) << ", link" << i << "], at: ["
         << tables::format("%.10g", i * pitch) << ", 0, 0]" << (joint == "revolute" ? ", axis: y" : "") << "}\n";
  text << "integrator: {step: 0.001, end: 1}\n";
  return text.str();
}

std::string ball_joints(int N) {
  return chain_deck(N, "spherical");
}

std::string hinges(int N) {
  return chain_deck(N, "revolute");
}

/// Windows of four-bar linkages with N bodies: three redundant equations each.
std::string windows(int N) {
  std::ostringstream text;
  text << "gravity: [0, -9.81, 0]\nparameters: {J: 1/12}\nbodies:\n";
  const int last = N / 2;
  for (int i = 0; i <= last; ++i)
    text << "  upright" << i << ": {mass: 1, inertia: [1e-4, J, J], position: [" << i
         << ", 0.5, 0], orientation: {axis: z, angle: pi/2}}\n";
  for (int i = 0; i < last; ++i)
    text << "  bar" << i << ": {mass: 1, inertia: [1e-4, J, J], position: [" << i + 0.5 << ", 1, 0]}\n";
  text << "joints:\n";
  const auto hinge = [&](const char* name, int i, const std::string& first, const std::string& second, int x, int y) {
    text << "  " << name << i << ": {type: revolute, between: [" << first << ", " << second << "], at: [" << x << ", "
         << y << ", 0], axis: z}\n";
  };
  for (int i = 0; i <= last; ++i)
    hinge("foot", i, "ground", "upright" + std::to_string(i), i, 0);
  for (int i = 0; i < last; ++i) {
    hinge("left", i, "upright" + std::to_string(i), "bar" + std::to_string(i), i, 1);
    hinge("right", i, "bar" + std::to_string(i), "upright" + std::to_string(i + 1), i + 1, 1);
  }
  text << "integrator: {step: 0.001, end: 1}\n";
  return text.str();
}

/// CPU times of the ways from text to a model that is ready for its first step [s].
struct Parts {
  double reading = 0, model = 0, analysis = 0, solver = 0;
  double sum() const { return reading + model + analysis + solver; }
};

Parts set_up_once(const std::string& text) {
  Parts parts;
  double last = cpu_time();
  const auto lap = [&](double& part) {
    const double now = cpu_time();
    part = now - last;
    last = now;
  };
  deck::Diagnostics diagnostics;
  Loaded m;
  m.deck = deck::read_deck_text("deck", text, {}, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error(diagnostics.text());
  lap(parts.reading);
  m.built = build_model(m.deck);
  lap(parts.model);
  m.analysis = analyse_constraints(*m.built.model, m.built.initial);
  if (const std::string refused = refusal(m); !refused.empty())
    throw std::runtime_error(refused);
  lap(parts.analysis);
  const std::unique_ptr<Integrator> integrator = make_integrator(m, m.deck.integrator.step);
  const Simulation simulation(*m.built.model, m.built.initial, *integrator,
                              {m.deck.integrator.step, m.deck.integrator.end, 0});
  lap(parts.solver);
  return parts;
}

/// The fastest of some rounds.
Parts set_up_time(const std::string& text, int rounds) {
  Parts best = set_up_once(text);
  for (int i = 1; i < rounds; ++i)
    if (const Parts parts = set_up_once(text); parts.sum() < best.sum())
      best = parts;
  return best;
}

struct Family {
  const char* name;
  std::string (*deck)(int);
};

std::string seconds(double t) {
  return tables::format("%.2f", t);
}

} // namespace

void set_up(bool quick, Report& report) {
  const std::vector<int> sizes = quick ? std::vector<int>{1000, 3000} : std::vector<int>{10000, 30000, 100000};
  std::vector<tables::Row> rows;
  for (const Family& family : {Family{"ball joints", ball_joints}, {"hinges", hinges}, {"four-bar windows", windows}}) {
    double first = 0;
    for (const int N : sizes) {
      const Parts parts = set_up_time(family.deck(N), N >= 100000 ? 2 : 3);
      if (N == sizes.front())
        first = parts.sum();
      const double exponent =
          N == sizes.front() ? 0 : std::log(parts.sum() / first) / std::log(N / static_cast<double>(sizes.front()));
      rows.push_back({family.name, std::to_string(N), seconds(parts.reading), seconds(parts.model),
                      seconds(parts.analysis), seconds(parts.solver), seconds(parts.sum()),
                      N == sizes.front() ? nothing : tables::format("%.2f", exponent)});
      report.figures["set_up"].push_back({{"family", family.name},
                                          {"bodies", N},
                                          {"reading", parts.reading},
                                          {"model", parts.model},
                                          {"analysis", parts.analysis},
                                          {"solver", parts.solver}});
      if (N != sizes.back())
        continue;
      const std::string of = std::string(family.name) + ", ";
      report.promises.at_most("seconds to be ready, " + of + std::to_string(N) + " bodies", parts.sum(), longest);
      if (!quick) // small models do not take long enough to tell
        report.promises.at_most("exponent of growth of the time to be ready, " + of + std::to_string(sizes.front()) +
                                    " to " + std::to_string(N) + " bodies",
                                exponent, steepest);
    }
  }
  report.add("set_up", "From the text of a deck to the first step, seconds",
             {"joints", "bodies", "reading", "model", "analysis", "solver", "all", "exponent"}, rows);
}

} // namespace emmy::benchmark
