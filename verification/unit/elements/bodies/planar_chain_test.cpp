#include "elements/bodies/frame.hpp"
#include "elements/bodies/planar_chain.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/differences.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// A chain with random data in a random plane.
struct Scene {
  explicit Scene(std::uint64_t seed, std::size_t count = 3) : random(seed) {
    const Mat3 axes = random.triad();
    chain.plane = {random.vector(), axes.col(0), axes.col(1)};
    for (std::size_t i = 0; i < count; ++i)
      chain.links.push_back({"link" + std::to_string(i + 1), random.between(0.5, 1.5), random.between(-0.2, 1),
                             random.mass(), random.between(0.05, 0.5)});
    links = chain.add_to(model);
  }
  Random random;
  PlanarChain chain;
  Model model;
  std::vector<const ChainLink*> links;
};

/// Inertia of all links at an instant.
struct Inertia {
  Inertia(const Model& model, const VecX& theta, const VecX& v, const VecX& a, bool tangent = true)
      : f(VecX::Zero(model.unknowns())), M(MatX::Zero(f.size(), f.size())), C(M), K(M) {
    for (const Body* body : model.bodies()) {
      BOOST_TEST_REQUIRE(body->has_inertia_at_instant());
      const Index n = body->unknowns();
      InertiaSystem out{f.head(n), M.topLeftCorner(n, n), C.topLeftCorner(n, n), K.topLeftCorner(n, n), tangent};
      body->evaluate_inertia({theta, v, a}, out);
    }
  }
  VecX f;
  MatX M, C, K;
};

/// Kinetic energy of links from the positions of their centres, in the plane.
double kinetic(const std::vector<LinkProperties>& links, const VecX& theta, const VecX& v) {
  double T = 0, vx = 0, vy = 0; // of the joint where the next link begins
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto k = static_cast<Index>(i);
    const double c = std::cos(theta[k]), s = std::sin(theta[k]);
    const double x = vx + links[i].centre * c * v[k], y = vy - links[i].centre * s * v[k];
    T += (links[i].mass * (x * x + y * y) + links[i].inertia * v[k] * v[k]) / 2;
    vx += links[i].length * c * v[k];
    vy -= links[i].length * s * v[k];
  }
  return T;
}

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
      element->evaluate(still, motions, out);
      sum.head(n) += r;
    }
    return sum;
  }
  VecX acceleration(const VecX& theta, const VecX& v) const {
    State state = start;
    state.values = theta;
    const Inertia inertia(model, theta, v, VecX::Zero(2));
    return -inertia.M.llt().solve(inertia.f + forces(state));
  }
  PlanarChain chain;
  Model model;
  std::vector<const ChainLink*> links;
  State start;
};

const double pi = std::acos(-1.0);

} // namespace

BOOST_AUTO_TEST_SUITE(PlanarChains)

BOOST_AUTO_TEST_CASE(links_and_ports_pass_the_shared_checks) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 900; seed < 910; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        Scene s(seed);
        const Trial trial = random_trial(s.model, size, s.random);
        for (const ChainLink* link : s.links)
          check_body_but_energy(*link, s.model, trial, s.random);
        BOOST_TEST(s.links[2]->unknowns() == 3);
      }
}

// [A6], every term, with the letters and signs of the published problem.
BOOST_AUTO_TEST_CASE(two_links_obey_the_published_equations) {
  for (std::uint64_t seed = 920; seed < 930; ++seed) {
    Scene s(seed, 2);
    const LinkProperties &l1 = s.chain.links[0], &l2 = s.chain.links[1];
    const VecX theta = s.random.numbers(2, pi), v = s.random.numbers(2, 5), a = s.random.numbers(2, 5);
    const double B = l2.mass * l1.length * l2.centre, cos = std::cos(theta[1] - theta[0]),
                 sin = std::sin(theta[1] - theta[0]);
    const Eigen::Vector2d f((l1.inertia + l1.mass * l1.centre * l1.centre + l2.mass * l1.length * l1.length) * a[0] +
                                B * cos * a[1] - B * sin * v[1] * v[1],
                            (l2.inertia + l2.mass * l2.centre * l2.centre) * a[1] + B * cos * a[0] +
                                B * sin * v[0] * v[0]);
    // Some thirty products, of masses and arms below three, with accelerations below 25.
    BOOST_TEST(agree("[A6]", Inertia(s.model, theta, v, a).f, VecX(f), 30 * eps * 3 * 2.25 * 50));
  }
}

// [A6] of any number of links: M_ij = B_ij cos(theta_i - theta_j) + I_i on the diagonal, and likewise with sin and v².
BOOST_AUTO_TEST_CASE(any_number_of_links_obeys_the_closed_form) {
  for (std::uint64_t seed = 980; seed < 990; ++seed) {
    Scene s(seed, 5);
    const VecX theta = s.random.numbers(5, pi), v = s.random.numbers(5, 5), a = s.random.numbers(5, 5);
    VecX f = VecX::Zero(5);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        const auto row = static_cast<Index>(i), column = static_cast<Index>(j);
        const LinkProperties &upper = s.chain.links[std::min(i, j)], &lower = s.chain.links[std::max(i, j)];
        double below = 0;
        for (std::size_t k = std::max(i, j) + 1; k < 5; ++k)
          below += s.chain.links[k].mass;
        const double arm = i == j ? upper.centre : upper.length;
        const double B = arm * lower.mass * lower.centre + upper.length * below * lower.length;
        const double turn = theta[row] - theta[column];
        f[row] += B * (std::cos(turn) * a[column] + std::sin(turn) * v[column] * v[column]);
        if (i == j)
          f[row] += upper.inertia * a[row];
      }
    // Some hundred products, of masses below 15, arms below 1.5 and accelerations below 25.
    BOOST_TEST(agree("[A6]", Inertia(s.model, theta, v, a).f, f, 100 * eps * 15 * 2.25 * 50));
  }
}

// Their weights: (m1 c1 + m2 l1) g sin(theta1) and m2 c2 g sin(theta2), with the energy of a chain that hangs as datum.
BOOST_AUTO_TEST_CASE(gravity_acts_on_the_centres_of_mass) {
  const TwoRods rods;
  const VecX r = rods.forces(rods.start);
  BOOST_TEST(agree("moments", r, VecX(Eigen::Vector2d(1.5 * 9.81 * std::sin(pi / 3), 0.5 * 9.81)), 20 * eps * 15));
  State hanging = rods.start;
  hanging.values.setZero();
  const double E0 = rods.model.books_at(rods.start).energy() - rods.model.books_at(hanging).energy();
  BOOST_TEST(agree("E0", E0, 12.2625, 20 * eps * 30)); // theory, section 6
}

// Lagrange's equations of the kinetic energy, d/dt dT/dv - dT/dtheta, by differences. T is quadratic in v, so that
// differences of any size are exact there.
BOOST_AUTO_TEST_CASE(inertia_is_that_of_the_kinetic_energy) {
  for (std::uint64_t seed = 930; seed < 940; ++seed) {
    Scene s(seed, 3);
    VecX theta = s.random.numbers(3, pi), v = s.random.numbers(3, 2), a = s.random.numbers(3, 2);
    const auto T = [&] { return MatX(MatX::Constant(1, 1, kinetic(s.chain.links, theta, v))); };
    const VecX theta_0 = theta, v_0 = v;
    VecX t = VecX::Zero(1);
    const auto momenta = [&] {
      theta = theta_0 + t[0] * v_0;
      v = v_0 + t[0] * a;
      MatX p(3, 1);
      for (Index i = 0; i < 3; ++i)
        p(i, 0) = difference(v, i, 1, T)(0, 0);
      return p;
    };
    VecX f = difference(t, 0, difference_step(), momenta);
    theta = theta_0;
    v = v_0;
    for (Index i = 0; i < 3; ++i)
      f[i] -= difference(theta, i, difference_step(), T)(0, 0);
    // Energies and momenta of three links of less than 3 kg with tips below 10 m/s.
    BOOST_TEST(agree("f", Inertia(s.model, theta, v, a).f, f, difference_error() * 3 * 3 * 100));
    // and the momenta are M v
    const Inertia inertia(s.model, theta, v, a);
    BOOST_TEST(agree("T", v.dot(inertia.M * v) / 2, T()(0, 0), 60 * eps * 3 * 3 * 100));
  }
}

BOOST_AUTO_TEST_CASE(inertia_at_an_instant_has_exact_derivatives) {
  for (std::uint64_t seed = 940; seed < 950; ++seed) {
    Scene s(seed, 4);
    VecX theta = s.random.numbers(4, pi), v = s.random.numbers(4, 3), a = s.random.numbers(4, 3);
    const Inertia exact(s.model, theta, v, a);
    const auto f = [&] { return MatX(Inertia(s.model, theta, v, a, false).f); };
    MatX M(4, 4), C(4, 4), K(4, 4);
    for (Index i = 0; i < 4; ++i) {
      M.col(i) = difference(a, i, difference_step(), f);
      C.col(i) = difference(v, i, difference_step(), f);
      K.col(i) = difference(theta, i, difference_step(), f);
    }
    // Terms of f: four links of 3 kg, arms below 1.5 m, v² and a below 12.
    const double tolerance = difference_error() * 4 * 3 * 4 * 2.25 * 12;
    BOOST_TEST(agree("M", exact.M, M, tolerance));
    BOOST_TEST(agree("C", exact.C, C, tolerance));
    BOOST_TEST(agree("K", exact.K, K, tolerance));
    BOOST_TEST((Inertia(s.model, theta, v, a, false).M.isZero(0)));
  }
}

// [A24]: the step is the inertia at the mean motion. One that does not move has no inertia, or that of masses alone.
BOOST_AUTO_TEST_CASE(a_step_is_the_midpoint_rule_in_the_angles) {
  Scene s(950);
  Trial t = random_trial(s.model, step_sizes()[2], s.random);
  const auto all = [&](const Step& step) {
    std::pair<VecX, MatX> sum{VecX::Zero(3), MatX::Zero(3, 3)};
    for (const ChainLink* link : s.links) {
      const Index n = link->unknowns();
      LocalSystem out{sum.first.head(n), sum.second.topLeftCorner(n, n), true};
      link->evaluate(step, t.motions(s.model), out);
    }
    return sum;
  };
  const VecX theta_m = t.n.values + t.z / 2, v_m = t.z / t.h, a = 2 * (v_m - t.n.rates) / t.h;
  const VecX f = Inertia(s.model, theta_m, v_m, a).f;
  BOOST_TEST(agree("f", all(t.step()).first, f, 60 * eps * f.cwiseAbs().maxCoeff()));

  const VecX z = VecX::Zero(3);
  State rest = t.n;
  rest.rates.setZero();
  BOOST_TEST((all({rest, no_time, 0, z, t.lambda}).second.isZero(0)));
  BOOST_TEST((all({rest, no_time, 0, z, t.lambda}).first.isZero(0)));
  BOOST_TEST((all({rest, no_time, 1, z, t.lambda}).second == 2 * Inertia(s.model, rest.values, z, z).M));
}

// Angles beyond a turn are kept; of an orientation the part in the plane is followed, in the nearest turn.
BOOST_AUTO_TEST_CASE(a_link_follows_orientations_in_its_plane) {
  Scene s(951, 2);
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

BOOST_AUTO_TEST_CASE(a_chain_has_at_most_as_many_links_as_a_port_has_unknowns) {
  Scene longest(952, 24);
  BOOST_TEST(longest.links.back()->unknowns() == 24);
  BOOST_CHECK_EXCEPTION(Scene(953, 25), std::length_error, [](const std::length_error& e) {
    return std::string(e.what()) == "a planar chain may have at most 24 links, this one has 25";
  });
}

// What acts on a link does so through the secant: loads, springs to the ground, to a free body and between links.
BOOST_AUTO_TEST_CASE(forces_on_links_are_exact_whatever_the_step) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 960; seed < 965; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        Scene s(seed);
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
  Scene s(970);
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
    ledger.add(model.books(solution.trial.step(), solution.trial.motions(model), state));
  }
  // Each step rounds momenta and impulses some fifty times; impulses are below the scale of momenta.
  BOOST_TEST(ledger.relative_linear_imbalance() <= 50 * steps * eps);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 50 * steps * eps);
  BOOST_TEST(ledger.linear_scale() > 1);
}

// p = m v, l = x x p + I omega, T = (m v² + I omega²)/2 of every link.
BOOST_AUTO_TEST_CASE(energy_and_momenta_are_booked) {
  Scene s(971, 2);
  const Trial t = random_trial(s.model, step_sizes()[2], s.random);
  StepBooks books;
  Vec3 p = Vec3::Zero(), l = Vec3::Zero();
  for (std::size_t i = 0; i < 2; ++i) {
    s.links[i]->book(t.step(), t.motions(s.model), t.n1, books);
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
