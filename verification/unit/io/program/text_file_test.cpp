/// Files that are written so that nothing of them is lost: signals that come in between, and disks that fail. Calls of
/// the system that bring files to the disk are those below, in this program.
#include "io/text_file.hpp"
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <thread>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

/// What becomes of the next calls.
struct Calls {
  int interrupted = 0;               ///< so many of them by a signal, each
  int failing_sync = 0;              ///< errno of syncs
  std::vector<std::string> synced{}; ///< paths
};
Calls calls;
int left = 0; // of interruptions of the call at hand

bool is_interrupted() {
  left = left > 0 ? left - 1 : calls.interrupted;
  if (left > 0)
    errno = EINTR;
  return left > 0;
}

int sync_by(long number, int descriptor) {
  if (is_interrupted())
    return -1;
  if (calls.failing_sync != 0) {
    errno = calls.failing_sync;
    return -1;
  }
  calls.synced.push_back(fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string());
  return static_cast<int>(syscall(number, descriptor));
}

struct Scenario {
  explicit Scenario(Calls wanted) {
    calls = std::move(wanted);
    left = 0;
  }
  ~Scenario() { calls = {}; }
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;
};

} // namespace

extern "C" {
int fsync(int descriptor) {
  return sync_by(SYS_fsync, descriptor);
}
int fdatasync(int descriptor) {
  return sync_by(SYS_fdatasync, descriptor);
}
int ftruncate(int descriptor, off_t size) noexcept {
  return is_interrupted() ? -1 : static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}
}

BOOST_AUTO_TEST_SUITE(TextFiles)

BOOST_AUTO_TEST_CASE(are_written_whatever_signals_come) {
  const Workplace w;
  const Scenario scenario({3, 0, {}});
  const std::string path = (w.path() / "a").string();
  emmy::FileMark mark;
  {
    emmy::TextFile file(path);
    file.write("one\n");
    mark = file.mark();
    file.write("two\n");
    file.sync();
  }
  emmy::TextFile(path, mark).sync();
  BOOST_TEST(w.read("a") == "one\n");
  emmy::replace_file(path, "three\n");
  BOOST_TEST(w.read("a") == "three\n");
}

/// A pipe is opened once somebody reads it; until then a signal may come.
BOOST_AUTO_TEST_CASE(are_opened_whatever_signals_come) {
  const Workplace w;
  const std::string path = (w.path() / "pipe").string();
  BOOST_REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  static int count = 0;
  struct sigaction noted {
  }, before{};
  noted.sa_handler = [](int) { ++count; };
  sigaction(SIGUSR1, &noted, &before);
  std::string said;
  std::thread writer([&] {
    try {
      emmy::TextFile(path).write("one\n");
    } catch (const emmy::FileError& error) {
      said = error.what();
    }
  });
  for (int i = 0; i < 1000 && count == 0; ++i) { // the first ones may come before it waits
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pthread_kill(writer.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  writer.join();
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(reader, text.data(), text.size()), 0)));
  close(reader);
  BOOST_TEST(count > 0);
  BOOST_TEST(text == "one\n");
  BOOST_TEST(said == "");
  sigaction(SIGUSR1, &before, nullptr);
}

BOOST_AUTO_TEST_CASE(that_do_not_reach_the_disk_are_an_error) {
  const Workplace w;
  const std::string path = (w.path() / "a").string();
  {
    const Scenario scenario({0, EIO, {}});
    BOOST_CHECK_EXCEPTION(emmy::replace_file(path, "one\n"), emmy::FileError,
                          [](const auto& e) { return contains(e.what(), "a.new: error: cannot write: Input/output"); });
    std::error_code failed;
    BOOST_CHECK_EXCEPTION(
        emmy::make_directories((w.path() / "b").string(), failed), emmy::FileError,
        [&](const auto& e) { return contains(e.what(), w.path().string() + ": error: cannot write: Input/output"); });
  }
  const Scenario scenario({0, EINVAL, {}}); // of a place that knows no syncing
  emmy::replace_file(path, "two\n");
  BOOST_TEST(w.read("a") == "two\n");
}

/// A name is on the disk when the directory is that it stands in.
BOOST_AUTO_TEST_CASE(bring_their_names_to_the_disk) {
  const Workplace w;
  const std::string top = fs::canonical(w.path()).string();
  const Scenario scenario({});
  std::error_code failed;
  emmy::make_directories(top + "/a/b/c", failed);
  BOOST_TEST(!failed);
  BOOST_TEST((calls.synced == std::vector<std::string>{top + "/a/b", top + "/a", top}));
  calls.synced.clear();
  emmy::make_directories(top + "/a/b", failed);
  BOOST_TEST(calls.synced.empty());
  emmy::replace_file(top + "/a/x", "x\n");
  BOOST_TEST((calls.synced == std::vector<std::string>{top + "/a/x.new", top + "/a"}));
  calls.synced.clear();
  emmy::replace_file(top + "/a/x", "y\n", false);
  BOOST_TEST(calls.synced.empty());
  BOOST_TEST(w.read("a/x") == "y\n");
}

BOOST_AUTO_TEST_SUITE_END()
