/// Models of several parts, of which some are eliminated onto wrenches and others are not.
#include "core/archive.hpp"
#include "elements/limits/limit.hpp"
#include "solvers/newton/block_system.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/loops.hpp"
#include "verification/support/side_by_side.hpp"
#include "verification/unit/solvers/condensation/condensed.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

/// What may be beside a part on wrenches, with each kind of path.
const std::vector<std::vector<Part>> besides = {{Part::sprung},
                                                {Part::pushed},
                                                {Part::driven},
                                                {Part::sliding},
                                                {Part::of_directors},
                                                {Part::sprung, Part::on_balls},
                                                {Part::of_directors, Part::on_balls}};

std::vector<Part> with_hinges(std::vector<Part> parts) { // between others, so that it is neither first nor last
  parts.insert(parts.begin() + 1, Part::hinged);
  return parts;
}

/// True if all equations of an element are solved by wrenches; false if none is.
bool is_on_wrenches(const Assembler& assembler, const Element& element) {
  const Numbering& numbering = assembler.numbering();
  std::vector<Index> rows;
  for (const Node& node : element.nodes())
    for (Index i = 0; i < node.unknowns(); ++i)
      rows.push_back(numbering.row_of_unknown[static_cast<std::size_t>(node.unknown + i)]);
  for (Index i = 0; i < element.multipliers(); ++i)
    if (const Index row = numbering.row_of_multiplier[static_cast<std::size_t>(element.first_multiplier() + i)];
        row < numbering.equations)
      rows.push_back(row);
  const auto is_first = [&](Index row) { return row < assembler.rows_on_wrenches(); };
  const bool all = std::all_of(rows.begin(), rows.end(), is_first);
  BOOST_TEST_REQUIRE((all || std::none_of(rows.begin(), rows.end(), is_first)));
  return all;
}

/// Bodies on wrenches, one letter each.
std::string paths(const Mechanism& m, OneSided one_sided = OneSided::present, const KernelOptions& kernels = {}) {
  TwoPointEquations equations(*m.model);
  Assembler assembler(equations, {}, kernels, one_sided);
  BOOST_TEST((assembler.wrenches() != nullptr) == (assembler.rows_on_wrenches() > 0));
  std::string found;
  for (const Body* body : m.bodies)
    found += is_on_wrenches(assembler, *body) ? 'w' : '-';
  return found;
}

/// The linear systems of a model that moves somehow.
struct Solved {
  Solved(const Mechanism& m, Random& random, const KernelOptions& kernels = {})
      : system(m, random.numbers(m.model->unknowns() + m.model->multipliers(), 0.05), kernels),
        norm(*m.model, system.assembler.numbering(), kernels.instructions), findings(norm.parts()),
        at(system.assembler.size(), Assembler::room_behind),
        blocks(system.assembler, norm, findings, kernels.instructions) {
    findings.forget();
    at.x.head(at.size) = system.x;
  }
  VecX increment(Factors factors) {
    BOOST_TEST_REQUIRE(blocks.evaluate(at, factors, false));
    BOOST_TEST_REQUIRE(blocks.solve(at, factors));
    return at.dx.head(at.size);
  }
  VecX solved_for(const VecX& b) {
    VecX roomy = VecX::Zero(at.x.size()), x = roomy;
    roomy.head(at.size) = b;
    BOOST_TEST(blocks.solve_for(roomy.data(), x.data()));
    return x.head(at.size);
  }
  /// Solves until nothing has to be looked at.
  void settle() {
    for (int i = 0; i < 5; ++i)
      static_cast<void>(increment(Factors::first));
    BOOST_TEST_REQUIRE(!blocks.has_residual());
  }

  System system;
  StepNorm norm;
  Findings findings;
  Iterate at;
  BlockSystem blocks;
};

/// How far a part is, in a model of several, from where it is alone: in values and rates, and in multipliers.
struct Distance {
  double motion = 0, multipliers = 0;
};
Distance distance(const Mechanism& m, const State& state, const Mechanism& alone, const State& other) {
  Distance found;
  const auto note = [](double& largest, const VecX& a, const VecX& b) {
    largest = std::max(largest, (a - b).lpNorm<Eigen::Infinity>());
  };
  for (const auto& of : alone.model->elements())
    for (const auto& element : m.model->elements()) {
      if (element->name() != of->name())
        continue;
      for (std::size_t n = 0; n < of->nodes().size(); ++n) {
        const Node &a = element->nodes()[n], &b = of->nodes()[n];
        note(found.motion, state.values.segment(a.value, a.values()), other.values.segment(b.value, b.values()));
        note(found.motion, state.rates.segment(a.unknown, a.unknowns()), other.rates.segment(b.unknown, b.unknowns()));
      }
      if (of->multipliers() > 0)
        note(found.multipliers, state.multipliers.segment(element->first_multiplier(), of->multipliers()),
             other.multipliers.segment(of->first_multiplier(), of->multipliers()));
    }
  return found;
}

NewtonOptions options_of(const Mechanism& m, double h) {
  NewtonOptions options;
  options.proximal = proximal_block(*m.model, m.initial, analyse_constraints(*m.model, m.initial), h);
  return options;
}

constexpr double h = 0.01;

/// Runs a model, and each of its parts alone; holds them against each other, and the energies against their sum.
void compare_runs(const std::vector<Part>& parts, int steps, double tolerance) {
  struct Run {
    explicit Run(const std::vector<Part>& parts)
        : m(side_by_side(parts)), integrator(*m.model, options_of(m, h)), state(m.initial) {}
    StepReport step() {
      StepReport report = integrator.step(state, h);
      BOOST_TEST_REQUIRE(report.converged);
      BOOST_TEST(report.warning.empty());
      return report;
    }
    Mechanism m;
    EnergyMomentum integrator;
    State state;
  };
  Run all(parts);
  std::vector<std::unique_ptr<Run>> alone;
  for (const Part part : parts)
    alone.push_back(std::make_unique<Run>(std::vector<Part>{part}));
  const double s = 2 * 12 / (h * h); // multipliers times 1 / s are found as increments are
  Distance largest;
  for (int i = 0; i < steps; ++i) {
    const int iterations = all.step().iterations;
    int most = 0;
    double energy = 0;
    for (const auto& one : alone) {
      most = std::max(most, one->step().iterations);
      energy += one->integrator.books(one->state).energy();
      const Distance found = distance(all.m, all.state, one->m, one->state);
      largest.motion = std::max(largest.motion, found.motion);
      largest.multipliers = std::max(largest.multipliers, found.multipliers / s);
    }
    BOOST_TEST(iterations <= most + 1);
    BOOST_TEST(std::abs(all.integrator.books(all.state).energy() - energy) <= tolerance * 12 * 9.81 * 9);
  }
  BOOST_TEST_MESSAGE("largest distance: " << largest.motion << ", of multipliers " << largest.multipliers);
  BOOST_TEST(largest.motion <= tolerance);
  BOOST_TEST(largest.multipliers <= tolerance);
}

} // namespace

BOOST_AUTO_TEST_SUITE(PartsOnWrenches)

BOOST_AUTO_TEST_CASE(each_part_is_chosen_by_itself) {
  for (const Part part : {Part::sprung, Part::driven, Part::sliding, Part::walled, Part::of_directors}) {
    BOOST_TEST(paths(side_by_side({part})) == "---");
    BOOST_TEST(paths(side_by_side({part, Part::hinged})) == "---www");
    BOOST_TEST(paths(side_by_side({Part::hinged, part, Part::loop})) == "www---www");
  }
  // A load that turns with its body keeps nothing off.
  BOOST_TEST(paths(side_by_side({Part::pushed})) == "www");
  BOOST_TEST(paths(side_by_side({Part::pushed, Part::sprung})) == "www---");
  // Ball joints alone are faster otherwise, unless that would be another path for them alone.
  BOOST_TEST(paths(side_by_side({Part::on_balls, Part::hinged})) == "wwwwww");
  BOOST_TEST(paths(side_by_side({Part::on_balls, Part::hinged, Part::sprung})) == "---www---");
  BOOST_TEST(paths(side_by_side({Part::on_balls, Part::of_directors})) == "------");
  Mechanism soft = side_by_side({Part::hinged, Part::loop});
  soft.model->enforce(*soft.model->elements().back(), {EnforcementMethod::penalty, 1e6});
  BOOST_TEST(paths(soft) == "www---");
  KernelOptions whole;
  whole.condenses = false;
  BOOST_TEST(paths(side_by_side({Part::hinged, Part::sprung}), OneSided::present, whole) == "------");
}

// What is left out while nothing pushes connects nothing.
BOOST_AUTO_TEST_CASE(a_wall_counts_where_it_pushes) {
  const Mechanism walled = side_by_side({Part::hinged, Part::walled});
  BOOST_TEST(paths(walled) == "www---");
  BOOST_TEST(paths(walled, OneSided::left_out) == "wwwwww");
  Mechanism between = side_by_side({Part::hinged, Part::sprung});
  between.model->add(wall("between", between.model->ports(), {between.bodies[5]->port(), Vec3(0, 0, -100)},
                          body_point(between.bodies[0]->port(), Vec3(1, 0, 0)), 0, 1));
  begin(between);
  BOOST_TEST(paths(between) == "------");
  BOOST_TEST(paths(between, OneSided::left_out) == "www---");
}

// With factors that are new or kept, and for any right side.
BOOST_DATA_TEST_CASE(increments_are_those_of_the_whole_matrix, data::xrange(besides.size()), which) {
  Random random(401);
  for (const KernelOptions& kernels : all_kernels()) {
    Mechanism m = side_by_side(with_hinges(besides[which]));
    begin_anywhere(m, random);
    Solved solved(m, random, kernels);
    const MatX A = solved.system.dense();
    const Eigen::FullPivLU<MatX> lu(A);
    const double error = solution_error(A);
    const VecX exact = lu.solve(solved.system.f), start = solved.system.x;
    for (int i = 0; i < 6; ++i) { // the first four solves are of the whole matrix
      solved.at.x.head(solved.at.size) = start;
      BOOST_TEST((solved.increment(Factors::renewed) - exact).norm() <= error * exact.norm());
      BOOST_TEST(solved.blocks.has_residual() == (i < 2));
      const VecX b = random.numbers(exact.size()), found = lu.solve(b);
      BOOST_TEST((solved.solved_for(b) - found).norm() <= error * found.norm());
      const VecX x = start + random.numbers(exact.size(), 0.05);
      VecX f(x.size());
      solved.at.x.head(solved.at.size) = x;
      const VecX kept = solved.increment(Factors::kept);
      BOOST_TEST_REQUIRE(solved.system.assembler.evaluate_closely(x.data(), f.data(), false));
      const VecX expected = lu.solve(f);
      BOOST_TEST((kept - expected).norm() <= error * expected.norm());
    }
    BOOST_TEST(solved.findings.linear_error <= error);
  }
}

// A proximal block is off by epsilon / sigma, at most 1e-4, after one solve and by its square after refinement [S5],
// both on wrenches and beside them. What refinement leaves of each part is said as by the whole matrix, but for terms
// of the order of epsilon / sigma of it and conditions of bodies and joints.
BOOST_DATA_TEST_CASE(a_proximal_block_is_made_up_for_in_every_part, data::xrange(besides.size()), which) {
  Random random(402);
  Mechanism m = side_by_side(with_hinges(besides[which]));
  begin_anywhere(m, random);
  Solved solved(m, random);
  const MatX A = solved.system.dense();
  const Eigen::FullPivLU<MatX> lu(A);
  const VecX exact = lu.solve(solved.system.f);
  const double rounding = solution_error(A), epsilon = 1e-4 / (rounding / (100 * eps));
  solved.system.assembler.prepare_proximal(VecX::Ones(m.model->multipliers()), {});
  solved.system.assembler.set_epsilon(epsilon);
  std::vector<double> unsolved;
  for (int i = 0; i < 6; ++i) { // the first four solves are of the whole matrix
    const VecX found = solved.increment(Factors::first);
    BOOST_TEST((found - exact).norm() <= (1e-8 + rounding) * exact.norm());
    BOOST_TEST(solved.blocks.has_residual() == (i < 4));
    BOOST_TEST(solved.findings.linear_error > 0); // two ways have been compared
    const double* left = solved.blocks.unsolved();
    if (i == 0)
      unsolved.assign(left, left + solved.norm.parts());
    for (std::size_t part = 0; part < unsolved.size(); ++part)
      BOOST_TEST(std::abs(left[part] - unsolved[part]) <= 0.1 * unsolved[part]);
  }
  const Iterate& at = solved.at;
  const Numbering& numbering = solved.system.assembler.numbering();
  for (const Index row : numbering.row_of_unknown) // who judges increments is told the forces of every body
    BOOST_TEST(std::abs(at.f[row] - solved.system.f[row]) <= 100 * eps * solved.system.f.lpNorm<Eigen::Infinity>());
  const VecX b = random.numbers(exact.size()), solution = lu.solve(b);
  BOOST_TEST((solved.solved_for(b) - solution).norm() <= (1e-3 + rounding) * solution.norm());
}

// Multipliers that are left out keep their own part from being condensed.
BOOST_AUTO_TEST_CASE(multipliers_are_left_out_beside_wrenches) {
  Random random(403);
  Mechanism m = side_by_side({Part::sprung, Part::hinged});
  begin_anywhere(m, random);
  for (const std::size_t multiplier : {std::size_t{0}, static_cast<std::size_t>(m.model->multipliers() - 1)}) {
    Solved solved(m, random);
    std::vector<bool> out(static_cast<std::size_t>(m.model->multipliers()), false);
    out[multiplier] = true;
    solved.system.assembler.leave_out(out);
    BOOST_TEST(solved.system.assembler.condenses() == (multiplier == 0));
    BOOST_TEST_REQUIRE(solved.blocks.evaluate(solved.at, Factors::first, true)); // the whole
    const MatX A = solved.system.dense();
    const VecX exact = A.fullPivLu().solve(solved.at.f.head(solved.at.size));
    for (int i = 0; i < 6; ++i)
      BOOST_TEST((solved.increment(Factors::renewed) - exact).norm() <= solution_error(A) * exact.norm());
    BOOST_TEST(solved.blocks.has_residual() == (multiplier != 0));
  }
}

// A hundred steps, each solved to eps times a condition number of 3e4 [S1], which what pendulums do in a second
// magnifies by ten.
constexpr double of_runs = 100 * 3e4 * eps * 10;

BOOST_DATA_TEST_CASE(every_part_moves_as_it_does_alone, data::xrange(besides.size()), which) {
  compare_runs(with_hinges(besides[which]), 100, of_runs);
}

// Multipliers of loops are found to the rounding of coordinates over epsilon, 1e-6 at most and 1e-12 at least.
BOOST_AUTO_TEST_CASE(parts_with_redundant_joints_move_as_they_do_alone) {
  compare_runs({Part::hinged, Part::loop, Part::sprung_loop, Part::sprung}, 100, of_runs);
}

// Impacts magnify what iterations leave.
BOOST_AUTO_TEST_CASE(a_wall_in_one_part_is_met_as_it_is_alone) {
  compare_runs({Part::walled, Part::hinged}, 100, 1e-9);
  const Mechanism m = side_by_side({Part::walled, Part::hinged});
  EnergyMomentum integrator(*m.model, {});
  State state = m.initial;
  int pushed = 0, open = 0;
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST_REQUIRE(integrator.step(state, h).converged);
    (state.multipliers.cwiseAbs()[15] > 0 ? pushed : open)++;
  }
  BOOST_TEST(pushed >= 1);
  BOOST_TEST(open >= 20);
}

// Bit by bit, wherever a run is copied: on its way through the wall, and with redundant joints.
BOOST_DATA_TEST_CASE(a_run_goes_on_from_any_of_its_states, data::make({false, true}), has_wall) {
  const Mechanism m =
      has_wall ? side_by_side({Part::walled, Part::hinged}) : side_by_side({Part::loop, Part::sprung, Part::on_balls});
  const NewtonOptions newton = options_of(m, h);
  const SimulationOptions options{h, 1, 4};
  EnergyMomentum integrator(*m.model, newton);
  Simulation whole(*m.model, m.initial, integrator, options);
  std::vector<Bytes> states;
  whole.observe([&](const Simulation& s, long) { states.push_back(bytes_of(s.run_state())); });
  BOOST_TEST_REQUIRE(whole.run().completed);
  for (std::size_t i = 0; i < states.size(); i += 7) {
    RunState run;
    ByteReader{states[i]}(run);
    run.has_begun = true; // seen by the observer that has just looked
    EnergyMomentum other(*m.model, newton);
    Simulation rest(*m.model, std::move(run), other, options);
    BOOST_TEST(rest.run().completed);
    BOOST_TEST(same_bits(rest.run_state(), whole.run_state()), "from step " << i);
  }
}

BOOST_AUTO_TEST_SUITE_END()
