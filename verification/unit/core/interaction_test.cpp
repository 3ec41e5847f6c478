#include "core/interaction.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "verification/support/checks.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Given forces on given variables, and constraints that are linear: whatever comes out of evaluate() is the doing of
/// Interaction.
class Probe final : public Interaction {
public:
  Probe(const Ports& ports, std::vector<NaturalVariable> variables, Index multipliers, Acts acts, Random& random)
      : Interaction("probe", "probe", ports, std::move(variables),
                    {ConstraintRows::equations(multipliers), no_history, acts, Forces::of_configuration,
                     Nonlinear::in_displacements}) {
    const auto n = static_cast<Index>(3 * this->variables().size());
    r = random.numbers(n);
    k = random.numbers(n * n).reshaped(n, n);
    G = random.numbers(multipliers * n).reshaped(multipliers, n);
  }
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override {
    out.r += r;
    out.phi += G * s.q_n1;
    out.G_bar += G;
    if (out.tangent) {
      out.k += k;
      out.G += 2 * G; // not the derivative of phi: shows which matrix goes where
    }
  }
  std::string row_name(Index) const override { return "probe"; }

  VecX r;
  MatX k, G;
};

struct Scene {
  explicit Scene(Index multipliers, Acts acts = Acts::between_bodies) {
    const Body& a = FrameBody::add_to(model, "a", 1, random.inertia());
    const Body& b = SpringTetra::add_to(model, "b", 1, random.inertia(), {1, false, SpringEvaluation::increments});
    port_a = a.port();
    port_b = b.port();
    // Two variables of b around one of a and one of the ground: ports in the order b, ground, a.
    const std::vector<NaturalVariable> variables{
        body_point(port_b, random.vector()), body_point(Model::ground, random.vector()),
        body_direction(port_a, random.vector()), body_direction(port_b, random.vector())};
    probe = &model.add(std::make_unique<Probe>(model.ports(), variables, multipliers, acts, random));
    trial = random_trial(model, step_sizes()[3], random);
    motions = trial.motions(model);
  }
  /// Map of all variables with respect to the unknowns, stacked: columns of b, then of a.
  MatX maps(PortMap PortMotion::*map) const {
    MatX all = MatX::Zero(12, 18);
    const auto& v = probe->variables();
    for (const int i : {0, 3})
      all.block(3 * i, 0, 3, 12) = v[static_cast<std::size_t>(i)].rows(motions[static_cast<std::size_t>(port_b)].*map);
    all.block(6, 12, 3, 6) = v[2].rows(motions[static_cast<std::size_t>(port_a)].*map);
    return all;
  }
  Random random{61};
  Model model;
  Index port_a = 0, port_b = 0;
  Probe* probe = nullptr;
  Trial trial;
  PortMotions motions;
};

// Products of three matrices with a dozen terms each, of numbers of size ten at most.
const double tolerance = 50 * eps * 10;

} // namespace

BOOST_AUTO_TEST_SUITE(Interactions)

BOOST_AUTO_TEST_CASE(unknowns_are_those_of_the_ports_in_the_order_of_first_mention) {
  const Scene s(2);
  BOOST_TEST((s.probe->ports() == std::vector<Index>{s.port_b, Model::ground, s.port_a}));
  BOOST_TEST(s.probe->unknowns() == 18);
  BOOST_TEST(s.probe->nodes().size() == 5); // four points of b, one frame of a, none of the ground
  BOOST_TEST(s.probe->nodes().front().unknown == 6);
  BOOST_TEST(s.probe->nodes().back().unknown == 0);
}

// r_z = P_bar^T r, k_zz = P_bar^T k D + geometric term, k_zl = P_bar^T G_bar^T, k_lz = G D.
BOOST_AUTO_TEST_CASE(equations_are_pulled_back_through_the_two_maps) {
  const Scene s(2);
  VecX r = VecX::Zero(20);
  MatX k = MatX::Zero(20, 20);
  LocalSystem local{r, k, true};
  s.probe->evaluate({s.trial.step(), s.motions}, local);

  const MatX P_bar = s.maps(&PortMotion::P_bar), D = s.maps(&PortMotion::D);
  const VecX force = s.probe->r + s.probe->G.transpose() * s.trial.lambda;
  const NaturalStep natural = natural_step(*s.probe, s.model, s.trial);
  BOOST_TEST(agree("r_z", r.head(18), VecX(P_bar.transpose() * force), tolerance));
  BOOST_TEST(agree("r_l", r.tail(2), VecX(s.probe->G * natural.q_n1), tolerance));
  BOOST_TEST(agree("k_zl", k.topRightCorner(18, 2), MatX((s.probe->G * P_bar).transpose()), tolerance));
  BOOST_TEST(agree("k_lz", k.bottomLeftCorner(2, 18), MatX(2 * s.probe->G * D), tolerance));
  BOOST_TEST((k.bottomRightCorner(2, 2) == MatX::Zero(2, 2)));

  MatX k_zz = P_bar.transpose() * s.probe->k * D;
  Vec12 on_a = Vec12::Zero();
  s.probe->variables()[2].add_to_port(force.segment<3>(6), on_a);
  s.model.ports()[static_cast<std::size_t>(s.port_a)]->add_geometric(
      s.trial.step(), s.motions[static_cast<std::size_t>(s.port_a)], on_a, k_zz.bottomRightCorner(6, 6));
  BOOST_TEST(agree("k_zz", k.topLeftCorner(18, 18), k_zz, tolerance));
}

BOOST_AUTO_TEST_CASE(evaluation_adds_and_magnitudes_bound_the_residual) {
  const Scene s(2);
  BOOST_TEST(check_adds(*s.probe, s.model, s.trial));
  BOOST_TEST(check_magnitude(*s.probe, s.model, s.trial));
}

// Force and moment of the acting force -r on one body, about a point: a force on a point has an arm to it, a force on
// a direction turns the body whatever the point.
BOOST_AUTO_TEST_CASE(the_reaction_is_the_acting_force_and_its_moment_about_the_reference) {
  const Scene s(2);
  const NaturalStep step = natural_step(*s.probe, s.model, s.trial);
  const VecX force = s.probe->r + s.probe->G.transpose() * s.trial.lambda;
  const auto q_m = [&](Index i) { return Vec3(step.q_m.segment<3>(3 * i)); };
  const auto f = [&](Index i) { return Vec3(-force.segment<3>(3 * i)); };
  const Reaction about_ground = s.probe->reaction({s.trial.step(), s.motions}, s.port_b, 1);
  BOOST_TEST(agree("force", about_ground.force, f(0), tolerance));
  BOOST_TEST(agree("moment", about_ground.moment, Vec3((q_m(0) - q_m(1)).cross(f(0)) + q_m(3).cross(f(3))), tolerance));
  const Reaction on_a = s.probe->reaction({s.trial.step(), s.motions}, s.port_a, 0);
  BOOST_TEST(agree("force on a direction", on_a.force, Vec3(Vec3::Zero()), 0));
  BOOST_TEST(agree("its moment", on_a.moment, q_m(2).cross(f(2)), tolerance));
}

// Between bodies momentum is exchanged; the bodies gain what the ground loses.
BOOST_AUTO_TEST_CASE(an_inner_element_books_what_the_ground_gives) {
  const Scene s(0);
  const NaturalStep step = natural_step(*s.probe, s.model, s.trial);
  StepBooks books;
  s.probe->book({s.trial.step(), s.motions}, s.trial.n1, books);
  const Vec3 ground = s.trial.h * s.probe->r.segment<3>(3); // -r acts on the ground, +r is its answer
  BOOST_TEST(agree("impulse", books.impulse, ground, tolerance));
  BOOST_TEST(agree("angular", books.angular_impulse, Vec3(step.q_m.segment<3>(3)).cross(ground), tolerance));
  BOOST_TEST(books.work == 0);
  BOOST_TEST(books.potential == 0);
}

BOOST_AUTO_TEST_CASE(an_external_element_books_what_the_bodies_receive) {
  const Scene s(0, Acts::from_outside);
  const NaturalStep step = natural_step(*s.probe, s.model, s.trial);
  StepBooks books;
  s.probe->book({s.trial.step(), s.motions}, s.trial.n1, books);
  Vec3 angular = Vec3::Zero();
  for (const Index i : {0, 2, 3})
    angular -= s.trial.h * Vec3(step.q_m.segment<3>(3 * i)).cross(Vec3(s.probe->r.segment<3>(3 * i)));
  BOOST_TEST(agree("impulse", books.impulse, Vec3(-s.trial.h * s.probe->r.head<3>()), tolerance));
  BOOST_TEST(agree("angular", books.angular_impulse, angular, tolerance));
}

BOOST_AUTO_TEST_CASE(the_worst_constraint_is_booked_and_better_ones_do_not_hide_it) {
  const Scene s(3);
  const NaturalStep step = natural_step(*s.probe, s.model, s.trial);
  StepBooks books;
  s.probe->book({s.trial.step(), s.motions}, s.trial.n1, books);
  BOOST_TEST(agree("phi", books.position_violation, (s.probe->G * step.q_n1).cwiseAbs().maxCoeff(), tolerance));
  books.position_violation = books.velocity_violation = 1e3;
  s.probe->book({s.trial.step(), s.motions}, s.trial.n1, books);
  BOOST_TEST(books.position_violation == 1e3);
  BOOST_TEST(books.velocity_violation == 1e3);
}

BOOST_AUTO_TEST_CASE(too_many_variables_or_multipliers_are_refused) {
  Model model;
  Random random(62);
  const std::vector<NaturalVariable> ten(10, body_point(Model::ground, Vec3::Zero()));
  std::vector<NaturalVariable> eleven = ten;
  eleven.push_back(ten.front());
  BOOST_CHECK_NO_THROW(Probe(model.ports(), ten, 6, Acts::between_bodies, random));
  BOOST_CHECK_THROW(Probe(model.ports(), eleven, 0, Acts::between_bodies, random), std::length_error);
  BOOST_CHECK_THROW(Probe(model.ports(), ten, 7, Acts::between_bodies, random), std::length_error);
  BOOST_CHECK_THROW(Probe(model.ports(), {body_point(1, Vec3::Zero())}, 0, Acts::between_bodies, random),
                    std::out_of_range);
}

BOOST_AUTO_TEST_SUITE_END()
