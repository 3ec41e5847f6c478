#pragma once
/// Port with a constant map, q = P u + c [T4]: centre and base vectors are weighted sums of nodes, points or vectors of
/// space with three unknowns each, and of points and vectors that are fixed. Bodies that share nodes are joined without
/// any equation.

#include "core/connectivity.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace emmy {

/// A point [m] or vector that does not move.
struct Support {
  Vec3 value = Vec3::Zero();
  bool is_point = true;
};

/// A point or vector of a body, and where it is in space: the sum of weight times node or support.
struct BodySlot {
  Vec4 column = Vec4::Zero(); ///< (1, r) for the point at body coordinates r, (0, r) for the vector: a column of A [T4]
  std::vector<std::pair<Node, double>> nodes;
  std::vector<std::pair<Support, double>> supports;
};

class AffineConnectivity final : public Connectivity {
public:
  static constexpr int max_nodes = max_port_unknowns / 3;
  using Weights = Eigen::Matrix<double, 4, Eigen::Dynamic, Eigen::ColMajor, 4, max_nodes>;

  struct SupportShare {
    Support support;
    Vec4 weight; ///< in the centre and the base vectors
  };

  AffineConnectivity(std::vector<Node> nodes, const Weights& W, std::vector<SupportShare> supports = {});

  /// The port of a body from its slots, of which there must be as many as `basis` has columns: 4, with the unit matrix,
  /// for a body in space; 2, columns (1, 0) and (0, a), for a rod along a. Throws if they do not determine the port.
  static std::unique_ptr<AffineConnectivity> from_slots(const std::vector<BodySlot>& slots, const MatX& basis);

  /// P is W times the 3 x 3 unit matrix.
  const Weights& W() const { return W_; }

  void move(const Step& s, PortMotion& m) const override;
  void place(const Step& s, PortMotion& m) const override;
  MapPattern map_pattern() const override;
  Pattern geometric_pattern(const PortPattern& r) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
  void add_support(const Vec12& r, const Vec3& moment_of_r, Vec3& force, Vec3& moment) const override;

  /// Port of the configuration in `values`, and how it moves with unknowns or rates.
  Vec12 port(const VecX& values) const;
  Vec12 port_change(const VecX& unknowns) const;

private:
  template <class F>
  Vec12 weighted(Vec12 q, const F& of_node) const;

  Weights W_;
  std::vector<SupportShare> supports_;
  Vec12 c_ = Vec12::Zero();
};

} // namespace emmy
