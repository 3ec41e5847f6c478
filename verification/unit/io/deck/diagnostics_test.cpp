#include "io/deck/diagnostics.hpp"
#include "io/deck/hints.hpp"

#include "verification/unit/io/deck/support.hpp"

using namespace emmy::deck;
using namespace emmy::deck::test;

BOOST_AUTO_TEST_SUITE(DiagnosticsSuite)

BOOST_AUTO_TEST_CASE(messages_show_the_place_and_mark_it) {
  Diagnostics diagnostics;
  const Source& source = diagnostics.add_source("a.yaml", "x: 1\nbody:\tgrün  # größer\n");
  diagnostics.error(Span{&source, 2, 7, 5}, "no such colour", {"expected red"});
  BOOST_TEST(diagnostics.text() == "a.yaml:2:7: error: no such colour\n    2 | body: grün  # größer\n"
                                   "      |       ^~~~\n  expected red\n");
}

BOOST_AUTO_TEST_CASE(later_parts_report_at_a_location_of_the_deck) {
  Diagnostics diagnostics;
  const Deck deck = read_deck_text("deck.yaml", "title: é\n" + deck_of("{sphere: 1, mass: 1}"), {}, diagnostics);
  diagnostics.error(deck.bodies.at(0).where, "body 'link1' is loose");
  diagnostics.warning(Location{"deck.yaml", 0, 0}, "nothing moves");
  diagnostics.error(Location{"elsewhere.yaml", 3, 4}, "not kept here");
  BOOST_TEST(diagnostics.text() == "deck.yaml: warning: nothing moves\n"
                                   "deck.yaml:3:3: error: body 'link1' is loose\n"
                                   "    3 |   link1: {sphere: 1, mass: 1}\n      |   ^~~~~\n"
                                   "elsewhere.yaml:3:4: error: not kept here\n");
  BOOST_TEST(diagnostics.error_count() == 2U);
  BOOST_TEST(diagnostics.warning_count() == 1U);
}

BOOST_AUTO_TEST_CASE(mistakes_come_in_the_order_of_the_deck) {
  const std::string said = messages("audit: 3\ngravity: 1\nbodies: 2\nintegrator: 4\n");
  BOOST_TEST(said.find("deck.yaml:1:8:") < said.find("deck.yaml:2:10:"));
  BOOST_TEST(said.find("deck.yaml:2:10:") < said.find("deck.yaml:3:9:"));
  BOOST_TEST(said.find("deck.yaml:3:9:") < said.find("deck.yaml:4:13:"));
}

BOOST_AUTO_TEST_CASE(a_mistake_shared_by_alias_or_default_is_said_once) {
  const std::string shared =
      messages("bodies:\n  a: {sphere: 1, mass: &m -1}\n  b: {sphere: 1, mass: *m}\n" + integrator);
  BOOST_TEST(shared.find("error") == shared.rfind("error"));
  const std::string by_default =
      messages("defaults: {density: -1}\nbodies:\n  a: {sphere: 1}\n  b: {sphere: 1}\n" + integrator);
  BOOST_TEST(by_default.find("error") == by_default.rfind("error"));
}

BOOST_AUTO_TEST_CASE(distances_count_slips_of_the_keyboard) {
  BOOST_TEST(edit_distance("mass", "mass", 3) == 0);
  BOOST_TEST(edit_distance("mas", "mass", 3) == 1);
  BOOST_TEST(edit_distance("masss", "mass", 3) == 1);
  BOOST_TEST(edit_distance("mast", "mass", 3) == 1);
  BOOST_TEST(edit_distance("amss", "mass", 3) == 1); // neighbours swapped
  BOOST_TEST(edit_distance("kitten", "sitting", 5) == 3);
  BOOST_TEST(edit_distance("abc", "xyz", 1) == 2); // farther than asked for
  BOOST_TEST(edit_distance("", "ab", 5) == 2);
}

BOOST_AUTO_TEST_CASE(guesses_are_near_or_absent) {
  const std::vector<std::string> words = {"mass", "density", "box"};
  BOOST_TEST(nearest("Mass", words) == "mass");
  BOOST_TEST(nearest("desnity", words) == "density");
  BOOST_TEST(nearest("colour", words) == "");
  BOOST_TEST(nearest("x", {"y", "z"}) == "");
  BOOST_TEST(nearest("l", {"L"}) == "L");
  BOOST_TEST(notes_for("bix", words) ==
                 (std::vector<std::string>{"expected one of: box, density, mass", "did you mean 'box'?"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(text_is_told_from_bytes) {
  BOOST_TEST(first_non_text_byte("plain\n\ttext é ∫ 𝄞") == std::string::npos);
  BOOST_TEST(first_non_text_byte(std::string("a\0b", 3)) == 1U);
  BOOST_TEST(first_non_text_byte("ab\xc3") == 2U);            // cut off
  BOOST_TEST(first_non_text_byte("a\xc0\xaf") == 1U);         // overlong
  BOOST_TEST(first_non_text_byte("a\xed\xa0\x80") == 1U);     // half of a surrogate pair
  BOOST_TEST(first_non_text_byte("a\xf4\x90\x80\x80") == 1U); // beyond Unicode
  BOOST_TEST(first_non_text_byte("a\x1b[0m") == 1U);          // terminal control
}

BOOST_AUTO_TEST_SUITE_END()
