/// Open Dynamics Engine: bodies in space and joints as multipliers, semi-implicit Euler. Its settings are left as they
/// are. dWorldStep factorises a dense matrix of all joints, dWorldQuickStep relaxes 20 times.

#include "verification/benchmarks/peers/peer.hpp"

#include <ode/ode.h>

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

class OdeSimulation final : public Simulation {
public:
  using Stepper = int (*)(dWorldID, dReal);

  OdeSimulation(const Mechanism& mechanism, Stepper stepper) : stepper_(stepper) {
    static const Library library;
    world_ = dWorldCreate();
    dWorldSetGravity(world_, mechanism.gravity.x(), mechanism.gravity.y(), mechanism.gravity.z());
    for (const Mechanism::Body& body : mechanism.bodies)
      add(body);
    for (const Mechanism::Joint& joint : mechanism.joints)
      add(joint, mechanism.position(joint.second));
  }
  ~OdeSimulation() override { dWorldDestroy(world_); }
  OdeSimulation(const OdeSimulation&) = delete;
  OdeSimulation& operator=(const OdeSimulation&) = delete;

  void step(double h) override { stepper_(world_, h); }

  std::vector<BodyMotion> motions() const override {
    std::vector<BodyMotion> list;
    for (const dBodyID body : bodies_) {
      const dReal* q = dBodyGetQuaternion(body);
      list.push_back({vector(dBodyGetPosition(body)), Quaternion(q[0], q[1], q[2], q[3]),
                      vector(dBodyGetLinearVel(body)), vector(dBodyGetAngularVel(body))});
    }
    return list;
  }

private:
  void add(const Mechanism::Body& body) {
    const dBodyID id = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia.x(), body.inertia.y(), body.inertia.z(), 0, 0, 0);
    dBodySetMass(id, &mass);
    const BodyMotion& m = body.start;
    const dQuaternion q = {m.orientation.w(), m.orientation.x(), m.orientation.y(), m.orientation.z()};
    dBodySetPosition(id, m.position.x(), m.position.y(), m.position.z());
    dBodySetQuaternion(id, q);
    dBodySetLinearVel(id, m.velocity.x(), m.velocity.y(), m.velocity.z());
    dBodySetAngularVel(id, m.angular_velocity.x(), m.angular_velocity.y(), m.angular_velocity.z());
    bodies_.push_back(id);
  }

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

std::unique_ptr<Simulation> ode_direct(const Mechanism& mechanism) {
  return std::make_unique<OdeSimulation>(mechanism, dWorldStep);
}

std::unique_ptr<Simulation> ode_quick(const Mechanism& mechanism) {
  return std::make_unique<OdeSimulation>(mechanism, dWorldQuickStep);
}

} // namespace emmy::benchmark
