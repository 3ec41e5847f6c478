#pragma once
/// Tables of values over time: histories of runs, and reference data.

#include "io/verify/formula.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy::verify {

/// A table or a formula that cannot serve; the message is complete.
class SeriesError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Named columns of equal length; "t" is the time, ascending.
class Table {
public:
  /// Reads CSV: lines that start with '#' are comments, the first other line names the columns. Throws SeriesError.
  static Table read(const std::string& path, const std::string& key = "t");
  static Table parse(const std::string& text, const std::string& name, const std::string& key = "t");
  /// A list of events such as impacts.csv: rows count from 1 in a column `impact`, by which they are found instead of
  /// the time; what is no number is NaN.
  static Table read_impacts(const std::string& path);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>* find(const std::string& name) const; ///< null when there is no such column
  const std::vector<double>& times() const { return columns_[time_]; }
  /// The row at a time, to rounding of the time.
  std::optional<std::size_t> row_at(double time) const;

private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
  std::size_t time_ = 0;
};

using Parameters = std::map<std::string, double>;

/// A formula whose variables are columns of a table, and parameters.
class RowFormula {
public:
  /// Throws SeriesError on a name that neither of them has. `table` may be null: then only t and parameters are known.
  RowFormula(const Formula& formula, const Table* table, const Parameters& parameters);
  double at_row(std::size_t row) const; ///< with a table
  double at_time(double time) const;    ///< without

private:
  double evaluate(double time, std::size_t row) const;
  const Formula& formula_;
  const Table* table_;
  std::vector<const std::vector<double>*> columns_; ///< null where the value is fixed or the time
  std::vector<bool> is_time_;
  mutable std::vector<double> values_;
};

} // namespace emmy::verify
