#include "io/model_builder.hpp"

#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"

#include <algorithm>
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

class Builder {
public:
  explicit Builder(const deck::Deck& deck) : deck_(deck) { built_.model = std::make_unique<Model>(); }

  BuiltModel build() {
    add_bodies();
    place_bodies();
    add_gravity();
    for (const deck::Joint& joint : deck_.joints)
      add_joint(joint);
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

  Pose pose(int body) const {
    if (body == deck::ground)
      return {};
    const deck::Body& b = deck_.bodies[static_cast<std::size_t>(body)];
    return {built_.bodies[static_cast<std::size_t>(body)]->port(), b.position, b.orientation.toRotationMatrix()};
  }

  void add_bodies() {
    using Maker = const Body& (*)(Model&, const deck::Body&);
    static const std::map<std::string, Maker> formulations{
        {"frame",
         [](Model& model, const deck::Body& b) -> const Body& {
           return FrameBody::add_to(model, b.name, b.mass, b.inertia);
         }},
        {"director",
         [](Model& model, const deck::Body& b) -> const Body& {
           return DirectorBody::add_to(model, b.name, b.mass, b.inertia);
         }},
    };
    for (const deck::Body& body : deck_.bodies) {
      const auto maker = formulations.find(body.formulation);
      if (maker == formulations.end())
        throw NotServed(body.where, "the formulation '" + body.formulation + "'");
      built_.bodies.push_back(&maker->second(*built_.model, body));
    }
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
    for (const Body* body : built_.bodies)
      built_.model->add(
          std::make_unique<Gravity>("gravity on " + body->name(), ports(), body->port(), body->mass(), deck_.gravity));
  }

  /// A point on the side of `body`. Its own coordinates are taken as they are; others go by way of space, so that the
  /// two sides of a joint agree to rounding.
  Vec3 point_on(int body, const deck::Point& point) const {
    return point.body == body ? point.at : pose(body).to_body(pose(point.body).to_space(point.at));
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

  void add_joint(const deck::Joint& joint) {
    using Maker = std::unique_ptr<Joint> (*)(std::string, const Ports&, const JointSide&, const JointSide&);
    static const std::map<std::string, Maker> types{
        {"spherical", spherical_joint}, {"revolute", revolute_joint}, {"fixed", fixed_joint}};
    const auto maker = types.find(joint.type);
    if (maker == types.end() || joint.drive)
      throw NotServed(joint.where, joint.drive ? "a driven joint" : "a " + joint.type + " joint");
    const Vec3 n = in_space(joint.axis);
    const Mat3 axes = triad(n);
    // An axis of its own on the second side is reached by the shortest turn.
    const Mat3 axes_second = joint.axis_second
                                 ? Quaternion::FromTwoVectors(n, in_space(*joint.axis_second)).toRotationMatrix() * axes
                                 : axes;
    const auto side = [&](int body, const deck::Point& at, const Mat3& in_space_axes) {
      const Pose p = pose(body);
      return JointSide{p.port, point_on(body, at), p.orientation.transpose() * in_space_axes};
    };
    const JointSide I = side(joint.between[0], joint.at, axes);
    const JointSide J = side(joint.between[1], joint.at_second.value_or(joint.at), axes_second);
    built_.joints.push_back(&built_.model->add(maker->second(joint.name, ports(), I, J)));
  }

  void add_force(const deck::Force& force) {
    const auto is_constant = [](const TimeFunction& f) { return f.is_constant(); };
    if ((force.type != "force" && force.type != "torque") ||
        !std::all_of(force.value.begin(), force.value.end(), is_constant))
      throw NotServed(force.where, "this kind of force");
    const Vec3 value(force.value[0](0), force.value[1](0), force.value[2](0));
    const LoadAxes axes = force.body_frame ? LoadAxes::body : LoadAxes::space;
    const Index port = pose(force.body).port;
    if (force.type == "force")
      built_.model->add(
          std::make_unique<AppliedForce>(force.name, ports(), port, point_on(force.body, force.at), value, axes));
    else
      built_.model->add(std::make_unique<AppliedTorque>(force.name, ports(), port, value, axes));
  }

  const deck::Deck& deck_;
  BuiltModel built_;
};

} // namespace

NotServed::NotServed(const deck::Location& where, const std::string& what)
    : std::runtime_error(where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) +
                         ": error: " + what + " is not served yet by this version of emmy\n") {}

BuiltModel build_model(const deck::Deck& deck) {
  return Builder(deck).build();
}

} // namespace emmy
