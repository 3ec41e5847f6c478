#pragma once
/// Linear equations of all methods that solve for impulses directly [R8]: (1 + S W) x = b with 3 x 3 blocks S, inverses
/// of what the law adds to W. Of free bodies they become 6 equations a body, whatever the number of contacts:
///   (1 + M^-1 G S G^T / 2) v = M^-1 G b / 2,   x = b - S G^T v,
/// so that redundant contacts do no harm. Dense for few bodies, sparse for many. Where a compliance has no bodies W is
/// formed once, by applications.

#include "contact/problem/body_graph.hpp"
#include "contact/problem/dense_lu.hpp"
#include "contact/problem/island.hpp"

#include <Eigen/SparseLU>

namespace emmy::contact {

class ImpulseEquations {
public:
  /// Returns false where it would cost more applications than are left.
  bool begin(const Island& island);
  /// Returns false if the matrix is singular.
  bool factor(const std::vector<Mat3>& S);
  /// With the S of the last `factor`, which must still be there.
  void solve(const Vectors& b, Vectors& x);
  /// Where there are no bodies: W, three rows a contact.
  Eigen::Map<const MatX> W() const { return {W_.data(), n_, n_}; }

private:
  void form_W();
  template <class Matrix>
  void add_bodies(Matrix&& matrix) const;

  const Island* island_ = nullptr;
  const BodyForm* form_ = nullptr;
  const std::vector<Mat3>* S_ = nullptr;
  Index n_ = 0; ///< equations
  bool sparse_ = false;
  std::vector<double> W_;
  DenseLU lu_;
  BodyGraph graph_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse_lu_;
  std::vector<double> v_; ///< of bodies
  Vectors u_;
};

} // namespace emmy::contact
