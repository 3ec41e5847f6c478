/// `emmy run` as its users see it: results, exit codes, messages.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace emmy::test;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(Run)

BOOST_AUTO_TEST_CASE(writes_history_audit_and_log_and_says_so) {
  const Workplace w;
  const Ended e = w.emmy("run " + example("chain_spherical.yaml"));
  BOOST_TEST(e.code == 0);
  // No progress line where there is no terminal; nothing but that the step is coarse.
  BOOST_TEST(e.err.find("warning: body 'link4' turns by 0.748 rad in a step of 0.1 s") == 0U, e.err);
  BOOST_TEST(e.err.find('\n') == e.err.size() - 1);
  BOOST_TEST(contains(e.out, "Four boxes on spherical joints"));
  BOOST_TEST(contains(e.out, "Conservation audit"));
  BOOST_TEST(contains(e.out, "Results in chain_spherical.out: history.csv (101 rows), audit.json, run.log"));
  BOOST_TEST(contains(w.read("chain_spherical.out/run.log"), "Conservation audit"));

  const auto audit = nlohmann::json::parse(w.read("chain_spherical.out/audit.json"));
  BOOST_TEST(audit.at("completed") == true);
  BOOST_TEST(audit.at("steps") == 100);
  BOOST_TEST(audit.at("rejected_steps") == 0);
  BOOST_TEST(audit.at("end_time") == 10.0);
  for (const char* key : {"initial", "final", "scale", "max_imbalance", "max_relative_imbalance"})
    BOOST_TEST(audit.at("energy").at(key).is_number());
  for (const char* momentum : {"linear_momentum", "angular_momentum"})
    BOOST_TEST(audit.at(momentum).at("max_relative_imbalance") <= 1e-12);
  for (const char* key : {"max_position_violation", "max_velocity_violation"})
    BOOST_TEST(audit.at("constraints").at(key).is_number());
  for (const char* key : {"mean_iterations", "max_iterations"})
    BOOST_TEST(audit.at("newton").at(key) > 0);
  for (const char* key : {"total", "per_step"})
    BOOST_TEST(audit.at("wall_time").at(key) > 0);
}

BOOST_AUTO_TEST_CASE(history_has_the_documented_columns_and_physical_values) {
  const Workplace w;
  BOOST_REQUIRE(
      w.emmy("run " + example("chain_spherical.yaml") + " --set integrator.step=0.001 --set integrator.end=0.01")
          .code == 0);
  const auto csv = read_csv(w.read("chain_spherical.out/history.csv"));
  BOOST_TEST(csv[0][0] == "t");
  const std::size_t last = csv.size() - 1;
  BOOST_TEST(cell(csv, 1, "t") == 0);
  BOOST_TEST(cell(csv, last, "t") == 0.01);
  BOOST_TEST(cell(csv, 1, "link4.qw") == 0.3535533905932738, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(cell(csv, 1, "link4.qz") == -0.3535533905932738, boost::test_tools::tolerance(1e-15));
  // At rest the sum of all forces is what changes momentum: support + weight = dp/dt.
  const double dt = 0.001;
  const double dp = cell(csv, last, "pz") - cell(csv, last - 1, "pz");
  BOOST_TEST(cell(csv, last, "support.fz") - 4 * 12 * 9.81 == dp / dt, boost::test_tools::tolerance(1e-9));
  // A point's acceleration is the change of its velocity over the step.
  const double dv = cell(csv, last, "link4.bottom.vz") - cell(csv, last - 1, "link4.bottom.vz");
  BOOST_TEST(cell(csv, last, "link4.bottom.az") == dv / dt, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(std::abs(cell(csv, last, "kinetic") + cell(csv, last, "potential") + 706.32) <= 1e-10);
}

BOOST_AUTO_TEST_CASE(angular_velocity_is_spatial_unless_asked) {
  const Workplace w;
  const std::string deck = example("free_body.yaml") + " --set integrator.end=1";
  BOOST_REQUIRE(w.emmy("run " + deck + " -o body").code == 0);
  BOOST_REQUIRE(w.emmy("run " + deck + " --set output.angular_velocity=global -o space").code == 0);
  const auto body = read_csv(w.read("body/history.csv")), space = read_csv(w.read("space/history.csv"));
  const std::size_t last = body.size() - 1;
  double difference = 0, norm_body = 0, norm_space = 0;
  for (const char* c : {"body.wx", "body.wy", "body.wz"}) {
    difference += std::abs(cell(body, last, c) - cell(space, last, c));
    norm_body += std::pow(cell(body, last, c), 2);
    norm_space += std::pow(cell(space, last, c), 2);
  }
  BOOST_TEST(difference > 0.1); // the body has turned by about a radian
  BOOST_TEST(norm_body == norm_space, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(results_are_not_overwritten_without_force) {
  const Workplace w;
  const std::string command = "run " + example("free_body.yaml") + " -o r --set integrator.end=0.5";
  BOOST_TEST(w.emmy(command).code == 0);
  const std::string before = w.read("r/history.csv");
  const Ended refused = w.emmy(command + " --set integrator.step=0.1");
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "r: error: the directory exists and is not empty"));
  BOOST_TEST(w.read("r/history.csv") == before);
  BOOST_TEST(w.emmy(command + " --set integrator.step=0.1 --force").code == 0);
  BOOST_TEST(w.read("r/history.csv") != before);
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_an_error_before_anything_runs) {
  const Workplace w;
  w.write("file", "not a directory");
  const Ended below = w.emmy("run " + example("free_body.yaml") + " -o file/results");
  BOOST_TEST(below.code == 2);
  BOOST_TEST(contains(below.err, "file/results: error: cannot create the directory"));
  const Ended onto = w.emmy("run " + example("free_body.yaml") + " -o file");
  BOOST_TEST(onto.code == 2);
  BOOST_TEST(contains(onto.err, "file: error: cannot write results here: it is not a directory"));
  BOOST_TEST(w.read("file") == "not a directory");
  fs::create_directories(w.path() / "taken" / "history.csv");
  const Ended blocked = w.emmy("run " + example("free_body.yaml") + " -o taken --force");
  BOOST_TEST(blocked.code == 2);
  BOOST_TEST(contains(blocked.err, "taken/history.csv: error: cannot write: Is a directory"));
}

BOOST_AUTO_TEST_CASE(a_run_that_cannot_converge_ends_with_code_3_a_reason_and_its_history) {
  const Workplace w;
  // Links whirl: a step of 1 s is far too large, and halving is forbidden after some good steps.
  const std::string deck = example("chain_spherical.yaml");
  const Ended e = w.emmy("run " + deck + " -o r --set integrator.step=1 --set solver.max_halvings=0");
  BOOST_TEST(e.code == 3);
  BOOST_TEST(contains(e.err, "error: t = "));
  BOOST_TEST(contains(e.err, ", step "));
  BOOST_TEST(contains(e.err, "largest residual: '"));
  BOOST_TEST(contains(e.err, "try a smaller step (integrator.step, now "));
  const auto audit = nlohmann::json::parse(w.read("r/audit.json"));
  BOOST_TEST(audit.at("completed") == false);
  BOOST_TEST(contains(audit.at("failure"), "step"));
  const auto csv = read_csv(w.read("r/history.csv"));
  BOOST_TEST(csv.size() == audit.at("steps").get<std::size_t>() + 2); // head and initial state
  for (const auto& row : csv)
    BOOST_TEST(row.size() == csv[0].size());
}

BOOST_AUTO_TEST_CASE(steps_that_fail_are_halved_and_counted) {
  const Workplace w;
  BOOST_TEST(w.emmy("run " + example("chain_spherical.yaml") + " -o r --set integrator.step=1").code == 0);
  const auto audit = nlohmann::json::parse(w.read("r/audit.json"));
  BOOST_TEST(audit.at("rejected_steps") > 0);
  BOOST_TEST(audit.at("steps") > 10);
  BOOST_TEST(audit.at("energy").at("max_relative_imbalance") <= 1e-12);
}

BOOST_AUTO_TEST_CASE(a_kill_leaves_whole_lines) {
  const Workplace w;
  const Ended e = w.emmy(long_run_until_lines_appear(w) + "kill -9 $!; wait $!");
  BOOST_TEST(e.code == 128 + 9); // of the killed program, whose last write has ended by now
  const std::string text = w.read("r/history.csv");
  const auto csv = read_csv(text);
  BOOST_TEST(csv.size() > 10);
  // io/text_file.hpp: the last line may be cut, but at the edge of a page of memory alone.
  const bool cut = text.back() != '\n';
  BOOST_TEST((!cut || text.size() % 4096 == 0));
  for (std::size_t line = 0; line < csv.size() - (cut ? 1 : 0); ++line)
    BOOST_REQUIRE(csv[line].size() == csv[0].size());
}

BOOST_AUTO_TEST_CASE(an_interrupt_closes_all_files) {
  const Workplace w;
  w.emmy(long_run_until_lines_appear(w) + "kill -TERM $!; wait $!");
  const auto audit = nlohmann::json::parse(w.read("r/audit.json"));
  BOOST_TEST(audit.at("completed") == false);
  BOOST_TEST(audit.at("end_time") > 0);
  const std::string failure = audit.at("failure");
  BOOST_TEST(failure.find("interrupted at t = ") == 0U, failure);
  BOOST_TEST(contains(w.read("r/run.log"), failure + "\n"));
}

BOOST_AUTO_TEST_CASE(limits_of_the_audit_are_enforced) {
  const Workplace w;
  const std::string command = "run " + example("chain_spherical.yaml") + " --set audit.max_energy_imbalance=1e-30 ";
  const Ended warned = w.emmy(command + "-o a");
  BOOST_TEST(warned.code == 0);
  BOOST_TEST(contains(warned.err, "warning: relative imbalance of energy"));
  const Ended failed = w.emmy(command + "--set audit.action=fail -o b");
  BOOST_TEST(failed.code == 4);
  BOOST_TEST(contains(failed.err, "error: relative imbalance of energy"));
}

BOOST_AUTO_TEST_CASE(petsc_options_follow_two_dashes_and_misspelt_ones_are_named) {
  const Workplace w;
  const std::string command = "run " + example("free_body.yaml") + " --set integrator.end=0.5 -o ";
  const Ended viewed = w.emmy(command + "a -- -ksp_type gmres -snes_view");
  BOOST_TEST(viewed.code == 0);
  BOOST_TEST(contains(viewed.out, "type: gmres"));
  const Ended misspelt = w.emmy(command + "b -- -ksp_tipe gmres");
  BOOST_TEST(misspelt.code == 0);
  BOOST_TEST(contains(misspelt.err, "warning: PETSc option -ksp_tipe was not used"));
  BOOST_TEST(contains(w.read("b/run.log"), "PETSc options: -ksp_tipe gmres\n"));
  BOOST_TEST(contains(w.read("b/run.log"), "warning: PETSc option -ksp_tipe was not used"));
  const Ended vain = w.emmy(command + "c -- -snes_rtol 1e-3");
  BOOST_TEST(vain.code == 0);
  BOOST_TEST(contains(vain.err, "warning: PETSc option -snes_rtol changes nothing: 'tolerance' of 'solver'"));
  for (const char* words : {"pc_type lu", "-pc_type lu lu", "-"}) {
    const Ended stray = w.emmy(command + "d -- " + words);
    BOOST_TEST(stray.code == 2, words);
    BOOST_TEST(contains(stray.err, "behind -- is neither an option of PETSc nor the value of one"), stray.err);
  }
  BOOST_TEST(!std::filesystem::exists(w.path() / "d"));
  BOOST_TEST(w.emmy("check " + example("free_body.yaml") + " -- -pc_type lu").code == 2);
}

// A preconditioner alone leaves most of a linear system: small increments then are no solution.
BOOST_AUTO_TEST_CASE(a_step_is_not_accepted_because_a_poor_linear_solver_gave_up) {
  const Workplace w;
  const std::string command =
      "run " + example("chain_spherical.yaml") + " --set integrator.step=0.001 --set integrator.end=0.005 -o ";
  const Ended poor = w.emmy(command + "a -- -pc_type jacobi");
  BOOST_TEST(poor.code == 3);
  BOOST_TEST(read_csv(w.read("a/history.csv")).size() == 2); // the head, and the start
  const Ended stopped = w.emmy(command + "b -- -ksp_type gmres -pc_type none -ksp_max_it 5");
  BOOST_TEST(stopped.code == 3);
  BOOST_TEST(contains(stopped.err, "the linear solver that was asked for did not converge (PETSc: DIVERGED_ITS)"));
  const Ended good = w.emmy(command + "c -- -ksp_type gmres -pc_type ilu"); // which iterates, and is good enough
  BOOST_TEST(good.code == 0);
  const auto audit = nlohmann::json::parse(w.read("c/audit.json"));
  BOOST_TEST(audit.at("linear_momentum").at("max_relative_imbalance").get<double>() < 1e-14); // five steps to rounding
}

BOOST_AUTO_TEST_CASE(a_residual_at_its_floor_is_enough_where_no_more_iterations_are_allowed) {
  const Workplace w;
  const std::string command = "run " + example("four_bar_windows.yaml") + " --set integrator.end=0.05 -o ";
  const Ended one = w.emmy(command + "a --set solver.max_iterations=1 --set solver.max_halvings=0");
  BOOST_TEST(one.code == 3);
  BOOST_TEST(contains(one.err, "more iterations may be allowed (solver.max_iterations)"));
  const Ended two = w.emmy(command + "b --set solver.max_iterations=2 --set solver.max_halvings=0");
  BOOST_TEST(two.code == 0, two.err);
}

// A line search of SNES that fails at a small increment is no convergence, and a residual is judged by the forces at
// its own iterate, not by those that Newton went through on the way: here they reach 1e11 N where contacts nearly
// depend on one another, and a step that is judged by them is off by 1e-8 of the momentum.
BOOST_AUTO_TEST_CASE(watching_snes_changes_nothing) {
  const Workplace w;
  const std::string command = "run " EMMY_SOURCE_DIR "/verification/cases/limits/box.yaml -o ";
  const std::string options = " -- -snes_type newtonls -pc_type lu -pc_factor_mat_solver_type umfpack";
  BOOST_REQUIRE(w.emmy(command + "a" + options).code == 0);
  BOOST_REQUIRE(w.emmy(command + "b" + options + " -snes_monitor").code == 0);
  BOOST_TEST(w.read("a/history.csv") == w.read("b/history.csv"));
  const auto audit = nlohmann::json::parse(w.read("b/audit.json"));
  for (const char* quantity : {"energy", "linear_momentum", "angular_momentum"}) // 400 steps, twenty roundings each
    BOOST_TEST(audit.at(quantity).at("max_relative_imbalance").get<double>() < 1e-12, quantity);
}

// Sides of a hinge that disagree, in a loop that cannot give way: told before anything is computed.
BOOST_AUTO_TEST_CASE(redundant_joints_that_disagree_are_named) {
  const Workplace w;
  const std::string deck = example("four_bar_windows.yaml");
  BOOST_TEST(w.emmy("check " + deck).err == "");
  const Ended e = w.emmy("check " + deck + " --set 'joints.foot2.axis={first: [0, 1e-9, 1], second: z}'");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(contains(e.err, "warning: joints with redundant equations are open by 1.0e-09 at the start, most in "
                             "'foot2' (alignment of its axes [rad])"),
             e.err);
}

// A parallelogram that lies flat may fold or stay parallel: who starts it there is told.
BOOST_AUTO_TEST_CASE(a_start_in_a_singular_configuration_is_told) {
  const Workplace w;
  const std::string command = "run " EMMY_SOURCE_DIR "/verification/cases/four_bar/parallelogram.yaml "
                              "--set integrator.end=0.2 -o ";
  const Ended flat = w.emmy(command + "a --set parameters.phi=0");
  BOOST_TEST(flat.code == 0);
  BOOST_TEST(contains(flat.err, "warning: the run starts in a singular configuration, where 1 more of the equations"),
             flat.err);
  BOOST_TEST(w.emmy(command + "b").err == "");
}

BOOST_AUTO_TEST_SUITE_END()
