#include "io/verify/series.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace {

using namespace emmy::verify;

const char* const csv = "# a comment, with commas\n"
                        "# another\n"
                        "t,link1.x,y\n"
                        "0.0,1,nan\n"
                        "0.1,2.5e+0,-3\n"
                        "0.30000000000000004,4,5\n";

std::string message(const std::string& text) {
  try {
    Table::parse(text, "data.csv");
  } catch (const SeriesError& error) {
    return error.what();
  }
  return "";
}

} // namespace

BOOST_AUTO_TEST_SUITE(Series)

BOOST_AUTO_TEST_CASE(comments_are_skipped_and_columns_found_by_name) {
  const Table table = Table::parse(csv, "data.csv");
  BOOST_TEST(table.times().size() == 3u);
  BOOST_REQUIRE(table.find("link1.x") != nullptr);
  BOOST_TEST((*table.find("link1.x"))[1] == 2.5);
  BOOST_TEST(std::isnan((*table.find("y"))[0]));
  BOOST_TEST(table.find("z") == nullptr);
}

BOOST_AUTO_TEST_CASE(rows_are_matched_by_time_to_rounding_and_no_farther) {
  const Table table = Table::parse(csv, "data.csv");
  BOOST_TEST(table.row_at(0.3).value_or(99) == 2u);
  BOOST_TEST(table.row_at(0.1).value_or(99) == 1u);
  BOOST_TEST(!table.row_at(0.2).has_value());
  BOOST_TEST(!table.row_at(0.10001).has_value());
  BOOST_TEST(!table.row_at(0.4).has_value());
}

BOOST_AUTO_TEST_CASE(broken_tables_say_where) {
  BOOST_TEST(message("# x\nt,a\n0,1\n1\n") == "data.csv:4: 1 value, but 2 columns");
  BOOST_TEST(message("t,a\n0,one\n") == "data.csv:2: 'one' is not a number");
  BOOST_TEST(message("time,a\n0,1\n") == "data.csv: there is no column 't'");
  BOOST_TEST(message("t,a\n") == "data.csv: there are no rows");
  BOOST_TEST(message("t,a\n1,1\n0,1\n") == "data.csv: the times are not ascending");
  BOOST_CHECK_THROW(Table::read("/no/such/file.csv"), SeriesError);
}

BOOST_AUTO_TEST_CASE(impacts_are_found_by_their_number_and_keep_their_times) {
  const auto path = std::filesystem::temp_directory_path() / "emmy_series_test_impacts.csv";
  std::ofstream(path) << "t,pair,P\n0.5,,2\n0.5,drop,3\n0.7,drop,4\n";
  const Table table = Table::read_impacts(path.string());
  std::filesystem::remove(path);
  BOOST_TEST(table.row_at(2).value_or(99) == 1u);
  BOOST_TEST(!table.row_at(0.5).has_value());
  const Formula formula("P + t");
  const RowFormula bound(formula, &table, {});
  BOOST_TEST(bound.at_row(0) == 2.5);
  BOOST_TEST(bound.at_row(2) == 4.7);
  BOOST_TEST(std::isnan((*table.find("pair"))[1]));
}

BOOST_AUTO_TEST_CASE(formulas_take_columns_parameters_and_time) {
  const Table table = Table::parse(csv, "data.csv");
  const Formula formula("scale*link1.x + t");
  const RowFormula bound(formula, &table, {{"scale", 10}});
  BOOST_TEST(bound.at_row(0) == 10);
  BOOST_TEST(bound.at_row(1) == 25.1);
  const Formula of_time("2*t");
  BOOST_TEST(RowFormula(of_time, nullptr, {}).at_time(4) == 8);
}

BOOST_AUTO_TEST_CASE(an_unknown_column_is_named_with_a_guess) {
  const Table table = Table::parse(csv, "data.csv");
  const Formula formula("link1.z + 1");
  try {
    const RowFormula bound(formula, &table, {});
    BOOST_ERROR("no exception");
  } catch (const SeriesError& error) {
    BOOST_TEST(error.what() == "unknown name 'link1.z' in 'link1.z + 1'; expected one of: link1.x, t, y; "
                               "did you mean 'link1.x'?");
  }
}

BOOST_AUTO_TEST_SUITE_END()
