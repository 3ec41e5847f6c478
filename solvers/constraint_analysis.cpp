#include "solvers/constraint_analysis.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SPQRSupport>
#include <Eigen/SparseCore>

#include <cmath>

namespace emmy {

namespace {

/// What is left of a row of unit length, after all others have been projected out, counts as zero below this: regular
/// mechanisms leave 1e-2 and more, dependent rows 1e-16.
constexpr double rank_tolerance = 1e-10;
/// Share of a row in a dependency, relative to the largest one, above which its joint is named.
constexpr double named_share = 0.05;

/// Constraint gradients, one row each, in the metric of the masses and of unit length: rows of G L^-T, M = L L^T.
struct Gradients {
  Eigen::SparseMatrix<double> rows; // equations x unknowns
  std::vector<const Element*> owner;
};

class Gatherer {
public:
  Gatherer(const Model& model, const State& state)
      : model_(model), state_(state), z_(VecX::Zero(model.unknowns())), motions_(model.port_motions()) {
    model.move_ports(step(), motions_);
    gather_masses();
  }

  Gradients gather(ConstraintAnalysis& result) const {
    std::vector<Eigen::Triplet<double>> entries;
    Gradients g;
    for (const auto& element : model_.elements()) {
      const Index nz = element->unknowns(), m = element->multipliers();
      if (m == 0)
        continue;
      MatX k = MatX::Zero(nz + m, nz + m);
      const VecX r = evaluate(*element, k);
      const MatX G = k.bottomLeftCorner(m, nz);
      note_violation(*element, r.tail(m), G, result);
      MatX scaled = G;
      Index column = 0;
      for (const Node& node : element->nodes()) {
        auto part = scaled.middleCols(column, node.unknowns());
        const MatX& L = mass_factor_[static_cast<std::size_t>(node.unknown)];
        L.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(part); // G L^-T, M = L L^T
        column += node.unknowns();
      }
      for (Index i = 0; i < m; ++i) {
        const double norm = scaled.row(i).norm();
        column = 0;
        for (const Node& node : element->nodes())
          for (Index j = 0; j < node.unknowns(); ++j, ++column)
            if (scaled(i, column) != 0)
              entries.emplace_back(static_cast<int>(g.owner.size()), static_cast<int>(node.unknown + j),
                                   scaled(i, column) / norm);
        g.owner.push_back(element.get());
      }
    }
    g.rows.resize(static_cast<Index>(g.owner.size()), model_.unknowns());
    g.rows.setFromTriplets(entries.begin(), entries.end());
    return g;
  }

private:
  Step step() const { return {state_, 1, 1, z_, state_.multipliers}; }

  VecX evaluate(const Element& element, MatX& k) const {
    VecX r = VecX::Zero(k.rows());
    LocalSystem out{r, k, true};
    element.evaluate(step(), motions_, out);
    return r;
  }

  /// The tangent of a body for a step of h = 1 that does not move is twice its mass matrix.
  void gather_masses() {
    mass_factor_.resize(static_cast<std::size_t>(model_.unknowns()));
    for (const Body* body : model_.bodies()) {
      MatX k = MatX::Zero(body->unknowns(), body->unknowns());
      evaluate(*body, k);
      Index first = 0;
      for (const Node& node : body->nodes()) {
        const MatX mass = k.block(first, first, node.unknowns(), node.unknowns()) / 2;
        mass_factor_[static_cast<std::size_t>(node.unknown)] = mass.llt().matrixL();
        first += node.unknowns();
      }
    }
  }

  void note_violation(const Element& element, const VecX& phi, const MatX& G, ConstraintAnalysis& result) const {
    VecX rates(element.unknowns());
    Index first = 0;
    for (const Node& node : element.nodes()) {
      rates.segment(first, node.unknowns()) = state_.rates.segment(node.unknown, node.unknowns());
      first += node.unknowns();
    }
    const VecX phi_dot = G * rates;
    for (Index i = 0; i < phi.size(); ++i) {
      if (std::abs(phi[i]) > result.position_violation) {
        result.position_violation = std::abs(phi[i]);
        result.worst_position = element.name();
        result.worst_position_row = element.row_name(element.unknowns() + i);
      }
      if (std::abs(phi_dot[i]) > result.velocity_violation) {
        result.velocity_violation = std::abs(phi_dot[i]);
        result.worst_velocity = element.name();
        result.worst_velocity_row = element.row_name(element.unknowns() + i);
      }
    }
  }

  const Model& model_;
  const State& state_;
  VecX z_;
  PortMotions motions_;
  std::vector<MatX> mass_factor_; // Cholesky factor of the mass matrix, by the first unknown of a node
};

/// Rank by sparse QR of the transposed gradients, R = [R11 R12; 0 0] in permuted order. The columns of [-R11^-1 R12; 1]
/// are the dependencies y, y^T G = 0: the joints whose rows take part in them form the redundant loops.
void find_dependencies(const Gradients& g, ConstraintAnalysis& result) {
  Eigen::SPQR<Eigen::SparseMatrix<double>> qr;
  qr.setPivotThreshold(rank_tolerance);
  qr.compute(g.rows.transpose());
  result.rank = qr.rank();
  if (result.redundancy() == 0)
    return;
  const Eigen::SparseMatrix<double> R = qr.matrixR();
  const Eigen::SparseMatrix<double> R11 = R.block(0, 0, result.rank, result.rank);
  MatX y(result.equations, result.redundancy());
  y.topRows(result.rank) = -MatX(R.block(0, result.rank, result.rank, result.redundancy()));
  y.bottomRows(result.redundancy()).setIdentity();
  MatX head = y.topRows(result.rank);
  R11.triangularView<Eigen::Upper>().solveInPlace(head);
  y.topRows(result.rank) = head;

  std::vector<bool> named(g.owner.size(), false);
  for (Index j = 0; j < y.cols(); ++j) {
    const double share = named_share * y.col(j).cwiseAbs().maxCoeff();
    for (Index i = 0; i < y.rows(); ++i)
      if (std::abs(y(i, j)) > share)
        named[static_cast<std::size_t>(qr.colsPermutation().indices()[i])] = true;
  }
  for (std::size_t row = 0; row < g.owner.size(); ++row)
    if (named[row] && (result.redundant.empty() || result.redundant.back() != g.owner[row]->name()))
      result.redundant.push_back(g.owner[row]->name());
}

} // namespace

ConstraintAnalysis analyse_constraints(const Model& model, const State& state) {
  ConstraintAnalysis result;
  result.unknowns = model.unknowns();
  result.equations = model.multipliers();
  if (result.equations == 0)
    return result;
  find_dependencies(Gatherer(model, state).gather(result), result);
  return result;
}

} // namespace emmy
