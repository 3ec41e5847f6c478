#include "solvers/analysis/singular_start.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>

namespace emmy {

namespace {

/// How far bodies are moved away from a singular position [rad], [size of the mechanism]: far enough for gradients to
/// see the way, and no further than the position is about.
constexpr double first_move = 0.1;
/// How far seeded moves go, each so often.
constexpr double seeded_moves[] = {0.1, 0.3, 1, 3};
constexpr int moves_each = 3;
/// Positions that are left along the direction in which gaps fall.
constexpr int most_positions = 4;
/// Less than this of a fall is none: another position of the same kind, or the same one.
constexpr double a_fall = 0.98;
/// Over so much [rad], [size of the mechanism] curvature is found by differences: errors of the first order in it do
/// not matter, and rounding is 1e-12 of the gradients.
constexpr double difference = 1e-4;
/// Lanczos goes on for so many products, enough to tell a direction that leads down.
constexpr Index most_products = 40;
/// Curvature below this part of the largest is rounding.
constexpr double flat = 1e-6;

/// Numbers between -1 and 1, the same everywhere: the engine is specified bit for bit, distributions are not.
VecX seeded_numbers(Index n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  VecX numbers(n);
  for (double& number : numbers)
    number = static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
  return numbers;
}

/// How far bodies are from their mean, and how large they are [m].
double size_of(const Model& model, const State& state, const Gaps& gaps) {
  Vec3 mean = Vec3::Zero();
  for (const Body* body : model.bodies())
    mean += body->motion(state).position / static_cast<double>(model.bodies().size());
  double spread = 0, radius = 0;
  for (const Body* body : model.bodies()) {
    spread = std::max(spread, (body->motion(state).position - mean).norm());
    const std::optional<RigidInertia> inertia = body->rigid_inertia();
    if (inertia && inertia->turns && inertia->mass > 0)
      radius = std::max(radius, std::sqrt(inertia->J.trace() / 2 / inertia->mass));
  }
  return spread + radius > 0 ? spread + radius : gaps.largest(); // points that coincide: what holds them apart
}

class Search {
public:
  Search(const Model& model, const MassMetric& metric, const GapOptions& options, const State& start)
      : model_(model), metric_(metric), options_(options), start_(start) {
    const Gaps gaps = gaps_at(model, start, options);
    weight_ = gap_weights(options, metric, gaps);
    size_ = size_of(model, start, gaps);
    best_ = close_from(start);
    report_.first_gap = best_.gaps.gap;
  }

  void run() {
    leave_saddles();
    for (std::size_t i = 0; i < std::size(seeded_moves) * moves_each && !best_.gaps.closed; ++i) {
      const VecX z = seeded_moves[i / moves_each] * seeded_numbers(model_.unknowns(), 2 + i).cwiseProduct(reach());
      take_if_better(close_from(moved(model_, start_, free(z))));
      ++seeded_;
    }
  }

  const State& state() const { return best_.state; }

  SearchReport report() const {
    SearchReport report = report_;
    report.gaps = best_.gaps;
    report.gaps.iterations = iterations_;
    report.attempts = along_ + seeded_;
    report.tried = tried();
    return report;
  }

private:
  struct Place {
    State state;
    GapReport gaps;
    double misfit = 0;
  };

  Place close_from(const State& from) {
    Place place{from, {}, 0};
    place.gaps = close_gaps(model_, metric_, options_, place.state);
    place.misfit = gaps_at(model_, place.state, options_).misfit(weight_);
    iterations_ += place.gaps.iterations;
    return place;
  }

  bool take_if_better(const Place& place) {
    const bool better = place.gaps.closed || place.misfit < a_fall * best_.misfit;
    if (better)
      best_ = place;
    return better;
  }

  /// Positions may follow one another in which the gaps are smaller, but gradients still lead nowhere.
  void leave_saddles() {
    for (int i = 0; i < most_positions && !best_.gaps.closed; ++i) {
      const Place from = best_;
      const VecX z = way_down(from.state);
      if (z.size() == 0)
        return;
      bool fell = false;
      for (const double side : {1.0, -1.0}) {
        if (best_.gaps.closed)
          break;
        ++along_;
        fell = take_if_better(close_from(moved(model_, from.state, side * z))) || fell;
      }
      if (!fell)
        return;
    }
  }

  /// One radian, or the size of the mechanism, for every unknown; base vectors have length one.
  VecX reach() const {
    VecX reach = VecX::Ones(model_.unknowns());
    for (const Node& node : model_.nodes())
      if (node.kind == NodeKind::point || node.kind == NodeKind::frame || node.kind == NodeKind::director)
        reach.segment<3>(node.unknown).setConstant(size_);
    return reach;
  }

  VecX free(VecX z) const {
    for (std::size_t i = 0; i < options_.held.size(); ++i)
      if (options_.held[i])
        z[static_cast<Index>(i)] = 0;
    return z;
  }

  /// Increments in the direction of z by which the body that moves most does so by `amount` [rad], [size_].
  VecX scaled(const State& state, const VecX& z, double amount) const {
    const double largest = z.lpNorm<Eigen::Infinity>();
    if (largest == 0)
      return z;
    const VecX little = z * (difference * std::min(size_, 1.0) / largest);
    const State there = moved(model_, state, little);
    double extent = largest_rotation(model_, state, little);
    for (const Body* body : model_.bodies())
      extent = std::max(extent, (body->motion(there).position - body->motion(state).position).norm() / size_);
    return extent > 0 ? VecX(little * (amount / extent)) : little;
  }

  /// Among the moves that leave the linearised gaps as they are, the one along which half the sum of their squares
  /// falls most, measured by masses; none if it falls along none. Its second derivative there is that of y . phi, y the
  /// weighted gaps: what the forces y would add to the stiffness. By Lanczos, with differences of G^T y.
  VecX way_down(const State& state) const {
    const Gaps gaps = gaps_at(model_, state, options_);
    const SparseMatrix G = free_columns(options_, gaps.G), W = free_metric(options_, metric_);
    const VecX scales = metric_.row_scales(G), y = gaps.phi.cwiseProduct(weight_), none = VecX::Zero(y.size());
    Saddle admitted;
    admitted.factor(W, G, none, scales, 1);
    const auto project = [&](const VecX& force) {
      VecX z, l;
      admitted.solve(free(force), none, z, l);
      return z;
    };
    const VecX gradient = gaps.G.transpose() * y;
    const auto fall = [&](const VecX& v) {
      const VecX little = scaled(state, v, difference);
      const Gaps there = gaps_at(model_, moved(model_, state, little), options_);
      const VecX bent = gradient - there.G.transpose() * y;
      return VecX(project(bent) * (v.lpNorm<Eigen::Infinity>() / little.lpNorm<Eigen::Infinity>()));
    };
    const auto norm = [&](const VecX& v) { return std::sqrt(std::max(0.0, v.dot(W * v))); };

    const Index most = std::min(model_.unknowns(), most_products);
    MatX basis(model_.unknowns(), most);
    VecX diagonal(most), beside(most);
    VecX next = project(seeded_numbers(model_.unknowns(), 1));
    Index count = 0;
    double largest = 0;
    for (double size = norm(next); count < most && size > flat * largest && size > 0; size = norm(next)) {
      basis.col(count) = next / size;
      const VecX product = fall(basis.col(count));
      diagonal[count] = basis.col(count).dot(W * product);
      ++count;
      next = product;
      for (int twice = 0; twice < 2; ++twice) // once more for what rounding leaves
        next -= basis.leftCols(count) * (basis.leftCols(count).transpose() * (W * next));
      beside[count - 1] = norm(next);
      largest = std::max({largest, std::abs(diagonal[count - 1]), beside[count - 1]});
    }
    if (count == 0)
      return {};
    Eigen::SelfAdjointEigenSolver<MatX> ritz;
    ritz.computeFromTridiagonal(diagonal.head(count), beside.head(count - 1));
    if (!(ritz.eigenvalues()[count - 1] > flat * ritz.eigenvalues().cwiseAbs().maxCoeff()))
      return {};
    return scaled(state, basis.leftCols(count) * ritz.eigenvectors().col(count - 1), first_move);
  }

  std::string tried() const {
    char along[160] = "", seeded[200] = "";
    if (along_ > 0)
      std::snprintf(along, sizeof along, "%d move%s by %g rad or %.3g m in the direction in which the gaps fall most",
                    along_, along_ == 1 ? "" : "s", first_move, first_move * size_);
    if (seeded_ > 0)
      std::snprintf(seeded, sizeof seeded,
                    "%d seeded move%s of all bodies from where they were typed, up to %g rad or %.3g m", seeded_,
                    seeded_ == 1 ? "" : "s", seeded_moves[(seeded_ - 1) / moves_each],
                    seeded_moves[(seeded_ - 1) / moves_each] * size_);
    return std::string(along) + (along_ > 0 && seeded_ > 0 ? ", " : "") + seeded;
  }

  const Model& model_;
  const MassMetric& metric_;
  const GapOptions& options_;
  State start_;
  VecX weight_;
  double size_ = 0; ///< of the mechanism [m]
  Place best_;
  SearchReport report_;
  int iterations_ = 0, along_ = 0, seeded_ = 0;
};

} // namespace

SearchReport search_closed(const Model& model, const MassMetric& metric, const GapOptions& options, State& state) {
  Search search(model, metric, options, state);
  search.run();
  state = search.state();
  return search.report();
}

} // namespace emmy
