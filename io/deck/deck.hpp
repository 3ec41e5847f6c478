#pragma once
/// The contents of an input deck after reading: plain data with every name resolved, every expression evaluated and
/// every default filled in. Nothing here knows elements or solvers; io/model_builder turns it into a Model.

#include "contact/scene.hpp"
#include "core/enforcement.hpp"
#include "core/time_function.hpp"
#include "core/types.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace emmy::deck {

using Mat6 = Eigen::Matrix<double, 6, 6>;

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
  std::string formulation;                    ///< "frame", "director", "spring_tetra", "point", "planar_chain"
  double mass = 0;                            ///< [kg]
  Mat3 inertia = Mat3::Zero();                ///< about the centre of mass, body axes [kg m²]
  Vec3 position = Vec3::Zero();               ///< centre of mass [m]
  Eigen::Quaterniond orientation{1, 0, 0, 0}; ///< body to space
  Vec3 velocity = Vec3::Zero();               ///< of the centre of mass, global axes [m/s]
  Vec3 angular_velocity = Vec3::Zero();       ///< global axes [rad/s]
  /// Of a frame that turns about a point fixed in space, and of the first link of a chain: this point, body components
  /// from the centre of mass [m].
  std::optional<Vec3> fixed_point;
  std::vector<Marker> markers;
  std::string shape;                      ///< "box", "sphere", "cylinder", "shell", "rod"; empty without one
  std::optional<contact::Geometry> solid; ///< the shape as a surface, where it can be one
  /// Of a rod without thickness, which turns about its axis unseen: half of it, body components [m].
  std::optional<Vec3> half_rod;
  double stiffness = std::numeric_limits<double>::infinity(); ///< of a spring_tetra [J]; infinite: rigid
  std::string evaluation = "mixed";                           ///< of its springs: "mixed", "increments", "closed"
  Enforcement enforcement;                                    ///< of a rigid spring_tetra
};

/// A link of a chain, beside what it is as a body.
struct Link {
  int body = ground;           ///< index in Deck::bodies
  double length = 1;           ///< [m]
  double centre = 0.5;         ///< of mass, from the joint [m]
  double inertia = 1;          ///< about the centre of mass and the normal of the plane [kg m²]
  double angle = 0;            ///< from `down` towards `across` [rad]
  double angular_velocity = 0; ///< [rad/s]
};

/// Links in absolute angles, from a point fixed in space.
struct Chain {
  std::string name;
  Location where;
  Vec3 pivot = Vec3::Zero();                          ///< [m]
  Vec3 down = -Vec3::UnitY(), across = Vec3::UnitX(); ///< perpendicular, of unit length
  std::vector<Link> links;
};

/// A motion that a joint is made to follow.
struct Drive {
  std::string quantity; ///< "angle" [rad], "displacement" [m], "angular_velocity" [rad/s], "velocity" [m/s]
  TimeFunction value;
};

struct Joint {
  std::string name;
  Location where;
  std::string type;                           ///< "spherical", "revolute", ...
  std::array<int, 2> between{ground, ground}; ///< body indices; reactions are reported as acting on the second
  Point at;                                   ///< where the joint sits in the initial configuration
  Direction axis;                             ///< of a joint that has one
  /// Where the second body is to be attached when that differs from `at` (`at: {first: P, second: Q}`); a pair of
  /// points that do not coincide is an initial constraint violation, which `emmy check` reports.
  std::optional<Point> at_second;
  std::optional<Direction> axis_second;
  std::string by;                         ///< "sharing", "multipliers", or empty: as the bodies allow
  std::optional<Enforcement> enforcement; ///< of joint and drive, if it is given; otherwise by multipliers
  std::optional<Drive> drive;             ///< of a joint that turns or slides
  std::optional<double> length;           ///< of a distance joint [m]; otherwise the initial distance
  double pitch = 0;                       ///< of a screw [m per turn]
  std::array<int, 2> joints{0, 0};        ///< indices of the joints that a coupler couples
  std::array<std::string, 2> coordinates; ///< of these joints: "angle", "displacement"
  double ratio = 0;                       ///< of a coupler: c1 + ratio c2 stays as it was
};

struct Force {
  std::string name;
  Location where;
  std::string type;               ///< "force" [N], "torque" [N m], "spring", "rotational_spring", ...
  int body = ground;              ///< of a force or torque
  Point at;                       ///< of a force, by default the centre of mass; of a bushing
  std::optional<Point> at_second; ///< of a bushing, on the second body
  std::array<TimeFunction, 3> value;
  bool body_frame = false;                    ///< components turn with the body
  std::array<Point, 2> ends;                  ///< of a spring
  std::array<int, 2> between{ground, ground}; ///< of a bushing
  int joint = -1;                             ///< index of the joint that a rotational or translational spring sits on
  double stiffness = 0;                       ///< [N/m], [N m/rad]
  double damping = 0;                         ///< [N s/m], [N m s/rad]
  std::optional<double> free;                 ///< free length [m] or angle [rad]; otherwise as it is at the start
  Eigen::Quaterniond axes{1, 0, 0, 0};        ///< of a bushing, in space at the start
  Mat6 stiffness_matrix = Mat6::Zero();       ///< of a bushing: forces, then moments
  Mat6 damping_matrix = Mat6::Zero();
};

/// A bound on how bodies move against each other, which only pushes.
struct Limit {
  std::string name;
  Location where;
  std::string type; ///< "wall", "stop", "rope"
  Enforcement enforcement;
  double restitution = 1;
  std::array<Point, 2> ends;          ///< of a rope; of a wall: a point of the plane, and the point that is kept off it
  Direction normal;                   ///< of a wall, to the side on which the point stays
  double radius = 0;                  ///< of a wall: of a ball about the point [m]
  int joint = -1;                     ///< index of the joint that a stop sits on
  std::string coordinate;             ///< of this joint: "angle", "displacement1", ...
  std::optional<double> lower, upper; ///< of a stop [rad], [m]; of a rope its least and its full length [m]
};

/// A surface of a body, or of the ground.
struct Surface {
  std::string name;
  Location where;
  int body = ground;
  contact::Geometry geometry; ///< from the centre of mass along the axes of the body
  bool is_known = false;      ///< false after a mistake in it
  std::string mesh_file;      ///< that a mesh is to be read from; empty: it is here
  double scale = 1;           ///< of the coordinates in it
  bool inside = false;        ///< of a mesh: its facets point inward
  Vec3 at = Vec3::Zero();     ///< where they count from
  Mat3 axes = Mat3::Identity();
};

/// All surfaces that a name stands for.
struct ContactSide {
  std::vector<int> surfaces; ///< indices in Contact::surfaces, sorted
  int narrowness = 0;        ///< 2 a surface, 1 a body, 0 a group
};

/// How some surfaces touch.
struct ContactPair {
  std::string name;
  Location where;
  std::array<ContactSide, 2> between;
  contact::Material material;
};

struct ContactSolver {
  std::string method = "auto"; ///< "auto", "constraint_planes", "semismooth", "interior_point", "gauss_seidel"
  bool fast = false;
  double tolerance = 1e-8;
  int most_applications = 2000;
  std::string not_converged = "warn"; ///< "warn", "halve", "stop"
};

struct Contact {
  Location where;
  std::vector<Surface> surfaces; ///< empty: there is no contact
  contact::Material material;
  std::vector<ContactPair> pairs;
  std::vector<std::array<ContactSide, 2>> excluded;
  bool only_pairs = false;       ///< what no pair names passes through each other
  bool jointed = false;          ///< bodies that a joint connects touch
  std::string overlap = "error"; ///< "error", "keep"
  bool stabilise = true;
  std::string arms = "common"; ///< "common", "mean", "corrected", "start", "printed"
  ContactSolver solver;
};

struct Initial {
  bool assemble = false; ///< project positions and velocities on what the joints allow
};

struct Analysis {
  std::string type = "transient"; ///< "transient", "static", "modes"
  int number = 0;                 ///< of modes; 0: all
};

/// What an integrator asks of a model.
enum class IntegratorFamily {
  energy_momentum,
  rigid,    ///< explicit: poses and momenta of rigid bodies, below a critical step
  pointwise ///< accelerations of coordinates, with forces at one instant of a step
};

struct Integrator {
  /// "energy_momentum"; of rigid bodies "kick_drift_kick", "simo_wong_explicit", "predictor_corrector", "staggered",
  /// "park_chiou_downer"; of pointwise "linear_acceleration", "high_order", "midpoint", "explicit_euler"
  std::string type = "energy_momentum";
  int order = 2;                            ///< of energy_momentum: 2, 4 or 6
  std::string velocity_constraints = "off"; ///< of energy_momentum: "off", "on", "exact"; empty until it is settled
  std::string kernel;                       ///< of kick_drift_kick: "split", "lie_midpoint"; otherwise empty
  std::string impulse;                 ///< "midpoint", "symmetric_midpoint", "trapezoidal"; empty where no rule applies
  std::string start;                   ///< of staggered: "acceleration", "predictor_corrector"; otherwise empty
  bool exact_loads = true;             ///< of explicit types: given loads are integrated, not taken at points in time
  std::optional<double> restart_every; ///< [s]
  std::vector<double> restart_at;      ///< ascending [s]
  std::string after_impact;            ///< of linear_acceleration and high_order: "reset", "keep"; otherwise empty
  bool allow_unstable = false;         ///< of them: joints by multipliers may blow up
  double step = 0;                     ///< [s]; 0 when automatic
  bool automatic_step = false;         ///< `safety` times the estimated critical step
  double safety = 0.9;
  bool located = false;     ///< steps are divided at impacts
  bool exponential = false; ///< bodies with contact turn by the exponential map
  double end = 0;           ///< [s]
  Location where;
};

/// Of a type that is not known: energy_momentum, of which most is true.
IntegratorFamily family_of(const std::string& type);

/// How the equations of elements by `augmented_lagrangian` are solved.
struct AugmentedLagrangian {
  std::string form = "merged"; ///< "merged", "nested", "linearised"
  double tolerance = 0;        ///< on constraints [m]; 0: down to rounding
  int max_sweeps = 50;         ///< of nested
  bool growth = true;          ///< stiffness grows in a step whose sweeps converge slowly
  bool augmentation = true;    ///< without it all stiffnesses are zero: the multiplier method
  double rho = 0;              ///< step of the update, the same for all [N/m], [N m/rad]; 0: by relaxation
  double relaxation = 1;       ///< the same in units of the stiffness, or of that of the bodies where it is zero
};

struct Solver {
  std::string linear = "auto"; ///< "auto", "block", "petsc", "klu", "umfpack", "mumps"
  int max_iterations = 20;
  double tolerance = 0; ///< residual relative to its largest term; 0: down to the rounding floor
  int max_halvings = 8; ///< how often a step that failed may be halved
  bool refuse_redundant = false;
  AugmentedLagrangian augmented_lagrangian;
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

/// Names of channels or columns, with wildcards.
struct ChannelPattern {
  std::string text;
  Location where;
};

/// A file of rows of its own.
struct OutputGroup {
  std::string name;
  double every = 0;    ///< [s]; 0: every step
  int every_steps = 0; ///< 0: as `every` says
  std::vector<ChannelPattern> channels;
};

struct Output {
  double every = 0;         ///< [s]; 0: every step
  int every_steps = 0;      ///< 0: as `every` says
  bool by_channels = false; ///< `channels` choose, not what follows them
  std::vector<ChannelPattern> channels;
  std::vector<OutputGroup> groups;
  bool units = false; ///< in the heads of columns
  Selection bodies, joints, forces, limits, contacts;
  std::vector<OutputPoint> points;
  bool energies = true;
  bool momenta = true;
  bool body_angular_velocity = false; ///< components along body axes instead of global ones
};

/// When states to restart from are written.
struct Checkpoint {
  double every = 0;      ///< [s] of simulated time; 0: not by that
  int every_steps = 0;   ///< 0: not by that
  double every_wall = 0; ///< [s] of waiting; 0: not by that
  int keep = 2;          ///< the newest of them; 0: none is written
};

struct Audit {
  std::optional<double> max_energy_imbalance;   ///< relative
  std::optional<double> max_momentum_imbalance; ///< relative, linear and angular
  bool fail = false; ///< a limit that is exceeded ends the program with its own exit code instead of a warning
};

struct Deck {
  std::string file; ///< as given by the user
  std::string text; ///< as it was read
  std::string title;
  std::vector<std::pair<std::string, double>> parameters;
  Vec3 gravity = Vec3::Zero(); ///< [m/s²]
  std::vector<Body> bodies;    ///< the links of chains after the others
  std::vector<Chain> chains;
  std::vector<Joint> joints;
  std::vector<Force> forces;
  std::vector<Limit> limits;
  Contact contact;
  Initial initial;
  Analysis analysis;
  Integrator integrator; ///< of a transient analysis
  Solver solver;
  Output output;
  Checkpoint checkpoint;
  Audit audit;
};

} // namespace emmy::deck
