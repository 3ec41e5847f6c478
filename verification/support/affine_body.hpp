#pragma once
/// An affine body on four points: the simplest port with a constant map and with more than one node [T4]. It has
/// inertia but no rigidity, so it also shows an element base vectors that are not orthonormal. Only tests use it.

#include "core/body.hpp"
#include "core/model.hpp"

namespace emmy::test {

/// q = P u, u the positions of four points of the body.
class AffineConnectivity final : public Connectivity {
public:
  AffineConnectivity(std::vector<Node> points, const Eigen::Matrix4d& A_inverse);
  void move(const Step& s, PortMotion& m) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
  const Eigen::Matrix<double, 12, 12>& P() const { return P_; }

private:
  Eigen::Matrix<double, 12, 12> P_;
};

class AffineBody final : public Body {
public:
  static AffineBody& add_to(Model& model, std::string name, double mass, const Mat3& J);
  AffineBody(std::string name, const AffineConnectivity& connectivity, Index port, double mass, const Mat3& J);

  void evaluate(const Step& s, const PortMotions& motions, LocalSystem& out) const override;
  void add_magnitude(const Step& s, const PortMotions& motions, VectorRef size) const override;
  void book(const Step& s, const PortMotions& motions, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

  BodyMotion motion(const State& state) const override;
  void set_motion(const BodyMotion& motion, State& state) const override;
  double rotation_in(const Step& s) const override;

private:
  const AffineConnectivity& connectivity_;
  Eigen::Matrix<double, 12, 12> C_;      // inertia of the port: diag(M, E) times the unit matrix [T2]
  Eigen::Matrix<double, 12, 12> M_star_; // the same for the points [T5]
};

} // namespace emmy::test
