/// How programs start and what they leave behind, one alone and many at once. Open MPI's own ways are a race:
/// solvers/petsc/petsc.cpp. How to start a thousand by hand is in docs/verification.md.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

/// A run of one step.
const std::string short_run = "run " + example("free_body.yaml") + " --set integrator.end=0.05 ";

/// A place that cannot be a directory, not even for root.
const std::string nowhere = "TMPDIR=/dev/null/none ";

/// A directory for temporary files of a workplace alone, and the words that make it that.
struct Temporary {
  explicit Temporary(const Workplace& w) : path(w.path() / "tmp") { fs::create_directory(path); }
  std::string setting() const { return "TMPDIR='" + path.string() + "' "; }
  fs::path path;
};

} // namespace

BOOST_AUTO_TEST_SUITE(Start)

BOOST_AUTO_TEST_CASE(a_run_needs_no_temporary_directory) {
  const Workplace w;
  const Ended e = w.emmy_by("env " + nowhere, short_run);
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_killed_leaves_no_temporary_files) {
  const Workplace w;
  const Temporary temporary(w);
  const Ended e = w.emmy_by("env " + temporary.setting(), long_run_until_lines_appear(w) + "kill -9 $!; wait $!");
  BOOST_TEST(e.code == 128 + 9);
  BOOST_TEST(fs::is_empty(temporary.path));
}

// With session directories, one to four of a hundred died in MPI_Init.
BOOST_AUTO_TEST_CASE(many_that_start_at_once_all_run) {
  const Workplace w;
  const Temporary temporary(w);
  const Ended e = w.emmy_by("seq 64 | env " + temporary.setting() + "xargs -P 16 -I N", short_run + "-o r/N");
  BOOST_TEST(e.code == 0); // xargs says 123 if one of them fails
  BOOST_TEST(e.err == "");
  for (int i = 1; i <= 64; ++i)
    BOOST_TEST(fs::exists(w.path() / "r" / std::to_string(i) / "audit.json"), i);
  BOOST_TEST(fs::is_empty(temporary.path));
}

BOOST_AUTO_TEST_CASE(what_the_user_tells_open_mpi_stands) {
  const Workplace w;
  const Ended e = w.emmy_by("env " + nowhere + "OMPI_MCA_orte_create_session_dirs=1", short_run);
  BOOST_TEST(e.code != 0);
  BOOST_TEST(contains(e.err, "/dev/null/none"));
}

BOOST_AUTO_TEST_CASE(mpirun_starts_it_too) {
  const Workplace w;
  const Ended e =
      w.emmy_by("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 1", short_run + "-o r");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(fs::exists(w.path() / "r/audit.json"));
}

BOOST_AUTO_TEST_SUITE_END()
