#include "verification/support/compare.hpp"

#include <cmath>

namespace emmy::test {

Verdict agree(const std::string& what, const MatX& got, const MatX& expected, const MatX& tolerance) {
  if (got.rows() != expected.rows() || got.cols() != expected.cols()) {
    Verdict bad(false);
    bad.message() << what << ": size " << got.rows() << " x " << got.cols() << ", expected " << expected.rows() << " x "
                  << expected.cols();
    return bad;
  }
  Index row = -1, col = -1;
  double worst = 0;
  for (Index j = 0; j < got.cols(); ++j)
    for (Index i = 0; i < got.rows(); ++i) {
      const double error = std::abs(got(i, j) - expected(i, j));
      if (error <= tolerance(i, j))
        continue;
      const double ratio = std::isfinite(error) ? error / tolerance(i, j) : std::numeric_limits<double>::infinity();
      if (row < 0 || ratio > worst) {
        worst = ratio;
        row = i;
        col = j;
      }
    }
  if (row < 0)
    return Verdict(true);
  Verdict bad(false);
  bad.message().stream().precision(17);
  bad.message() << what << " (" << row << ", " << col << "): " << got(row, col) << ", expected " << expected(row, col)
                << ", difference " << std::abs(got(row, col) - expected(row, col)) << " > " << tolerance(row, col);
  return bad;
}

Verdict agree(const std::string& what, const MatX& got, const MatX& expected, double tolerance) {
  return agree(what, got, expected, MatX(MatX::Constant(got.rows(), got.cols(), tolerance)));
}

Verdict agree(const std::string& what, double got, double expected, double tolerance) {
  return agree(what, MatX(MatX::Constant(1, 1, got)), MatX(MatX::Constant(1, 1, expected)), tolerance);
}

Verdict both(const Verdict& a, const Verdict& b) {
  return a ? b : a;
}

} // namespace emmy::test
