#pragma once
/// Kernels on long vectors, for start values and for the size of increments. Plain data: kernels that are compiled for
/// certain processors include nothing that others share with them.

namespace emmy {

/// Backward differences that start values are made of, the values themselves being the first: of increments, and of the
/// multipliers behind the last of them.
inline constexpr int most_differences = 6;
inline constexpr int multiplier_differences = 4;

/// Kernels on long vectors.
struct VectorKernels {
  /// Backward differences after a new value x: `kept` holds most_differences of them, the value itself being the first,
  /// each of `rows` numbers that begin `stride` behind the last. errors[k] becomes the sum of weight times square of
  /// the one behind the k-th, which extrapolation of order k had missed.
  void (*difference)(const double* weight, const double* x, double* kept, long stride, long rows, double* errors);
  /// The same of multipliers alone, of which nobody asks what was missed.
  void (*difference_multipliers)(const double* x, double* kept, long stride, long rows);
  /// x = sum of `kept` differences up to `order`, below most_differences, where `is_increment` is 1; order -1 leaves x
  /// as it is there. Elsewhere it is the sum up to the second difference less the third, which continues parabolas and
  /// what changes its sign from step to step; or the sum up to the first one, if `trusted` is 0 and not 1.
  void (*extrapolate)(const double* kept, const double* is_increment, long stride, long rows, int order, double trusted,
                      double* x);
  /// The same of multipliers alone.
  void (*extrapolate_multipliers)(const double* kept, long stride, long rows, double trusted, double* x);
  /// Sum of weight * square, of a - b.
  double (*distance)(const double* a, const double* b, const double* weight, long rows);
  /// Sums of weight * square, of squares of what has no weight (multipliers), and of squares of turns * x; the largest
  /// absolute values of the latter two.
  void (*measure)(const double* x, const double* weight, const double* turns, long rows, double* sizes);
  /// Sum and largest of inverse_weight * square, of f - weight * dx.
  void (*measure_balance)(const double* f, const double* dx, const double* weight, const double* inverse_weight,
                          long rows, double* sizes);
  /// x <- x - dx; returns the sum of weight * square of that.
  double (*advance)(double* x, const double* dx, const double* weight, long rows);
};

} // namespace emmy
