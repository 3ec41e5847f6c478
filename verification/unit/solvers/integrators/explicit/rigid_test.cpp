/// Bodies, rotations and constraints as explicit integrators see them.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/joints/drive.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "solvers/integrators/explicit/rigid_constraints.hpp"
#include "solvers/integrators/explicit/rotation_drift.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

const RotationDrift kernels[] = {RotationDrift::split, RotationDrift::lie_midpoint};

/// One body of every rigid kind, anywhere, in any motion; one that is held at a point if wanted.
struct Zoo {
  explicit Zoo(bool held = false) {
    Random random(811);
    FrameBody::add_to(model, "frame", random.mass(), random.inertia());
    DirectorBody::add_to(model, "director", random.mass(), random.inertia());
    PointMass::add_to(model, "point", random.mass());
    if (held)
      PivotedBody::add_to(model, "held", random.mass(), random.inertia(), random.vector(), random.vector());
    state = model.rest_state();
    for (const Body* body : model.bodies())
      body->set_motion({random.vector(), random.rotation(), random.vector(3), random.vector(3)}, state);
  }
  Model model;
  State state;
};

RigidUnit unit_of(const Mat3& J) {
  Model model;
  FrameBody::add_to(model, "body", 1, J);
  return RigidSystem(model).units()[0];
}

double apart(const Quaternion& a, const Quaternion& b) {
  return rotation_vector(a.conjugate() * b).norm();
}

/// Rotation after n steps in the time t.
Quaternion drifted(RotationDrift kernel, const RigidUnit& unit, Quaternion q, const Vec3& pi, double t, int n) {
  for (int i = 0; i < n; ++i)
    BOOST_REQUIRE(drift_rotation(kernel, unit, pi, t / n, q));
  return q;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Rigid)

// Each number is turned into body axes and back: some ten roundings of vectors of size ten.
BOOST_AUTO_TEST_CASE(a_state_read_as_motion_and_written_is_the_same_state) {
  Zoo zoo(true);
  const RigidSystem system(zoo.model);
  const emmy::Motion motion = system.motion(zoo.state);
  State written = zoo.model.rest_state();
  system.write(motion, written);
  BOOST_TEST(agree("values", written.values, zoo.state.values, 20 * eps));
  BOOST_TEST(agree("rates", written.rates, zoo.state.rates, 20 * eps * 10));
  // Memory holds the same bits.
  VecX memory(4 * emmy::Motion::size + 2);
  motion.write(memory, 2);
  emmy::Motion read = system.motion(zoo.model.rest_state());
  read.read(memory, 2);
  VecX again = VecX::Zero(memory.size());
  read.write(again, 2);
  BOOST_TEST((again.tail(4 * emmy::Motion::size) == memory.tail(4 * emmy::Motion::size)));
}

BOOST_AUTO_TEST_CASE(momenta_are_those_of_the_ledger) {
  Zoo zoo;
  const RigidSystem system(zoo.model);
  const emmy::Motion motion = system.motion(zoo.state);
  Vec3 p = Vec3::Zero(), l = Vec3::Zero();
  double T = 0;
  for (std::size_t b = 0; b < system.size(); ++b) {
    const auto& [p_b, pi_b] = motion.momenta[b];
    const Twist t = system.twist(b, motion.poses[b], motion.momenta[b]);
    p += p_b;
    l += motion.poses[b].x.cross(p_b) + pi_b;
    T += (p_b.dot(t.v) + pi_b.dot(motion.poses[b].q * t.Omega)) / 2;
  }
  const StepBooks books = zoo.model.books_at(zoo.state);
  BOOST_TEST(agree("linear momentum", p, books.linear_momentum, 20 * eps * books.linear_momentum_sum));
  BOOST_TEST(agree("angular momentum", l, books.angular_momentum, 20 * eps * books.angular_momentum_sum * 10));
  BOOST_TEST(agree("kinetic energy", T, books.kinetic, 40 * eps * books.kinetic));
}

BOOST_AUTO_TEST_CASE(twist_and_momentum_are_inverse_to_each_other) {
  Zoo zoo;
  const RigidSystem system(zoo.model);
  Random random(812);
  const emmy::Motion motion = system.motion(zoo.state);
  for (std::size_t b = 0; b < system.size(); ++b) {
    const RigidUnit& unit = system.units()[b];
    const Twist given{random.vector(), unit.turns ? random.vector() : Vec3(Vec3::Zero())};
    const Twist back = system.twist(b, motion.poses[b], system.momentum(b, motion.poses[b], given));
    const double condition = unit.turns ? unit.moments.maxCoeff() / unit.moments.minCoeff() : 1;
    BOOST_TEST(agree("v", back.v, given.v, 4 * eps));
    BOOST_TEST(agree("Omega", back.Omega, given.Omega, 20 * condition * eps));
    // The inverse of inertia, and [E1] by hand: yielding less the gyroscopic part.
    const Wrench w{random.vector(), random.vector()};
    const Twist a = system.acceleration(b, motion.poses[b], given, w), y = system.yielding(b, motion.poses[b], w);
    const Vec3 left = unit.J * a.Omega + given.Omega.cross(unit.J * given.Omega);
    const Vec3 right = motion.poses[b].q.conjugate() * w.moment;
    if (unit.turns)
      BOOST_TEST(agree("E1", left, right, 40 * condition * eps));
    BOOST_TEST(agree("mass", unit.body->mass() * a.v, w.force, 4 * eps));
    BOOST_TEST((y.v == a.v));
    if (unit.turns)
      BOOST_TEST(agree("yielding", unit.J * y.Omega, right, 40 * condition * eps));
  }
}

BOOST_AUTO_TEST_CASE(ports_are_those_of_the_connectivity) {
  Zoo zoo(true);
  const RigidSystem system(zoo.model);
  const emmy::Motion motion = system.motion(zoo.state);
  for (std::size_t b = 0; b < system.size(); ++b) {
    const Body& body = *system.units()[b].body;
    BOOST_TEST(system.unit_of(body.port()) == static_cast<Index>(b));
    Vec12 q, q_dot;
    zoo.model.ports()[static_cast<std::size_t>(body.port())]->at(zoo.state, q, q_dot);
    const Twist t = system.twist(b, motion.poses[b], motion.momenta[b]);
    BOOST_TEST(agree("port", system.port(b, motion.poses[b]), q, 10 * eps));
    BOOST_TEST(agree("rate", system.port_rate(b, motion.poses[b], t), q_dot, 100 * eps));
  }
  BOOST_TEST(system.unit_of(Model::ground) == -1);
}

BOOST_AUTO_TEST_CASE(bodies_that_springs_hold_together_are_refused_by_name) {
  Model model;
  FrameBody::add_to(model, "stiff", 1, Mat3::Identity());
  BOOST_TEST(RigidSystem::unfit_body(model) == nullptr);
  const Body& soft = SpringTetra::add_to(model, "soft", 1, Mat3::Identity(), SpringTetraOptions{});
  BOOST_TEST(RigidSystem::unfit_body(model) == &soft);
  BOOST_CHECK_EXCEPTION(RigidSystem{model}, std::invalid_argument, [](const std::invalid_argument& e) {
    return std::string(e.what()).find("body 'soft'") != std::string::npos;
  });
}

// --- kernels

// Both are of second order: halving h divides the error by four. Errors are 1e-3 at most, so that their own squares
// change the ratio by some thousandths only, and far above rounding.
BOOST_AUTO_TEST_CASE(both_kernels_are_of_second_order) {
  Random random(813);
  for (const RotationDrift kernel : kernels) {
    const RigidUnit unit = unit_of(Vec3(1.4, 2, 0.9).asDiagonal());
    const Quaternion q = random.rotation();
    const Vec3 pi(1.2, -0.7, 1.5);
    const Quaternion fine = drifted(RotationDrift::split, unit, q, pi, 1, 1 << 14); // errors of 1e-9
    const double at_32 = apart(drifted(kernel, unit, q, pi, 1, 32), fine);
    const double at_64 = apart(drifted(kernel, unit, q, pi, 1, 64), fine);
    BOOST_TEST(at_32 < 1e-3);
    BOOST_TEST(at_32 / at_64 == 4, boost::test_tools::tolerance(0.02));
  }
}

// h forward and h back: the way back goes through the same turns. The iteration of LM ends at 4 eps of Omega.
BOOST_AUTO_TEST_CASE(both_kernels_lead_back_in_time) {
  Random random(814);
  for (const RotationDrift kernel : kernels)
    for (int repeat = 0; repeat < 20; ++repeat) {
      const RigidUnit unit = unit_of(random.inertia());
      const Quaternion start = random.rotation();
      const Vec3 pi = random.vector(0.3);
      Quaternion q = start;
      BOOST_REQUIRE(drift_rotation(kernel, unit, pi, 0.1, q));
      const double turn = apart(q, start);
      BOOST_TEST(turn > 1e-3);
      BOOST_REQUIRE(drift_rotation(kernel, unit, pi, -0.1, q));
      // A dozen products of quaternions, and for LM some eps of the angle, times the condition of J.
      const double condition = unit.moments.maxCoeff() / unit.moments.minCoeff();
      BOOST_TEST(apart(q, start) <= 50 * eps * condition);
    }
}

// The axes in which a body is described do not matter. J = R diag R^T is seen in axes turned by R.
BOOST_AUTO_TEST_CASE(a_general_inertia_moves_as_the_diagonal_one_does) {
  Random random(815);
  for (const RotationDrift kernel : kernels) {
    const Vec3 moments(1.4, 2, 0.9);
    const Quaternion R = random.rotation();
    const Mat3 rotated = R.toRotationMatrix() * moments.asDiagonal() * R.toRotationMatrix().transpose();
    const RigidUnit diagonal = unit_of(moments.asDiagonal()), general = unit_of((rotated + rotated.transpose()) / 2);
    BOOST_TEST(agree("moments", general.moments, diagonal.moments, 20 * eps));
    BOOST_TEST(general.axes.determinant() > 0);
    const Vec3 pi = random.vector(2);
    const Quaternion q = random.rotation();
    const Quaternion a = drifted(kernel, diagonal, q, pi, 2, 50);
    const Quaternion b = drifted(kernel, general, q * R.conjugate(), pi, 2, 50);
    // Fifty steps of some ten roundings; the eigenvectors are known to eps over the gap of the moments, 0.5.
    BOOST_TEST(apart(a, b * R) <= 50 * 20 * eps / 0.5 * 2);
  }
}

// Principal axes in the order that the split wants: intermediate, largest, smallest; right-handed.
BOOST_AUTO_TEST_CASE(the_split_has_the_smallest_moment_outermost) {
  const Vec3 orders[] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
  for (const Vec3& moments : orders) {
    const RigidUnit unit = unit_of(moments.asDiagonal());
    BOOST_TEST((unit.moments == Vec3(2, 3, 1)));
    BOOST_TEST(unit.axes.determinant() == 1);
    BOOST_TEST((unit.axes * unit.moments.asDiagonal() * unit.axes.transpose() == Mat3(moments.asDiagonal())));
  }
}

BOOST_AUTO_TEST_CASE(a_body_that_spins_about_a_principal_axis_turns_exactly) {
  for (const RotationDrift kernel : kernels)
    for (int axis = 0; axis < 3; ++axis) {
      const RigidUnit unit = unit_of(Vec3(1.4, 2, 0.9).asDiagonal());
      Quaternion q = Quaternion::Identity();
      const Vec3 Omega = 3 * Vec3::Unit(axis);
      BOOST_REQUIRE(drift_rotation(kernel, unit, unit.J * Omega, 0.2, q));
      BOOST_TEST(agree("turn", rotation_vector(q), 0.6 * Vec3::Unit(axis), 10 * eps));
    }
}

// [E12]: for J1 = J2 the turn commutes with the symmetry, so Omega_3 stays; that of the split does not.
BOOST_AUTO_TEST_CASE(the_lie_midpoint_keeps_the_spin_of_a_symmetric_top) {
  const RigidUnit unit = unit_of(Vec3(5, 5, 1).asDiagonal());
  const Quaternion q0 = exponential({0.3, 0, 0});
  const Vec3 Omega0(0.4, -0.7, 50);
  const Vec3 pi = q0 * (unit.J * Omega0);
  const auto spin = [&](RotationDrift kernel) {
    Quaternion q = q0;
    double largest = 0;
    for (int i = 0; i < 1000; ++i) {
      BOOST_REQUIRE(drift_rotation(kernel, unit, pi, 0.01, q));
      largest = std::max(largest, std::abs((unit.J_inverse * (q.conjugate() * pi)).z() - 50));
    }
    return largest;
  };
  // A step keeps it to 4 eps Omega, of either sign; each of 1000 steps may add as much.
  BOOST_TEST(spin(RotationDrift::lie_midpoint) <= 1000 * 4 * eps * 50);
  BOOST_TEST(spin(RotationDrift::split) > 1e-9);
}

BOOST_AUTO_TEST_CASE(a_turn_that_the_lie_midpoint_cannot_find_is_reported_and_points_do_not_turn) {
  const RigidUnit unit = unit_of(Vec3(1, 1.5, 0.6).asDiagonal());
  Quaternion q = Quaternion::Identity();
  BOOST_TEST(!drift_rotation(RotationDrift::lie_midpoint, unit, Vec3(30, -20, 40), 1, q));
  BOOST_TEST((q.coeffs() == Quaternion::Identity().coeffs()));
  RigidUnit point = unit;
  point.turns = false;
  BOOST_TEST(drift_rotation(RotationDrift::split, point, Vec3(1, 2, 3), 1, q));
  BOOST_TEST((q.coeffs() == Quaternion::Identity().coeffs()));
}

// --- constraints

namespace {

/// Poses after small displacements of every body: dx in space, convected rotation vectors.
Poses displaced(const RigidSystem& system, const Poses& from, const VecX& z) {
  Poses poses = from;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const auto i = static_cast<Index>(6 * b);
    poses[b] = system.moved(b, from[b], {z.segment<3>(i), z.segment<3>(i + 3)}, 1);
  }
  return poses;
}

/// W of all constraints, a column for every displacement, through the public interface: wrenches of unit multipliers.
MatX gradients(const RigidConstraints& constraints, const RigidSystem& system, const Poses& poses) {
  MatX G(constraints.rows(), static_cast<Index>(6 * system.size()));
  for (int i = 0; i < constraints.rows(); ++i) {
    Wrenches w(system.size());
    constraints.add_wrenches(VecX::Unit(constraints.rows(), i), w);
    for (std::size_t b = 0; b < w.size(); ++b) { // the acting wrench is -G^T lambda
      G.row(i).segment<3>(static_cast<Index>(6 * b)) = -w[b].force.transpose();
      G.row(i).segment<3>(static_cast<Index>(6 * b + 3)) = -(poses[b].q.conjugate() * w[b].moment).transpose();
    }
  }
  return G;
}

/// A chain with a motor, every body of which moves: what a mechanism of support/ does not have.
Mechanism driven_chain() {
  Mechanism m = hanging_chain(3, ChainJoint::revolute);
  const JointSide I{m.bodies[0]->port(), {0, 0, -1.5}}, J{m.bodies[1]->port(), {0, 0, 1.5}};
  m.model->add(std::make_unique<Drive>("motor", m.model->ports(), I, J, Drive::Coordinate::angle,
                                       Drive::Prescribes::value, TimeFunction([](auto t) { return 1.5 + t * t; })));
  m.initial.multipliers.setZero(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  m.model->begin(m.initial);
  return m;
}

} // namespace

BOOST_AUTO_TEST_CASE(gradients_of_constraints_are_their_differences) {
  for (const auto make : {four_bar, parallelogram, driven_chain}) {
    const Mechanism m = make();
    const RigidSystem system(*m.model);
    RigidConstraints constraints(system);
    const Poses poses = system.motion(m.initial).poses;
    constraints.start(0, poses, m.initial.history);
    BOOST_REQUIRE(constraints.linearise(poses, 0));
    const MatX G = gradients(constraints, system, poses);
    const auto values = [&](const Poses& at) {
      VecX phi = VecX::Zero(constraints.rows());
      for (const auto& element : m.model->elements()) {
        const auto* joint = dynamic_cast<const Interaction*>(element.get());
        if (!joint || joint->multipliers() == 0)
          continue;
        const RigidInteraction rigid(system, *joint);
        std::vector<Vec12> ports, start;
        for (std::size_t b = 0; b < at.size(); ++b) {
          ports.push_back(system.port(b, at[b]));
          start.push_back(system.port(b, poses[b]));
        }
        NaturalStep step;
        rigid.gather(start, ground_port(), step.q_n);
        rigid.gather(ports, ground_port(), step.q_n1);
        step.q_m = (step.q_n + step.q_n1) / 2;
        step.lambda.setZero(joint->multipliers());
        step.history = m.initial.history.segment(joint->first_history(), joint->history());
        NaturalSystem natural = joint->natural_system(false);
        joint->evaluate_natural(step, natural);
        phi.segment(joint->first_multiplier(), joint->multipliers()) = natural.phi;
      }
      return phi;
    };
    // Central differences, STYLE section 6; arms of up to 6 m.
    const double d = std::cbrt(eps);
    MatX differences(G.rows(), G.cols());
    for (Index c = 0; c < G.cols(); ++c) {
      const VecX z = VecX::Unit(G.cols(), c) * d;
      differences.col(c) = (values(displaced(system, poses, z)) - values(displaced(system, poses, -z))) / (2 * d);
    }
    BOOST_TEST(agree("G", G, differences, 10 * std::pow(eps, 2.0 / 3) * G.norm()));
    BOOST_TEST(constraints.row_name(0).find("'") == 0U);
  }
}

// What the multipliers of project() remove, G M^-1 G^T mu, against a dense computation with the matrices of statics:
// G and M come from the elements in the unknowns of frames, dx and Theta, and know nothing of poses and wrenches.
BOOST_AUTO_TEST_CASE(the_matrix_of_constraints_is_that_of_the_linearised_model) {
  Random random(816);
  for (const auto make : {parallelogram, driven_chain, four_bar}) {
    const Mechanism m = make();
    const RigidSystem system(*m.model);
    RigidConstraints constraints(system);
    emmy::Motion motion = system.motion(m.initial);
    constraints.start(0, motion.poses, m.initial.history);
    BOOST_REQUIRE(constraints.linearise(motion.poses, 0));
    for (std::size_t b = 0; b < system.size(); ++b)
      motion.momenta[b] = {random.vector(), random.vector()};
    const MatX G = MatX(linearise_statics(*m.model, m.initial).G).topRows(m.model->multipliers());
    const MatX M = MatX(mass_matrix(*m.model, m.initial));
    const VecX phi_t = constraint_time_rates(*m.model, m.initial);
    BOOST_TEST_REQUIRE(G.rows() == constraints.rows());
    BOOST_TEST(agree("G", gradients(constraints, system, motion.poses), G, 100 * eps * G.norm()));
    VecX V(M.cols());
    const auto rates = [&](const emmy::Motion& of) {
      for (std::size_t b = 0; b < system.size(); ++b) {
        const Twist t = system.twist(b, of.poses[b], of.momenta[b]);
        V.segment<6>(m.model->bodies()[b]->nodes()[0].unknown) << t.v, t.Omega;
      }
      return VecX(V);
    };
    const VecX before = rates(motion);
    VecX mu;
    BOOST_TEST(constraints.project(motion.poses, motion.momenta, mu).converged);
    const VecX after = rates(motion);
    const MatX M_inverse = M.inverse(); // block diagonal, with a condition of ten
    const MatX S = G * M_inverse * G.transpose();
    // Velocities meet the joints, and changed by M^-1 G^T mu; S mu is what was missing.
    const double size = G.norm() * (before.norm() + after.norm()) + phi_t.norm(), rounding = 1e4 * eps * size;
    BOOST_TEST(agree("G V", G * after, -phi_t, rounding));
    BOOST_TEST(agree("change", after, before - M_inverse * G.transpose() * mu,
                     1e3 * eps * (M_inverse.norm() * G.norm() * mu.norm() + before.norm())));
    BOOST_TEST(agree("S mu", S * mu, G * before + phi_t, rounding));
  }
}

BOOST_AUTO_TEST_SUITE_END()
