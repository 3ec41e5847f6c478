#pragma once
/// Numbers drawn from series. A value that is not a number anywhere in what is measured makes the result not a number:
/// it never gets lost in a maximum.

#include <cstddef>
#include <optional>
#include <vector>

namespace emmy::verify {

using Values = std::vector<double>;

enum class Norm { max, rms };

/// Of a series of distances.
double norm_of(const Values& distances, Norm norm);

double maximum(const Values& y);
/// Time of the largest sample, the first of several.
double time_of_maximum(const Values& t, const Values& y);
double minimum(const Values& y);
/// Largest distance from the first value.
double drift(const Values& y);
/// Largest increase from one sample to the next.
double rise(const Values& y);
/// Sum of the samples, each times the time since the one before: exact for means over the steps that end there, as
/// forces are. The first only says where it begins.
double integral(const Values& t, const Values& y);

/// Exponent p of errors = c sizesᵖ by least squares of the logarithms. Not a number when an error is not positive.
double slope(const Values& sizes, const Values& errors);

/// Where the samples pass zero upwards, each on the polynomial through the `interpolation_points` samples around it.
/// Its error, about (step/4)^10 times the tenth derivative, is below rounding for a dozen samples per cycle and more.
Values upward_crossings(const Values& t, const Values& y);
inline constexpr std::size_t interpolation_points = 10;

/// Mean time between upward zero crossings; nothing with less than two of them.
std::optional<double> period(const Values& t, const Values& y);

} // namespace emmy::verify
