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
  /// Backward differences after a new value x: `kept` holds `known` of them, the value itself being the first, each of
  /// `rows` numbers that begin `stride` behind the last, and at most `most` are kept, which is most_differences or
  /// less. errors[k] becomes the sum of weight times square of the k-th.
  void (*difference)(const double* weight, const double* x, double* kept, long stride, long rows, int known, int most,
                     double* errors);
  /// x = sum of `kept` differences up to `order`, below most_differences, where `is_increment` is 1; order -1 leaves x
  /// as it is there. Elsewhere it is the sum up to the second difference less the third, which continues parabolas and
  /// what changes its sign from step to step; or the sum up to the first one, if `trusted` is 0 and not 1.
  void (*extrapolate)(const double* kept, const double* is_increment, long stride, long rows, int order, double trusted,
                      double* x);
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
