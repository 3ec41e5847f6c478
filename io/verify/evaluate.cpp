#include "io/verify/evaluate.hpp"

#include "io/deck/hints.hpp"
#include "io/report.hpp"

#include <cmath>

namespace emmy::verify {

namespace {

/// Ends the evaluation of a check that has nothing to compare.
[[noreturn]] void stop(const std::string& message) {
  throw SeriesError(message);
}

/// The first lines of what a run wrote, for a message.
std::string beginning(const std::string& text) {
  const std::size_t error = text.find("error: ");
  const std::size_t start = error == std::string::npos ? 0 : text.rfind('\n', error) + 1;
  return text.substr(start, text.find('\n', start) - start);
}

class Evaluation {
public:
  Evaluation(const Case& owner, const Check& check, Runs& runs) : case_(owner), check_(check), runs_(runs) {}

  Outcome result();

private:
  const RunResult& run(std::size_t index, const std::string& value) const;
  const RunResult& finished_run(std::size_t index, const std::string& value) const;
  /// The columns that the check speaks of.
  const Table& table_of(const RunResult& result) const;
  double figure(const RunResult& run, const std::string& path) const;
  /// Rows of the run within the window, the only one for a single time.
  std::vector<std::size_t> rows(const Table& table) const;
  Values times(const Table& table) const;
  Values samples(const Table& table, const Formula& formula) const;
  double difference(const Table& table, const Table* reference) const;
  double agreement(const Table& table, const Table& first) const;
  double measure(const std::string& value) const;
  double measure_all(Outcome& outcome) const;
  Outcome exit_code() const;

  const Case& case_;
  const Check& check_;
  Runs& runs_;
};

const RunResult& Evaluation::run(std::size_t index, const std::string& value) const {
  Settings settings = check_.set;
  if (!check_.over.empty())
    settings.emplace_back(check_.over, value);
  return runs_.get(case_.runs[index], settings);
}

const RunResult& Evaluation::finished_run(std::size_t index, const std::string& value) const {
  const RunResult& result = run(index, value);
  if (result.exit_code != 0 || !result.history)
    stop("run '" + case_.runs[index].name + "' ended with exit code " + std::to_string(result.exit_code) + ": " +
         beginning(result.text));
  return result;
}

double Evaluation::figure(const RunResult& run, const std::string& path) const {
  std::string pointer = "/" + path;
  for (char& c : pointer)
    c = c == '.' ? '/' : c;
  const nlohmann::json::json_pointer place(pointer);
  if (!run.audit.contains(place))
    stop("audit.json has no figure '" + path + "'");
  const nlohmann::json& value = run.audit.at(place);
  if (value.is_boolean())
    return value.get<bool>() ? 1 : 0;
  if (!value.is_number())
    stop("'" + path + "' of audit.json is not a number");
  return value.get<double>();
}

std::vector<std::size_t> Evaluation::rows(const Table& table) const {
  const double rounding = 1e-9;
  if (std::isfinite(check_.to) && check_.to > table.times().back() * (1 + rounding))
    stop(formatted("the series ends at t = %.9g s, before %.9g s", table.times().back(), check_.to));
  if (check_.from == check_.to) {
    const auto row = table.row_at(check_.from);
    if (!row)
      stop(formatted("there is no row at t = %.9g s", check_.from));
    return {*row};
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < table.times().size(); ++i)
    if (const double t = table.times()[i]; t >= check_.from - rounding && t <= check_.to + rounding)
      result.push_back(i);
  if (result.empty())
    stop(formatted("there are no rows between t = %.9g s and %.9g s", check_.from, check_.to));
  return result;
}

Values Evaluation::times(const Table& table) const {
  Values values;
  for (const std::size_t row : rows(table))
    values.push_back(table.times()[row]);
  return values;
}

Values Evaluation::samples(const Table& table, const Formula& formula) const {
  const RowFormula bound(formula, &table, case_.parameters);
  Values values;
  for (const std::size_t row : rows(table))
    values.push_back(bound.at_row(row));
  return values;
}

/// Distances at the times of the reference, or of the run where formulas alone are the reference.
double Evaluation::difference(const Table& table, const Table* reference) const {
  Values distances;
  const std::vector<std::size_t> where = rows(reference != nullptr ? *reference : table);
  for (const std::vector<Component>& point : check_.points) {
    std::vector<RowFormula> found, expected;
    for (const Component& component : point) {
      found.emplace_back(component.found, &table, case_.parameters);
      expected.emplace_back(component.expected, reference, case_.parameters);
    }
    for (const std::size_t row : where) {
      const double t = reference != nullptr ? reference->times()[row] : table.times()[row];
      const auto own_row = reference != nullptr ? table.row_at(t) : row;
      if (!own_row)
        stop(formatted("the run has no row at t = %.9g s, where the reference has one", t));
      double sum = 0;
      for (std::size_t i = 0; i < point.size(); ++i) {
        const double wanted = reference != nullptr ? expected[i].at_row(row) : expected[i].at_time(t);
        const double d = found[i].at_row(*own_row) - wanted;
        sum += d * d;
      }
      distances.push_back(std::sqrt(sum));
    }
  }
  return norm_of(distances, check_.norm);
}

/// The columns together as one point, against those of the first setting.
double Evaluation::agreement(const Table& table, const Table& first) const {
  Values squares;
  for (const Formula& quantity : check_.quantities) {
    const Values a = samples(table, quantity), b = samples(first, quantity);
    if (a.size() != b.size())
      stop("the runs have different numbers of rows");
    squares.resize(a.size(), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
      squares[i] += (a[i] - b[i]) * (a[i] - b[i]);
  }
  for (double& d : squares)
    d = std::sqrt(d);
  return norm_of(squares, check_.norm);
}

const Table& Evaluation::table_of(const RunResult& result) const {
  if (check_.of_impacts && !result.impacts)
    stop("the run wrote no impacts");
  return check_.of_impacts ? *result.impacts : *result.history;
}

double Evaluation::measure(const std::string& value) const {
  const RunResult& result = finished_run(check_.run, value);
  const Table& table = table_of(result);
  switch (check_.kind) {
  case Kind::audit:
    return figure(result, check_.figure);
  case Kind::value:
    return samples(table, check_.quantities[0])[0];
  case Kind::difference: {
    const Table* reference = check_.reference ? &*check_.reference : nullptr;
    if (check_.reference_run)
      reference = &table_of(finished_run(*check_.reference_run, value));
    return difference(table, reference);
  }
  case Kind::agreement:
    return agreement(table, table_of(finished_run(check_.run, check_.values[0])));
  case Kind::period: {
    const auto found = period(times(table), samples(table, check_.quantities[0]));
    if (!found)
      stop("'" + check_.quantities[0].text() + "' passes zero upwards less than twice");
    return *found;
  }
  case Kind::maximum:
    return maximum(samples(table, check_.quantities[0]));
  case Kind::time_of_maximum:
    return time_of_maximum(times(table), samples(table, check_.quantities[0]));
  case Kind::minimum:
    return minimum(samples(table, check_.quantities[0]));
  case Kind::drift:
    return drift(samples(table, check_.quantities[0]));
  case Kind::rise:
    return rise(samples(table, check_.quantities[0]));
  case Kind::integral:
    return integral(times(table), samples(table, check_.quantities[0]));
  case Kind::exit:
    break;
  }
  stop("nothing is measured");
}

/// Over several settings: the order of the error, the ratio of two errors, or the number farthest from what is
/// expected.
double Evaluation::measure_all(Outcome& outcome) const {
  const std::vector<std::string> values = check_.over.empty() ? std::vector<std::string>{""} : check_.values;
  Values numbers;
  for (const std::string& value : values) {
    double number = measure(value);
    if (!check_.relative_to.empty())
      number /= figure(finished_run(check_.run, value), check_.relative_to);
    numbers.push_back(number);
  }
  if (check_.is_slope) {
    std::string text;
    for (double& number : numbers) {
      number = std::abs(number - check_.target);
      text += formatted("%s%.3g", text.empty() ? "" : ", ", number);
    }
    outcome.message = "errors " + text;
    return slope(check_.sizes, numbers);
  }
  if (check_.is_ratio) {
    const double first = numbers[0] - check_.target, second = numbers[1] - check_.target;
    outcome.message = formatted("%.6g over %.6g", first, second);
    return first / second; // not a finite number, and no pass, where the second vanishes
  }
  double worst = numbers[0];
  const auto badness = [&](double x) { return check_.expected ? std::abs(x - *check_.expected) : x; };
  for (const double number : numbers) {
    if (std::isnan(number))
      return number; // fails whatever the others are
    if (badness(number) > badness(worst))
      worst = number;
  }
  return worst;
}

Outcome Evaluation::exit_code() const {
  const RunResult& result = run(check_.run, "");
  Outcome outcome{result.exit_code == check_.exit_code, static_cast<double>(result.exit_code), ""};
  if (!outcome.passed)
    outcome.message = beginning(result.text);
  if (result.text.find(check_.says) == std::string::npos) {
    outcome.passed = false;
    outcome.message = "the run does not say '" + check_.says + "': " + beginning(result.text);
  }
  return outcome;
}

Outcome Evaluation::result() {
  if (check_.kind == Kind::exit)
    return exit_code();
  Outcome outcome;
  outcome.got = measure_all(outcome);
  outcome.passed =
      check_.expected ? std::abs(outcome.got - *check_.expected) <= check_.limit : outcome.got <= check_.limit;
  return outcome;
}

} // namespace

Outcome evaluate(const Case& owner, const Check& check, Runs& runs) {
  try {
    return Evaluation(owner, check, runs).result();
  } catch (const std::exception& problem) {
    return {false, std::nan(""), problem.what()};
  }
}

} // namespace emmy::verify
