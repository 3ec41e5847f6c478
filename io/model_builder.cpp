#include "io/model_builder.hpp"

#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "io/limit_builder.hpp"
#include "io/placement.hpp"

#include <cmath>
#include <map>

namespace emmy {

namespace {

/// Points that are closer than what a person rounds when typing may be shared [m], [rad], and rates likewise.
constexpr double typed = 1e-8;

class Builder {
public:
  explicit Builder(const deck::Deck& deck) : deck_(deck), placement_(deck, built_.bodies) {
    built_.model = std::make_unique<Model>();
    built_.mesh = std::make_unique<SpringTetraMesh>();
  }

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
    for (const deck::Limit& limit : deck_.limits)
      add_limit(limit);
    for (const deck::OutputPoint& point : deck_.output.points)
      built_.points.push_back({point.name, placement_.variable(point.at)});
    built_.initial.multipliers.setZero(built_.model->multipliers());
    built_.initial.history.setZero(built_.model->history());
    built_.model->begin(built_.initial);
    return std::move(built_);
  }

private:
  const Ports& ports() const { return built_.model->ports(); }
  const deck::Body& body(int i) const { return deck_.bodies[static_cast<std::size_t>(i)]; }

  // --- bodies

  void add_bodies() {
    std::vector<Index> in_mesh(deck_.bodies.size(), -1);
    for (std::size_t i = 0; i < deck_.bodies.size(); ++i)
      if (const deck::Body& b = deck_.bodies[i]; b.formulation == "spring_tetra")
        in_mesh[i] = built_.mesh->add_body(b.name, b.mass, b.inertia, b.orientation, spring_options(b));
    share_points(in_mesh);
    built_.mesh->build(*built_.model);
    for (std::size_t i = 0; i < deck_.bodies.size(); ++i) {
      const deck::Body& b = deck_.bodies[i];
      if (is_link(b))
        continue; // these come last
      built_.bodies.push_back(in_mesh[i] >= 0 ? &built_.mesh->body(in_mesh[i]) : &add_body(b));
      built_.model->enforce(*built_.bodies.back(), b.enforcement);
      const bool gives_way = !std::isinf(b.stiffness) || b.enforcement.method == EnforcementMethod::penalty;
      built_.has_strain = built_.has_strain || (in_mesh[i] >= 0 && gives_way);
    }
    for (const deck::Chain& chain : deck_.chains)
      add_chain(chain);
  }

  static bool is_link(const deck::Body& b) { return b.formulation == "planar_chain"; }

  void add_chain(const deck::Chain& chain) {
    PlanarChain added{{chain.pivot, chain.down, chain.across}, {}};
    for (const deck::Link& link : chain.links)
      added.links.push_back({body(link.body).name, link.length, link.centre, body(link.body).mass, link.inertia});
    for (const ChainLink* link : added.add_to(*built_.model)) {
      built_.bodies.push_back(link);
      built_.links.push_back(link);
    }
  }

  const Body& add_body(const deck::Body& b) {
    if (b.formulation == "point")
      return PointMass::add_to(*built_.model, b.name, b.mass);
    if (b.formulation == "director") {
      built_.directors.push_back(&DirectorBody::add_to(*built_.model, b.name, b.mass, b.inertia));
      return *built_.directors.back();
    }
    if (b.fixed_point)
      return PivotedBody::add_to(*built_.model, b.name, b.mass, b.inertia, *b.fixed_point,
                                 b.position + b.orientation * *b.fixed_point);
    return FrameBody::add_to(*built_.model, b.name, b.mass, b.inertia);
  }

  static SpringTetraOptions spring_options(const deck::Body& b) {
    static const std::map<std::string, SpringEvaluation> names{{"mixed", SpringEvaluation::mixed},
                                                               {"increments", SpringEvaluation::increments},
                                                               {"closed", SpringEvaluation::closed_form}};
    const bool rigid = std::isinf(b.stiffness);
    return {rigid ? 0 : b.stiffness, rigid, names.at(b.evaluation)};
  }

  void place_bodies() {
    built_.initial = built_.model->rest_state();
    for (std::size_t i = 0; i < deck_.bodies.size(); ++i)
      if (const deck::Body& b = deck_.bodies[i]; !is_link(b))
        built_.bodies[i]->set_motion({b.position, b.orientation, b.velocity, b.angular_velocity}, built_.initial);
    auto link = built_.links.begin();
    for (const deck::Chain& chain : deck_.chains)
      for (const deck::Link& given : chain.links)
        (*link++)->set_angle(given.angle, given.angular_velocity, built_.initial); // whole turns included
  }

  void add_gravity() {
    if (deck_.gravity.isZero(0))
      return;
    for (const Body* b : built_.bodies)
      built_.model->add(
          std::make_unique<Gravity>("gravity on " + b->name(), ports(), b->port(), b->mass(), deck_.gravity));
  }

  void find_sides() {
    sides_.clear();
    for (const deck::Joint& joint : deck_.joints)
      sides_.push_back(joint.type == "coupler" ? Sides{} : placement_.sides(joint));
  }

  // --- joints

  bool is_spring_or_ground(int i) const { return i == deck::ground || body(i).formulation == "spring_tetra"; }

  /// What is shared must coincide and move together.
  bool is_closed(const deck::Joint& joint, const Sides& s) const {
    const BodyPlacement I = placement_.pose(joint.between[0]), J = placement_.pose(joint.between[1]);
    const Vec3 gap = J.to_space(s.J.at) - I.to_space(s.I.at), rate = J.velocity_of(s.J.at) - I.velocity_of(s.I.at);
    const double size = 1 + I.position.norm() + J.position.norm();
    if (gap.norm() > typed * size || rate.norm() > typed * size)
      return false;
    const Vec3 spin = J.angular_velocity - I.angular_velocity;
    const Mat3 axes_I = I.orientation * s.I.axes, axes_J = J.orientation * s.J.axes;
    if (joint.type == "fixed")
      return (axes_I - axes_J).norm() <= typed && spin.norm() <= typed;
    if (joint.type == "revolute")
      return (axes_I.col(0) - axes_J.col(0)).norm() <= typed && spin.cross(axes_I.col(0)).norm() <= typed;
    return true;
  }

  void share_points(const std::vector<Index>& in_mesh) {
    static const std::map<std::string, SharedKind> kinds{
        {"spherical", SharedKind::point}, {"revolute", SharedKind::axis}, {"fixed", SharedKind::weld}};
    connection_.assign(deck_.joints.size(), -1);
    for (std::size_t i = 0; i < deck_.joints.size(); ++i) {
      const deck::Joint& joint = deck_.joints[i];
      const auto kind = kinds.find(joint.type);
      // Coordinates are those of multipliers, and what is enforced in some way is not shared.
      const bool has_equations = (joint.drive.has_value() || joint.enforcement.has_value()) && joint.by.empty();
      if (kind == kinds.end() || joint.by == "multipliers" || has_equations || !is_spring_or_ground(joint.between[0]) ||
          !is_spring_or_ground(joint.between[1]))
        continue;
      if (!is_closed(joint, sides_[i])) {
        if (joint.by == "sharing")
          throw BadModel(joint.where, "joint '" + joint.name +
                                          "' cannot share points that do not coincide or do not move together in the "
                                          "initial configuration");
        continue;
      }
      const auto shared_side = [&](int b, const JointSide& s) {
        return SharedSide{b == deck::ground ? SharedSide::ground : in_mesh[static_cast<std::size_t>(b)], s.at, s.axes};
      };
      connection_[i] = built_.mesh->add_connection(kind->second, shared_side(joint.between[0], sides_[i].I),
                                                   shared_side(joint.between[1], sides_[i].J));
    }
  }

  /// A point that does not move whatever the body does: rows of a joint there would say nothing.
  bool is_held(int b, const JointSide& side) const {
    if (b == deck::ground)
      return true;
    const auto& fixed = body(b).fixed_point;
    return fixed && (side.at - *fixed).norm() <= typed * (1 + fixed->norm());
  }

  void add_joint(std::size_t i) {
    const deck::Joint& joint = deck_.joints[i];
    // Constraints of directions hold for reversed axes as well, but nobody builds a hinge that way.
    if (joint.axis_second && joint.type != "universal" && joint.type != "parallel_axes" &&
        placement_.in_space(joint.axis).dot(placement_.in_space(*joint.axis_second)) < 0)
      throw BadModel(joint.where, "the two axes of joint '" + joint.name + "' point in opposite directions");
    if (joint.type != "coupler" && joint.type != "parallel_axes" && is_held(joint.between[0], sides_[i].I) &&
        is_held(joint.between[1], sides_[i].J))
      throw BadModel(joint.where, "joint '" + joint.name +
                                      "' sits on the fixed point of a body, which is held there already; leave out "
                                      "'fixed_point', or the joint of a chain, or join the axes by 'parallel_axes'");
    BuiltJoint built;
    built.name = joint.name;
    if (connection_[i] >= 0 && built_.mesh->is_shared(connection_[i]))
      built.connection = connection_[i];
    else if (connection_[i] >= 0 && joint.by == "sharing")
      throw BadModel(joint.where, "joint '" + joint.name +
                                      "' cannot be made by sharing points: " + built_.mesh->reason(connection_[i]));
    else
      built.joint = &built_.model->add(make_joint(joint, sides_[i]), joint.enforcement.value_or(Enforcement{}));
    if (joint.drive)
      add_drive(joint, sides_[i], built);
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
      return distance_joint(joint.name, ports(), s.I, s.J, joint.length.value_or(placement_.gap(joint, s).norm()));
    if (joint.type == "screw")
      return screw_joint(joint.name, ports(), s.I, s.J, joint.pitch);
    if (joint.type == "coupler")
      return make_coupler(joint);
    return types.at(joint.type)(joint.name, ports(), s.I, s.J);
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

  void add_drive(const deck::Joint& joint, const Sides& s, BuiltJoint& built) {
    const deck::Drive& drive = *joint.drive;
    const bool is_angle = drive.quantity == "angle" || drive.quantity == "angular_velocity";
    const bool is_value = drive.quantity == "angle" || drive.quantity == "displacement";
    built.drive = &built_.model->add(
        std::make_unique<Drive>(built.name + ".drive", ports(), s.I, s.J,
                                is_angle ? Drive::Coordinate::angle : Drive::Coordinate::displacement,
                                is_value ? Drive::Prescribes::value : Drive::Prescribes::rate, drive.value),
        joint.enforcement.value_or(Enforcement{}));
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
    const Index port = placement_.port(force.body);
    if (force.type == "force")
      built_.model->add(std::make_unique<AppliedForce>(force.name, ports(), port,
                                                       placement_.point_on(force.body, force.at), value, axes));
    else
      built_.model->add(std::make_unique<AppliedTorque>(force.name, ports(), port, value, axes));
  }

  template <class E>
  void add_spring_element(std::unique_ptr<E> element) {
    const std::string name = element->name();
    built_.springs.push_back({name, &built_.model->add(std::move(element))});
  }

  void add_spring(const deck::Force& force) {
    const double length = (placement_.in_space(force.ends[1]) - placement_.in_space(force.ends[0])).norm();
    add_spring_element(std::make_unique<SpringDamper>(
        force.name, ports(), placement_.variable(force.ends[0]), placement_.variable(force.ends[1]),
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
    const double displacement = placement_.in_space(joint.axis).dot(placement_.gap(joint, s));
    add_spring_element(translational_spring_damper(
        force.name, ports(), s.I, s.J, SpringLaw{force.stiffness, force.free.value_or(displacement), force.damping}));
  }

  void add_bushing(const deck::Force& force) {
    const Mat3 axes = force.axes.toRotationMatrix();
    BushingLaw law;
    law.K = force.stiffness_matrix;
    law.C = force.damping_matrix;
    add_spring_element(bushing(force.name, ports(), placement_.side(force.between[0], force.at, axes),
                               placement_.side(force.between[1], force.at_second.value_or(force.at), axes), law));
  }

  // --- limits

  void add_limit(const deck::Limit& limit) {
    std::unique_ptr<Limit> made;
    if (limit.type == "wall")
      made = make_wall(limit, placement_, ports());
    else if (limit.type == "rope")
      made = make_rope(limit, placement_, ports());
    else {
      const auto joint = static_cast<std::size_t>(limit.joint);
      made = make_stop(limit, built_.joints[joint].joint, sides_[joint], ports());
    }
    built_.limits.push_back(&built_.model->add(std::move(made), limit.enforcement));
  }

  const deck::Deck& deck_;
  BuiltModel built_;
  Placement placement_;
  std::vector<Sides> sides_;      // of the joints; their ports only once these are known
  std::vector<Index> connection_; // of the joints in the mesh, or -1
};

} // namespace

BadModel::BadModel(const deck::Location& where, const std::string& what)
    : std::runtime_error(where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) +
                         ": error: " + what + "\n") {}

BuiltModel build_model(const deck::Deck& deck) {
  return Builder(deck).build();
}

} // namespace emmy
