#include "problem_cases.hpp"

#include "contact/problem/interior_point.hpp"
#include "contact/problem/semismooth.hpp"
#include "contact/problem/single.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace emmy::contact {
namespace {

const double degree = std::acos(-1) / 180;

SolveReport solve(const Case& c, VecX& r, ContactMethod method = ContactMethod::automatic) {
  ContactSolverOptions options;
  options.method = method;
  r = VecX::Zero(3 * c.contacts());
  return ContactSolver(options).solve(c.problem(), r);
}

double fastest(const VecX& u) {
  return u.cwiseAbs().maxCoeff();
}

/// All impulses of a slipping contact with u_t = -lambda I_t, by a fine scan over lambda.
std::vector<Vec3> slips_by_scan(const Mat3& W, const Vec3& q, double mu) { // normal along x
  const auto impulse = [&](double lambda) {
    Mat3 matrix = W;
    matrix(1, 1) += lambda;
    matrix(2, 2) += lambda;
    return Vec3(-matrix.fullPivLu().solve(q));
  };
  const auto excess = [&](double lambda) {
    const Vec3 r = impulse(lambda);
    return r.tail<2>().norm() - mu * r[0];
  };
  std::vector<Vec3> found;
  double low = 0;
  for (double high = 1e-8; high < 1e8; high *= 1.01) {
    if ((excess(low) > 0) != (excess(high) > 0)) {
      double a = low, b = high;
      for (int i = 0; i < 100; ++i)
        ((excess((a + b) / 2) > 0) == (excess(a) > 0) ? a : b) = (a + b) / 2;
      found.push_back(impulse(b));
    }
    low = high;
  }
  return found;
}

/// Rod of length 2 and 1 kg at tan theta = 2 on the ground, in the plane of normal x and tangent y [R24]; q for a step
/// of 1e-4 s, e = 0.
struct PainleveRod {
  PainleveRod(double mu, double spin) : W(block()), problem{W, VecX(3), {law(mu)}, 0} {
    const double half_step = 0.5e-4, centripetal = spin * spin / std::sqrt(5.0) * half_step;
    problem.q << -10 * half_step + 2 * centripetal, -0.5 + centripetal, 0;
  }
  static Mat3 block() {
    Mat3 out;
    out << 0.8, -0.6, 0, -0.6, 1.7, 0, 0, 0, 0.5;
    return out;
  }
  static ContactLaw law(double mu) { return {ContactLaw::Kind::unilateral, Vec3::UnitX(), mu}; }

  MatrixCompliance W;
  ContactProblem problem;
};

/// Sphere between two planes that lean over it, each by an angle from upright, under gravity along -z.
Case pinched_sphere(double mu, double angle) {
  Case c;
  c.add_body(1, 0.1 * Mat3::Identity(), Vec3::Zero());
  for (const double side : {-1.0, 1.0}) {
    const Vec3 normal(side * std::cos(angle), 0, -std::sin(angle));
    c.add_contact(0, -1, -0.5 * normal, normal, mu);
  }
  c.push(0, -fall * Vec3::UnitZ());
  return c;
}

} // namespace

BOOST_AUTO_TEST_SUITE(friction)

// [R9]: always solvable, and one of the roots that a scan finds. W has eigenvalues from 0.03 to 3.
BOOST_AUTO_TEST_CASE(a_single_contact_agrees_with_a_scan_of_all_slips) {
  Draw draw(1);
  int stuck = 0, slipped = 0, opened = 0;
  for (int i = 0; i < 300; ++i) {
    const Mat3 Q = draw.rotation();
    const Vec3 eigenvalues(std::pow(10, draw.number(-1.5, 0.5)), std::pow(10, draw.number(-1.5, 0.5)),
                           std::pow(10, draw.number(-1.5, 0.5)));
    const Mat3 W = Q * eigenvalues.asDiagonal() * Q.transpose();
    const Vec3 q = draw.vector();
    const double mu = draw.number(0, 3);
    const Vec3 r = solve_single({ContactLaw::Kind::unilateral, Vec3::UnitX(), mu}, W, q);
    const Vec3 u = W * r + q;
    // Solves with W lose its condition, 100, in digits.
    const double rounding = 1e-12;
    if (r.isZero()) {
      BOOST_TEST(q[0] >= 0);
      ++opened;
      continue;
    }
    BOOST_TEST(r[0] > 0);
    BOOST_TEST(std::abs(u[0]) <= rounding);
    if (u.norm() <= rounding) {
      BOOST_TEST(r.tail<2>().norm() <= mu * r[0] * (1 + rounding));
      ++stuck;
      continue;
    }
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& slip : slips_by_scan(W, q, mu))
      nearest = std::min(nearest, (slip - r).norm());
    BOOST_TEST(nearest <= 1e-9 * r.norm()); // the scan's lambda is exact to rounding, its impulse to the condition
    ++slipped;
  }
  BOOST_TEST(std::min({stuck, slipped, opened}) > 30);
}

// Which methods get there from nothing. Semismooth Newton fails on top-heavy towers, sweeps on most of these.
BOOST_AUTO_TEST_CASE(each_method_solves_what_it_should) {
  struct Row {
    std::string name;
    Case c;
    bool by_newton; ///< semismooth Newton alone
  };
  const double mu = 0.5;
  const Row rows[] = {{"box on plane", box_on_incline(mu, 0), true},
                      {"incline 0.999", box_on_incline(mu, 0.999 * mu), true},
                      {"incline 1.000", box_on_incline(mu, mu), true},
                      {"incline 1.001", box_on_incline(mu, 1.001 * mu), true},
                      {"capsule in groove", capsule_in_groove(0.3), true},
                      {"tower of 10", tower(10, 1, mu), true},
                      {"tower, top 1000 times heavier", tower(10, 1e3, mu), false},
                      {"same, gravity leans by 22 degrees", tower(10, 1e3, mu, 22 * degree), false},
                      {"tower, top 1e6 times heavier", tower(10, 1e6, mu), false},
                      {"wall of 55", wall(mu), true},
                      {"cards that hold", cards(1.001 * cards_critical_friction), true},
                      {"cards that slip", cards(0.999 * cards_critical_friction), true},
                      {"sphere in groove", sphere_in_groove(0.3, 0.5), true},
                      {"heap of 60", heap(60, 0.3, 3), true}};
  for (const Row& row : rows) {
    VecX r;
    const SolveReport newton = solve(row.c, r, ContactMethod::semismooth);
    BOOST_TEST((newton.residual <= 1e-11) == row.by_newton, row.name << ": Newton " << newton.residual);
    const SolveReport interior = solve(row.c, r, ContactMethod::interior_point);
    BOOST_TEST(interior.residual <= 1e-8, row.name << ": interior point " << interior.residual);
    const SolveReport all = solve(row.c, r);
    BOOST_TEST(all.residual <= 1e-8, row.name << ": all " << all.residual);
    BOOST_TEST((all.grade == SolveGrade::converged || all.grade == SolveGrade::good), row.name);
    // Impulses of the heaviest cube pass through all others, and round off their velocities.
    BOOST_TEST(std::abs(all.residual - residual_of(row.c, r)) <= 1e-14 + 20 * eps * r.cwiseAbs().maxCoeff() / fall,
               row.name);
    BOOST_TEST_MESSAGE(row.name << " (" << row.c.centre.size() << ", " << row.c.contacts() << "): Newton "
                                << newton.iterations << " (" << newton.residual << "), interior point and Newton "
                                << interior.iterations << " (" << interior.residual << "), ladder " << all.iterations
                                << " in " << all.applications << " applications");
    BOOST_TEST(ContactSolver().solve(row.c.problem(), r).residual <= all.residual, row.name); // warm
  }
}

BOOST_AUTO_TEST_CASE(a_box_on_an_incline_sticks_or_slides_as_coulomb_says) {
  for (const double factor : {0.9, 0.999, 1.001, 1.1})
    for (const ContactMethod method :
         {ContactMethod::automatic, ContactMethod::semismooth, ContactMethod::interior_point}) {
      const double mu = 0.5, tangent = factor * mu;
      const Case c = box_on_incline(mu, tangent);
      VecX r;
      solve(c, r, method);
      const double expected = std::max(0.0, fall * (tangent - mu) / std::hypot(1, tangent));
      BOOST_TEST(std::abs(c.motions(r)[0] - expected) <= 1e-12 * fall);
      BOOST_TEST(fastest(c.motions(r).tail<5>()) <= 1e-12 * fall);
    }
}

// Sweeps converge linearly: of the easy cases only.
BOOST_AUTO_TEST_CASE(sweeps_reach_the_tolerance_on_easy_cases) {
  for (const Case& c : {box_on_incline(0.5, 0.2), capsule_in_groove(0.3), sphere_in_groove(0.3, 0.5)}) {
    VecX r;
    BOOST_TEST(solve(c, r, ContactMethod::gauss_seidel).residual <= 1e-8);
    BOOST_TEST(residual_of(c, r) <= 1e-8);
  }
}

// A sphere of moment of inertia 0.1 rolls on points 0.5 / sqrt(2) from its axis: m v (1 + 0.1 * 8) = m h g_y / 2.
BOOST_AUTO_TEST_CASE(a_sphere_rolls_along_a_groove) {
  const Case c = sphere_in_groove(0.3, 0.5);
  VecX r;
  solve(c, r);
  BOOST_TEST(std::abs(c.motions(r)[1] - fall * 0.5 / 1.8) <= 1e-12 * fall);
  BOOST_TEST(fastest(c.velocities(r)) <= 1e-12 * fall);
}

// Critical friction tan(alpha) / 2 - t / 2L: found from the moments about the foot.
BOOST_AUTO_TEST_CASE(cards_hold_above_the_critical_friction_alone) {
  BOOST_TEST(std::abs(std::tan(20 * degree) / 2 - 0.01 - cards_critical_friction) <= 1e-12);
  VecX r;
  const Case holds = cards(1.001 * cards_critical_friction), slips = cards(0.999 * cards_critical_friction);
  solve(holds, r);
  BOOST_TEST(fastest(holds.velocities(r)) <= 1e-12 * fall);
  solve(slips, r);
  BOOST_TEST(fastest(slips.velocities(r)) >= 1e-4 * fall);
}

// [R24]: an impact without collision at mu = 1.4, none at 1.2; two solutions where free motion lifts off.
BOOST_AUTO_TEST_CASE(painleve_rod_has_its_known_impulses) {
  const auto impulse = [](const PainleveRod& rod, const Vec3& start = Vec3::Zero()) {
    VecX r = start;
    BOOST_TEST(ContactSolver().solve(rod.problem, r).residual <= 1e-12);
    return r[0];
  };
  BOOST_TEST(std::abs(impulse({1.4, 0}) - 0.30085) <= 1e-12);
  BOOST_TEST(std::abs(impulse({1.2, 0}) - 0.00625) <= 1e-12);
  const PainleveRod lifts(1.4, 5);
  const double second = 0.29861393;
  BOOST_TEST(impulse(lifts) == 0);
  BOOST_TEST(solve_single(lifts.problem.laws[0], PainleveRod::block(), lifts.problem.q).norm() == 0);
  BOOST_TEST(std::abs(impulse(lifts, {0.3, 0.4, 0}) - second) <= 1e-6 * second);
  Whole whole(lifts.problem);
  ImpulseEquations equations;
  BOOST_REQUIRE(equations.begin(*whole.island));
  Vectors r(1, Vec3::Zero()), last;
  Residual residual;
  residual.value = std::numeric_limits<double>::infinity();
  InteriorPoint().solve(*whole.island, equations, 1e-9, 60, r, residual, last);
  BOOST_TEST(std::abs(r[0].x() - second) <= 1e-6 * second);
}

// [R25]: what holds a pinched sphere is the stress that it started with.
BOOST_AUTO_TEST_CASE(a_pinched_sphere_stays_if_it_was_pinched) {
  const double mu = 0.5, critical = std::atan(mu);
  for (const double preload : {0.0, 1.0, 100.0})
    for (const double angle : {0.5 * critical, 0.9 * critical, 1.1 * critical}) {
      const Case c = pinched_sphere(mu, angle);
      VecX r(6);
      r << preload * c.laws[0].normal, preload * c.laws[1].normal;
      BOOST_TEST(ContactSolver().solve(c.problem(), r).residual <= 1e-12);
      const bool falls = preload == 0 || angle > critical;
      BOOST_TEST(std::abs(c.motions(r)[2] + (falls ? fall : 0)) <= 1e-12 * fall);
    }
}

BOOST_AUTO_TEST_CASE(islands_do_not_know_of_one_another) {
  const Case parts[] = {box_on_incline(0.5, 0.3), tower(4, 10, 0.5), cards(0.2), heap(30, 0.3, 5)};
  Case all;
  std::vector<VecX> alone;
  for (const Case& c : parts) {
    const auto first = static_cast<Index>(all.centre.size());
    for (std::size_t b = 0; b < c.centre.size(); ++b) {
      all.add_body(1, Mat3::Identity(), c.centre[b]);
      all.W.form().inverse_mass.back() = c.W.bodies()->inverse_mass[b];
      all.W.form().inverse_inertia.back() = c.W.bodies()->inverse_inertia[b];
    }
    all.v.tail(c.v.size()) = c.v;
    for (std::size_t j = 0; j < c.laws.size(); ++j) {
      PointContact contact = c.W.bodies()->contacts[j];
      for (Index& b : contact.body)
        b = b < 0 ? b : b + first;
      all.W.form().contacts.push_back(contact);
      all.laws.push_back(c.laws[j]);
      all.target.push_back(c.target[j]);
    }
    alone.emplace_back();
    solve(c, alone.back());
  }
  VecX r;
  BOOST_TEST(solve(all, r).residual <= 1e-8);
  Index at = 0;
  for (const VecX& expected : alone) {
    BOOST_TEST((r.segment(at, expected.size()).array() == expected.array()).all());
    at += expected.size();
  }
}

// Weak friction has one motion. Residuals of 1e-12 are multiplied by the condition of the heap.
BOOST_AUTO_TEST_CASE(motions_depend_neither_on_the_order_of_contacts_nor_on_the_method) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Case c = heap(60, 0.1, seed);
    Case reversed = c;
    std::reverse(reversed.W.form().contacts.begin(), reversed.W.form().contacts.end());
    std::reverse(reversed.laws.begin(), reversed.laws.end());
    const MatrixCompliance W(dense(c.W));
    const ContactProblem matrix{W, c.problem().q, c.laws, 0};
    VecX r, r_reversed, r_interior, r_matrix = VecX::Zero(3 * c.contacts());
    solve(c, r);
    solve(reversed, r_reversed);
    solve(c, r_interior, ContactMethod::interior_point);
    ContactSolver().solve(matrix, r_matrix);
    BOOST_TEST(fastest(reversed.motions(r_reversed) - c.motions(r)) <= 1e-10);
    BOOST_TEST(fastest(c.motions(r_interior) - c.motions(r)) <= 1e-10);
    BOOST_TEST(fastest(c.motions(r_matrix) - c.motions(r)) <= 1e-10);
  }
}

// [Q15]: points that always stick, one of them twice, in one solve with contacts.
BOOST_AUTO_TEST_CASE(points_that_always_stick_do_so) {
  for (const ContactMethod method :
       {ContactMethod::automatic, ContactMethod::interior_point, ContactMethod::gauss_seidel}) {
    Case c = tower(4, 1, 0.3, 30 * degree);
    c.push(3, Vec3(0.1, 0.2, 0.3), Vec3(0.3, 0.2, 0.1));
    for (const double x : {-0.3, 0.3, 0.3}) { // a hinge between two cubes
      c.add_contact(3, 2, Vec3(x, 0, 3), Vec3::UnitZ());
      c.laws.back().kind = ContactLaw::Kind::both_sided;
    }
    VecX r;
    const SolveReport report = solve(c, r, method);
    const double wanted = method == ContactMethod::gauss_seidel ? 1e-5 : 1e-8; // sweeps end with the budget
    BOOST_TEST(report.residual <= wanted);
    BOOST_TEST(fastest(c.velocities(r).tail<9>()) <= wanted * fastest(c.problem().q));
  }
}

BOOST_AUTO_TEST_CASE(fast_islands_take_a_few_sweeps_only) {
  const Case c = heap(300, 0.3, 4);
  ContactSolverOptions options;
  options.fast = true;
  VecX r = VecX::Zero(3 * c.contacts());
  double before = 1;
  for (int i = 0; i < 3; ++i) { // each from where the last one ended
    const SolveReport report = ContactSolver(options).solve(c.problem(), r);
    BOOST_TEST(report.applications <= 150);
    BOOST_TEST(report.residual < before / 2);
    before = report.residual;
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace emmy::contact
