#include "solvers/constraint_analysis.hpp"

#include <Eigen/SPQRSupport>
#include <Eigen/SVD>
#include <Eigen/SparseCore>

#include <cmath>

namespace emmy {

namespace {

/// A singular value, or a pivot, below this part of the largest one is zero: regular mechanisms have 1e-2 and more,
/// dependent rows 1e-16.
constexpr double rank_tolerance = 1e-10;
/// Share of a row in the dependencies above which its joint is named.
constexpr double named_share = 0.05;
/// Up to this many rows a dense singular value decomposition is done, which names whole loops; sparse QR beyond.
constexpr Index dense_limit = 300;

/// Constraint gradients, one row each, in the metric of the masses and of unit length: rows of G M^-1/2.
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
        part = part * inverse_root_mass_[static_cast<std::size_t>(node.unknown)];
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
    inverse_root_mass_.resize(static_cast<std::size_t>(model_.unknowns()));
    for (const Body* body : model_.bodies()) {
      MatX k = MatX::Zero(body->unknowns(), body->unknowns());
      evaluate(*body, k);
      Index first = 0;
      for (const Node& node : body->nodes()) {
        const MatX mass = k.block(first, first, node.unknowns(), node.unknowns()) / 2;
        inverse_root_mass_[static_cast<std::size_t>(node.unknown)] =
            Eigen::SelfAdjointEigenSolver<MatX>((mass + mass.transpose()) / 2).operatorInverseSqrt();
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
    const double position = phi.cwiseAbs().maxCoeff();
    const double velocity = G.cols() > 0 ? (G * rates).cwiseAbs().maxCoeff() : 0;
    if (position > result.position_violation) {
      result.position_violation = position;
      result.worst_position = element.name();
    }
    if (velocity > result.velocity_violation) {
      result.velocity_violation = velocity;
      result.worst_velocity = element.name();
    }
  }

  const Model& model_;
  const State& state_;
  VecX z_;
  PortMotions motions_;
  std::vector<MatX> inverse_root_mass_; // by the first unknown of a node
};

void name(const Element* element, std::vector<std::string>& names) {
  if (names.empty() || names.back() != element->name())
    names.push_back(element->name());
}

/// Left null vectors tell which joints form the redundant loops.
void analyse_dense(const Gradients& g, ConstraintAnalysis& result) {
  const Eigen::BDCSVD<MatX> svd(MatX(g.rows), Eigen::ComputeFullU);
  const VecX& sigma = svd.singularValues();
  while (result.rank < sigma.size() && sigma[result.rank] > rank_tolerance * sigma[0])
    ++result.rank;
  const MatX null = svd.matrixU().rightCols(result.redundancy());
  for (std::size_t i = 0; i < g.owner.size(); ++i)
    if (null.row(static_cast<Index>(i)).norm() > named_share)
      name(g.owner[i], result.redundant);
}

/// The rows that sparse QR pivots last are redundant.
void analyse_sparse(const Gradients& g, ConstraintAnalysis& result) {
  Eigen::SPQR<Eigen::SparseMatrix<double>> qr;
  qr.setPivotThreshold(rank_tolerance);
  qr.compute(g.rows.transpose());
  result.rank = qr.rank();
  for (Index i = result.rank; i < g.rows.rows(); ++i)
    name(g.owner[static_cast<std::size_t>(qr.colsPermutation().indices()[i])], result.redundant);
}

} // namespace

ConstraintAnalysis analyse_constraints(const Model& model, const State& state) {
  ConstraintAnalysis result;
  result.unknowns = model.unknowns();
  result.equations = model.multipliers();
  if (result.equations == 0)
    return result;
  const Gradients g = Gatherer(model, state).gather(result);
  if (result.equations <= dense_limit)
    analyse_dense(g, result);
  else
    analyse_sparse(g, result);
  return result;
}

} // namespace emmy
