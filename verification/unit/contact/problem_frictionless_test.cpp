#include "problem_cases.hpp"

#include "contact/problem/constraint_planes.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace emmy::contact {
namespace {

/// Impulses by trying all sets of contacts that press: those that miss P >= 0, w >= 0, P w = 0 the least.
VecX by_enumeration(const Case& c) {
  const ContactProblem problem = c.problem();
  const Index m = c.contacts();
  MatX N = MatX::Zero(3 * m, m);
  for (Index j = 0; j < m; ++j)
    N.block<3, 1>(3 * j, j) = c.laws[static_cast<std::size_t>(j)].normal;
  const MatX A = N.transpose() * dense(c.W) * N;
  const VecX q = N.transpose() * problem.q;
  VecX best = VecX::Zero(m);
  double least = std::numeric_limits<double>::infinity();
  for (int set = 0; set < 1 << m; ++set) {
    std::vector<Index> in;
    for (Index j = 0; j < m; ++j)
      if (set >> j & 1)
        in.push_back(j);
    VecX P = VecX::Zero(m);
    if (!in.empty()) {
      Eigen::CompleteOrthogonalDecomposition<MatX> A_in;
      A_in.setThreshold(1e-11);
      A_in.compute(A(in, in));
      P(in) = VecX(A_in.solve(VecX(-q(in))));
    }
    const VecX w = A * P + q;
    double missed = 0;
    for (Index j = 0; j < m; ++j)
      missed = std::max(missed, std::abs(std::min(A(j, j) * P[j], w[j])));
    if (missed < least) {
      least = missed;
      best = P;
    }
  }
  BOOST_REQUIRE_SMALL(least, 1e-12); // q is about 1, and so are arms and masses
  return N * best;
}

enum class Redundancy { none, collinear, face, repeated, sliding };

Case random_case(Draw& draw) {
  Case c;
  const auto kind = static_cast<Redundancy>(draw.integer(0, 4));
  const int bodies = draw.integer(2, 4);
  for (int b = 0; b < bodies; ++b) {
    const double mass = std::pow(10, draw.number());
    c.add_body(mass, draw.inertia(mass), draw.vector());
    c.push(b, draw.vector(), draw.vector());
  }
  const Vec3 at = draw.vector(), along = draw.vector(), across = draw.vector();
  const Vec3 normal = along.cross(across).normalized();
  const Index master = draw.integer(0, 1) == 0 ? -1 : 1;
  switch (kind) {
  case Redundancy::none:
    break;
  case Redundancy::collinear:
    for (int i = 0; i < 4; ++i)
      c.add_contact(0, master, at + i * along / 3, normal);
    break;
  case Redundancy::face:
    for (int i = 0; i < 4; ++i)
      c.add_contact(0, master, at + i % 2 * along + i / 2 * across, normal);
    if (draw.integer(0, 1) == 1) { // all corners approach alike, so that any of them may press
      c.v.head<6>() << -normal, 0, 0, 0;
      c.v.segment<6>(6).setZero();
    }
    break;
  case Redundancy::repeated:
    for (int i = 0; i < 3; ++i)
      c.add_contact(0, master, at, normal);
    break;
  case Redundancy::sliding: // both bodies move as one: P = w = 0
    c.v.segment<6>(6) = c.v.head<6>();
    c.v.segment<3>(6) += Vec3(c.v.segment<3>(3)).cross(c.centre[1] - c.centre[0]);
    c.add_contact(0, 1, at, normal);
    c.add_contact(0, 1, at + along, across.normalized());
    break;
  }
  const int more = draw.integer(1, 3);
  for (int i = 0; i < more; ++i) {
    const int slave = draw.integer(0, bodies - 1), other = draw.integer(-1, bodies - 1);
    c.add_contact(slave, other == slave ? -1 : other, draw.vector(), draw.direction());
  }
  return c;
}

/// Targets [C31] of mixed restitution: those of a face contradict one another.
void set_targets(Case& c, Draw& draw) {
  const ContactProblem problem = c.problem();
  for (std::size_t j = 0; j < c.laws.size(); ++j) {
    const Vec3& n = c.laws[j].normal;
    const double approach = std::min(0.0, n.dot(problem.q.segment<3>(3 * static_cast<Index>(j))));
    c.target[j] = (1 - draw.number(0, 1)) / 2 * approach * n;
  }
}

SolveReport solve(const Case& c, VecX& r, const ContactSolverOptions& options = {}) {
  r = VecX::Zero(3 * c.contacts());
  return ContactSolver(options).solve(c.problem(), r);
}

double size_of(const VecX& x) {
  return x.cwiseAbs().maxCoeff();
}

Case chain(int balls) {
  Case c;
  for (int i = 0; i < balls; ++i)
    c.add_body(1, Mat3::Identity() * 0.4, Vec3(2 * i, 0, 0));
  for (int i = 0; i + 1 < balls; ++i)
    c.add_contact(i, i + 1, Vec3(2 * i + 1, 0, 0), -Vec3::UnitX());
  c.push(0, Vec3::UnitX());
  return c;
}

} // namespace

BOOST_AUTO_TEST_SUITE(frictionless)

// [C27]: the motion of the bodies is unique, however redundant the contacts are. Masses differ by 100, arms are about 1
// and normals may nearly depend on one another: 1e-12 leaves a factor of 1e4 for conditioning.
BOOST_AUTO_TEST_CASE(motions_are_those_of_the_best_of_all_active_sets) {
  Draw draw(1);
  ContactSolver solver;
  for (int i = 0; i < 1000; ++i) {
    Case c = random_case(draw);
    if (i % 3 == 2)
      set_targets(c, draw);
    VecX r = VecX::Zero(3 * c.contacts());
    const SolveReport report = solver.solve(c.problem(), r);
    const VecX expected = c.motions(by_enumeration(c));
    BOOST_TEST(size_of(c.motions(r) - expected) <= 1e-12 * size_of(c.v), "problem " << i);
    BOOST_TEST((report.grade == SolveGrade::converged), "problem " << i << ": " << report.residual);
    BOOST_TEST(report.jammed.empty());
  }
}

// Without conjugate gradients, which leave it little to do, and from any impulses.
BOOST_AUTO_TEST_CASE(newton_on_the_free_set_alone_finds_the_active_set) {
  Draw draw(2);
  FreeSetNewton newton;
  NormalProblem normal;
  for (int i = 0; i < 500; ++i) {
    Case c = random_case(draw);
    if (i % 2 == 1)
      set_targets(c, draw);
    Whole whole(c.problem());
    Vectors r(whole.contacts.size(), Vec3::Zero());
    normal.begin(*whole.island, r);
    if (i % 4 >= 2)
      for (double& P : normal.P)
        P = std::max(0.0, draw.number());
    Numbers jam;
    newton.solve(normal, jam);
    normal.spread(normal.P, r);
    BOOST_TEST(jam.empty());
    const VecX expected = c.motions(by_enumeration(c));
    BOOST_TEST(size_of(c.motions(flat(r)) - expected) <= 1e-12 * size_of(c.v), "problem " << i);
  }
}

// [C29]: reflected, the first of n equal balls has 2/n - 1 and the others 2/n. Conjugate gradients need an iteration
// for each contact that the impulse has to reach.
BOOST_AUTO_TEST_CASE(a_chain_of_touching_balls_reflects_as_a_whole) {
  for (const int n : {2, 3, 5, 100, 1000}) {
    const Case c = chain(n);
    VecX r;
    const SolveReport report = solve(c, r);
    const VecX mean = c.motions(r);
    double worst = 0;
    for (int i = 0; i < n; ++i)
      worst = std::max(worst, std::abs(2 * mean[6 * i] - c.v[6 * i] - (2.0 / n - (i == 0))));
    BOOST_TEST(worst <= 1e-12); // what neighbours differ by is exact to rounding, and adds up
    BOOST_TEST(report.applications <= 10 + 4 * n);
  }
}

// Rounding: each velocity sums a dozen impulses of up to ten others' size.
BOOST_AUTO_TEST_CASE(heaps_of_thousands_of_contacts_are_solved_to_rounding_by_conjugate_gradients) {
  ContactSolverOptions options;
  options.method = ContactMethod::constraint_planes;
  long applications = 0;
  for (const int n : {100, 400, 1000, 4000}) {
    const Case c = heap(n, 0, 2);
    VecX r;
    const SolveReport report = solve(c, r, options);
    BOOST_TEST(report.residual <= 1e-13);
    BOOST_TEST_MESSAGE(n << " balls, " << c.contacts() << " contacts: " << report.applications << " applications");
    applications = report.applications;
  }
  BOOST_TEST(applications <= 1000); // for 8500 contacts
}

// Masses 1 to 1e6 upwards press with 1e6 times the weight of the lowest cube, which rounds off as much of its velocity.
BOOST_AUTO_TEST_CASE(top_heavy_towers_are_solved_to_the_rounding_of_their_loads) {
  Draw draw(3);
  for (int i = 0; i < 40; ++i) {
    Case c = tower(10, 1e6, 0);
    const double speed = std::pow(10, draw.integer(-6, -1));
    for (int b = 0; b < 10; ++b)
      c.push(b, speed * draw.vector(), speed * draw.vector());
    VecX r;
    BOOST_TEST(solve(c, r).residual <= 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_contacts_and_the_numbering_of_bodies_do_not_matter) {
  Draw draw(4);
  for (int i = 0; i < 100; ++i) {
    const Case c = random_case(draw);
    const auto bodies = static_cast<Index>(c.centre.size());
    Case other; // bodies and contacts from behind
    for (Index b = bodies - 1; b >= 0; --b) {
      const auto k = static_cast<std::size_t>(b);
      other.add_body(1 / c.W.bodies()->inverse_mass[k], c.W.bodies()->inverse_inertia[k].inverse(), c.centre[k]);
      other.v.tail<6>() = c.v.segment<6>(6 * b);
    }
    for (std::size_t j = c.laws.size(); j-- > 0;) {
      const PointContact& contact = c.W.bodies()->contacts[j];
      const auto renamed = [&](Index b) { return b < 0 ? b : bodies - 1 - b; };
      other.add_contact(renamed(contact.body[0]), renamed(contact.body[1]),
                        c.centre[static_cast<std::size_t>(contact.body[0])] + contact.arm[0], c.laws[j].normal);
    }
    VecX r, r_other;
    solve(c, r);
    solve(other, r_other);
    const VecX motions = c.motions(r), others = other.motions(r_other);
    for (Index b = 0; b < bodies; ++b)
      BOOST_TEST(size_of(motions.segment<6>(6 * b) - others.segment<6>(6 * (bodies - 1 - b))) <=
                 1e-12 * size_of(motions));
  }
}

// Lengths l, masses m and velocities v: impulses grow with m v, rotations go with v / l.
BOOST_AUTO_TEST_CASE(sizes_from_1e_9_to_1e9_make_no_difference) {
  for (const double l : {1e-9, 1e9})
    for (const double m : {1e-9, 1e9})
      for (const double v : {1e-9, 1e9}) {
        Draw draw(5);
        for (int i = 0; i < 20; ++i) {
          const Case c = random_case(draw);
          Case scaled = c;
          for (double& x : scaled.W.form().inverse_mass)
            x /= m;
          for (Mat3& x : scaled.W.form().inverse_inertia)
            x /= m * l * l;
          for (PointContact& contact : scaled.W.form().contacts)
            for (Vec3& arm : contact.arm)
              arm *= l;
          for (Index b = 0; 6 * b < c.v.size(); ++b) {
            scaled.v.segment<3>(6 * b) *= v;
            scaled.v.segment<3>(6 * b + 3) *= v / l;
          }
          VecX r, r_scaled;
          solve(c, r);
          BOOST_TEST((solve(scaled, r_scaled).grade == SolveGrade::converged));
          const VecX u = c.velocities(r), u_scaled = scaled.velocities(r_scaled);
          BOOST_TEST(size_of(u_scaled / v - u) <= 1e-12 * size_of(c.v));
        }
      }
}

BOOST_AUTO_TEST_CASE(a_warm_start_from_the_solution_stays_there) {
  Draw draw(6);
  for (int i = 0; i < 100; ++i) {
    const Case c = random_case(draw);
    VecX cold;
    ContactSolver solver;
    const ContactProblem problem = c.problem();
    const int from_cold = solve(c, cold).iterations;
    VecX warm = cold;
    BOOST_TEST(solver.solve(problem, warm).iterations <= from_cold);
    BOOST_TEST(size_of(c.motions(warm) - c.motions(cold)) <= 1e-13 * (1 + size_of(c.v)));
    VecX wild = VecX::Constant(cold.size(), 1e6); // a start that is worse than none is not used
    BOOST_TEST(solver.solve(problem, wild).iterations == from_cold);
    BOOST_TEST(size_of(c.motions(wild) - c.motions(cold)) <= 1e-12 * (1 + size_of(c.v)));
  }
}

BOOST_AUTO_TEST_CASE(the_budget_is_kept_and_the_best_that_was_found_is_returned) {
  const Case c = chain(300);
  ContactSolverOptions options;
  double before = std::numeric_limits<double>::infinity();
  for (const long budget : {10, 30, 100, 2000}) {
    options.most_applications = budget;
    VecX r;
    const SolveReport report = solve(c, r, options);
    BOOST_TEST(report.applications <=
               budget + 8); // an iteration that has begun is finished, and the result is measured
    const double energy = r.dot(c.velocities(r) + c.problem().q) / 2;
    BOOST_TEST(energy < before);
    before = energy;
  }
}

BOOST_AUTO_TEST_CASE(a_compliance_without_bodies_gives_the_same_motions) {
  Draw draw(8);
  for (int i = 0; i < 50; ++i) {
    const Case c = random_case(draw);
    const MatrixCompliance W(dense(c.W));
    VecX r, r_matrix = VecX::Zero(3 * c.contacts());
    solve(c, r);
    const ContactProblem problem{W, c.problem().q, c.laws, 0};
    ContactSolver().solve(problem, r_matrix);
    BOOST_TEST(size_of(c.motions(r) - c.motions(r_matrix)) <= 1e-12 * (1 + size_of(c.v)));
  }
}

// [R23]: plates that close on a ball with nowhere to go, and two bodies whose motion is given.
BOOST_AUTO_TEST_CASE(jams_are_named_with_their_contacts) {
  for (const double friction : {0.0, 0.3}) {
    Case c;
    c.add_body(1, 0.1 * Mat3::Identity(), Vec3::Zero());
    c.add_body(1, 0.1 * Mat3::Identity(), Vec3(0, 5, 0));
    c.push(1, -Vec3::UnitZ());
    c.add_contact(1, -1, Vec3(0, 5, -0.5), Vec3::UnitZ(), friction);
    for (const double side : {-1.0, 1.0}) {
      c.add_contact(0, -1, side * 0.5 * Vec3::UnitX(), -side * Vec3::UnitX(), friction);
      c.target.back() = -side * Vec3::UnitX();
    }
    VecX r;
    const SolveReport report = solve(c, r);
    BOOST_TEST((report.grade == SolveGrade::jam));
    BOOST_TEST(report.jammed == (std::vector<Index>{1, 2}), boost::test_tools::per_element());
    BOOST_TEST(std::abs(c.motions(r)[8]) <= 1e-14); // the other ball is stopped all the same
  }
  Case c;
  c.add_contact(-1, -1, Vec3::Zero(), Vec3::UnitZ());
  c.target.back() = Vec3::UnitZ();
  VecX r;
  BOOST_TEST(solve(c, r).jammed == std::vector<Index>{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_ends_as_poor) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();
  for (const double friction : {0.0, 0.3})
    for (const int cubes : {2, 4, 30})
      for (const double bad : {none, endless}) {
        Case c = tower(cubes, 1, friction), other = c;
        c.v[3] = bad;
        other.W.form().contacts[0].arm[0].x() = bad;
        for (const Case& spoilt : {c, other}) {
          VecX r;
          BOOST_TEST((solve(spoilt, r).grade == SolveGrade::poor));
          BOOST_TEST(r.allFinite());
        }
      }
  Case single;
  single.add_box(1, Vec3::Ones(), Vec3::Zero());
  single.add_contact(0, -1, Vec3(0, 0, none), Vec3::UnitZ());
  single.push(0, -Vec3::UnitZ());
  VecX r;
  BOOST_TEST((solve(single, r).grade == SolveGrade::poor));
  BOOST_TEST(r.allFinite());
}

BOOST_AUTO_TEST_CASE(nothing_to_solve_is_solved) {
  VecX r;
  Case c;
  c.v = VecX(0);
  BOOST_TEST((solve(c, r).grade == SolveGrade::converged));
  c.add_box(1, Vec3::Ones(), Vec3::Zero());
  c.add_contact(0, -1, Vec3(0, 0, -0.5), Vec3::UnitZ()); // at rest
  BOOST_TEST((solve(c, r).grade == SolveGrade::converged));
  BOOST_TEST(size_of(r) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace emmy::contact
