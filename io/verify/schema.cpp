#include "io/verify/schema.hpp"

namespace emmy::verify {

using deck::Entry;
using deck::field;
using deck::Type;

const Entry& case_entry() {
  static const Entry entry{
      "case",
      "Case",
      "A problem with a known answer.",
      {
          field("title", Type::text, "", "what the case is, in a line").required(),
          field("source", Type::text, "", "where what is expected comes from").required(),
          field("because", Type::text, "", "what the case shows").required(),
          field("parameters", Type::named_numbers, "1", "numbers that formulas may use"),
          field("runs", Type::named_entries, "", "decks with their settings").required(),
          field("checks", Type::named_entries, "", "what is compared, by the name of the quantity").required(),
      },
      {},
      "",
      {}};
  return entry;
}

const Entry& run_entry() {
  static const Entry entry{"run",
                           "Run",
                           "A deck with settings.",
                           {
                               field("deck", Type::text, "", "file, from the folder of the case").required(),
                               field("set", Type::entry, "", "entries of the deck with their values"),
                           },
                           {},
                           "",
                           {}};
  return entry;
}

const std::vector<std::string>& measure_names() {
  static const std::vector<std::string> names = {"audit",  "value",   "difference",      "agreement",
                                                 "period", "maximum", "time_of_maximum", "minimum",
                                                 "drift",  "rise",    "integral",        "exit"};
  return names;
}

const Entry& check_entry() {
  static const Entry entry{
      "check",
      "Check",
      "A number drawn from a run, and what it should be.",
      {
          field("run", Type::text, "", "name of the run; not needed where there is only one"),
          field("set", Type::entry, "", "settings on top of those of the run"),
          field("table", Type::choice, "",
                "whose columns formulas mean: history.csv, or impacts.csv, where `at`, `from` and `to` count impacts")
              .of({"history", "impacts"})
              .otherwise("history"),
          field("audit", Type::text, "", "figure of audit.json, as energy.max_relative_imbalance"),
          field("value", Type::text, "", "formula of columns of history.csv, at a time"),
          field("difference", Type::entry, "", "formulas of columns, and what they should be"),
          field("agreement", Type::text, "", "columns that should not depend on the setting"),
          field("period", Type::text, "", "formula whose upward zero crossings are counted"),
          field("maximum", Type::text, "", "formula whose largest value is taken"),
          field("time_of_maximum", Type::text, "", "formula; the time at which it is largest is taken"),
          field("minimum", Type::text, "", "formula whose smallest value is taken"),
          field("drift", Type::text, "", "formula whose largest distance from its first value is taken"),
          field("rise", Type::text, "", "formula whose largest increase from row to row is taken"),
          field("integral", Type::text, "", "formula that is summed over time"),
          field("exit", Type::integer, "", "exit code of the run"),
          field("says", Type::text, "", "text that the run writes"),
          field("reference", Type::text, "", "CSV file with columns for what is expected"),
          field("reference_run", Type::text, "", "run with columns for what is expected"),
          field("norm", Type::choice, "", "of the distances over time").of({"max", "rms"}).otherwise("max"),
          field("at", Type::number, "s", "time of a single value"),
          field("from", Type::number, "s", "first time looked at"),
          field("to", Type::number, "s", "last time looked at"),
          field("relative_to", Type::text, "", "figure of audit.json that divides the number"),
          field("over", Type::text, "", "entry of the deck that takes several values"),
          field("values", Type::text, "", "list of these values"),
          field("slope", Type::number, "1", "expected order of the error in these values"),
          field("ratio", Type::text, "", "formula of the number at the first of two values over that at the second"),
          field("expect", Type::text, "", "formula of the number"),
          field("within", Type::number, "1", "largest distance from it").within(deck::at_least(0)),
          field("at_most", Type::number, "1", "largest number that passes"),
          field("because", Type::text, "", "the reason for the limit").required(),
      },
      {{measure_names(), true},
       {{"reference", "reference_run"}, false},
       {{"slope", "ratio"}, false},
       {{"within", "at_most", "exit"}, true}},
      "",
      {}};
  return entry;
}

} // namespace emmy::verify
