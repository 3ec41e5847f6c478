#pragma once
/// What a problem is made of, in words that emmy and every program it is compared with understand: rigid bodies where
/// they start, joints and springs between them.

#include "core/body.hpp"

#include <string>
#include <vector>

namespace emmy::benchmark {

struct Mechanism {
  static constexpr int ground = -1;

  struct Body {
    double mass;  ///< [kg]
    Vec3 inertia; ///< about the centre, along the body's axes [kg m²]
    BodyMotion start;
  };
  /// A point of a body, in its own coordinates; of the ground, in space [m].
  struct Point {
    int body;
    Vec3 at;
  };
  /// Holds two points together. The first is nearer to the ground: a body that is `second` for the first time hangs in
  /// the tree of the mechanism there, and later joints of it close loops.
  struct Joint {
    Point first, second;
    Vec3 axis = Vec3::Zero(); ///< of a hinge, in space at the start; zero: the joint is spherical
    bool is_hinge() const { return !axis.isZero(0); }
  };
  /// At ease at the start.
  struct Spring {
    Point first, second;
    double k; ///< [N/m]
  };
  /// Elastic support of `second` on `first` in all directions, at ease at the start.
  struct Bushing {
    Point first, second;
    double k_displacement; ///< [N/m]
    double k_rotation;     ///< [N m]
  };

  /// What emmy makes of a body; other programs have only one kind.
  enum class Formulation { frame, director, spring_tetra };

  std::string name;
  Formulation formulation = Formulation::frame;
  Vec3 gravity = Vec3::Zero(); ///< [m/s²]
  bool is_redundant = false;   ///< some rows of the joints repeat others
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  std::vector<Bushing> bushings;

  int size() const { return static_cast<int>(bodies.size()); }
  const Body& body(int i) const { return bodies[static_cast<std::size_t>(i)]; }
  /// Adds a body of which `at` is at X in space, and returns its number.
  int add(double mass, const Vec3& inertia, const Quaternion& orientation, const Vec3& at, const Vec3& X);
  /// Where a point is at the start.
  Vec3 position(const Point& p) const;
  /// How a body, or the ground, is turned at the start.
  Quaternion orientation(int i) const;
};

/// The joint by which each body hangs in the tree, and the joints that close loops.
struct SpanningTree {
  explicit SpanningTree(const Mechanism& mechanism);
  std::vector<const Mechanism::Joint*> parent; ///< of each body; null if it is free
  std::vector<const Mechanism::Joint*> loops;
};

/// Kinetic and potential energy of bodies that have come to these motions [J]; of the mechanism without its springs.
struct Energy {
  double kinetic = 0, potential = 0;
};
Energy energy_of(const Mechanism& mechanism, const std::vector<BodyMotion>& motions);

std::vector<Vec3> centres_of(const std::vector<BodyMotion>& motions);
/// Of a centre from where it should be [m].
double largest_distance(const std::vector<Vec3>& centres, const std::vector<Vec3>& reference);

} // namespace emmy::benchmark
