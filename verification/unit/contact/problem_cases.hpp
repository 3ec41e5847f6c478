#pragma once
/// Contact problems of free bodies for tests: bodies and contacts are added one by one, velocities give q.

#include "contact/problem/island_builder.hpp"
#include "contact/problem/solver.hpp"

#include <random>

namespace emmy::contact {

constexpr double eps = 2.220446049250313e-16;

/// Bodies with velocities, and contacts between points of them.
struct Case {
  FreeCompliance W;
  std::vector<Vec3> centre;
  VecX v;           ///< six numbers a body: the velocity that it would have in the middle of the step without contact
  double scale = 0; ///< least velocity scale
  std::vector<ContactLaw> laws;
  std::vector<Vec3> target; ///< of contacts: what is taken off their velocities, zero unless set

  /// Box with edges; its velocity is zero.
  Index add_box(double mass, const Vec3& edges, const Vec3& at, const Mat3& turned = Mat3::Identity());
  Index add_body(double mass, const Mat3& inertia, const Vec3& at);
  /// A contact at a point in space; bodies -1 do not move.
  void add_contact(Index slave, Index master, const Vec3& at, const Vec3& normal, double friction = 0);
  void push(Index body, const Vec3& velocity, const Vec3& angular = Vec3::Zero());

  ContactProblem problem() const;
  /// Motions of bodies with the impulses, M^-1 G r / 2 added to v.
  VecX motions(const VecX& r) const;
  VecX velocities(const VecX& r) const; ///< at contacts
  Index contacts() const { return W.contacts(); }
};

/// Vectors with entries between -1 and 1, unit vectors, rotations and numbers.
struct Draw {
  std::mt19937 engine;
  explicit Draw(unsigned seed) : engine(seed) {}
  double number(double low = -1, double high = 1) { return std::uniform_real_distribution<>(low, high)(engine); }
  int integer(int low, int high) { return std::uniform_int_distribution<>(low, high)(engine); }
  Vec3 vector() { return {number(), number(), number()}; }
  Vec3 direction();
  Mat3 rotation();
  Mat3 inertia(double mass); ///< of some box of that mass
};

/// Largest |phi| [R4] of the impulses by the law as it is written there, in units of the largest |q|.
double residual_of(const Case& c, const VecX& r);

/// An island of all contacts of a problem, to call methods on it one by one.
struct Whole {
  explicit Whole(const ContactProblem& problem);

  std::vector<Index> contacts;
  std::vector<Mat3> own;
  IslandBuilder builder;
  Island* island;
};

/// Dense W.
MatX dense(const Compliance& W);

/// W as a matrix, without bodies: all contacts touch one moving part.
class MatrixCompliance final : public Compliance {
public:
  explicit MatrixCompliance(MatX W) : W_(std::move(W)) {}
  Index contacts() const override { return W_.rows() / 3; }
  void apply(const ConstVectorRef& r, VectorRef u) const override { u.noalias() = W_ * r; }
  Mat3 own(Index j) const override { return W_.block<3, 3>(3 * j, 3 * j); }
  std::array<Index, 2> parts(Index) const override { return {0, -1}; }

private:
  MatX W_;
};

/// What a body gains by gravity in half a step of 1 ms.
constexpr double fall = 10 * 1e-3 / 2;

/// Box of 1 kg and side 1 on its four corners, on ground that leans by the angle whose tangent is given.
Case box_on_incline(double friction, double tangent);
/// Cubes of side 1 on each other, each moved by up to 1 cm, and the ground. Masses grow upwards to `ratio`; gravity
/// leans by an angle.
Case tower(int cubes, double ratio, double friction, double lean = 0);
/// Two cards lean at each other by 20 degrees from upright; length 1, thickness 0.02.
Case cards(double friction);
constexpr double cards_critical_friction = 0.171985117133;
/// Sphere in a groove of two planes at 45 degrees, along which gravity pulls with the given share of the whole.
Case sphere_in_groove(double friction, double along);
/// Capsule in such a groove, pushed along it with a quarter of the force that presses it down.
Case capsule_in_groove(double friction);
/// Wall of 55 bricks: ten rows, ends of odd rows are half bricks.
Case wall(double friction);
/// Balls in a bin, on a lattice that is disturbed: neighbours within a margin touch. They fall.
Case heap(int balls, double friction, unsigned seed);

} // namespace emmy::contact
