/// Every deck of verification/bad_decks says exactly what its .expected file says.
#include "verification/unit/io/deck/support.hpp"

#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

const fs::path folder = EMMY_SOURCE_DIR "/verification/bad_decks";

std::vector<std::string> names_with(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension)
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

} // namespace

BOOST_AUTO_TEST_SUITE(BadDecks)

BOOST_AUTO_TEST_CASE(there_are_many_and_each_has_its_text) {
  BOOST_TEST(names_with(".yaml").size() >= 100U);
  BOOST_TEST(names_with(".yaml") == names_with(".expected"), boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(says_what_is_wrong, boost::unit_test::data::make(names_with(".yaml")), name) {
  Diagnostics diagnostics;
  read_deck_text(name + ".yaml", contents(folder / (name + ".yaml")), {}, diagnostics);
  BOOST_TEST(diagnostics.has_errors());
  BOOST_TEST(diagnostics.text() == contents(folder / (name + ".expected")));
}

BOOST_AUTO_TEST_CASE(from_a_file_the_text_begins_with_its_path) {
  const std::string path = (folder / "negative_mass.yaml").string();
  Diagnostics diagnostics;
  read_deck(path, {}, diagnostics);
  BOOST_TEST(diagnostics.text().find(path + ":2:30: error: 'mass' of body 'link1' is -12 kg\n") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
