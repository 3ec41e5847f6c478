#pragma once
/// Rigid body as a finite element on points and vectors of space, with constant mass, kept rigid by six springs between
/// its centre and the tips of its base vectors (docs/theory/spring_tetra.md). Bodies are joined by sharing points.
///
///   M, E    mass, E_        mass [kg], second moments tr(J)/2 - J [kg m²], constant whatever the motion [T2]
///   q       q               port (x, q1, q2, q3) = P u + c [T4]; the base vectors are orthonormal up to the strain
///   k       stiffness       of the springs [J], base vectors having no unit [T8]; 1/k = 0 is the rigid body
///   d, L    d, L            vector and length of a spring; e elongation L - L0 [1]
///   sigma   sigma           mean force of a spring over the step [J]
///
/// A rod, whose mass lies on a line, has no spin about it: it has one base vector and one spring. A lamina is nothing
/// special.

#include "core/body.hpp"
#include "core/model.hpp"
#include "elements/bodies/affine.hpp"

namespace emmy {

/// How the springs are evaluated. The solution is the same, its rounding is not.
enum class SpringEvaluation {
  closed_form, ///< from lengths [T10]: forces are known to eps k
  increments,  ///< elongations are remembered [T13]: to eps k times the increment
  mixed        ///< spring forces are multipliers [T14]: to eps times the force, and 1/k = 0 is possible
};

struct SpringTetraOptions {
  double stiffness = 0; ///< k [J], > 0 unless rigid
  bool rigid = true;    ///< 1/k = 0, mixed only
  SpringEvaluation evaluation = SpringEvaluation::mixed;
};

class SpringTetra final : public Body {
public:
  static constexpr int max_springs = 6;

  /// Free-standing body with nodes of its own: its centre and its base vectors. Throws std::invalid_argument if J is
  /// not that of a mass distribution.
  static SpringTetra& add_to(Model& model, std::string name, double mass, const Mat3& J,
                             const SpringTetraOptions& options = {});

  /// Body on given slots: four of them, two for a rod. `springs` are body directions g, with vector Q g and natural
  /// length |g|; those of standard_springs() unless some are known to be of no use.
  static SpringTetra& add_to(Model& model, std::string name, double mass, const Mat3& J,
                             const SpringTetraOptions& options, const std::vector<BodySlot>& slots,
                             const std::vector<Vec3>& springs);

  SpringTetra(std::string name, const AffineConnectivity& connectivity, Index port, double mass, const Mat3& J,
              const SpringTetraOptions& options, std::vector<BodySlot> slots, const std::vector<Vec3>& springs);

  /// Second moments [T2]; throws std::invalid_argument if they are not positive semidefinite.
  static Mat3 second_moments(const std::string& name, const Mat3& J);
  /// Columns from which the port of such a body is built: 4 x 4, or 4 x 2 for a rod.
  static MatX basis(const Mat3& E);
  /// The base vectors and their differences [T8], or the axis of a rod.
  static std::vector<Vec3> standard_springs(const Mat3& E);

  const Mat3& inertia() const { return J_; }
  const SpringTetraOptions& options() const { return options_; }
  const AffineConnectivity& connectivity() const { return connectivity_; }
  bool is_rod() const { return slots_.size() == 2; }
  /// True if its unknowns are its centre and base vectors themselves, in this order, with the standard springs.
  bool is_plain() const;
  const Mat3& moments() const { return E_; } ///< second moments [kg m²]
  double compliance() const { return compliance_; }

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  Pattern pattern() const override;
  void add_magnitude(const MovedStep& s, VectorRef size) const override;
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  void begin(const MovedStep& still, State& state) const override;
  void advance(const MovedStep& s, State& n1) const override;
  std::string row_name(Index i) const override;
  /// Springs hardly change their length: what moves a base vector by as much turns it.
  double bending_length(const MovedStep&) const override { return shortest_; }

  /// Orientation is the rotation nearest to the base vectors, angular velocity J^-1 l: that of the angular momentum.
  BodyMotion motion(const State& state) const override;
  /// Sets the nodes that are points or vectors of this body; those of which it only uses weighted sums belong to
  /// others.
  void set_motion(const BodyMotion& motion, State& state) const override;
  /// Springs that hold the body, where they are not rows of its own.
  Rigidity rigidity(const State& state) const override;
  double rotation_in(const Step& s) const override;

  /// Energy in the springs at an instant [J]; none where they are rigid.
  double strain_energy(const State& state) const;
  /// Inertia and springs on the twelve numbers of the port.
  Vec12 port_residual(const Step& s) const;

private:
  using NodeWeights = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, AffineConnectivity::max_nodes, 1>;
  struct Spring {
    Vec3 g;    // body direction
    double L0; // natural length
    NodeWeights B;
  };
  struct Stretch; ///< one spring over one step
  bool mixed() const { return options_.evaluation == SpringEvaluation::mixed; }
  Stretch stretch(const Step& s, const Vec12& q_n, const Vec12& dq, Index i) const;
  Vec12 bracket(const Step& s) const;
  Vec3 spin_momentum(const Vec12& q, const Vec12& q_dot) const;

  const AffineConnectivity& connectivity_;
  std::vector<BodySlot> slots_;
  SpringTetraOptions options_;
  double compliance_; // 1/k
  Mat3 J_, E_, J_inverse_;
  Eigen::Matrix4d mass4_; // diag(M, E)
  MatX node_mass_;        // W^T diag(M, E) W, times the 3 x 3 unit matrix [T5]
  std::vector<Spring> springs_;
  double shortest_; // length of a spring, in displacements of nodes
};

} // namespace emmy
