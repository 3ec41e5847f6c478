/// Bullet in double precision, without its default damping; semi-implicit Euler. Only the rod in a box collides.
/// btMultiBody has relative coordinates and Featherstone's articulated bodies; btRigidBody has bodies in space, with
/// joints that relax 10 times.

#include "verification/benchmarks/peers/peer.hpp"

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <array>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

btVector3 to_bullet(const Vec3& x) {
  return {x.x(), x.y(), x.z()};
}
btQuaternion to_bullet(const Quaternion& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}
Vec3 vector(const btVector3& x) {
  return {x.x(), x.y(), x.z()};
}
Quaternion quaternion(const btQuaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

/// What both kinds of bodies live in.
class BulletWorld : public Simulation {
public:
  void step(double h) override { world_.stepSimulation(h, 0); } // one step of h

protected:
  explicit BulletWorld(const Mechanism& mechanism) { world_.setGravity(to_bullet(mechanism.gravity)); }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
};

class MultiBodySimulation final : public BulletWorld {
public:
  explicit MultiBodySimulation(const Mechanism& mechanism)
      : BulletWorld(mechanism), tree_(mechanism.size(), 0, btVector3(0, 0, 0), true, false) {
    const SpanningTree spanning(mechanism);
    if (!spanning.loops.empty())
      throw std::invalid_argument("no loops here");
    for (int i = 0; i < mechanism.size(); ++i) {
      const Mechanism::Joint& joint = *spanning.parent[static_cast<std::size_t>(i)];
      if (joint.is_hinge())
        throw std::invalid_argument("spherical joints only");
      const int parent = joint.first.body;
      const Quaternion to_this = mechanism.orientation(i).conjugate() * mechanism.orientation(parent);
      tree_.setupSpherical(i, mechanism.body(i).mass, to_bullet(mechanism.body(i).inertia), parent, to_bullet(to_this),
                           to_bullet(joint.first.at), to_bullet(Vec3(-joint.second.at)), true);
    }
    tree_.finalizeMultiDof();
    tree_.setLinearDamping(0);
    tree_.setAngularDamping(0);
    world_.addMultiBody(&tree_);
  }
  ~MultiBodySimulation() override { world_.removeMultiBody(&tree_); }

  std::vector<BodyMotion> motions() const override {
    const int N = tree_.getNumLinks();
    std::vector<btVector3> omega(static_cast<std::size_t>(N) + 1), velocity(omega.size());
    tree_.compTreeLinkVelocities(omega.data(), velocity.data()); // of the base and the links, each in its own axes
    std::vector<BodyMotion> list;
    std::vector<btTransform> pose(static_cast<std::size_t>(N)); // of each link, from that of its parent
    for (int i = 0; i < N; ++i) {
      const auto link = static_cast<std::size_t>(i);
      const int parent = tree_.getParent(i);
      const btTransform from = parent < 0 ? btTransform::getIdentity() : pose[static_cast<std::size_t>(parent)];
      pose[link].setRotation(from.getRotation() * tree_.getParentToLocalRot(i).inverse());
      pose[link].setOrigin(from.getOrigin() + quatRotate(pose[link].getRotation(), tree_.getRVector(i)));
      const Quaternion q = quaternion(pose[link].getRotation());
      list.push_back({vector(pose[link].getOrigin()), q, q * vector(velocity[link + 1]), q * vector(omega[link + 1])});
    }
    return list;
  }

private:
  btMultiBody tree_;
};

std::unique_ptr<btRigidBody> rigid_body(const Mechanism::Body& body, btCollisionShape& shape) {
  btRigidBody::btRigidBodyConstructionInfo info(body.mass, nullptr, &shape, to_bullet(body.inertia));
  info.m_startWorldTransform = btTransform(to_bullet(body.start.orientation), to_bullet(Vec3(body.start.position)));
  auto added = std::make_unique<btRigidBody>(info);
  added->setLinearVelocity(to_bullet(body.start.velocity));
  added->setAngularVelocity(to_bullet(body.start.angular_velocity));
  added->setActivationState(DISABLE_DEACTIVATION);
  return added;
}

std::vector<BodyMotion> motions_of(const std::vector<std::unique_ptr<btRigidBody>>& bodies) {
  std::vector<BodyMotion> list;
  for (const auto& body : bodies)
    list.push_back({vector(body->getCenterOfMassPosition()), quaternion(body->getOrientation()),
                    vector(body->getLinearVelocity()), vector(body->getAngularVelocity())});
  return list;
}

class RigidBodySimulation final : public BulletWorld {
public:
  explicit RigidBodySimulation(const Mechanism& mechanism) : BulletWorld(mechanism) {
    for (const Mechanism::Body& body : mechanism.bodies)
      add(body);
    for (const Mechanism::Joint& joint : mechanism.joints)
      add(joint, mechanism);
  }
  ~RigidBodySimulation() override {
    for (const auto& joint : joints_)
      world_.removeConstraint(joint.get());
    for (const auto& body : bodies_)
      world_.removeRigidBody(body.get());
  }

  std::vector<BodyMotion> motions() const override { return motions_of(bodies_); }

private:
  void add(const Mechanism::Body& body) {
    bodies_.push_back(rigid_body(body, shape_));
    world_.addRigidBody(bodies_.back().get(), 0, 0); // which meets nothing
  }

  void add(const Mechanism::Joint& joint, const Mechanism& mechanism) {
    btRigidBody& second = *bodies_[static_cast<std::size_t>(joint.second.body)];
    btRigidBody& first = joint.first.body == Mechanism::ground ? btTypedConstraint::getFixedBody()
                                                               : *bodies_[static_cast<std::size_t>(joint.first.body)];
    const btVector3 at_first = to_bullet(joint.first.at), at_second = to_bullet(joint.second.at);
    if (joint.is_hinge()) {
      const auto axis_of = [&](int body) {
        return to_bullet(Vec3(mechanism.orientation(body).conjugate() * joint.axis));
      };
      joints_.push_back(std::make_unique<btHingeConstraint>(first, second, at_first, at_second,
                                                            axis_of(joint.first.body), axis_of(joint.second.body)));
    } else {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(first, second, at_first, at_second));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  btEmptyShape shape_; // a body without any is not moved
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

/// The rod as a thin capsule, the cube as six walls. What would change the energy on purpose is switched off: positions
/// that are corrected through velocities, a speed below which nothing bounces, impulses carried over between steps.
class CollidingBodies final : public BulletWorld {
public:
  explicit CollidingBodies(const RodInBox& of)
      : BulletWorld(of.mechanism()), rod_(of.radius, of.length - 2 * of.radius) {
    const double out = (of.width + of.wall) / 2, across = of.width / 2 + of.wall;
    for (int axis = 0; axis < 3; ++axis) {
      btVector3 half(across, across, across);
      half[axis] = of.wall / 2;
      walls_[static_cast<std::size_t>(axis)] = std::make_unique<btBoxShape>(half);
      for (const double side : {-out, out}) {
        btTransform place = btTransform::getIdentity();
        place.getOrigin()[axis] = side;
        cube_.addChildShape(place, walls_[static_cast<std::size_t>(axis)].get());
      }
    }
    btContactSolverInfo& settings = world_.getSolverInfo();
    settings.m_erp = settings.m_erp2 = 0;
    settings.m_splitImpulse = 0;
    settings.m_restitutionVelocityThreshold = 0;
    settings.m_damping = 0;
    settings.m_solverMode &= ~SOLVER_USE_WARMSTARTING;
    const Mechanism mechanism = of.mechanism();
    add(mechanism.bodies[0], rod_);
    add(mechanism.bodies[1], cube_);
  }
  ~CollidingBodies() override {
    for (const auto& body : bodies_)
      world_.removeRigidBody(body.get());
  }
  CollidingBodies(const CollidingBodies&) = delete;
  CollidingBodies& operator=(const CollidingBodies&) = delete;

  std::vector<BodyMotion> motions() const override { return motions_of(bodies_); }

private:
  void add(const Mechanism::Body& body, btCollisionShape& shape) {
    bodies_.push_back(rigid_body(body, shape));
    bodies_.back()->setRestitution(1);
    bodies_.back()->setFriction(0);
    bodies_.back()->setContactProcessingThreshold(0); // before they touch they would bounce by less
    world_.addRigidBody(bodies_.back().get());
  }

  btCapsuleShapeX rod_;
  std::array<std::unique_ptr<btBoxShape>, 3> walls_;
  btCompoundShape cube_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

} // namespace

std::unique_ptr<Simulation> bullet_rod_in_box(const RodInBox& rod_in_box) {
  return std::make_unique<CollidingBodies>(rod_in_box);
}

std::unique_ptr<Simulation> bullet_multibody(const Mechanism& mechanism) {
  return std::make_unique<MultiBodySimulation>(mechanism);
}

std::unique_ptr<Simulation> bullet_impulses(const Mechanism& mechanism) {
  return std::make_unique<RigidBodySimulation>(mechanism);
}

} // namespace emmy::benchmark
