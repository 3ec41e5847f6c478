/// docs/petsc_options.md, row by row.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace emmy::test;

namespace {

struct Row {
  std::string options, motion;
};

/// Rows of the table whose first cell is code.
std::vector<Row> documented_rows() {
  std::vector<Row> rows;
  std::istringstream lines(read_file(EMMY_SOURCE_DIR "/docs/petsc_options.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 4, "| `-") != 0)
      continue;
    const std::size_t end = line.find("` | "), next = line.find(" | ", end + 4);
    rows.push_back({line.substr(3, end - 3), line.substr(end + 4, next - end - 4)});
  }
  return rows;
}

/// Largest difference of the numbers of two files; infinite if they do not have the same cells.
double difference(const std::string& a, const std::string& b) {
  const Csv x = read_csv(a), y = read_csv(b);
  if (x.size() != y.size() || x[0] != y[0])
    return HUGE_VAL;
  double largest = 0;
  for (std::size_t row = 1; row < x.size(); ++row)
    for (std::size_t i = 0; i < x[row].size(); ++i)
      largest = std::max(largest, std::abs(std::stod(x[row][i]) - std::stod(y[row][i])));
  return largest;
}

const std::string chain = "run " + example("chain_spherical.yaml") + " --set integrator.end=1 ";

} // namespace

BOOST_AUTO_TEST_SUITE(PetscOptions)

// Ten steps of 0.1 s. Each is solved to 8 roundings of its largest terms, forces of some 1e3 N: 2e-12 N; positions and
// velocities err by as much over masses of 12 kg. What one step errs by is multiplied by at most about two in the next
// (chains that fall freely), 2^10 = 1e3 in ten, so that forces agree to 2e-9 N.
BOOST_AUTO_TEST_CASE(every_documented_option_does_what_the_table_says) {
  constexpr double rounding = 2e-9;
  const Workplace w;
  BOOST_REQUIRE(w.emmy(chain + "-o plain").code == 0);
  const std::string plain = w.read("plain/history.csv");
  const std::vector<Row> rows = documented_rows();
  BOOST_TEST(rows.size() > 35);
  int number = 0;
  for (const Row& row : rows) {
    const std::string directory = "run" + std::to_string(++number);
    const Ended e = w.emmy(chain + "-o " + directory + " -- " + row.options);
    BOOST_TEST_CONTEXT(row.options << ": " << row.motion << "\n" << e.err) {
      if (row.motion == "refused") {
        BOOST_TEST(e.code == 2);
        BOOST_TEST(contains(e.err, "emmy: error: PETSc option " + row.options + " cannot work: "));
        BOOST_TEST(!std::filesystem::exists(w.path() / directory));
        continue;
      }
      BOOST_TEST(e.code == 0);
      const std::string history = w.read(directory + "/history.csv");
      const bool told = contains(e.err, " was not used");
      if (row.motion == "same bits") {
        BOOST_TEST((history == plain));
        BOOST_TEST(!told);
      } else if (row.motion == "rounding") {
        BOOST_TEST(difference(history, plain) <= rounding);
        BOOST_TEST(!told);
      } else {
        BOOST_TEST(row.motion == "not used");
        BOOST_TEST(told);
        BOOST_TEST(difference(history, plain) <= rounding);
      }
    }
  }
}

// What is shown is what PETSc itself would show: at the start values both residuals are the same number.
BOOST_AUTO_TEST_CASE(monitors_of_the_own_iteration_show_its_residuals) {
  const Workplace w;
  const Ended own =
      w.emmy(chain + "-o a -- -snes_monitor -ksp_monitor -snes_converged_reason -snes_view -snes_test_jacobian");
  const Ended snes = w.emmy(chain + "-o b -- -snes_type newtonls -snes_monitor");
  const auto first = [](const std::string& text, const char* word) {
    const std::size_t at = text.find(word);
    return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
  };
  BOOST_TEST(first(own.out, "  0 SNES Function norm") != "");
  BOOST_TEST(first(own.out, "  0 SNES Function norm") == first(snes.out, "  0 SNES Function norm"));
  const std::string solved = first(own.out, "1 KSP Residual norm");
  BOOST_REQUIRE(solved.size() > 20);
  BOOST_TEST(std::stod(solved.substr(20)) < 1e-12); // rounding of a residual of 0.1
  BOOST_TEST(contains(own.out, "Nonlinear solve converged due to"));
  BOOST_TEST(contains(own.out, "type: emmy, Newton's method that goes by increments"));
  BOOST_TEST(contains(own.out, "package used to perform factorization: emmy"));
  // differences of about 1e-8 are exact to as much
  const std::string tested = first(own.out, "||J - Jfd||_F/||J||_F =");
  BOOST_REQUIRE(tested.size() > 24);
  BOOST_TEST(std::stod(tested.substr(24)) < 1e-6);
  BOOST_TEST(contains(w.read("a/run.log"), "Newton, block LU"));
}

// KSP, its monitors and views see an ordinary direct solver, and residuals of every system.
BOOST_AUTO_TEST_CASE(the_block_lu_is_a_package_of_factors) {
  const Workplace w;
  const std::string package = " -pc_type lu -pc_factor_mat_solver_type emmy";
  for (const std::string options : {"", " -ksp_type gmres", " -snes_type newtonls"}) {
    const Ended e = w.emmy(chain + "--force -o a -- -ksp_monitor -ksp_view" + options + package);
    BOOST_TEST_CONTEXT(options << "\n" << e.err) {
      BOOST_TEST(e.code == 0);
      BOOST_TEST(contains(e.out, "type: lu"));
      BOOST_TEST(contains(e.out, "package used to perform factorization: emmy"));
    }
    std::istringstream lines(e.out);
    std::vector<double> residuals;
    for (std::string line; std::getline(lines, line);)
      if (const std::size_t at = line.find("0 KSP Residual norm "); at != std::string::npos)
        residuals.push_back(std::stod(line.substr(at + 20)));
    BOOST_REQUIRE(residuals.size() > 2);
    BOOST_TEST(residuals[1] < 0.1 * residuals[0]); // of the first iteration, and of the second
  }
  BOOST_TEST(contains(w.read("a/run.log"), "preonly/lu by emmy"));
  const Ended old = w.emmy(chain + "-o b -- -pc_type emmy");
  BOOST_TEST(old.code == 2);
  BOOST_TEST(contains(old.err, "expected -pc_type lu -pc_factor_mat_solver_type emmy"));
}

// Limits are solved by SNES or merged with augmented Lagrangians, loops with a proximal block, hinges by whole
// matrices.
BOOST_AUTO_TEST_CASE(looking_changes_no_bit_of_other_models) {
  const Workplace w;
  for (const std::string deck : {EMMY_SOURCE_DIR "/verification/cases/limits/box.yaml --set integrator.end=0.2",
                                 EMMY_SOURCE_DIR "/examples/four_bar_windows.yaml --set integrator.end=0.1",
                                 EMMY_SOURCE_DIR "/examples/slider_crank.yaml --set integrator.end=0.1"}) {
    const std::string command = "run " + deck + " --force -o ";
    BOOST_REQUIRE(w.emmy(command + "a").code == 0);
    BOOST_REQUIRE(
        w.emmy(command + "b -- -snes_monitor -ksp_monitor -ksp_view -snes_view -snes_converged_reason").code == 0);
    BOOST_TEST((w.read("a/history.csv") == w.read("b/history.csv")), deck);
  }
}

BOOST_AUTO_TEST_SUITE_END()
