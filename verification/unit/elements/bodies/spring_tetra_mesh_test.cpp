#include "elements/bodies/spring_tetra_mesh.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double pi = 3.14159265358979323846;

/// Bodies that share, with the state they start from.
struct Sharing {
  void build(const std::vector<BodyMotion>& motions, const Vec3& g) {
    mesh.build(model);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Body& body = mesh.body(static_cast<Index>(i));
      model.add(std::make_unique<Gravity>("gravity", model.ports(), body.port(), body.mass(), g));
    }
    state = model.rest_state();
    for (std::size_t i = 0; i < motions.size(); ++i)
      mesh.body(static_cast<Index>(i)).set_motion(motions[i], state);
    model.begin(state);
    ledger.open(model.books_at(state));
  }
  Trial step(double h) {
    Trial t = solve_step(model, state, h).trial;
    state = t.n1;
    ledger.add(model.books(t.moved(model), state));
    return t;
  }
  SpringTetraMesh mesh;
  Model model;
  State state;
  Ledger ledger;
};

BodyMotion at_rest(const Vec3& x, const Quaternion& q) {
  return {x, q, Vec3::Zero(), Vec3::Zero()};
}

Quaternion triad(const Vec3& x, const Vec3& y, const Vec3& z) {
  Mat3 R;
  R << x, y, z;
  return Quaternion(R);
}

/// Seed mechanism: links 1 x 0.5 x 0.2 of 12 kg, spherical joints, gravity 1 (reference/three_link.csv).
void three_links(Sharing& s, const SpringTetraOptions& options) {
  const Mat3 J = Vec3(0.29, 1.04, 1.25).asDiagonal();
  const Vec3 ex = Vec3::UnitX(), ey = Vec3::UnitY(), ez = Vec3::UnitZ(), end(0.5, 0, 0);
  const std::vector<BodyMotion> motions{at_rest({0.5, 0, 0}, triad(ex, ey, ez)),
                                        at_rest({1, 0, 0.5}, triad(ez, ey, -ex)),
                                        at_rest({1, 0.5, 1}, triad(ey, -ex, ez))};
  for (const BodyMotion& m : motions)
    s.mesh.add_body("link", 12, J, m.orientation, options);
  for (Index i = 0; i < 3; ++i)
    s.mesh.add_connection(SharedKind::point, i == 0 ? SharedSide{} : SharedSide{i - 1, end}, SharedSide{i, -end});
  s.build(motions, {0, 0, -1});
}

/// Chain of Nielsen & Krenk with hinges about x, shared as points and axes.
void hinged_chain(Sharing& s) {
  std::vector<BodyMotion> motions;
  Vec3 end = Vec3::Zero();
  for (Index i = 0; i < 4; ++i) {
    const Quaternion q = exponential({(i < 2 ? 1 : 3) * pi / 4, 0, 0});
    motions.push_back(at_rest(end + q * Vec3(0, 0, -1.5), q));
    end += q * Vec3(0, 0, -3);
    s.mesh.add_body("link", 12, Vec3(9.25, 10, 1.25).asDiagonal(), q, {});
    s.mesh.add_connection(SharedKind::axis, i == 0 ? SharedSide{} : SharedSide{i - 1, {0, 0, -1.5}},
                          SharedSide{i, {0, 0, 1.5}});
  }
  s.build(motions, {0, 0, -9.81});
}

} // namespace

BOOST_AUTO_TEST_SUITE(SpringTetraMeshes)

// spring_tetra.md section 10, link-3 centre at h = 0.005, in all digits of the table: the solver's rounding, 1e-15 a
// step, grows to some 1e-13 in three seconds.
BOOST_AUTO_TEST_CASE(three_links_move_as_in_the_note) {
  struct Row {
    SpringTetraOptions options;
    Vec3 at_one, at_three;
    double strain; // at three seconds [J]
  };
  const Row rows[] = {
      {{8e4, false, SpringEvaluation::mixed},
       {1.011432567986, 0.499514275720, 0.487847293132},
       {-0.286852752901, 0.076804921379, -1.731728444829},
       1.08885719},
      {{1e6, false, SpringEvaluation::increments},
       {1.011445801094, 0.499513737775, 0.487844304279},
       {-0.287242133076, 0.069652147423, -1.709098585480},
       1.62103e-3},
      {{}, {1.011446950057, 0.499513697951, 0.487843983255}, {-0.287616641945, 0.069237858539, -1.707847146202}, 0}};
  for (const Row& row : rows) {
    Sharing s;
    three_links(s, row.options);
    BOOST_TEST(s.model.unknowns() == 27);
    BOOST_TEST(s.model.multipliers() == (row.options.evaluation == SpringEvaluation::mixed ? 18 : 0));
    const auto run_to = [&](double t, const Vec3& expected) {
      while (s.state.time < t - 1e-9)
        s.step(0.005);
      BOOST_TEST(agree("link 3", s.mesh.body(2).motion(s.state).position, expected, 1e-12)); // as printed
    };
    run_to(1, row.at_one);
    run_to(3, row.at_three);
    BOOST_TEST(agree("strain", s.ledger.last().strain, row.strain, 6e-9)); // as printed
    // The pivot's reaction is booked, though no joint is there. Six hundred steps of a hundred roundings.
    const double tolerance = 600 * 100 * eps;
    BOOST_TEST(s.ledger.relative_energy_imbalance() <= tolerance);
    BOOST_TEST(s.ledger.relative_linear_imbalance() <= tolerance);
    BOOST_TEST(s.ledger.relative_angular_imbalance() <= tolerance);
  }
}

// 24 unknowns and 20 springs: of each body one spring is the axis, which does not change. Rigid, planar: the motion of
// the director scheme, 1.2e-4 from the reference at one second.
BOOST_AUTO_TEST_CASE(a_hinged_chain_shares_points_and_the_axis) {
  Sharing s;
  hinged_chain(s);
  BOOST_TEST(s.model.unknowns() == 24);
  BOOST_TEST(s.model.multipliers() == 20);
  for (int i = 0; i < 100; ++i)
    s.step(0.01);
  const Vec3 x = s.mesh.body(3).motion(s.state).position;
  BOOST_TEST(agree("director scheme", x, Vec3(0, 6.325038834368, -6.819667865430), 1e-5));
  BOOST_TEST(s.ledger.relative_energy_imbalance() <= 100 * 100 * eps);
  BOOST_TEST(s.ledger.relative_angular_imbalance() <= 100 * 100 * eps);
}

// Section 10: rank of the twelve rigidity rows for 0, 1, 2, 3, 4 shared points is 12, 12, 11, 9, 6, and the rest is not
// there; freedoms 12, 9, 7, 6, 6.
BOOST_AUTO_TEST_CASE(springs_that_others_repeat_are_left_out) {
  const Vec3 points[] = {{0.4, 0.1, 0}, {-0.3, 0.2, 0.5}, {0.1, -0.6, 0.2}};
  const Index rows[] = {12, 12, 11, 9}, freedoms[] = {12, 9, 7, 6};
  for (std::size_t shared = 0; shared <= 4; ++shared) {
    Sharing s;
    s.mesh.add_body("a", 1, Vec3(1, 1.2, 1.3).asDiagonal(), Quaternion::Identity(), {});
    s.mesh.add_body("b", 1, Vec3(1, 1.2, 1.3).asDiagonal(), Quaternion::Identity(), {});
    if (shared == 4)
      s.mesh.add_connection(SharedKind::weld, {0, points[0]}, {1, points[0]});
    for (std::size_t i = 0; i < shared && shared < 4; ++i)
      s.mesh.add_connection(SharedKind::point, {0, points[i]}, {1, points[i]});
    s.build({at_rest(Vec3::Zero(), Quaternion::Identity()), at_rest(Vec3::Zero(), Quaternion::Identity())},
            Vec3::Zero());
    BOOST_TEST_CONTEXT(shared << " shared points") {
      BOOST_TEST(s.model.multipliers() == (shared == 4 ? 6 : rows[shared]));
      BOOST_TEST(s.model.unknowns() - s.model.multipliers() == (shared == 4 ? 6 : freedoms[shared]));
    }
  }
}

// A body with more joints than it has columns: the others hang on weighted sums of its points [T7]. A spherical joint
// between bodies of the same kind is the same constraint: the motion is the same.
BOOST_AUTO_TEST_CASE(slave_points_move_as_joints_with_multipliers_do) {
  const Vec3 corners[] = {{0.5, 0.5, 0}, {-0.5, 0.5, 0}, {-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0, 0, 0.5}};
  const Vec3 hang(0, 0, 0.5);
  const Mat3 J = Vec3(1, 1.2, 1.3).asDiagonal();
  Sharing shared, joined;
  std::vector<BodyMotion> motions{{{0, 0, 0}, Quaternion::Identity(), {0, 0, 0}, {0.3, 0.5, 2}}};
  shared.mesh.add_body("hub", 1, J, Quaternion::Identity(), {});
  joined.mesh.add_body("hub", 1, J, Quaternion::Identity(), {});
  for (Index i = 0; i < 5; ++i) {
    const Vec3& c = corners[i];
    motions.push_back({c - hang, Quaternion::Identity(), motions[0].angular_velocity.cross(c), Vec3::Zero()});
    shared.mesh.add_body("arm", 1, J, Quaternion::Identity(), {});
    joined.mesh.add_body("arm", 1, J, Quaternion::Identity(), {});
    shared.mesh.add_connection(SharedKind::point, {0, c}, {i + 1, hang});
  }
  shared.build(motions, {0, 0, -9.81});
  joined.mesh.build(joined.model);
  for (Index i = 0; i < 5; ++i)
    joined.model.add(spherical_joint("joint", joined.model.ports(), {joined.mesh.body(0).port(), corners[i]},
                                     {joined.mesh.body(i + 1).port(), hang}));
  for (Index i = 0; i < 6; ++i)
    joined.model.add(
        std::make_unique<Gravity>("gravity", joined.model.ports(), joined.mesh.body(i).port(), 1, Vec3(0, 0, -9.81)));
  joined.state = joined.model.rest_state();
  for (Index i = 0; i < 6; ++i)
    joined.mesh.body(i).set_motion(motions[static_cast<std::size_t>(i)], joined.state);
  joined.model.begin(joined.state);
  joined.ledger.open(joined.model.books_at(joined.state));
  BOOST_TEST(shared.model.unknowns() == 72 - 15);
  for (Index c = 0; c < 5; ++c)
    BOOST_TEST(shared.mesh.is_shared(c));
  for (int i = 0; i < 10; ++i) {
    const Trial t = shared.step(0.02);
    const Trial u = joined.step(0.02);
    const auto* joint = dynamic_cast<const Joint*>(joined.model.elements()[6 + 3].get());
    const auto reaction = shared.mesh.reaction(shared.model, 3, t.moved(shared.model));
    BOOST_REQUIRE((joint && reaction));
    const Reaction expected = joint->reaction_on_second(u.moved(joined.model));
    // Forces of a hundred newtons, from 2 M/h² = 5e3 N/m times positions solved to a condition number of 1e4.
    BOOST_TEST(agree("force", reaction->force, expected.force, 5e3 * 1e4 * eps));
    BOOST_TEST(agree("moment", reaction->moment, expected.moment, 5e3 * 1e4 * eps));
  }
  for (Index i = 0; i < 6; ++i)
    BOOST_TEST(agree("centre", shared.mesh.body(i).motion(shared.state).position,
                     joined.mesh.body(i).motion(joined.state).position, 1e4 * eps));
  BOOST_TEST(shared.ledger.relative_angular_imbalance() <= 10 * 1000 * eps);
}

// A pendulum that rests: the support carries the weight, and a hinge the moment as well.
BOOST_AUTO_TEST_CASE(supports_carry_weights_and_moments) {
  Sharing s;
  s.mesh.add_body("arm", 2, Vec3(1, 1.2, 1.3).asDiagonal(), Quaternion::Identity(), {});
  s.mesh.add_connection(SharedKind::axis, {SharedSide::ground, {0, 0, 1}}, {0, {-0.5, 0, 0}});
  s.build({at_rest({0.5, 0, 1}, Quaternion::Identity())}, {0, 0, -10});
  BOOST_TEST(s.model.unknowns() == 6); // a point and an axis are fixed
  const Trial t = s.step(1e-3);
  const auto reaction = s.mesh.reaction(s.model, 0, t.moved(s.model));
  BOOST_REQUIRE(reaction.has_value());
  // Hinge along x through the end, weight 20 N at half a metre along x: it stays, by a moment of 10 N m about y.
  BOOST_TEST(agree("force", reaction->force, Vec3(0, 0, 20), 1e-6)); // 2 M/h² = 4e6 N/m times roundings of a metre
  BOOST_TEST(agree("moment", reaction->moment, Vec3(0, -10, 0), 1e-6));
  BOOST_TEST(s.ledger.linear_imbalance().norm() <= 1e-3 * 1e-6);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_shared_is_reported) {
  SpringTetraMesh mesh;
  Model model;
  const Mat3 J = Vec3(1, 1.2, 1.3).asDiagonal(), rod = Vec3(0, 1, 1).asDiagonal();
  mesh.add_body("a", 1, J, Quaternion::Identity(), {});
  mesh.add_body("b", 1, J, Quaternion::Identity(), {});
  mesh.add_body("rod", 1, rod, Quaternion::Identity(), {});
  const Index weld = mesh.add_connection(SharedKind::weld, {}, {0});
  const Index line[] = {mesh.add_connection(SharedKind::point, {0, {0, 0, 0}}, {1, {0, 0, 0}}),
                        mesh.add_connection(SharedKind::point, {0, {1, 0, 0}}, {1, {1, 0, 0}}),
                        mesh.add_connection(SharedKind::point, {0, {2, 0, 0}}, {1, {2, 0, 0}})};
  const Index beside = mesh.add_connection(SharedKind::point, {0, {0, 1, 0}}, {2, {0, 0.1, 0}});
  const Index along = mesh.add_connection(SharedKind::point, {0, {0, 1, 0}}, {2, {0.5, 0, 0}});
  const Index self = mesh.add_connection(SharedKind::point, {1, {0, 1, 0}}, {1, {0.5, 0, 0}});
  mesh.build(model);
  BOOST_TEST(!mesh.is_shared(weld));
  BOOST_TEST(mesh.is_shared(line[0]));
  BOOST_TEST(mesh.is_shared(line[1]));
  BOOST_TEST(!mesh.is_shared(line[2])); // on the line of the others
  BOOST_TEST(!mesh.is_shared(beside));
  BOOST_TEST(mesh.is_shared(along));
  BOOST_TEST(!mesh.is_shared(self));
  BOOST_TEST(!mesh.reason(line[2]).empty());
  BOOST_TEST(mesh.body(2).is_rod());
}

BOOST_AUTO_TEST_SUITE_END()
