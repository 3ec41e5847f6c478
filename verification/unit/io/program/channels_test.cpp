/// Which columns results have, and in which files.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

/// The head of a file of results, without the end of its line.
std::string head(const Workplace& w, const std::string& file) {
  const std::string text = w.read(file);
  return text.substr(0, text.find('\n'));
}

const std::string crank = example("slider_crank.yaml") + " --set integrator.end=0.02";

} // namespace

BOOST_AUTO_TEST_SUITE(Channels)

BOOST_AUTO_TEST_CASE(are_listed_with_unit_and_time) {
  const Workplace w;
  const Ended e = w.emmy("check --channels " + example("slider_crank.yaml"));
  BOOST_REQUIRE(e.code == 0);
  BOOST_TEST(contains(e.out, "crank.angular_velocity"), e.out);
  BOOST_TEST(contains(e.out, "energy.imbalance"));
  BOOST_TEST(contains(e.out, "rad/s"));
  // Reactions are means of a step and say so; positions are not.
  const auto line_of = [&](const std::string& name) {
    const std::size_t at = e.out.find(" " + name + " ");
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, name << " is not listed");
    return e.out.substr(at, e.out.find('\n', at) - at);
  };
  BOOST_TEST(contains(line_of("crank.position"), " end "));
  BOOST_TEST(contains(line_of("hinge.force"), " mean "));
  BOOST_TEST(contains(line_of("energy.work"), " total "));
}

/// Counts and largest values are no means: they are 0 where no step led to a state, and means are not numbers there.
BOOST_AUTO_TEST_CASE(are_means_or_not) {
  const Workplace w;
  w.write("d.yaml", R"(
bodies: {ball: {sphere: 0.1, mass: 1, position: [0, 0, 0.12], velocity: [0, 0, -1]}}
contact:
  surfaces: {skin: {on: ball, sphere: 0.1}, floor: {on: ground, half_space: z}}
  pairs: {drop: {between: [skin, floor], restitution: 0}}
integrator: {step: 0.01, end: 0.05}
)");
  const Ended listed = w.emmy("check --channels d.yaml"), run = w.emmy("run d.yaml -o r");
  BOOST_REQUIRE_MESSAGE(listed.code == 0 && run.code == 0, listed.err + run.err);
  const auto csv = read_csv(w.read("r/history.csv"));
  for (const std::string name : {"contact.count", "contact.residual", "drop.points", "drop.force"}) {
    const std::size_t at = listed.out.find(" " + name + " ");
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, name << " is not listed");
    const bool is_mean = contains(listed.out.substr(at, listed.out.find('\n', at) - at), " mean ");
    BOOST_TEST(is_mean == (name == "drop.force"));
    const double first = cell(csv, 1, is_mean ? "drop.fz" : name);
    BOOST_TEST((is_mean ? std::isnan(first) : first == 0), name);
  }
  const auto points = [&](std::size_t row) { return cell(csv, row, "drop.points"); };
  BOOST_TEST(points(2) + points(3) + points(4) > 0);
}

/// Every column of the file is in the list, and the other way round.
BOOST_AUTO_TEST_CASE(of_the_list_are_the_columns_of_the_file) {
  for (const char* deck : {"slider_crank.yaml", "slider_limited.yaml", "newtons_cradle.yaml", "three_link.yaml"}) {
    const Workplace w;
    const std::string path = example(deck);
    const Ended listed = w.emmy("check --channels " + path);
    BOOST_REQUIRE(w.emmy("run " + path + " -o r --set integrator.end=0.01").code == 0);
    const auto columns = read_csv(head(w, "r/history.csv"))[0];
    BOOST_TEST(columns.size() > 10U);
    for (std::size_t i = 1; i < columns.size(); ++i)
      BOOST_TEST(contains(listed.out, " " + columns[i] + " "), columns[i] << " of " << deck);
  }
}

BOOST_AUTO_TEST_CASE(are_chosen_by_name_kind_owner_and_wildcard) {
  const Workplace w;
  BOOST_REQUIRE(w.emmy("run " + crank + " -o all").code == 0);
  BOOST_REQUIRE(w.emmy("run " + crank +
                       " -o some --set 'output.channels=[\"crank.w?\", energy, hinge.angle, rod.position, rod.x]'")
                    .code == 0);
  BOOST_TEST(head(w, "some/history.csv") == "t,crank.wx,crank.wy,crank.wz,kinetic,potential,work,dissipation,"
                                            "energy_imbalance,hinge.angle,rod.x,rod.y,rod.z");
  const auto all = read_csv(w.read("all/history.csv")), some = read_csv(w.read("some/history.csv"));
  BOOST_REQUIRE(all.size() == some.size());
  const std::size_t last = all.size() - 1;
  for (std::size_t i = 0; i < some[0].size(); ++i)
    BOOST_TEST(cell(all, last, some[0][i]) == std::stod(some[last][i]), some[0][i]);
}

/// What a step changed, divided by its length: what a mean force has to be compared with. At the ends of steps a drive
/// whose rate has jumped swings about it.
BOOST_AUTO_TEST_CASE(of_mean_rates_are_changes_of_a_step_and_come_on_request) {
  const Workplace w;
  w.write("d.yaml", R"yaml(
bodies:
  rotor: {box: [0.3, 0.2, 0.1], mass: 1, position: [1, 0, 0], velocity: [0, 3, 0], angular_velocity: [0, 0, 3]}
  sledge: {box: [0.1, 0.1, 0.1], mass: 1, position: [0, 1, 0], markers: {tip: [0.1, 0, 0]}}
joints:
  hub: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: z, drive: {angle: "3*min(t, 0.0305)"}}
  rail: {type: prismatic, between: [ground, sledge], at: sledge, axis: x, drive: {displacement: t^2}}
integrator: {step: 0.01, end: 0.06}
)yaml");
  const std::string means = "\"*.mean_*\", hub.power, hub.effort, hub.angle, rotor.position, rotor.orientation";
  for (const std::string order : {"2", "4"}) {
    const Ended e = w.emmy("run d.yaml -o r --force --set integrator.order=" + order + " --set 'output={channels: [" +
                           means + "], points: [sledge.tip]}'");
    BOOST_REQUIRE_MESSAGE(e.code == 0, e.err);
    const auto csv = read_csv(w.read("r/history.csv"));
    BOOST_REQUIRE(csv.size() == 8U);
    for (const std::string name : {"rotor.mean_vx", "rotor.mean_wz", "hub.mean_angle_rate", "sledge.tip.mean_vx"})
      BOOST_TEST(std::isnan(cell(csv, 1, name)), name);
    const auto change = [&](std::size_t row, const std::string& name) {
      return (cell(csv, row, name) - cell(csv, row - 1, name)) / 0.01;
    };
    // Positions of about one metre are solved and rounded to some eps, which the step divides.
    const double rounding = 100 * 2.2e-16 / 0.01;
    for (std::size_t row = 2; row < csv.size(); ++row) {
      const double t = 0.01 * (static_cast<double>(row) - 1), before = t - 0.01;
      const double rate = 3 * (std::min(t, 0.0305) - std::min(before, 0.0305)) / 0.01;
      BOOST_TEST(std::abs(cell(csv, row, "rotor.mean_vx") - change(row, "rotor.x")) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "rotor.mean_vy") - change(row, "rotor.y")) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "rotor.mean_wz") - rate) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "rotor.mean_wx")) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "hub.mean_angle_rate") - rate) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "rail.mean_displacement_rate") - (t + before)) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "sledge.mean_vx") - (t + before)) <= rounding);
      BOOST_TEST(std::abs(cell(csv, row, "sledge.tip.mean_vx") - (t + before)) <= rounding);
      if (order == "2") // efforts are means of a single part
        BOOST_TEST(std::abs(cell(csv, row, "hub.power") - cell(csv, row, "hub.effort") * rate) <=
                   rounding * (1 + std::abs(cell(csv, row, "hub.effort"))));
    }
  }
  // Neither all nor those of an owner or kind.
  for (const std::string channels :
       {"", " --set output.channels=rotor", " --set output.channels=body", " --set output.channels=joint"}) {
    BOOST_REQUIRE(w.emmy("run d.yaml -o r --force" + channels).code == 0);
    BOOST_TEST(!contains(head(w, "r/history.csv"), "mean_"), channels);
  }
  BOOST_REQUIRE(
      w.emmy("run d.yaml -o r --force --set 'output.channels=[body.mean_velocity, hub.mean_angle_rate]'").code == 0);
  BOOST_TEST(head(w, "r/history.csv") == "t,rotor.mean_vx,rotor.mean_vy,rotor.mean_vz,sledge.mean_vx,sledge.mean_vy,"
                                         "sledge.mean_vz,hub.mean_angle_rate");
}

/// Wildcards stand for letters of names. Kinds are said in full.
BOOST_AUTO_TEST_CASE(of_a_kind_are_chosen_by_its_whole_name) {
  const Workplace w;
  const auto heads = [&](const std::string& pattern) {
    const Ended e = w.emmy("run " + crank + " -o r --force --set 'output.channels=[" + pattern + "]'");
    return e.code == 0 ? head(w, "r/history.csv") : "none";
  };
  BOOST_TEST(heads("body.velocit*") ==
             "t,crank.vx,crank.vy,crank.vz,rod.vx,rod.vy,rod.vz,slider.vx,slider.vy,slider.vz");
  BOOST_TEST(heads("bod*.velocity") == "none");
  BOOST_TEST(heads("\"*dy.velocity\"") == "none");
  BOOST_TEST(heads("r*.velocity") == "t,rod.vx,rod.vy,rod.vz");
  BOOST_TEST(heads("body.*x") == heads("body.x"));
}

BOOST_AUTO_TEST_CASE(that_are_not_there_are_an_error_at_their_place) {
  const Workplace w;
  std::string text = read_file(example("slider_crank.yaml"));
  const std::string before = "output: {every: 0.01}";
  BOOST_REQUIRE(contains(text, before));
  text.replace(text.find(before), before.size(), "output: {channels: [crank.x, cranc.y, 'nothing.*']}");
  w.write("d.yaml", text);
  const Ended e = w.emmy("check d.yaml");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "d.yaml:31:30: error: no channel of this model is called 'cranc.y'"), e.err);
  BOOST_TEST(contains(e.err, "did you mean 'crank.y'?"));
  BOOST_TEST(contains(e.err, "error: no channel of this model is called 'nothing.*'"));
  BOOST_TEST(!contains(e.err, "'crank.x'"));
}

BOOST_AUTO_TEST_CASE(choose_instead_of_selections) {
  const Workplace w;
  BOOST_REQUIRE(w.emmy("run " + crank + " -o r --set output.bodies=crank --set output.channels=rod.x").code == 0);
  BOOST_TEST(head(w, "r/history.csv") == "t,rod.x");
}

BOOST_AUTO_TEST_CASE(of_groups_have_files_and_intervals_of_their_own) {
  const Workplace w;
  BOOST_REQUIRE(w.emmy("run " + example("chain_spherical.yaml") +
                       " -o r --set integrator.step=0.01 --set integrator.end=1 --set output.every=0.1 "
                       "--set 'output.groups={fast: {channels: energy.kinetic}, slow: {channels: [link1.x], "
                       "every_steps: 30}}'")
                    .code == 0);
  const auto all = read_csv(w.read("r/history.csv")), fast = read_csv(w.read("r/history.fast.csv")),
             slow = read_csv(w.read("r/history.slow.csv"));
  BOOST_TEST(all.size() == 12U);
  BOOST_TEST(fast.size() == 102U);
  BOOST_TEST(slow.size() == 6U); // 0, 30, 60, 90 and the end
  BOOST_TEST(slow[0].size() == 2U);
  BOOST_TEST(cell(fast, 51, "kinetic") == cell(all, 6, "kinetic"));
  BOOST_TEST(cell(slow, 4, "t") == 0.9, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(have_units_in_the_head_if_asked) {
  const Workplace w;
  BOOST_REQUIRE(
      w.emmy("run " + crank + " -o r --set output.units=true --set 'output.channels=[crank.x, hinge.angle*, momentum]'")
          .code == 0);
  BOOST_TEST(
      head(w, "r/history.csv") ==
      "t [s],crank.x [m],hinge.angle [rad],hinge.angle_rate [rad/s],px [N s],py [N s],pz [N s],lx [N m s],ly [N m s],"
      "lz [N m s]");
}

BOOST_AUTO_TEST_SUITE_END()
