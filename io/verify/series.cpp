#include "io/verify/series.hpp"

#include "core/counted.hpp"
#include "io/deck/hints.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace emmy::verify {

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    const std::size_t first = cell.find_first_not_of(" \t\r"), last = cell.find_last_not_of(" \t\r");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

[[noreturn]] void fail(const std::string& name, long line, const std::string& what) {
  throw SeriesError(name + ":" + std::to_string(line) + ": " + what);
}

/// The text of a file.
std::string contents(const std::string& path) {
  std::error_code refused;
  std::ostringstream text;
  if (!std::filesystem::is_regular_file(path, refused) || !(text << std::ifstream(path, std::ios::binary).rdbuf()))
    throw SeriesError(path + ": the file cannot be read");
  return text.str();
}

double number(const std::string& cell, const std::string& name, long line) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size())
    fail(name, line, "'" + cell + "' is not a number");
  return value;
}

} // namespace

Table Table::read(const std::string& path, const std::string& key) {
  return parse(contents(path), path, key);
}

Table Table::read_impacts(const std::string& path) {
  std::istringstream in(contents(path));
  std::string numbered;
  std::size_t columns = 0;
  long rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::vector<std::string> cells = split(line);
    const bool is_head = columns == 0;
    columns = is_head ? cells.size() : columns;
    numbered += is_head ? "impact" : std::to_string(++rows);
    for (std::string& cell : cells) {
      double ignored = 0;
      const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), ignored);
      if (!is_head && (cell.empty() || parsed.ec != std::errc{} || parsed.ptr != cell.data() + cell.size()))
        cell = "nan";
      numbered += "," + cell;
    }
    numbered += "\n";
  }
  return parse(numbered, path, "impact");
}

Table Table::parse(const std::string& text, const std::string& name, const std::string& key) {
  Table table;
  std::istringstream in(text);
  long line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (line.empty() || line[0] == '#')
      continue;
    const std::vector<std::string> cells = split(line);
    if (table.names_.empty()) {
      table.names_ = cells;
      table.columns_.resize(cells.size());
      continue;
    }
    if (cells.size() != table.names_.size())
      fail(name, line_number,
           counted(cells.size(), "value", "values") + ", but " + counted(table.names_.size(), "column", "columns"));
    for (std::size_t i = 0; i < cells.size(); ++i)
      table.columns_[i].push_back(number(cells[i], name, line_number));
  }
  const auto time = std::find(table.names_.begin(), table.names_.end(), key);
  if (time == table.names_.end())
    throw SeriesError(name + ": there is no column '" + key + "'");
  table.time_ = static_cast<std::size_t>(time - table.names_.begin());
  if (table.times().empty())
    throw SeriesError(name + ": there are no rows");
  if (!std::is_sorted(table.times().begin(), table.times().end()))
    throw SeriesError(name + ": the times are not ascending");
  return table;
}

const std::vector<double>* Table::find(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found != names_.end() ? &columns_[static_cast<std::size_t>(found - names_.begin())] : nullptr;
}

std::optional<std::size_t> Table::row_at(double time) const {
  // Times are sums of up to 1e6 steps, each rounded: far less than this, and steps are far more.
  const double tolerance = 1e-9 * std::max(1.0, std::abs(time));
  const auto found = std::lower_bound(times().begin(), times().end(), time - tolerance);
  if (found == times().end() || *found > time + tolerance)
    return std::nullopt;
  return static_cast<std::size_t>(found - times().begin());
}

RowFormula::RowFormula(const Formula& formula, const Table* table, const Parameters& parameters)
    : formula_(formula), table_(table) {
  for (const std::string& name : formula.variables()) {
    const std::vector<double>* column = table != nullptr ? table->find(name) : nullptr;
    const auto parameter = parameters.find(name);
    const bool is_time = name == "t" && column == nullptr; // impacts have times that are not what they are found by
    if (!is_time && column == nullptr && parameter == parameters.end()) {
      std::vector<std::string> known = table != nullptr ? table->names() : std::vector<std::string>{"t"};
      for (const auto& p : parameters)
        known.push_back(p.first);
      std::string message = "unknown name '" + name + "' in '" + formula.text() + "'";
      for (const std::string& note : deck::notes_for(name, known))
        message += "; " + note;
      throw SeriesError(message);
    }
    columns_.push_back(is_time ? nullptr : column);
    is_time_.push_back(is_time);
    values_.push_back(parameter != parameters.end() ? parameter->second : 0.0);
  }
}

double RowFormula::evaluate(double time, std::size_t row) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] != nullptr)
      values_[i] = (*columns_[i])[row];
    else if (is_time_[i])
      values_[i] = time;
  return formula_.evaluate(values_);
}

double RowFormula::at_row(std::size_t row) const {
  assert(table_ != nullptr);
  return evaluate(table_->times()[row], row);
}

double RowFormula::at_time(double time) const {
  assert(table_ == nullptr);
  return evaluate(time, 0);
}

} // namespace emmy::verify
