/// Input that no user writes on purpose ends in a message, never in a crash, an exception or a long wait.
#include "verification/unit/io/deck/support.hpp"

#include <boost/test/data/test_case.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

/// A folder that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("emmy_deck_test_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
};

std::string messages_of_file(const std::string& path) {
  Diagnostics diagnostics;
  read_deck(path, {}, diagnostics);
  return diagnostics.text();
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

std::string many_bodies(int count) {
  std::string text = "bodies:\n";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  link" + n + ": {box: [1, 0.5, 0.2], mass: 12, position: [" + n +
            ", 0, 0], orientation: {axis: y, angle: -pi/2}}\n";
  }
  return text + "integrator: {step: 0.01, end: 1}\n";
}

} // namespace

BOOST_AUTO_TEST_SUITE(Hostile)

BOOST_AUTO_TEST_CASE(files_that_are_no_decks) {
  const Folder folder;
  const std::string dir = folder.path.string();
  BOOST_TEST(messages_of_file(dir) == dir + ": error: this is a directory\n  expected a deck file\n");
  BOOST_TEST(messages_of_file(dir + "/none.yaml") == dir + "/none.yaml: error: there is no such file\n");
  const std::string file = folder.write("file.yaml", "title: x\n");
  BOOST_TEST(messages_of_file(file + "/deck.yaml") ==
             file + "/deck.yaml: error: the file cannot be opened: Not a directory\n");
  BOOST_TEST(messages_of_file("") == ": error: there is no such file\n");
  const std::string binary = folder.write("binary", std::string("\x7f"
                                                                "ELF\x02\x01\x01\0\0\0",
                                                                10));
  BOOST_TEST(messages_of_file(binary) ==
             binary + ": error: this is not a text file: byte 0x7F at offset 0\n  expected a YAML deck in UTF-8\n");
  const std::string nul = folder.write("nul", std::string("title: a\0b\n", 11));
  BOOST_TEST(contains(messages_of_file(nul), "byte 0x00 at offset 8"));
  const std::string utf16 = folder.write("utf16", std::string("\xff\xfe"
                                                              "b\0",
                                                              4));
  BOOST_TEST(contains(messages_of_file(utf16), "byte 0xFF at offset 0"));
}

BOOST_AUTO_TEST_CASE(a_file_that_may_not_be_read) {
  const Folder folder;
  const std::string path = folder.write("secret.yaml", "title: x\n");
  fs::permissions(path, fs::perms::none);
  if (::access(path.c_str(), R_OK) == 0)
    return; // root reads everything
  BOOST_TEST(messages_of_file(path) == path + ": error: the file cannot be opened: Permission denied\n");
}

BOOST_AUTO_TEST_CASE(a_file_beyond_the_largest_size_is_refused) {
  const Folder folder;
  const std::string path = folder.write("large.yaml", "");
  fs::resize_file(path, largest_deck + 1);
  BOOST_TEST(messages_of_file(path) == path + ": error: the file is larger than 64 MB\n");
}

const std::string openings[] = {"[", "{", "{a: ", "[a: ", "- ", "? ", "- ? ", "!a [", "&a [", "[[{"};

BOOST_DATA_TEST_CASE(nesting_without_end, boost::unit_test::data::make(openings), opening) {
  const std::string text = messages(repeated(opening, 100000));
  BOOST_TEST(contains(text, "deck.yaml:1:"));
  BOOST_TEST(contains(text, "error: nested too deeply: more than 64 levels\n"));
  BOOST_TEST(text.size() < 1000U);
}

BOOST_AUTO_TEST_CASE(nesting_in_blocks_and_in_closed_brackets) {
  std::string blocks;
  for (int i = 0; i < 2000; ++i)
    blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  BOOST_TEST(contains(messages(blocks), "deck.yaml:65:65: error: nested too deeply"));
  BOOST_TEST(
      contains(messages("a: " + repeated("[", 100) + repeated("]", 100)), "deck.yaml:1:67: error: nested too deeply"));
  // As deep as allowed: the mistake is another one.
  BOOST_TEST(contains(messages("a: " + repeated("[", 63) + repeated("]", 63)), "unknown entry 'a'"));
}

BOOST_AUTO_TEST_CASE(nesting_through_aliases_counts) {
  std::string text = "a0: &a0 [1]\n";
  for (int i = 1; i < 100; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "a" + n + ": &a" + n + " [*a" + before + "]\n";
  }
  BOOST_TEST(contains(messages(text), "error: nested too deeply: more than 64 levels\n"));
}

BOOST_AUTO_TEST_CASE(expressions_without_end) {
  const auto with_mass = [](const std::string& mass) { return messages(deck_of("{sphere: 1, mass: '" + mass + "'}")); };
  BOOST_TEST(contains(with_mass(repeated("(", 100000)), "the expression is longer than 2000 characters"));
  BOOST_TEST(contains(with_mass(repeated("(", 1900)), "error: "));
  BOOST_TEST(contains(with_mass(repeated("-", 1900) + "1"), "error: "));
  BOOST_TEST(contains(with_mass(repeated("x", 1900)), "unknown name"));
  BOOST_TEST(with_mass(repeated("(", 900) + "1" + repeated(")", 900)) == "");
}

BOOST_AUTO_TEST_CASE(long_lines_are_shown_in_part) {
  const std::string text = messages("{" + repeated("title: x, ", 100000) + "}");
  BOOST_TEST(text.size() < 20000U);
  BOOST_TEST(contains(text, "deck.yaml:1:12: error: 'title' is given twice\n"));
  BOOST_TEST(contains(messages("x: \"" + repeated("a", 1000000)), "the deck ends inside a quote"));
  BOOST_TEST(messages(repeated("a", 1000000) + ": 1\n").size() < 2000U);
}

// Ten megabytes are read in a time that grows with the size, not with its square.
BOOST_AUTO_TEST_CASE(large_decks_are_read_in_linear_time) {
  const auto cpu_time = [](const std::string& text, std::size_t bodies) {
    const std::clock_t start = std::clock();
    BOOST_TEST(read_good(text).bodies.size() == bodies);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
#ifdef __SANITIZE_ADDRESS__
  constexpr int few = 1500; // checked memory is slow, and the law is the same
#else
  constexpr int few = 12000;
#endif
  const std::string large = many_bodies(8 * few);
  BOOST_TEST(large.size() >= 830U * few); // ten megabytes with 12000
  const double small_time = cpu_time(many_bodies(few), few), large_time = cpu_time(large, 8 * few);
  BOOST_TEST(large_time < 3 * 8 * small_time); // a quadratic part would make it 64
}

BOOST_AUTO_TEST_CASE(a_large_deck_of_mistakes_shows_the_first_ones) {
  std::string text = "bodies:\n";
  for (int i = 0; i < 50000; ++i)
    text += "  b" + std::to_string(i) + ": {sphere: 1, mass: 1}\n";
  text += "joints:\n";
  for (int i = 0; i < 50000; ++i)
    text += "  j" + std::to_string(i) + ": {type: spherical, between: [ground, c" + std::to_string(i) +
            "], at: [0, 0, 0]}\n";
  const std::string said = messages(text + integrator);
  BOOST_TEST(contains(said, "did you mean 'b0'?"));
  BOOST_TEST(contains(said, "and 49950 more errors\n"));
}

// One line of a whole deck: places and excerpts must not count it from its start again and again.
BOOST_AUTO_TEST_CASE(a_deck_on_one_line_is_read_like_any_other) {
  std::string text = "{title: 'Größe', bodies: {";
  for (int i = 0; i < 20000; ++i)
    text += (i > 0 ? ", " : "") + ("b" + std::to_string(i)) + ": {sphere: 1, mass: 1}";
  const Deck deck = read_good(text + "}, integrator: {step: 1, end: 1}}");
  BOOST_TEST(deck.bodies.size() == 20000U);
  BOOST_TEST(deck.bodies[0].where.column == 27);
  BOOST_TEST(deck.bodies[1].where.column == 27 + 26); // "b0: {sphere: 1, mass: 1}, "
}

// Whatever is done to a deck, reading it ends without a crash.
BOOST_AUTO_TEST_CASE(random_damage_is_survived) {
  const std::string good = R"(title: "Links"
parameters: {L: 1, half: L/2}
gravity: [0, 0, -9.81]
defaults: {density: 7800}
bodies:
  link1: &link {box: [L, 0.5, 0.2], position: [half, 0, 0], markers: {tip: [0.5, 0, 0]}}
  link2: {<<: *link, orientation: [{axis: y, angle: -pi/2}, {euler: [1, 2, 3], sequence: xyz}]}
joints:
  pivot: {type: revolute, between: [ground, link1], at: link1.tip, axis: {body: link1, along: y}}
forces:
  push: {type: force, body: link1, value: {body_axes: [1, 0, 0]}, at: link1.tip}
integrator: {type: energy_momentum, step: 0.005, end: 12}
output: {every: 0.05, bodies: all, joints: [pivot], points: [link1.tip]}
)";
  BOOST_TEST(messages(good) == "");
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string spice = "[]{}:,-?&*!|>'\"%@`#\n\t .<=~0eL\xc3\xff";
  std::size_t refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = good;
    for (std::size_t k = 1 + below(4); k > 0; --k) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
      case 0:
        text[at] = spice[below(spice.size())];
        break;
      case 1:
        text.insert(at, 1, spice[below(spice.size())]);
        break;
      case 2:
        text.erase(at, 1 + below(20));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(30)));
      }
    }
    refused += messages(text).empty() ? 0 : 1;
  }
  BOOST_TEST(refused > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
