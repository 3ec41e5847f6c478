/// Mistakes in a case.yaml, asserted on their texts.

#include "io/verify/declaration.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using namespace emmy;

const std::string folder = EMMY_SOURCE_DIR "/verification/cases/hanging_spherical";

/// A case with one run and the given checks, which start on line 6.
std::string with_checks(const std::string& checks) {
  return "title: a\nsource: b\nbecause: c\nruns: {chain: {deck: ../../../examples/chain_spherical.yaml}}\nchecks:\n" +
         checks;
}

std::string errors(const std::string& text) {
  deck::Diagnostics diagnostics;
  verify::read_case_text(folder, text, diagnostics);
  return diagnostics.text();
}

bool says(const std::string& text, const std::string& where, const std::string& what) {
  const std::string found = errors(text), wanted = folder + "/case.yaml:" + where + " error: " + what;
  BOOST_TEST_INFO("found:\n" << found << "wanted:\n" << wanted);
  return found.find(wanted) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Declarations)

BOOST_AUTO_TEST_CASE(a_good_one_is_read_without_a_word) {
  const std::string text = with_checks("  energy: {audit: energy.max_relative_imbalance, at_most: 1e-12, because: d}\n"
                                       "  centre:\n"
                                       "    difference: {link4.x: x4, link4.y: y4 + 0*t}\n"
                                       "    reference: reference.csv\n"
                                       "    to: 1\n"
                                       "    over: integrator.step\n"
                                       "    values: [0.1, 0.05]\n"
                                       "    slope: 2\n"
                                       "    within: 0.05\n"
                                       "    because: d\n");
  BOOST_TEST(errors(text) == "");
  deck::Diagnostics diagnostics;
  const verify::Case read = verify::read_case_text(folder, text, diagnostics);
  BOOST_TEST(read.name == "hanging_spherical");
  BOOST_REQUIRE_EQUAL(read.checks.size(), 2u);
  BOOST_TEST((read.checks[0].kind == verify::Kind::audit));
  BOOST_TEST(read.checks[0].limit == 1e-12);
  BOOST_TEST((read.checks[1].kind == verify::Kind::difference));
  BOOST_TEST(read.checks[1].is_slope);
  BOOST_TEST(read.checks[1].expected.value() == 2);
  BOOST_TEST(read.checks[1].sizes[1] == 0.05);
}

BOOST_AUTO_TEST_CASE(every_kind_of_measure_is_found_under_its_name) {
  const std::pair<const char*, verify::Kind> kinds[] = {
      {"audit: steps, at_most: 1", verify::Kind::audit},
      {"value: link4.x, at: 1, expect: 2, within: 1", verify::Kind::value},
      {"difference: {link4.x: 0}, at_most: 1", verify::Kind::difference},
      {"agreement: [link4.x], over: solver.linear, values: [klu, mumps], at_most: 1", verify::Kind::agreement},
      {"period: link4.x, expect: 2, within: 1", verify::Kind::period},
      {"maximum: link4.x, at_most: 1", verify::Kind::maximum},
      {"time_of_maximum: link4.x, from: 1, to: 2, expect: 2, within: 1", verify::Kind::time_of_maximum},
      {"minimum: link4.x, at_most: 1", verify::Kind::minimum},
      {"drift: link4.x, at_most: 1", verify::Kind::drift},
      {"rise: link4.x, from: 1, at_most: 1", verify::Kind::rise},
      {"integral: link4.x, from: 1, to: 2, expect: 2, within: 1", verify::Kind::integral},
      {"exit: 3, says: error", verify::Kind::exit}};
  for (const auto& [text, kind] : kinds) {
    deck::Diagnostics diagnostics;
    const verify::Case read =
        verify::read_case_text(folder, with_checks("  a: {" + std::string(text) + ", because: d}\n"), diagnostics);
    BOOST_TEST(diagnostics.text() == "");
    BOOST_REQUIRE_EQUAL(read.checks.size(), 1u);
    BOOST_TEST((read.checks[0].kind == kind), text);
  }
}

BOOST_AUTO_TEST_CASE(a_limit_needs_its_reason) {
  BOOST_TEST(
      says(with_checks("  energy: {audit: steps, at_most: 1}\n"), "6:3:", "missing entry 'because' of check 'energy'"));
}

BOOST_AUTO_TEST_CASE(a_check_measures_one_thing_against_one_limit) {
  BOOST_TEST(says(with_checks("  a: {at_most: 1, because: d}\n"), "6:3:", "missing entry of check 'a'"));
  BOOST_TEST(says(with_checks("  a: {audit: steps, drift: lz, at_most: 1, because: d}\n"),
                  "6:21:", "'drift' of check 'a' conflicts with 'audit'"));
  BOOST_TEST(says(with_checks("  a: {audit: steps, because: d}\n"), "6:3:", "missing entry of check 'a'"));
  BOOST_TEST(says(with_checks("  a: {audit: steps, at_most: 1, within: 2, because: d}\n"),
                  "6:21:", "'at_most' of check 'a' conflicts with 'within'"));
  BOOST_TEST(
      says(with_checks("  a: {audit: steps, within: 2, because: d}\n"), "6:3:", "missing entry 'expect' of check 'a'"));
}

BOOST_AUTO_TEST_CASE(unknown_entries_get_a_guess) {
  const std::string text = with_checks("  a: {audti: steps, at_most: 1, because: d}\n");
  BOOST_TEST(says(text, "6:7:", "unknown entry 'audti' of check 'a'"));
  BOOST_TEST(errors(text).find("did you mean 'audit'?") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(runs_decks_and_references_must_exist) {
  BOOST_TEST(says(with_checks("  a: {run: chian, audit: steps, at_most: 1, because: d}\n"),
                  "6:12:", "there is no run 'chian'"));
  BOOST_TEST(says("title: a\nsource: b\nbecause: c\nruns: {r: {deck: no.yaml}}\nchecks: {a: {exit: 0, because: d}}\n",
                  "4:18:", "there is no deck"));
  BOOST_TEST(says(with_checks("  a: {difference: {link4.x: x4}, reference: no.csv, at_most: 1, because: d}\n"),
                  "6:45:", folder + "/no.csv: the file cannot be read"));
}

// Names that the system itself refuses, and devices, some of which never end.
BOOST_AUTO_TEST_CASE(files_that_are_none_are_refused_at_their_place) {
  const std::string long_name(300, 'x');
  BOOST_TEST(says("title: a\nsource: b\nbecause: c\nruns: {chain: {deck: " + long_name + "}}\nchecks: {}\n",
                  "4:22:", "there is no deck '"));
  for (const std::string& file : {long_name, std::string("../../../../../../../../../../../../dev/null")})
    BOOST_TEST(says(with_checks("  a: {difference: {link1.x: x}, reference: " + file + ", at_most: 1, because: d}\n"),
                    "6:44:", folder + "/" + file + ": the file cannot be read"));
}

BOOST_AUTO_TEST_CASE(formulas_are_read_before_anything_is_run) {
  BOOST_TEST(says(with_checks("  a: {drift: 2*(lz, at_most: 1, because: d}\n"),
                  "6:16:", "'2*(lz' of check 'a' is not a formula"));
  BOOST_TEST(says(with_checks("  a: {difference: {link4.x: x5}, reference: reference.csv, at_most: 1, because: d}\n"),
                  "6:29:", "unknown name 'x5' in 'x5'"));
  BOOST_TEST(says(with_checks("  a: {audit: steps, expect: 2*nothing, within: 1, because: d}\n"),
                  "6:29:", "unknown name 'nothing'"));
}

BOOST_AUTO_TEST_CASE(entries_that_do_not_go_with_the_measure_are_refused) {
  BOOST_TEST(says(with_checks("  a: {audit: steps, at: 1, at_most: 1, because: d}\n"),
                  "6:21:", "'at' of check 'a' does not go with 'audit'"));
  BOOST_TEST(says(with_checks("  a: {value: lz, expect: 1, within: 1, because: d}\n"),
                  "6:3:", "missing entry 'at' of check 'a'"));
  BOOST_TEST(says(with_checks("  a: {drift: lz, slope: 2, within: 1, because: d}\n"),
                  "6:18:", "'slope' of check 'a' does not go with a single run"));
  BOOST_TEST(
      says(with_checks("  a: {agreement: lz, at_most: 1, because: d}\n"), "6:3:", "missing entry 'over' of check 'a'"));
  BOOST_TEST(says(with_checks("  a: {drift: lz, over: integrator.step, values: [1], at_most: 1, because: d}\n"),
                  "6:49:", "'values' of check 'a' is not a list of two or more values"));
}

BOOST_AUTO_TEST_CASE(a_ratio_is_a_formula_for_exactly_two_values) {
  const std::string text = "title: a\nsource: b\nbecause: c\nparameters: {order: 2}\n"
                           "runs: {chain: {deck: ../../../examples/chain_spherical.yaml}}\n"
                           "checks: {a: {drift: lz, over: integrator.step, values: [0.1, 0.05], ratio: 2^order, "
                           "expect: 3, within: 0.2, because: d}}\n";
  deck::Diagnostics diagnostics;
  const verify::Check check = verify::read_case_text(folder, text, diagnostics).checks.at(0);
  BOOST_TEST(diagnostics.text() == "");
  BOOST_TEST(check.is_ratio);
  BOOST_TEST(!check.is_slope);
  BOOST_TEST(check.expected.value() == 4);
  BOOST_TEST(check.target == 3);
  BOOST_TEST(check.limit == 0.2);
  BOOST_TEST(
      says(with_checks("  a: {drift: lz, over: integrator.step, values: [3, 2, 1], ratio: 4, within: 1, because: d}\n"),
           "6:49:", "'values' of check 'a' has 3 values"));
  BOOST_TEST(says(with_checks("  a: {drift: lz, ratio: 4, within: 1, because: d}\n"),
                  "6:18:", "'ratio' of check 'a' does not go with a single run"));
  BOOST_TEST(
      says(with_checks("  a: {drift: lz, over: integrator.step, values: [2, 1], ratio: 4, at_most: 1, because: d}\n"),
           "6:57:", "'ratio' of check 'a' does not go with 'at_most'"));
  BOOST_TEST(
      says(with_checks(
               "  a: {drift: lz, over: integrator.step, values: [2, 1], ratio: 4, slope: 2, within: 1, because: d}\n"),
           "6:57:", "'ratio' of check 'a' conflicts with 'slope'"));
  BOOST_TEST(says(
      with_checks("  a: {agreement: lz, over: integrator.step, values: [2, 1], ratio: 4, within: 1, because: d}\n"),
      "6:61:", "'ratio' of check 'a' does not go with 'agreement'"));
  BOOST_TEST(
      says(with_checks("  a: {drift: lz, over: integrator.step, values: [2, 1], ratio: lz, within: 1, because: d}\n"),
           "6:64:", "unknown name 'lz'"));
  BOOST_TEST(says(with_checks("  a: {exit: 0, ratio: 1, because: d}\n"),
                  "6:16:", "'ratio' of check 'a' does not go with 'exit'"));
}

BOOST_AUTO_TEST_CASE(a_case_without_checks_is_a_mistake) {
  BOOST_TEST(says("title: a\nsource: b\nbecause: c\nruns: {}\nchecks: {}\n", "5:9:", "'checks' of the case is empty"));
}

BOOST_AUTO_TEST_CASE(all_mistakes_are_reported_at_once) {
  deck::Diagnostics diagnostics;
  verify::read_case_text(folder, "titel: a\nruns: 3\nchecks: []\n", diagnostics);
  BOOST_TEST(diagnostics.error_count() == 5u, diagnostics.text()); // titel, source, because, runs, checks
}

BOOST_AUTO_TEST_SUITE_END()
