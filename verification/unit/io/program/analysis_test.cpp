/// Equilibria, vibrations, assembly, drives and springs as users of `emmy run` see them.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

const std::string hanging = R"(
gravity: [0, 0, -9.81]
bodies:
  bob: {box: [0.1, 0.1, 0.1], mass: 2, position: [0, 0, -1.5]}
joints:
  rail: {type: prismatic, between: [ground, bob], at: bob, axis: z}
forces:
  coil: {type: spring, between: [[0, 0, 0], bob], stiffness: 100, free_length: 1}
)";

/// Boxes of 0.1 m and 0.5 kg in a row on bushings that bend as a beam with EI = 1000 N m² does, stiff along it. The
/// first one is held by `root`. `further` are more bodies and joints.
std::string beam(int boxes, const std::string& root, const std::string& gravity, const std::string& further = "") {
  const auto bushing = [](int i, const std::string& from) {
    return "  b" + std::to_string(i) + ": {type: bushing, between: [" + from + ", l" + std::to_string(i) + "], at: [" +
           std::to_string(0.1 * i) + ", 0, 0], stiffness: [1e6, 1e6, 1e6, 1e4, 1e4, 1e4]}\n";
  };
  std::string bodies, forces;
  for (int i = 0; i < boxes; ++i) {
    bodies += "  l" + std::to_string(i) + ": {box: [0.1, 0.05, 0.05], mass: 0.5, position: [" +
              std::to_string(0.1 * i + 0.05) + ", 0, 0]}\n";
    if (i > 0 || !root.empty())
      forces += bushing(i, i == 0 ? root : "l" + std::to_string(i - 1));
  }
  return "gravity: " + gravity + "\nbodies:\n" + bodies + further + "forces:\n" + forces + "analysis: static\n";
}

/// The word for it in the summary of an analysis.
std::string stability_of(const std::string& deck) {
  const Workplace w;
  w.write("deck.yaml", deck);
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST(e.code == 0, e.err);
  for (const char* word : {"unstable", "neutral", "stable"})
    if (contains(e.out, std::string("iterations, ") + word))
      return word;
  return e.out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Analyses)

// The lowest mode of a long beam is soft by the system, not by its springs: 0.36 Hz beside 1 kHz.
BOOST_AUTO_TEST_CASE(a_long_cantilever_is_stable) {
  BOOST_TEST(stability_of(beam(50, "ground", "[0, 0, -9.81]")) == "stable");
  BOOST_TEST(stability_of(beam(200, "ground", "[0, 0, 0]")) == "stable");
}

BOOST_AUTO_TEST_CASE(what_may_move_freely_is_neutral_beside_stiff_springs) {
  BOOST_TEST(stability_of(beam(30, "", "[0, 0, 0]")) == "neutral");
  const std::string wheel = "  w: {cylinder: {radius: 0.1, length: 0.02, axis: y}, mass: 1, position: [2.95, 0, 0]}\n"
                            "joints:\n  h: {type: revolute, between: [l29, w], at: w, axis: y}\n";
  BOOST_TEST(stability_of(beam(30, "ground", "[0, 0, -9.81]", wheel)) == "neutral");
}

// Thin links of a hanging chain spin freely, whatever their formulation.
BOOST_AUTO_TEST_CASE(thin_links_on_ball_joints_are_neutral) {
  for (const std::string formulation : {"frame", "director", "spring_tetra"}) {
    std::string bodies, joints;
    for (int i = 0; i < 8; ++i) {
      const std::string name = "l" + std::to_string(i), before = i == 0 ? "ground" : "l" + std::to_string(i - 1);
      bodies +=
          "  " + name + ": {box: [0.001, 0.001, 1], mass: 1, position: [0, 0, " + std::to_string(-0.5 - i) + "]}\n";
      joints += "  j" + std::to_string(i) + ": {type: spherical, between: [" + before + ", " + name + "], at: [0, 0, " +
                std::to_string(-i) + "]}\n";
    }
    BOOST_TEST(stability_of("gravity: [0, 0, -9.81]\ndefaults: {formulation: " + formulation + "}\nbodies:\n" + bodies +
                            "joints:\n" + joints + "analysis: static\n") == "neutral",
               formulation);
  }
}

// Greenhill: an upright column with w per length buckles under its weight from L³ = 7.837 EI / w on, here 5.43 m. That
// bushings also shear by 1e-5 and that a box is 2 % of the length moves it by a few per cent at most.
BOOST_AUTO_TEST_CASE(a_column_is_stable_up_to_the_length_at_which_it_buckles) {
  BOOST_TEST(stability_of(beam(50, "ground", "[-9.81, 0, 0]")) == "stable");
  BOOST_TEST(stability_of(beam(60, "ground", "[-9.81, 0, 0]")) == "unstable");
}

BOOST_AUTO_TEST_CASE(an_equilibrium_is_one_line_of_history_with_its_reactions) {
  const Workplace w;
  w.write("deck.yaml", hanging + "  side: {type: force, body: bob, value: [3, 0, 0]}\nanalysis: static\n");
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
  BOOST_TEST(contains(e.out, "Equilibrium after"));
  BOOST_TEST(contains(e.out, "stable"));
  const auto csv = read_csv(w.read("deck.out/history.csv"));
  BOOST_TEST_REQUIRE(csv.size() == 2U);
  // Weight against spring, to the relative residual of the balance, 1e-9 at most.
  const double stretch = 2 * 9.81 / 100;
  BOOST_TEST(cell(csv, 1, "coil.length") == 1 + stretch, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(cell(csv, 1, "coil.force") == 2 * 9.81, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(cell(csv, 1, "bob.z") == -1 - stretch, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(cell(csv, 1, "rail.displacement") == 0.5 - stretch, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(cell(csv, 1, "rail.fx") == -3, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(cell(csv, 1, "kinetic") == 0);
  BOOST_TEST(!fs::exists(w.path() / "deck.out/audit.json"));
}

BOOST_AUTO_TEST_CASE(what_has_no_equilibrium_ends_with_code_3) {
  const Workplace w;
  w.write("deck.yaml", "gravity: [0, 0, -9.81]\nbodies: {ball: {sphere: 0.1, mass: 1}}\nanalysis: static\n");
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST(e.code == 3);
  BOOST_TEST(contains(e.err, "error: no equilibrium found"));
}

BOOST_AUTO_TEST_CASE(modes_are_found_about_the_equilibrium) {
  const Workplace w;
  w.write("deck.yaml", R"(
gravity: [0, 0, -9.81]
bodies:
  bob: {box: [0.1, 0.1, 0.1], mass: 4}
joints:
  rail: {type: prismatic, between: [ground, bob], at: bob, axis: [0, 3, 4]}
forces:
  buffer: {type: translational_spring, joint: rail, stiffness: 400, damping: 8}
analysis: {type: modes, number: 3}
)");
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(contains(e.out, "1 degree of freedom, damped"));
  const auto csv = read_csv(w.read("deck.out/modes.csv"));
  BOOST_TEST_REQUIRE(csv.size() == 2U);
  // sqrt(k/m) = 10 rad/s with a damping ratio of c / (2 sqrt(k m)) = 0.1; eigenvalues are good to rounding, times the
  // condition of a single oscillator.
  const double omega = 10 * std::sqrt(1 - 0.01);
  BOOST_TEST(cell(csv, 1, "omega") == omega, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(cell(csv, 1, "frequency") == omega / (2 * std::acos(-1.0)), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(cell(csv, 1, "damping_ratio") == 0.1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(cell(csv, 1, "growth") == -1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(cell(csv, 1, "bob.uy") * 4 == cell(csv, 1, "bob.uz") * 3, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(std::abs(cell(csv, 1, "bob.uz")) > 0.1);
  BOOST_TEST(std::abs(cell(csv, 1, "bob.rx")) <= 1e-9);
}

BOOST_AUTO_TEST_CASE(assembly_closes_joints_and_says_how_far_bodies_went) {
  const Workplace w;
  w.write("open.yaml", R"(
bodies:
  rod: {box: [1, 1, 1], mass: 1, velocity: [0, 0.25, 0]}
joints:
  pin: {type: spherical, between: [ground, rod], at: {first: [0, 0, 0.125], second: {body: rod, point: [0, 0, 0]}}}
integrator: {step: 0.1, end: 1}
)");
  const Ended refused = w.emmy("check open.yaml");
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "or let 'initial: {assemble: true}' do it"));
  const Ended e = w.emmy("check open.yaml --set initial.assemble=true");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
  BOOST_TEST(contains(e.out, "initial assembly"));
  BOOST_TEST(contains(e.out, "1.250e-01")); // all of the gap: the joint holds the centre of mass
  BOOST_TEST(contains(e.out, "2.500e-01")); // and all of the velocity
  BOOST_TEST(w.emmy("run open.yaml --set initial.assemble=true").code == 0);
  const auto csv = read_csv(w.read("open.out/history.csv"));
  BOOST_TEST(std::abs(cell(csv, 1, "rod.z") - 0.125) <= 1e-14);
  BOOST_TEST(contains(w.read("open.out/run.log"), "initial assembly"));
}

// A four-bar linkage typed bar behind bar: all gradients point along it, and none says that it has to bend. With one
// body moved by 1 cm they do. Both are closed, and told with what was typed; one whose bars are too short is refused.
BOOST_AUTO_TEST_CASE(assembly_leaves_a_straight_four_bar_and_shows_what_was_typed_beside_what_came_of_it) {
  const Workplace w;
  const auto four_bar = [&](const std::string& name, const std::string& coupler, const std::string& end) {
    return w.write(name, R"(
bodies:
  crank: {box: [1, 0.1, 0.1], mass: 1, position: [0.5, 0, 0]}
  coupler: {box: [2, 0.1, 0.1], mass: 2, position: )" +
                             coupler + R"(, velocity: [0, 0, 0.5]}
  rocker: {box: [1.8, 0.1, 0.1], mass: 1.8, position: [3.9, 0, 0]}
joints:
  A: {type: revolute, between: [ground, crank], at: {first: [0, 0, 0], second: {body: crank, point: [-0.5, 0, 0]}}, axis: z}
  B: {type: revolute, between: [crank, coupler], at: {first: {body: crank, point: [0.5, 0, 0]}, second: {body: coupler, point: [-1, 0, 0]}}, axis: z}
  C: {type: revolute, between: [coupler, rocker], at: {first: {body: coupler, point: [1, 0, 0]}, second: {body: rocker, point: [-0.9, 0, 0]}}, axis: z}
  D: {type: revolute, between: [rocker, ground], at: {first: {body: rocker, point: [0.9, 0, 0]}, second: [)" +
                             end + R"(, 0, 0]}, axis: z}
initial: {assemble: true}
integrator: {step: 0.01, end: 0.02}
)");
  };
  four_bar("straight.yaml", "[2, 0, 0]", "2.5");
  four_bar("moved.yaml", "[2, 0.01, 0]", "2.5");
  four_bar("short.yaml", "[2, 0, 0]", "7");

  const Ended straight = w.emmy("check straight.yaml"), moved = w.emmy("check moved.yaml");
  BOOST_TEST(straight.code == 0, straight.err);
  BOOST_TEST(moved.code == 0, moved.err);
  BOOST_TEST(contains(straight.out, "  singular start           a gap of 0.8"), straight.out);
  BOOST_TEST(contains(straight.out, "closed after 1 move by 0.1 rad or"));
  BOOST_TEST(!contains(moved.out, "singular start"));
  BOOST_TEST(contains(moved.out, "  coupler                    2        0.01           0  "), moved.out); // as typed
  BOOST_TEST(contains(straight.out, "  orientation, axis times angle [rad]\n"));
  // The hinges admit no velocity across their plane.
  BOOST_TEST(
      contains(
          straight.out,
          "  coupler                    0           0         0.5            0           0           0    5.000e-01\n"),
      straight.out);
  BOOST_TEST(w.emmy("check straight.yaml").out == straight.out);

  BOOST_TEST(w.emmy("run straight.yaml").code == 0);
  BOOST_TEST(contains(w.read("straight.out/run.log"), "  singular start           a gap of 0.8"));
  const auto audit = nlohmann::json::parse(w.read("straight.out/audit.json"));
  // Gaps are sums of some ten terms of at most 5 m, in three states.
  BOOST_TEST(audit.at("constraints").at("max_position_violation").get<double>() <= 10 * 2.3e-16 * 5);

  const Ended refused = w.emmy("run short.yaml");
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "error: the joints cannot be closed: a gap of "), refused.err);
  BOOST_TEST(contains(refused.err, "joints contradict one another"));
  BOOST_TEST(contains(refused.err, "\n  tried: the nearest positions, "));
  BOOST_TEST(!std::filesystem::exists(w.path() / "short.out"));
}

// With kicks the work is that of three forces, at the ends and in the middle of a step, and the power is that of their
// mean: they agree to second order.
BOOST_AUTO_TEST_CASE(the_power_of_a_motor_adds_up_to_its_work) {
  const Workplace w;
  BOOST_REQUIRE(w.emmy("run " + example("joints/revolute.yaml") +
                       " -o r --set output.every=0 --set integrator.end=2 --set integrator.velocity_constraints=off")
                    .code == 0);
  const auto csv = read_csv(w.read("r/history.csv"));
  double work = 0;
  for (std::size_t row = 2; row < csv.size(); ++row)
    work += cell(csv, row, "motor.power") * (cell(csv, row, "t") - cell(csv, row - 1, "t"));
  const std::size_t last = csv.size() - 1;
  // 400 steps, each known to the tolerance to which its equations are solved.
  BOOST_TEST(work == cell(csv, last, "work"), boost::test_tools::tolerance(1e-9));
  const double t = cell(csv, last, "t");
  BOOST_TEST(cell(csv, last, "motor.angle") == 0.5 * (1 - std::cos(2 * t)), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(csv[1].size() == csv[0].size());
}

BOOST_AUTO_TEST_CASE(turns_are_counted) {
  const Workplace w;
  w.write("spin.yaml", R"(
bodies:
  wheel: {cylinder: {radius: 0.1, length: 0.1}, mass: 1, angular_velocity: [0, 0, 10]}
joints:
  hub: {type: revolute, between: [ground, wheel], at: wheel, axis: z}
integrator: {step: 0.01, end: 3}
)");
  BOOST_REQUIRE(w.emmy("run spin.yaml").code == 0);
  const auto csv = read_csv(w.read("spin.out/history.csv"));
  const std::size_t last = csv.size() - 1;
  // A step of the Cayley map turns by 2 atan(h w / 2).
  BOOST_TEST(cell(csv, last, "hub.angle") == 300 * 2 * std::atan(0.05), boost::test_tools::tolerance(1e-10));
  BOOST_TEST(cell(csv, last, "hub.angle_rate") == 10, boost::test_tools::tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(springs_of_bodies_show_in_history_and_audit) {
  const Workplace w;
  BOOST_REQUIRE(w.emmy("run " + example("three_link.yaml") + " -o r --set integrator.end=1").code == 0);
  const auto csv = read_csv(w.read("r/history.csv"));
  const std::size_t last = csv.size() - 1;
  // Regression of docs/theory/spring_tetra.md: k = 1e6, h = 0.005, centre of link 3 at t = 1, given to 12 decimals.
  BOOST_TEST(std::abs(cell(csv, last, "link3.x") - 1.011445801094) <= 1e-10);
  BOOST_TEST(std::abs(cell(csv, last, "link3.y") - 0.499513737775) <= 1e-10);
  BOOST_TEST(std::abs(cell(csv, last, "link3.z") - 0.487844304279) <= 1e-10);
  BOOST_TEST(cell(csv, last, "strain") > 0);
  // What holds the chain: the reaction of the shared point at the ground is what changes momentum, beside the weight.
  const double dt = cell(csv, last, "t") - cell(csv, last - 1, "t");
  BOOST_TEST(std::isfinite(cell(csv, last, "pivot.fz")));
  BOOST_TEST(dt > 0);
  const auto audit = nlohmann::json::parse(w.read("r/audit.json"));
  BOOST_TEST(audit.at("strain").at("max_ratio") > 0);
  BOOST_TEST(audit.at("strain").at("max_ratio") < 1e-2);
  BOOST_TEST(audit.at("strain").at("least_volume") > 0.99);
}

BOOST_AUTO_TEST_CASE(a_shared_joint_reports_what_a_joint_with_multipliers_would) {
  const Workplace w;
  const std::string head = R"(
gravity: [0, 0, -9.81]
defaults: {formulation: spring_tetra}
bodies:
  a: {box: [1, 0.2, 0.1], mass: 2, position: [0.5, 0, 0]}
  b: {box: [1, 0.2, 0.1], mass: 3, position: [1.5, 0, 0]}
joints:
)";
  const auto deck = [&](const std::string& by) {
    return head + "  hinge: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, by: " + by +
           "}\n  ball: {type: spherical, between: [a, b], at: [1, 0, 0], by: " + by +
           "}\nintegrator: {step: 0.01, end: 0.5}\n";
  };
  w.write("shared.yaml", deck("sharing"));
  w.write("held.yaml", deck("multipliers"));
  BOOST_REQUIRE(w.emmy("run shared.yaml").code == 0);
  BOOST_REQUIRE(w.emmy("run held.yaml").code == 0);
  BOOST_TEST(contains(w.emmy("check shared.yaml").out, "by sharing points"));
  const auto shared = read_csv(w.read("shared.out/history.csv")), held = read_csv(w.read("held.out/history.csv"));
  const std::size_t last = held.size() - 1;
  for (const char* column : {"a.x", "b.z", "b.qw", "hinge.fx", "hinge.fz", "hinge.mx", "ball.fx", "ball.fz"})
    BOOST_TEST(std::abs(cell(shared, last, column) - cell(held, last, column)) <= 1e-7, column); // 50 N to 1e-9
}

// With dampers what creeps has no frequency, but its place by |s|.
BOOST_AUTO_TEST_CASE(modes_are_in_the_order_of_their_natural_frequency) {
  const Workplace w;
  std::string deck = beam(52, "ground", "[0, 0, 0]");
  deck.replace(deck.find("1e4]}"), 5, "1e4], damping: [0, 0, 0, 0, 0, 2e4]}"); // of the root
  deck.replace(deck.find("analysis: static"), 16, "analysis: {type: modes, number: 12}");
  w.write("deck.yaml", deck);
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST_REQUIRE(e.code == 0, e.err);
  const auto csv = read_csv(w.read("deck.out/modes.csv"));
  BOOST_TEST_REQUIRE(csv.size() == 13U);
  BOOST_TEST(cell(csv, 1, "frequency") == 0);
  for (std::size_t i = 1; i < 13; ++i) {
    const double s = std::hypot(cell(csv, i, "omega"), cell(csv, i, "growth"));
    BOOST_TEST(cell(csv, i, "natural_frequency") == s / (2 * std::acos(-1.0)), boost::test_tools::tolerance(1e-14));
    if (i > 1)
      BOOST_TEST(cell(csv, i, "natural_frequency") >= cell(csv, i - 1, "natural_frequency"));
  }
}

// Hundreds of modes take many seconds; the signal comes within the first, whatever is being computed then.
BOOST_AUTO_TEST_CASE(an_interrupt_ends_analyses_with_code_1) {
  const Workplace w;
  std::string deck = beam(500, "ground", "[0, 0, -9.81]");
  deck.replace(deck.find("analysis: static"), 16, "analysis: {type: modes, number: 400}");
  w.write("deck.yaml", deck);
  const std::string log = (w.path() / "deck.out/run.log").string();
  const Ended e = w.emmy("run deck.yaml & for i in $(seq 600); do [ -s '" + log +
                         "' ] && break; sleep 0.1; done; sleep 0.3; kill -INT $!; wait $!");
  BOOST_TEST(e.code == 1);
  BOOST_TEST(contains(w.read("deck.out/run.log"), "interrupted; there are no results"));
  BOOST_TEST(!fs::exists(w.path() / "deck.out/modes.csv"));
}

BOOST_AUTO_TEST_SUITE_END()
