#include "verification/support/newton.hpp"

#include <stdexcept>

namespace emmy::test {

namespace {

void evaluate(const Model& model, const Trial& trial, VecX& R, MatX& K) {
  const Index nz = model.unknowns();
  const OwnedStep moved = trial.moved(model);
  R.setZero(nz + model.multipliers());
  K.setZero(R.size(), R.size());
  for (const auto& element : model.elements()) {
    std::vector<Index> to;
    for (const Node& node : element->nodes())
      for (Index i = 0; i < node.unknowns(); ++i)
        to.push_back(node.unknown + i);
    for (Index i = 0; i < element->multipliers(); ++i)
      to.push_back(nz + element->first_multiplier() + i);
    const auto n = static_cast<Index>(to.size());
    VecX r = VecX::Zero(n);
    MatX k = MatX::Zero(n, n);
    LocalSystem local{r, k, true};
    element->evaluate(moved, local);
    for (Index i = 0; i < n; ++i) {
      R[to[static_cast<std::size_t>(i)]] += r[i];
      for (Index j = 0; j < n; ++j)
        K(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)]) += k(i, j);
    }
  }
}

} // namespace

Solution solve_step(const Model& model, const State& n, double h) {
  const Index nz = model.unknowns();
  Solution solution;
  Trial& t = solution.trial;
  t.n = t.n1 = n;
  t.h = h;
  t.z = h * n.rates;
  t.lambda = n.multipliers;
  const double scale = 2 / (h * h); // of constraint rows and multipliers: keeps the condition number free of h
  VecX R;
  MatX K;
  bool small = false;
  for (solution.iterations = 1;; ++solution.iterations) {
    if (solution.iterations > 30)
      throw std::runtime_error("no convergence in thirty iterations");
    evaluate(model, t, R, K);
    R.tail(R.size() - nz) *= scale;
    K.bottomRows(R.size() - nz) *= scale;
    K.rightCols(R.size() - nz) *= scale;
    const VecX d = K.fullPivLu().solve(R);
    t.z -= d.head(nz);
    t.lambda -= scale * d.tail(R.size() - nz);
    if (small)
      break; // one update beyond convergence: quadratic convergence has then reached the rounding floor
    small = d.head(nz).norm() <= 1e-9 * (1 + t.z.norm());
  }
  evaluate(model, t, R, K);
  solution.residual = R.head(nz).norm();
  model.retract_nodes(t.step(), t.n1.values);
  t.n1.rates = n.rates + 2 * (t.z * t.step().inv_h - n.rates); // [F2], [D11]
  t.n1.multipliers = t.lambda;
  t.n1.time = n.time + h;
  const OwnedStep moved = t.moved(model);
  for (const auto& element : model.elements())
    element->advance(moved, t.n1);
  return solution;
}

} // namespace emmy::test
