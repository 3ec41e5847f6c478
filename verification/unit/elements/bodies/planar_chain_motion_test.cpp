#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/chains.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// The test problem of [A6]: two rods under gravity, hanging from the origin.
struct TwoRods {
  TwoRods() {
    chain.links = {{"upper", 1, 0.5, 1, 1.0 / 12}, {"lower", 1, 0.5, 1, 1.0 / 12}};
    links = chain.add_to(model);
    for (const ChainLink* link : links)
      model.add(std::make_unique<Gravity>("weight", model.ports(), link->port(), link->mass(), Vec3(0, -9.81, 0)));
    start = model.rest_state();
    links[0]->set_angle(std::acos(0.5), 0, start);
    links[1]->set_angle(std::acos(0.0), 0, start);
  }
  /// Residual of all forces on the links in a step that does not move.
  VecX forces(const State& state) const {
    const VecX z = VecX::Zero(2);
    const Step still{state, no_time, 0, z, state.multipliers};
    PortMotions motions = model.port_motions();
    model.move_ports(still, motions);
    VecX sum = VecX::Zero(2);
    for (const auto& element : model.elements()) {
      const Index n = element->unknowns();
      VecX r = VecX::Zero(n);
      MatX k(n, n);
      LocalSystem out{r, k, false};
      element->evaluate({still, motions}, out);
      sum.head(n) += r;
    }
    return sum;
  }
  VecX acceleration(const VecX& theta, const VecX& v) const {
    State state = start;
    state.values = theta;
    const ChainInertia inertia(model, theta, v, VecX::Zero(2));
    return -inertia.M.llt().solve(inertia.f + forces(state));
  }
  PlanarChain chain;
  Model model;
  std::vector<const ChainLink*> links;
  State start;
};

const double pi = std::acos(-1.0);

} // namespace

BOOST_AUTO_TEST_SUITE(PlanarChainMotions)

// The weights of two links: (m1 c1 + m2 l1) g sin(theta1) and m2 c2 g sin(theta2), with the energy of a chain that
// hangs as datum.
BOOST_AUTO_TEST_CASE(gravity_acts_on_the_centres_of_mass) {
  const TwoRods rods;
  const VecX r = rods.forces(rods.start);
  BOOST_TEST(agree("moments", r, VecX(Eigen::Vector2d(1.5 * 9.81 * std::sin(pi / 3), 0.5 * 9.81)), 20 * eps * 15));
  State hanging = rods.start;
  hanging.values.setZero();
  const double E0 = rods.model.books_at(rods.start).energy() - rods.model.books_at(hanging).energy();
  BOOST_TEST(agree("E0", E0, 12.2625, 20 * eps * 30)); // the figure of the reference
}

// Angles beyond a turn are kept; of an orientation the part in the plane is followed, in the nearest turn.
BOOST_AUTO_TEST_CASE(a_link_follows_orientations_in_its_plane) {
  ChainScene s(951, 2);
  State state = s.model.rest_state();
  s.links[0]->set_angle(0.3, 0.1, state);
  s.links[1]->set_angle(9, -2, state);
  const BodyMotion m = s.links[1]->motion(state);
  const ChainPlane& plane = s.chain.plane;
  const double l = s.chain.links[0].length, c = s.chain.links[1].centre;
  // Thirty roundings of numbers below four, angles of size nine.
  const double tolerance = 30 * eps * 9;
  const Vec3 u1 = std::sin(0.3) * plane.across + std::cos(0.3) * plane.down,
             u2 = std::sin(9.0) * plane.across + std::cos(9.0) * plane.down, n = plane.down.cross(plane.across);
  BOOST_TEST(agree("centre", m.position, Vec3(plane.pivot + l * u1 + c * u2), tolerance));
  BOOST_TEST(agree("axis", Vec3(m.orientation * Vec3::UnitX()), u2, tolerance));
  BOOST_TEST(agree("normal", Vec3(m.orientation * Vec3::UnitZ()), n, tolerance));
  BOOST_TEST(agree("spin", m.angular_velocity, Vec3(-2 * n), tolerance));
  BOOST_TEST(agree("velocity", m.velocity, Vec3(0.1 * n.cross(l * u1) - 2 * n.cross(c * u2)), tolerance));

  State again = state;
  s.links[1]->set_motion(m, again);
  BOOST_TEST(agree("angle", again.values, state.values, tolerance));
  BOOST_TEST(agree("rate", again.rates, state.rates, tolerance));
  // turned by 0.2 about the normal, and out of the plane by some
  const BodyMotion out{m.position, exponential(0.2 * n) * m.orientation * exponential(Vec3(0, 0.4, 0)), m.velocity,
                       m.angular_velocity + 3 * plane.down};
  s.links[1]->set_motion(out, again);
  BOOST_TEST(agree("angle", again.values[1], 9.2, tolerance));
  BOOST_TEST(agree("rate", again.rates[1], -2, tolerance));
  BOOST_TEST(agree("others stay", again.values[0], 0.3, 0));
}

// What acts on a link does so through the secant: loads, springs to the ground, to a free body and between links.
BOOST_AUTO_TEST_CASE(forces_on_links_are_exact_whatever_the_step) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 960; seed < 965; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        ChainScene s(seed);
        const Body& free = FrameBody::add_to(s.model, "free", 1, s.random.inertia());
        const auto on = [&](const Body& body) { return body_point(body.port(), s.random.vector()); };
        const auto spring = [&](const NaturalVariable& a, const NaturalVariable& b) -> const Interaction& {
          return s.model.add(std::make_unique<SpringDamper>("spring", s.model.ports(), a, b, SpringLaw{10, 0.5, 0}));
        };
        const Interaction* elements[] = {
            &s.model.add(std::make_unique<Gravity>("weight", s.model.ports(), s.links[2]->port(), 2, Vec3(1, 2, 3))),
            &spring(body_point(Model::ground, s.random.vector()), on(*s.links[2])), &spring(on(*s.links[1]), on(free)),
            &spring(on(*s.links[0]), on(*s.links[2]))};
        const Trial trial = random_trial(s.model, size, s.random);
        for (const Interaction* element : elements) {
          BOOST_TEST(check_tangent(*element, s.model, trial));
          BOOST_TEST(check_adds(*element, s.model, trial));
          BOOST_TEST(check_discrete_gradient(*element, s.model, trial));
        }
      }
}

// An independent integrator of fourth order keeps the energy of a flight under gravity: f, M and the moments of the
// weights belong together.
BOOST_AUTO_TEST_CASE(the_equations_of_motion_conserve_energy) {
  const TwoRods rods;
  const auto energy = [&](const VecX& theta, const VecX& v) {
    State state = rods.start;
    state.values = theta;
    state.rates = v;
    return rods.model.books_at(state).energy();
  };
  const auto drift = [&](int steps) {
    const double h = 0.6 / steps;
    VecX theta = rods.start.values, v = VecX::Zero(2);
    const double before = energy(theta, v);
    for (int i = 0; i < steps; ++i) {
      const VecX a1 = rods.acceleration(theta, v), v2 = v + h / 2 * a1;
      const VecX a2 = rods.acceleration(theta + h / 2 * v, v2), v3 = v + h / 2 * a2;
      const VecX a3 = rods.acceleration(theta + h / 2 * v2, v3), v4 = v + h * a3;
      const VecX a4 = rods.acceleration(theta + h * v3, v4);
      theta += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    BOOST_TEST(v.norm() > 3); // it has fallen
    return std::abs(energy(theta, v) - before);
  };
  // With fourth order the energy error falls by 2^4 or more; a term that is wrong does not let it fall at all.
  const double coarse = drift(100), fine = drift(200);
  BOOST_TEST(coarse < 1e-4);
  BOOST_TEST(fine < coarse / 14);
}

// [A25]: the ground bears whatever acts on a chain, in its plane and across it, so that momenta are explained.
BOOST_AUTO_TEST_CASE(the_ground_answers_whatever_acts_on_the_links) {
  ChainScene s(970);
  Model& model = s.model;
  const Body& free = FrameBody::add_to(model, "free", 1, s.random.inertia());
  const Index last = s.links[2]->port();
  for (const Body* body : model.bodies())
    model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), body->mass(), Vec3(1, 2, -9)));
  model.add(std::make_unique<SpringDamper>("tie", model.ports(), body_point(last, {0.3, 0.1, 0.2}),
                                           body_point(free.port(), {0.1, 0.2, 0}), SpringLaw{30, 0.5, 0.2}));
  model.add(std::make_unique<SpringDamper>("stay", model.ports(), body_point(Model::ground, {2, 0, 1}),
                                           body_point(s.links[1]->port(), {0.3, 0, 0}), SpringLaw{30, 1, 0.2}));
  model.add(std::make_unique<AppliedTorque>("torque", model.ports(), last, Vec3(1, 2, 3), LoadAxes::body));
  State state = model.rest_state();
  for (std::size_t i = 0; i < 3; ++i)
    s.links[i]->set_angle(s.random.between(-1, 1), s.random.between(-3, 3), state);
  free.set_motion(random_motion(s.random, step_sizes()[2]).n, state);
  model.begin(state);
  Ledger ledger;
  ledger.open(model.books_at(state));
  const int steps = 20;
  for (int i = 0; i < steps; ++i) {
    const Solution solution = solve_step(model, state, 0.02);
    state = solution.trial.n1;
    ledger.add(model.books(solution.trial.moved(model), state));
  }
  // Each step rounds momenta and impulses some fifty times; impulses are below the scale of momenta.
  BOOST_TEST(ledger.relative_linear_imbalance() <= 50 * steps * eps);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 50 * steps * eps);
  BOOST_TEST(ledger.linear_scale() > 1);
}

// p = m v, l = x x p + I omega, T = (m v² + I omega²)/2 of every link.
BOOST_AUTO_TEST_CASE(energy_and_momenta_are_booked) {
  ChainScene s(971, 2);
  const Trial t = random_trial(s.model, step_sizes()[2], s.random);
  StepBooks books;
  Vec3 p = Vec3::Zero(), l = Vec3::Zero();
  for (std::size_t i = 0; i < 2; ++i) {
    s.links[i]->book(t.moved(s.model), t.n1, books);
    const BodyMotion m = s.links[i]->motion(t.n1);
    p += s.links[i]->mass() * m.velocity;
    l += s.links[i]->mass() * m.position.cross(m.velocity) + s.chain.links[i].inertia * m.angular_velocity;
  }
  // Some sixty products; the largest are momenta and energies below thirty.
  const double tolerance = 60 * eps * 30;
  BOOST_TEST(agree("kinetic", books.kinetic, kinetic(s.chain.links, t.n1.values, t.n1.rates), tolerance));
  BOOST_TEST(agree("linear", books.linear_momentum, p, tolerance));
  BOOST_TEST(agree("angular", books.angular_momentum, l, tolerance));
  BOOST_TEST(agree("nothing at an instant", s.model.books_at(t.n).angular_impulse, Vec3(Vec3::Zero()), 0));
  BOOST_TEST(agree("rotation", s.links[1]->rotation_in(t.step()), std::abs(t.z[1]), 0));
}

BOOST_AUTO_TEST_SUITE_END()
