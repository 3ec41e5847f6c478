#include "io/verify/measures.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace emmy::verify {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool all_finite(const Values& y) {
  return !y.empty() && std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); });
}

/// Lagrange's polynomial through the samples first .. first + n - 1.
double interpolate(const Values& t, const Values& y, std::size_t first, std::size_t n, double at) {
  double sum = 0;
  for (std::size_t i = first; i < first + n; ++i) {
    double weight = 1;
    for (std::size_t k = first; k < first + n; ++k)
      if (k != i)
        weight *= (at - t[k]) / (t[i] - t[k]);
    sum += weight * y[i];
  }
  return sum;
}

} // namespace

double norm_of(const Values& distances, Norm norm) {
  if (!all_finite(distances))
    return none;
  if (norm == Norm::max)
    return *std::max_element(distances.begin(), distances.end());
  double sum = 0;
  for (const double d : distances)
    sum += d * d;
  return std::sqrt(sum / static_cast<double>(distances.size()));
}

double maximum(const Values& y) {
  return all_finite(y) ? *std::max_element(y.begin(), y.end()) : none;
}

double time_of_maximum(const Values& t, const Values& y) {
  assert(t.size() == y.size());
  return all_finite(y) ? t[static_cast<std::size_t>(std::max_element(y.begin(), y.end()) - y.begin())] : none;
}

double minimum(const Values& y) {
  return all_finite(y) ? *std::min_element(y.begin(), y.end()) : none;
}

double drift(const Values& y) {
  if (!all_finite(y))
    return none;
  double farthest = 0;
  for (const double x : y)
    farthest = std::max(farthest, std::abs(x - y.front()));
  return farthest;
}

double rise(const Values& y) {
  if (!all_finite(y) || y.size() < 2)
    return none;
  double largest = y[1] - y[0];
  for (std::size_t i = 2; i < y.size(); ++i)
    largest = std::max(largest, y[i] - y[i - 1]);
  return largest;
}

double integral(const Values& t, const Values& y) {
  assert(t.size() == y.size());
  if (y.size() < 2)
    return none;
  double sum = 0;
  for (std::size_t i = 1; i < y.size(); ++i)
    sum += y[i] * (t[i] - t[i - 1]);
  return std::isfinite(sum) ? sum : none;
}

double slope(const Values& sizes, const Values& errors) {
  assert(sizes.size() == errors.size());
  const auto n = static_cast<double>(sizes.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!(sizes[i] > 0) || !(errors[i] > 0) || !std::isfinite(errors[i]))
      return none;
    mean_x += std::log(sizes[i]) / n;
    mean_y += std::log(errors[i]) / n;
  }
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(sizes[i]) - mean_x;
    xy += x * (std::log(errors[i]) - mean_y);
    xx += x * x;
  }
  return xx > 0 ? xy / xx : none;
}

Values upward_crossings(const Values& t, const Values& y) {
  Values crossings;
  const std::size_t n = std::min(interpolation_points, t.size());
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (!(y[i] < 0 && y[i + 1] >= 0))
      continue;
    const std::size_t before = n / 2 - 1;
    const std::size_t first = std::min(i > before ? i - before : 0, t.size() - n);
    double low = t[i], high = t[i + 1];
    for (int halving = 0; halving < 60; ++halving) { // down to neighbouring numbers
      const double middle = (low + high) / 2;
      (interpolate(t, y, first, n, middle) < 0 ? low : high) = middle;
    }
    crossings.push_back(high);
  }
  return crossings;
}

std::optional<double> period(const Values& t, const Values& y) {
  if (!all_finite(y))
    return none;
  const Values crossings = upward_crossings(t, y);
  if (crossings.size() < 2)
    return std::nullopt;
  return (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
}

} // namespace emmy::verify
