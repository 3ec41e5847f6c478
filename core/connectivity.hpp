#pragma once
/// Connectivity: how the unknowns z of a body move its port, the twelve numbers q = (x, q1, q2, q3) of its centre and
/// base vectors, in which every body point and direction is linear. Joints, forces and contact see only points and
/// directions; what they return goes back through the secant map, so that an element which conserves in its own
/// variables conserves on every body formulation (docs/theory/frames.md [F7]).

#include "core/facts.hpp"
#include "core/node.hpp"
#include "core/state.hpp"
#include "core/types.hpp"

#include <vector>

namespace emmy {

/// Most unknowns that a port may depend on; sizes the buffers on the stack.
inline constexpr int max_port_unknowns = 24;

/// How the port of a body moves with its unknowns. No larger than needed: ports live in one array, which every
/// evaluation walks through.
using PortMap = Eigen::Matrix<double, 12, Eigen::Dynamic>;

/// Three rows of it, for one point or direction, with a number of columns that the compiler may know.
template <int Columns>
using PointMapOf =
    Eigen::Matrix<double, 3, Columns, Eigen::ColMajor, 3, Columns == Eigen::Dynamic ? max_port_unknowns : Columns>;
using PointMap = PointMapOf<Eigen::Dynamic>;

/// Which of the twelve numbers of a port something acts on.
using PortPattern = Eigen::Matrix<int, 12, 1>;

/// Where the maps of a port may ever be non-zero, 12 x unknowns.
struct MapPattern {
  Pattern P_bar, D;
};

/// A port during one step.
struct PortMotion {
  Vec12 q_n, q_n1; ///< at both ends
  PortMap P_bar;   ///< secant map: q_n1 - q_n = P_bar z, exactly [F4]; N in [D13]
  PortMap D;       ///< derivative of q_n1 with respect to z [D13]
};

/// All ports of a model during one step, indexed like Model::ports().
using PortMotions = std::vector<PortMotion>;

/// An attempted step and where it takes the ports: what elements are asked about.
struct MovedStep : Step {
  const PortMotions& motions;
};

class Connectivity {
public:
  Connectivity(std::vector<Node> nodes, Grounding grounding);
  virtual ~Connectivity() = default;
  Connectivity(const Connectivity&) = delete;
  Connectivity& operator=(const Connectivity&) = delete;

  const std::vector<Node>& nodes() const { return nodes_; }
  Index unknowns() const { return unknowns_; }
  /// A port without unknowns is the fixed world.
  bool fixed() const { return unknowns_ == 0; }

  /// Port at the ends of the step and its two maps.
  virtual void move(const Step& s, PortMotion& m) const = 0;

  /// The ends of the step alone, the same to the last bit: enough for books, and for whoever looks back at a solved
  /// step. The maps may be left as they are.
  virtual void place(const Step& s, PortMotion& m) const { move(s, m); }

  /// Adds the derivative with respect to z of P_bar^T r at fixed r [F11]; nothing where P_bar is constant.
  virtual void add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const;

  /// Where P_bar and D may be non-zero: everywhere, unless a formulation knows better.
  virtual MapPattern map_pattern() const;

  /// Where add_geometric() may add, unknowns x unknowns, if only the entries `r` of the port force are non-zero.
  virtual Pattern geometric_pattern(const PortPattern& r) const;

  /// Where part of a port is fixed, the ground bears part of what acts on it. Adds the force with which the ground
  /// answers a port residual r, and its moment about the origin; `moment_of_r` is the moment of r about the origin.
  /// Adds nothing unless a formulation is fixed without a joint.
  virtual void add_support(const Vec12& r, const Vec3& moment_of_r, Vec3& force, Vec3& moment) const;
  /// False if add_support() adds nothing: the ground bears no part of this port.
  bool is_supported() const { return grounding_ == Grounding::partly; }

  /// Port and its rate at an instant.
  virtual void at(const State& state, Vec12& q, Vec12& q_dot) const = 0;

private:
  std::vector<Node> nodes_;
  Grounding grounding_;
  Index unknowns_ = 0;
};

/// The port of something that does not move: centre at the origin, base vectors along the axes of space.
class Ground final : public Connectivity {
public:
  Ground();
  void move(const Step& s, PortMotion& m) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
};

/// A point or direction of a body, X = w0 x + w1 q1 + w2 q2 + w3 q3: a natural variable.
struct NaturalVariable {
  Index port = 0; ///< index in Model::ports()
  Vec4 w = Vec4::Zero();

  Vec3 of(const Vec12& q) const {
    return w[0] * q.segment<3>(0) + w[1] * q.segment<3>(3) + w[2] * q.segment<3>(6) + w[3] * q.segment<3>(9);
  }
  /// Rows of a port map that belong to this variable.
  template <int Columns = Eigen::Dynamic>
  PointMapOf<Columns> rows(const PortMap& map) const {
    const auto row = [&](Index i) { return map.block<3, Columns>(3 * i, 0, 3, map.cols()); };
    return w[0] * row(0) + w[1] * row(1) + w[2] * row(2) + w[3] * row(3);
  }
  /// Adds the port force of a force r on this variable: the transpose of `of`.
  void add_to_port(const Vec3& r, Vec12& port_force) const {
    for (int i = 0; i < 4; ++i)
      port_force.segment<3>(3 * i) += w[i] * r;
  }
};

/// Point of a body at body coordinates `at` [m] from its centre.
inline NaturalVariable body_point(Index port, const Vec3& at) {
  return {port, {1, at.x(), at.y(), at.z()}};
}

/// Vector fixed in a body, with body components.
inline NaturalVariable body_direction(Index port, const Vec3& along) {
  return {port, {0, along.x(), along.y(), along.z()}};
}

} // namespace emmy
