#pragma once
/// Solves with a BlockMatrix: factors, solutions, and one step of refinement, which also tells how good they are.

#include "core/types.hpp"
#include "solvers/linear/block_factor.hpp"
#include "solvers/linear/block_matrix.hpp"

namespace emmy {

/// All of a matrix, or without the nodes that are solved elsewhere, whose rows then mean nothing.
enum class Nodes { all, here };

class BlockSolver {
public:
  BlockSolver(BlockMatrix& blocks, Instructions instructions)
      : blocks_(blocks), kernels_(block_kernels(instructions)), residual_(VecX::Zero(blocks.rows())),
        correction_(residual_) {}

  /// Factorises the matrix as it stands.
  void factorise(Nodes nodes = Nodes::all) {
    nodes == Nodes::all ? blocks_.start_factor() : blocks_.start_factor_here();
    kernels_.factorise(program(nodes));
  }

  /// x = F^-1 b, with the factors F.
  void solve(const double* b, double* x, Nodes nodes = Nodes::all) const {
    std::copy(b, b + blocks_.rows(), x);
    solve(x, nodes);
  }
  /// The same in place: x <- F^-1 x.
  void solve(double* x, Nodes nodes = Nodes::all) const { kernels_.solve(program(nodes), x, RightSide::given); }

  /// Factorises what is left without the nodes that go first, already begun by whoever eliminated these.
  void factorise_rest() { kernels_.factorise(blocks_.program_of_rest()); }
  /// Solves for what is left. The right side is that of the matrix; b is added to it unless it is null. Of x only what
  /// is left is written.
  void solve_rest(const double* b, double* x) const {
    if (b != nullptr)
      std::copy(b, b + blocks_.rows(), x);
    kernels_.solve(blocks_.program_of_rest(), x, b != nullptr ? RightSide::split : RightSide::ready);
  }

  /// y = A x, with the matrix as it stands now.
  void multiply(const double* x, double* y) const { kernels_.multiply(blocks_.product(), x, y); }

  /// x <- x + F^-1 (b - A x), with the matrix as it stands now. Returns what was added.
  const VecX& refine(const double* b, double* x, Nodes nodes = Nodes::all) {
    kernels_.multiply(nodes == Nodes::all ? blocks_.product() : blocks_.product_here(), x, residual_.data());
    residual_ = Eigen::Map<const VecX>(b, blocks_.rows()) - residual_;
    solve(residual_.data(), correction_.data(), nodes);
    Eigen::Map<VecX>(x, blocks_.rows()) += correction_;
    return correction_;
  }

private:
  BlockProgram program(Nodes nodes) const { return nodes == Nodes::all ? blocks_.program() : blocks_.program_here(); }

  BlockMatrix& blocks_;
  const BlockKernels& kernels_;
  VecX residual_, correction_;
};

} // namespace emmy
