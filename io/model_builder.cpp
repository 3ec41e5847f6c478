#include "io/model_builder.hpp"

#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"

#include <cmath>
#include <map>

namespace emmy {

namespace {

/// Rigid placement of a body, or of the ground, in the initial configuration.
struct Pose {
  Index port = Model::ground;
  Vec3 position = Vec3::Zero();
  Mat3 orientation = Mat3::Identity();

  Vec3 to_space(const Vec3& at) const { return position + orientation * at; }
  Vec3 to_body(const Vec3& at) const { return orientation.transpose() * (at - position); }
};

/// Where a joint sits on both of its bodies.
struct Sides {
  JointSide I, J;
};

class Builder {
public:
  explicit Builder(const deck::Deck& deck) : deck_(deck) { built_.model = std::make_unique<Model>(); }

  BuiltModel build() {
    find_sides();
    add_bodies();
    find_sides(); // again, now that ports are known
    place_bodies();
    add_gravity();
    for (std::size_t i = 0; i < deck_.joints.size(); ++i)
      add_joint(i);
    for (const deck::Force& force : deck_.forces)
      add_force(force);
    for (const deck::OutputPoint& point : deck_.output.points)
      built_.points.push_back({point.name, variable_of(point.at)});
    built_.initial.multipliers.setZero(built_.model->multipliers());
    built_.initial.history.setZero(built_.model->history());
    built_.model->begin(built_.initial);
    return std::move(built_);
  }

private:
  const Ports& ports() const { return built_.model->ports(); }
  const deck::Body& body(int i) const { return deck_.bodies[static_cast<std::size_t>(i)]; }

  /// The port is known once the bodies have been added.
  Pose pose(int i) const {
    if (i == deck::ground)
      return {};
    const deck::Body& b = body(i);
    const auto known = static_cast<std::size_t>(i) < built_.bodies.size();
    return {known ? built_.bodies[static_cast<std::size_t>(i)]->port() : Model::ground, b.position,
            b.orientation.toRotationMatrix()};
  }

  // --- bodies

  void add_bodies() {
    for (const deck::Body& b : deck_.bodies)
      built_.bodies.push_back(&add_body(b));
  }

  const Body& add_body(const deck::Body& b) {
    if (b.formulation == "director")
      return DirectorBody::add_to(*built_.model, b.name, b.mass, b.inertia);
    if (b.formulation == "frame")
      return FrameBody::add_to(*built_.model, b.name, b.mass, b.inertia);
    throw BadModel(b.where, "the formulation '" + b.formulation + "' is not served yet by this version of emmy");
  }

  void place_bodies() {
    built_.initial = built_.model->rest_state();
    for (std::size_t i = 0; i < deck_.bodies.size(); ++i) {
      const deck::Body& b = deck_.bodies[i];
      built_.bodies[i]->set_motion({b.position, b.orientation, b.velocity, b.angular_velocity}, built_.initial);
    }
  }

  void add_gravity() {
    if (deck_.gravity.isZero(0))
      return;
    for (const Body* b : built_.bodies)
      built_.model->add(
          std::make_unique<Gravity>("gravity on " + b->name(), ports(), b->port(), b->mass(), deck_.gravity));
  }

  // --- points and directions

  /// A point on the side of `body`. Its own coordinates are taken as they are; others go by way of space, so that the
  /// two sides of a joint agree to rounding.
  Vec3 point_on(int i, const deck::Point& point) const {
    return point.body == i ? point.at : pose(i).to_body(pose(point.body).to_space(point.at));
  }

  NaturalVariable variable_of(const deck::Point& point) const { return body_point(pose(point.body).port, point.at); }

  Vec3 in_space(const deck::Direction& direction) const {
    return (pose(direction.body).orientation * direction.along).normalized();
  }

  /// Right-handed triad in space whose first axis is n.
  static Mat3 triad(const Vec3& n) {
    Mat3 axes;
    axes.col(0) = n;
    axes.col(1) = n.unitOrthogonal();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return axes;
  }

  JointSide side(int i, const deck::Point& at, const Mat3& axes_in_space) const {
    const Pose p = pose(i);
    return {p.port, point_on(i, at), p.orientation.transpose() * axes_in_space};
  }

  Sides sides(const deck::Joint& joint) const {
    const Vec3 n = in_space(joint.axis);
    Mat3 first = triad(n), second = first;
    if (joint.type == "universal") { // a cross: its arms are s1 of the first body and s2 of the second
      const Vec3 arm = in_space(*joint.axis_second), shaft = n.cross(arm).stableNormalized();
      first << shaft, n, shaft.cross(n);
      second << shaft, arm.cross(shaft), arm;
    } else if (joint.axis_second) { // an axis of its own is reached by the shortest turn
      second = Quaternion::FromTwoVectors(n, in_space(*joint.axis_second)).toRotationMatrix() * first;
    }
    return {side(joint.between[0], joint.at, first),
            side(joint.between[1], joint.at_second.value_or(joint.at), second)};
  }

  void find_sides() {
    sides_.clear();
    for (const deck::Joint& joint : deck_.joints)
      sides_.push_back(joint.type == "coupler" ? Sides{} : sides(joint));
  }

  // --- joints

  void add_joint(std::size_t i) {
    const deck::Joint& joint = deck_.joints[i];
    BuiltJoint built;
    built.name = joint.name;
    built.joint = &built_.model->add(make_joint(joint, sides_[i]));
    if (joint.drive)
      add_drive(*joint.drive, sides_[i], built);
    built_.joints.push_back(built);
  }

  std::unique_ptr<Joint> make_joint(const deck::Joint& joint, const Sides& s) const {
    using Maker = std::unique_ptr<Joint> (*)(std::string, const Ports&, const JointSide&, const JointSide&);
    static const std::map<std::string, Maker> types{{"spherical", spherical_joint},
                                                    {"revolute", revolute_joint},
                                                    {"prismatic", prismatic_joint},
                                                    {"cylindrical", cylindrical_joint},
                                                    {"universal", universal_joint},
                                                    {"planar", planar_joint},
                                                    {"fixed", fixed_joint},
                                                    {"point_on_line", point_on_line_joint},
                                                    {"point_on_plane", point_on_plane_joint},
                                                    {"parallel_axes", parallel_axes_joint},
                                                    {"constant_velocity", constant_velocity_joint}};
    if (joint.type == "distance")
      return distance_joint(joint.name, ports(), s.I, s.J, joint.length.value_or(gap(joint, s).norm()));
    if (joint.type == "screw")
      return screw_joint(joint.name, ports(), s.I, s.J, joint.pitch);
    if (joint.type == "coupler")
      return make_coupler(joint);
    return types.at(joint.type)(joint.name, ports(), s.I, s.J);
  }

  /// From the first point of a joint to the second, in space.
  Vec3 gap(const deck::Joint& joint, const Sides& s) const {
    return pose(joint.between[1]).to_space(s.J.at) - pose(joint.between[0]).to_space(s.I.at);
  }

  std::unique_ptr<Joint> make_coupler(const deck::Joint& joint) const {
    const auto coupled = [&](std::size_t i, double factor) {
      const Sides& s = sides_[static_cast<std::size_t>(joint.joints[i])];
      const bool is_angle = joint.coordinates[i] == "angle";
      return CoupledCoordinate{is_angle ? CoupledCoordinate::Kind::angle : CoupledCoordinate::Kind::displacement, s.I,
                               s.J, factor};
    };
    return coupler_joint(joint.name, ports(), coupled(0, 1), coupled(1, joint.ratio));
  }

  void add_drive(const deck::Drive& drive, const Sides& s, BuiltJoint& built) {
    const bool is_angle = drive.quantity == "angle" || drive.quantity == "angular_velocity";
    const bool is_value = drive.quantity == "angle" || drive.quantity == "displacement";
    built.drive = &built_.model->add(std::make_unique<Drive>(
        built.name + ".drive", ports(), s.I, s.J, is_angle ? Drive::Coordinate::angle : Drive::Coordinate::displacement,
        is_value ? Drive::Prescribes::value : Drive::Prescribes::rate, drive.value));
    if (built.joint == nullptr)
      return;
    const auto& coordinates = built.joint->coordinates();
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      if (coordinates[i].name == std::string(is_angle ? "angle" : "displacement"))
        built.driven = static_cast<Index>(i);
  }

  // --- forces

  void add_force(const deck::Force& force) {
    using Maker = void (Builder::*)(const deck::Force&);
    static const std::map<std::string, Maker> types{{"force", &Builder::add_load},
                                                    {"torque", &Builder::add_load},
                                                    {"spring", &Builder::add_spring},
                                                    {"rotational_spring", &Builder::add_rotational_spring},
                                                    {"translational_spring", &Builder::add_translational_spring},
                                                    {"bushing", &Builder::add_bushing}};
    (this->*types.at(force.type))(force);
  }

  void add_load(const deck::Force& force) {
    const LoadAxes axes = force.body_frame ? LoadAxes::body : LoadAxes::space;
    const LoadComponents value(force.value[0], force.value[1], force.value[2]);
    const Index port = pose(force.body).port;
    if (force.type == "force")
      built_.model->add(
          std::make_unique<AppliedForce>(force.name, ports(), port, point_on(force.body, force.at), value, axes));
    else
      built_.model->add(std::make_unique<AppliedTorque>(force.name, ports(), port, value, axes));
  }

  template <class E>
  void add_spring_element(std::unique_ptr<E> element, bool is_bushing = false) {
    const std::string name = element->name();
    built_.springs.push_back({name, &built_.model->add(std::move(element)), is_bushing});
  }

  void add_spring(const deck::Force& force) {
    const auto in_space_at = [&](const deck::Point& p) { return pose(p.body).to_space(p.at); };
    const double length = (in_space_at(force.ends[1]) - in_space_at(force.ends[0])).norm();
    add_spring_element(
        std::make_unique<SpringDamper>(force.name, ports(), variable_of(force.ends[0]), variable_of(force.ends[1]),
                                       SpringLaw{force.stiffness, force.free.value_or(length), force.damping}));
  }

  void add_rotational_spring(const deck::Force& force) {
    const Sides& s = sides_[static_cast<std::size_t>(force.joint)];
    add_spring_element(std::make_unique<RotationalSpringDamper>(
        force.name, ports(), s.I, s.J, SpringLaw{force.stiffness, force.free.value_or(0), force.damping}));
  }

  void add_translational_spring(const deck::Force& force) {
    const deck::Joint& joint = deck_.joints[static_cast<std::size_t>(force.joint)];
    const Sides& s = sides_[static_cast<std::size_t>(force.joint)];
    const double displacement = in_space(joint.axis).dot(gap(joint, s));
    add_spring_element(translational_spring_damper(
        force.name, ports(), s.I, s.J, SpringLaw{force.stiffness, force.free.value_or(displacement), force.damping}));
  }

  void add_bushing(const deck::Force& force) {
    const Mat3 axes = force.axes.toRotationMatrix();
    BushingLaw law;
    law.K = force.stiffness_matrix;
    law.C = force.damping_matrix;
    add_spring_element(bushing(force.name, ports(), side(force.between[0], force.at, axes),
                               side(force.between[1], force.at_second.value_or(force.at), axes), law),
                       true);
  }

  const deck::Deck& deck_;
  BuiltModel built_;
  std::vector<Sides> sides_; // of the joints; their ports only once these are known
};

} // namespace

BadModel::BadModel(const deck::Location& where, const std::string& what)
    : std::runtime_error(where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) +
                         ": error: " + what + "\n") {}

BuiltModel build_model(const deck::Deck& deck) {
  return Builder(deck).build();
}

} // namespace emmy
