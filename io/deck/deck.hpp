#pragma once
/// The contents of an input deck after reading: plain data with every name resolved, every expression evaluated and
/// every default filled in. Nothing here knows elements or solvers; io/model_builder turns it into a Model.

#include "core/types.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace emmy::deck {

/// Place in a deck, 1-based; line 0 means "no place in the file".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Index of a body in Deck::bodies; `ground` is the fixed world.
inline constexpr int ground = -1;

/// A point given in the deck: fixed in `body` with body components, or in space (`body == ground`) with global ones.
/// A global point means the place in the initial configuration.
struct Point {
  int body = ground;
  Vec3 at = Vec3::Zero(); ///< [m], from the centre of mass along body axes, or from the origin along global axes
};

/// A direction given in the deck: body components (`body >= 0`) or global components in the initial configuration.
struct Direction {
  int body = ground;
  Vec3 along = Vec3::UnitZ(); ///< unit length
};

struct Marker {
  std::string name;
  Vec3 at = Vec3::Zero(); ///< body components [m]
};

struct Body {
  std::string name;
  Location where;
  std::string formulation;                    ///< "frame"
  double mass = 0;                            ///< [kg]
  Mat3 inertia = Mat3::Zero();                ///< about the centre of mass, body axes [kg m²]
  Vec3 position = Vec3::Zero();               ///< centre of mass [m]
  Eigen::Quaterniond orientation{1, 0, 0, 0}; ///< body to space
  Vec3 velocity = Vec3::Zero();               ///< of the centre of mass, global axes [m/s]
  Vec3 angular_velocity = Vec3::Zero();       ///< global axes [rad/s]
  std::vector<Marker> markers;
};

struct Joint {
  std::string name;
  Location where;
  std::string type;                           ///< "spherical", "revolute", "fixed"
  std::array<int, 2> between{ground, ground}; ///< body indices; reactions are reported as acting on the second
  Point at;                                   ///< where the joint sits in the initial configuration
  Direction axis;                             ///< of a revolute joint
  /// Where the second body is to be attached when that differs from `at` (`at: {first: P, second: Q}`); a pair of
  /// points that do not coincide is an initial constraint violation, which `emmy check` reports.
  std::optional<Point> at_second;
  std::optional<Direction> axis_second;
};

struct Force {
  std::string name;
  Location where;
  std::string type; ///< "force" [N] or "torque" [N m]
  int body = ground;
  Point at; ///< of a force; default the centre of mass
  Vec3 value = Vec3::Zero();
  bool body_frame = false; ///< components turn with the body
};

struct Integrator {
  std::string type = "energy_momentum";
  double step = 0; ///< [s]
  double end = 0;  ///< [s]
  Location where;
};

struct Solver {
  std::string linear = "auto"; ///< "auto", "petsc", "klu", "umfpack", "mumps"
  int max_iterations = 20;
  double tolerance = 0; ///< residual relative to its largest term; 0: down to the rounding floor
  int max_halvings = 8; ///< how often a step that failed may be halved
};

/// Which named things to write.
struct Selection {
  bool all = true;
  std::vector<std::string> names; ///< when not all
};

struct OutputPoint {
  std::string name;
  Point at;
};

struct Output {
  double every = 0; ///< [s]; 0: every step
  Selection bodies, joints;
  std::vector<OutputPoint> points;
  bool energies = true;
  bool momenta = true;
  bool body_angular_velocity = false; ///< components along body axes instead of global ones
};

struct Audit {
  std::optional<double> max_energy_imbalance;   ///< relative
  std::optional<double> max_momentum_imbalance; ///< relative, linear and angular
  bool fail = false; ///< a limit that is exceeded ends the program with its own exit code instead of a warning
};

struct Deck {
  std::string file; ///< as given by the user
  std::string title;
  std::vector<std::pair<std::string, double>> parameters;
  Vec3 gravity = Vec3::Zero(); ///< [m/s²]
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Force> forces;
  Integrator integrator;
  Solver solver;
  Output output;
  Audit audit;
};

} // namespace emmy::deck
