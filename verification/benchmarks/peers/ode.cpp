/// Open Dynamics Engine: bodies in space and joints as multipliers, semi-implicit Euler. Its settings are left as they
/// are. dWorldStep factorises a dense matrix of all joints, dWorldQuickStep relaxes 20 times.

#include "verification/benchmarks/peers/peer.hpp"

#include <ode/ode.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

struct Library {
  Library() {
    dInitODE2(0);
    if (dCheckConfiguration("ODE_double_precision") == 0)
      throw std::runtime_error("this build of ODE computes in single precision");
  }
  ~Library() { dCloseODE(); }
};

Vec3 vector(const dReal* x) {
  return {x[0], x[1], x[2]};
}

Library& library() {
  static Library one;
  return one;
}

dBodyID add_body(dWorldID world, const Mechanism::Body& body) {
  const dBodyID id = dBodyCreate(world);
  dMass mass;
  dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia.x(), body.inertia.y(), body.inertia.z(), 0, 0, 0);
  dBodySetMass(id, &mass);
  const BodyMotion& m = body.start;
  const dQuaternion q = {m.orientation.w(), m.orientation.x(), m.orientation.y(), m.orientation.z()};
  dBodySetPosition(id, m.position.x(), m.position.y(), m.position.z());
  dBodySetQuaternion(id, q);
  dBodySetLinearVel(id, m.velocity.x(), m.velocity.y(), m.velocity.z());
  dBodySetAngularVel(id, m.angular_velocity.x(), m.angular_velocity.y(), m.angular_velocity.z());
  return id;
}

std::vector<BodyMotion> motions_of(const std::vector<dBodyID>& bodies) {
  std::vector<BodyMotion> list;
  for (const dBodyID body : bodies) {
    const dReal* q = dBodyGetQuaternion(body);
    list.push_back({vector(dBodyGetPosition(body)), Quaternion(q[0], q[1], q[2], q[3]), vector(dBodyGetLinearVel(body)),
                    vector(dBodyGetAngularVel(body))});
  }
  return list;
}

/// The rod as a thin capsule, the cube as six walls; contacts bounce, and positions are not corrected.
class CollidingBodies final : public Simulation {
public:
  explicit CollidingBodies(const RodInBox& of) {
    library();
    world_ = dWorldCreate();
    dWorldSetERP(world_, 0);
    contacts_ = dJointGroupCreate(0);
    cube_ = dSimpleSpaceCreate(nullptr);
    for (const Mechanism::Body& body : of.mechanism().bodies)
      bodies_.push_back(add_body(world_, body));
    rod_ = dCreateCapsule(nullptr, of.radius, of.length - 2 * of.radius);
    dGeomSetBody(rod_, bodies_[0]);
    dMatrix3 along_x;
    dRFromAxisAndAngle(along_x, 0, 1, 0, M_PI / 2);
    dGeomSetOffsetRotation(rod_, along_x);
    const double out = (of.width + of.wall) / 2, across = of.width + 2 * of.wall;
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-out, out}) {
        Vec3 size = Vec3::Constant(across), at = Vec3::Zero();
        size[axis] = of.wall;
        at[axis] = side;
        const dGeomID wall = dCreateBox(cube_, size.x(), size.y(), size.z());
        dGeomSetBody(wall, bodies_[1]);
        dGeomSetOffsetPosition(wall, at.x(), at.y(), at.z());
      }
  }
  ~CollidingBodies() override {
    dGeomDestroy(rod_);
    dSpaceDestroy(cube_);
    dJointGroupDestroy(contacts_);
    dWorldDestroy(world_);
  }
  CollidingBodies(const CollidingBodies&) = delete;
  CollidingBodies& operator=(const CollidingBodies&) = delete;

  void step(double h) override {
    dSpaceCollide2(rod_, reinterpret_cast<dGeomID>(cube_), this,
                   [](void* self, dGeomID a, dGeomID b) { static_cast<CollidingBodies*>(self)->collide(a, b); });
    dWorldStep(world_, h);
    dJointGroupEmpty(contacts_);
  }
  std::vector<BodyMotion> motions() const override { return motions_of(bodies_); }

private:
  void collide(dGeomID a, dGeomID b) {
    std::array<dContact, 4> found{};
    const int count = dCollide(a, b, static_cast<int>(found.size()), &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dContact& contact = found[static_cast<std::size_t>(i)];
      contact.surface.mode = dContactBounce;
      contact.surface.mu = 0;
      contact.surface.bounce = 1;
      contact.surface.bounce_vel = 0;
      dJointAttach(dJointCreateContact(world_, contacts_, &contact), dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  dWorldID world_;
  dJointGroupID contacts_;
  dSpaceID cube_;
  dGeomID rod_;
  std::vector<dBodyID> bodies_;
};

class OdeSimulation final : public Simulation {
public:
  using Stepper = int (*)(dWorldID, dReal);

  OdeSimulation(const Mechanism& mechanism, Stepper stepper) : stepper_(stepper) {
    library();
    world_ = dWorldCreate();
    dWorldSetGravity(world_, mechanism.gravity.x(), mechanism.gravity.y(), mechanism.gravity.z());
    for (const Mechanism::Body& body : mechanism.bodies)
      bodies_.push_back(add_body(world_, body));
    for (const Mechanism::Joint& joint : mechanism.joints)
      add(joint, mechanism.position(joint.second));
  }
  ~OdeSimulation() override { dWorldDestroy(world_); }
  OdeSimulation(const OdeSimulation&) = delete;
  OdeSimulation& operator=(const OdeSimulation&) = delete;

  void step(double h) override { stepper_(world_, h); }

  std::vector<BodyMotion> motions() const override { return motions_of(bodies_); }

private:
  void add(const Mechanism::Joint& joint, const Vec3& X) {
    const auto id = [this](const Mechanism::Point& p) {
      return p.body == Mechanism::ground ? nullptr : bodies_[static_cast<std::size_t>(p.body)];
    };
    if (joint.is_hinge()) {
      const dJointID hinge = dJointCreateHinge(world_, nullptr);
      dJointAttach(hinge, id(joint.second), id(joint.first));
      dJointSetHingeAnchor(hinge, X.x(), X.y(), X.z());
      dJointSetHingeAxis(hinge, joint.axis.x(), joint.axis.y(), joint.axis.z());
    } else {
      const dJointID ball = dJointCreateBall(world_, nullptr);
      dJointAttach(ball, id(joint.second), id(joint.first));
      dJointSetBallAnchor(ball, X.x(), X.y(), X.z());
    }
  }

  Stepper stepper_;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
};

} // namespace

std::unique_ptr<Simulation> ode_rod_in_box(const RodInBox& rod_in_box) {
  return std::make_unique<CollidingBodies>(rod_in_box);
}

std::unique_ptr<Simulation> ode_direct(const Mechanism& mechanism) {
  return std::make_unique<OdeSimulation>(mechanism, dWorldStep);
}

std::unique_ptr<Simulation> ode_quick(const Mechanism& mechanism) {
  return std::make_unique<OdeSimulation>(mechanism, dWorldQuickStep);
}

} // namespace emmy::benchmark
