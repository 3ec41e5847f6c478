#pragma once
/// Links that hang on one another in a plane, in absolute angles: one unknown per link, and no joint
/// (docs/theory/planar_chain.md). The first link turns about a point fixed in space, every other about the end of the
/// one before it.
///
///   P          pivot               where the first link turns [m]
///   e_s, e_d   across, down        unit vectors of the plane; n = e_d x e_s is its normal
///   theta_i    theta               angle of link i from e_d towards e_s [rad], its rate v, its acceleration a
///   l, c       length, centre      of a link: to the next joint, and to the centre of mass [m]
///   m, I       mass, inertia       [kg]; about the centre of mass and the normal [kg m²]
///   b_i        b_                  arm of the angle i on the centre of link j: l_i, or c_j for i = j [m]
///   u, u'      u, du               direction of a link, sin(theta) e_s + cos(theta) e_d, and its derivative
///
/// A link is the element of its own inertia, which moves with its angle and all before it: [A6] is the sum over the
/// links. The step is the midpoint rule in the angles [A24]: second order, but other than that of the other bodies it
/// keeps energy and angular momentum only to that order. What acts on a link is carried by an exact secant [A23].

#include "core/body.hpp"
#include "core/model.hpp"

namespace emmy {

struct ChainPlane {
  Vec3 pivot = Vec3::Zero();
  Vec3 down = -Vec3::UnitY(), across = Vec3::UnitX();

  Vec3 normal() const { return down.cross(across); }
  Vec3 direction(double theta) const; ///< u
  Vec3 turned(double theta) const;    ///< u'
};

/// Data of one link.
struct LinkProperties {
  std::string name;
  double length, centre, mass, inertia;
};

/// One number for every angle up to that of a link.
using LinkVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_port_unknowns, 1>;

/// What leads from the pivot to the centre of a link, x - P = sum of b_i u_i.
struct LinkArms {
  PointMap w, dw; ///< columns b_i u_i and b_i u'_i
};

/// Port of link j: x = P + sum of b_i u_i, q1 = u_j along the link, q2 = u'_j, q3 = n [A23].
class LinkConnectivity final : public Connectivity {
public:
  LinkConnectivity(std::vector<Node> nodes, const ChainPlane& plane, const LinkVector& b);

  void move(const Step& s, PortMotion& m) const override;
  void place(const Step& s, PortMotion& m) const override;
  void add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const override;
  MapPattern map_pattern() const override;
  Pattern geometric_pattern(const PortPattern& r) const override;
  void at(const State& state, Vec12& q, Vec12& q_dot) const override;
  /// The ground answers all that acts on a link, force and moment, at the pivot [A25].
  void add_support(const Vec12& r, const Vec3& moment_of_r, Vec3& force, Vec3& moment) const override;

  const ChainPlane& plane() const { return plane_; }
  const LinkVector& b() const { return b_; }
  LinkArms arms(const LinkVector& theta) const;

private:
  Vec12 port(const LinkVector& theta) const;
  ChainPlane plane_;
  LinkVector b_;
};

class ChainLink final : public Body {
public:
  /// `connectivity` is that of the port.
  ChainLink(const LinkProperties& properties, Index port, const LinkConnectivity& connectivity);

  double angle(const State& state) const { return state.values[own().value]; }             ///< [rad]
  double angular_velocity(const State& state) const { return state.rates[own().unknown]; } ///< [rad/s]
  void set_angle(double angle, double angular_velocity, State& state) const;

  void evaluate(const MovedStep& s, LocalSystem& out) const override;
  void add_magnitude(const MovedStep& s, VectorRef size) const override;
  /// The ground gives what the momenta of the link gain; what else acts books the answer of the ground itself [A25].
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override;
  std::string row_name(Index i) const override;

  BodyMotion motion(const State& state) const override;
  /// Sets the angle of this link alone, in the turn that is nearest to where it was, and its rate: those that come
  /// closest to the orientation and the angular velocity. Position and velocity are not free: they follow.
  void set_motion(const BodyMotion& motion, State& state) const override;
  void evaluate_inertia(const MotionAt& at, InertiaSystem& out) const override;
  double rotation_in(const Step& s) const override;

private:
  const Node& own() const { return nodes().back(); }

  const LinkConnectivity& connectivity_;
  double inertia_;
};

/// A chain as it is put into a model.
struct PlanarChain {
  static constexpr std::size_t max_links = max_port_unknowns;

  ChainPlane plane;
  std::vector<LinkProperties> links; ///< from the pivot on

  /// Adds nodes, ports and links to the model, in this order. Throws std::length_error beyond max_links.
  std::vector<const ChainLink*> add_to(Model& model) const;
};

} // namespace emmy
