#include "verification/benchmarks/problems.hpp"

#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/joint.hpp"

namespace emmy::benchmark {

namespace {

/// Adds a mechanism to emmy's model, element by element.
class Builder {
public:
  explicit Builder(Problem& problem) : mechanism_(problem.mechanism), model_(*problem.model), bodies_(problem.bodies) {}

  void add(const Mechanism::Body& body) {
    const std::string name = numbered("body", bodies_.size());
    bodies_.push_back(&add_body(name, body.mass, body.inertia.asDiagonal()));
    if (!mechanism_.gravity.isZero(0))
      model_.add(std::make_unique<Gravity>("weight of " + name, model_.ports(), bodies_.back()->port(), body.mass,
                                           mechanism_.gravity));
  }

  void add(const Mechanism::Joint& joint) {
    const Mat3 axes = triad(joint.is_hinge() ? joint.axis : Vec3(Vec3::UnitX()));
    const JointSide I = side(joint.first, axes), J = side(joint.second, axes);
    const std::string name = numbered("joint", joints_++);
    model_.add(joint.is_hinge() ? revolute_joint(name, model_.ports(), I, J)
                                : spherical_joint(name, model_.ports(), I, J));
  }

  void add(const Mechanism::Spring& spring) {
    const double length = (mechanism_.position(spring.second) - mechanism_.position(spring.first)).norm();
    model_.add(std::make_unique<SpringDamper>(
        numbered("spring", springs_++), model_.ports(), body_point(port(spring.first.body), spring.first.at),
        body_point(port(spring.second.body), spring.second.at), SpringLaw{spring.k, length}));
  }

  void add(const Mechanism::Bushing& support) {
    BushingLaw law;
    law.K.diagonal() << Vec3::Constant(support.k_displacement), Vec3::Constant(support.k_rotation);
    model_.add(bushing(numbered("bushing", springs_++), model_.ports(), side(support.first, Mat3::Identity()),
                       side(support.second, Mat3::Identity()), law));
  }

private:
  const Body& add_body(const std::string& name, double mass, const Mat3& J) {
    switch (mechanism_.formulation) {
    case Mechanism::Formulation::director:
      return DirectorBody::add_to(model_, name, mass, J);
    case Mechanism::Formulation::spring_tetra:
      return SpringTetra::add_to(model_, name, mass, J);
    case Mechanism::Formulation::frame:
      break;
    }
    return FrameBody::add_to(model_, name, mass, J);
  }

  static std::string numbered(const char* name, std::size_t i) { return name + std::to_string(i + 1); }

  static Mat3 triad(const Vec3& n) {
    Mat3 axes;
    axes << n, n.unitOrthogonal(), n.cross(n.unitOrthogonal());
    return axes;
  }

  Index port(int body) const {
    return body == Mechanism::ground ? Model::ground : bodies_[static_cast<std::size_t>(body)]->port();
  }

  JointSide side(const Mechanism::Point& p, const Mat3& axes_in_space) const {
    return {port(p.body), p.at, mechanism_.orientation(p.body).toRotationMatrix().transpose() * axes_in_space};
  }

  const Mechanism& mechanism_;
  Model& model_;
  std::vector<const Body*>& bodies_;
  std::size_t joints_ = 0, springs_ = 0;
};

} // namespace

Problem::Problem(Mechanism of) : mechanism(std::move(of)) {
  Builder builder(*this);
  for (const auto& body : mechanism.bodies)
    builder.add(body);
  for (const auto& joint : mechanism.joints)
    builder.add(joint);
  for (const auto& spring : mechanism.springs)
    builder.add(spring);
  for (const auto& bushing : mechanism.bushings)
    builder.add(bushing);
  initial = model->rest_state();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies[i]->set_motion(mechanism.bodies[i].start, initial);
  model->begin(initial);
  if (mechanism.is_redundant)
    analysis = analyse_constraints(*model, initial);
}

std::vector<BodyMotion> Problem::motions(const State& state) const {
  std::vector<BodyMotion> list;
  list.reserve(bodies.size());
  for (const Body* body : bodies)
    list.push_back(body->motion(state));
  return list;
}

} // namespace emmy::benchmark
