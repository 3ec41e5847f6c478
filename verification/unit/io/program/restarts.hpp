#pragma once
/// What tests of `emmy run --restart` share.

#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>

namespace emmy::test {

namespace fs = std::filesystem;

inline const std::string chain = example("chain_spherical.yaml");
inline const std::string short_chain = chain + " --set integrator.step=0.01 --set integrator.end=1";

/// Names and contents of the files of a directory.
inline std::map<std::string, std::string> files(const Workplace& w, const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(w.path() / directory))
    if (entry.is_regular_file())
      all[entry.path().filename().string()] = read_file(entry.path());
  return all;
}

inline long count_checkpoints(const Workplace& w, const std::string& directory) {
  const auto all = files(w, directory);
  return std::count_if(all.begin(), all.end(),
                       [](const auto& f) { return f.first.compare(0, 11, "checkpoint.") == 0; });
}

/// A run of the short chain that was stopped in its middle, in `r`; the whole of it is in `whole`.
inline void prepare(const Workplace& w, const std::string& further = "") {
  BOOST_REQUIRE(w.emmy("run " + short_chain + " -o whole" + further).code == 0);
  const Ended e = w.emmy("run " + short_chain + " -o r --stop-at 0.5" + further);
  BOOST_REQUIRE(e.code == 1);
  BOOST_REQUIRE(contains(e.err, "the run can go on from here: emmy run --restart r"));
}

inline void flip(const Workplace& w, const std::string& file, std::size_t at) {
  std::string text = w.read(file);
  text.at(at) = static_cast<char>(text[at] ^ 4);
  w.write(file, text);
}

/// Ends with code 2 and this message, and leaves the directory as it was.
inline void check_refused(const Workplace& w, const std::string& arguments, const std::string& message) {
  const auto before = files(w, "r");
  const Ended e = w.emmy("run " + arguments);
  BOOST_TEST(e.code == 2, arguments);
  BOOST_TEST(contains(e.err, message), e.err);
  BOOST_TEST((files(w, "r") == before), arguments);
}

} // namespace emmy::test
