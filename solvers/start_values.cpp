#include "solvers/start_values.hpp"

#include <algorithm>

namespace emmy {

namespace {
/// Numbers of the vectors that are worked on at a time: they stay in the nearest cache.
constexpr Index stretch = 256;
} // namespace

StartValues::StartValues(const StepNorm& norm, std::vector<Index> cold)
    : rows_(norm.weights().size()), weight_(norm.weights()), cold_(std::move(cold)) {
  high_order_ = (weight_.array() > 0).cast<double>();
}

void StartValues::extrapolate(const double* memory, double h, double* x) const {
  const auto known = static_cast<int>(memory[1]), order = static_cast<int>(memory[2]);
  if (memory[0] != h || known < 2)
    return;
  const double* differences = memory + header;
  const auto difference = [&](int k, Index first, Index count) {
    return Eigen::Map<const VecX>(differences + k * rows_ + first, count);
  };
  for (Index first = 0; first < rows_; first += stretch) {
    const Index count = std::min(stretch, rows_ - first);
    Eigen::Map<VecX> out(x + first, count);
    out = difference(0, first, count) + difference(1, first, count);
    for (int k = 2; k <= order; ++k)
      out.array() += high_order_.segment(first, count).array() * difference(k, first, count).array();
    if (order < 1) // multipliers keep their slope
      out.array() -= high_order_.segment(first, count).array() * difference(1, first, count).array();
  }
  for (const Index row : cold_)
    x[row] = 0;
}

void StartValues::remember(double* memory, double h, const double* x) const {
  const int known = memory[0] == h ? static_cast<int>(memory[1]) : 0;
  double* differences = memory + header;
  // error[k]: square of the k-th difference, by which extrapolation of order k - 1 has missed this step
  double error[most_differences + 1] = {};
  double newest[stretch];
  for (Index first = 0; first < rows_; first += stretch) {
    const Index count = std::min(stretch, rows_ - first);
    Eigen::Map<Eigen::ArrayXd> now(newest, count);
    now = Eigen::Map<const Eigen::ArrayXd>(x + first, count);
    const auto weight = weight_.segment(first, count).array();
    for (int k = 0; k < std::min(known + 1, most_differences); ++k) {
      Eigen::Map<Eigen::ArrayXd> kept(differences + k * rows_ + first, count);
      for (Index i = 0; i < count; ++i) {
        const double before = kept[i];
        kept[i] = now[i];
        now[i] -= before;
      }
      if (k < known)
        error[k + 1] += (weight * now.square()).sum();
    }
  }
  int best = 0;
  for (int k = 1; k < std::min(known, most_differences); ++k)
    if (error[k + 1] < error[best + 1])
      best = k;
  memory[0] = h;
  memory[1] = std::min(known + 1, most_differences);
  memory[2] = best;
}

} // namespace emmy
