/// Sizes of increments and multipliers, apart for every part of a model.
#include "elements/bodies/frame.hpp"
#include "elements/joints/joint.hpp"
#include "solvers/assembly/assembler.hpp"
#include "solvers/newton/step_norm.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Two bodies of 1 and 3 kg, each on a joint of its own to the ground.
struct TwoBodies {
  TwoBodies() {
    for (const double mass : {1.0, 3.0}) {
      const std::string number = std::to_string(bodies.size() + 1);
      bodies.push_back(&FrameBody::add_to(model, "body" + number, mass, 2 * mass * Mat3::Identity()));
      joints.push_back(&model.add(spherical_joint("joint" + number, model.ports(), JointSide{},
                                                  JointSide{bodies.back()->port(), Vec3(0, 0, 1), Mat3::Identity()})));
    }
  }

  Model model;
  std::vector<const FrameBody*> bodies;
  std::vector<const Joint*> joints;
};

struct Pendulums {
  Index row_of_unknown(std::size_t body, Index i) const {
    return assembler.numbering()
        .row_of_unknown[static_cast<std::size_t>(two.bodies[body]->nodes().front().unknown + i)];
  }
  Index row_of_multiplier(std::size_t joint, Index i) const {
    return assembler.numbering().row_of_multiplier[static_cast<std::size_t>(two.joints[joint]->first_multiplier() + i)];
  }
  /// Of a vector with numbers in some rows and zeros elsewhere.
  std::vector<StepNorm::Size> sizes(const std::vector<std::pair<Index, double>>& entries) const {
    VecX x = VecX::Zero(assembler.size());
    for (const auto& [row, value] : entries)
      x[row] = value;
    std::vector<StepNorm::Size> found(norm.parts());
    norm.measure(x.data(), found);
    return found;
  }
  /// The part of the model that a body is in: that which sees it move.
  std::size_t part(std::size_t body) const { return sizes({{row_of_unknown(body, 0), 1.0}})[0].increments > 0 ? 0 : 1; }

  const TwoBodies two;
  TwoPointEquations equations{two.model};
  Assembler assembler{equations};
  StepNorm norm{two.model, assembler.numbering(), best_instructions()};
};

} // namespace

BOOST_AUTO_TEST_SUITE(StepNorm_)

BOOST_AUTO_TEST_CASE(what_nothing_connects_is_measured_apart) {
  const Pendulums p;
  BOOST_REQUIRE(p.norm.parts() == 2);
  BOOST_TEST(p.part(0) != p.part(1));
}

// Weights are masses over their mean, 2 kg.
BOOST_AUTO_TEST_CASE(increments_are_weighed_by_masses) {
  const Pendulums p;
  for (const std::size_t body : {0, 1}) {
    const double mass = body == 0 ? 1 : 3;
    const auto sizes = p.sizes({{p.row_of_unknown(body, 1), 3.0}, {p.row_of_unknown(body, 2), -4.0}});
    BOOST_TEST(std::abs(sizes[p.part(body)].increments - 5 * std::sqrt(mass / 2)) <= 8 * eps * 5);
    BOOST_TEST(sizes[p.part(body)].largest_turn == 0);
    BOOST_TEST(sizes[p.part(1 - body)].increments == 0);
    BOOST_TEST(p.sizes({{p.row_of_unknown(body, 4), -0.25}})[p.part(body)].largest_turn == 0.25);
  }
}

// A multiplier counts in the part whose bodies its joint holds, and nowhere else.
BOOST_AUTO_TEST_CASE(multipliers_belong_to_the_part_of_their_bodies) {
  const Pendulums p;
  for (const std::size_t joint : {0, 1}) {
    const auto sizes = p.sizes({{p.row_of_multiplier(joint, 0), 2.0},
                                {p.row_of_multiplier(joint, 1), -3.0},
                                {p.row_of_multiplier(joint, 2), 6.0}});
    BOOST_TEST(sizes[p.part(joint)].multipliers == 7); // whole numbers: equality
    BOOST_TEST(sizes[p.part(1 - joint)].multipliers == 0);
    BOOST_TEST(sizes[p.part(joint)].largest_multiplier == 6);
    BOOST_TEST(sizes[p.part(joint)].increments == 0);
  }
}

// Turns of 3, 4 and 12 with multipliers of 2, 3 and 6, by parts and all in one: norms 13 and 7. Either bound of the
// products may be the lesser one.
BOOST_AUTO_TEST_CASE(products_of_turns_and_multipliers_are_bounded) {
  const Pendulums two;
  for (const double more : {1.0, 100.0}) {
    std::vector<std::pair<Index, double>> entries;
    for (const Index i : {0, 1, 2}) {
      entries.emplace_back(two.row_of_unknown(1, 3 + i), std::vector<double>{3, -4, 12}[static_cast<std::size_t>(i)]);
      entries.emplace_back(two.row_of_multiplier(1, i),
                           std::vector<double>{2, -3, 6 * more}[static_cast<std::size_t>(i)]);
    }
    const StepNorm::Size found = two.sizes(entries)[two.part(1)];
    const double norm = std::sqrt(4 + 9 + 36 * more * more);
    BOOST_TEST(found.turns == 13);
    BOOST_TEST(found.largest_turn == 12);
    BOOST_TEST(std::abs(found.products(found.reaction) - std::min(12 * norm, 13 * 6 * more)) <= 4 * eps * 13 * norm);
  }
}

// A force f moves a free body of weight w by f/w, which is f/sqrt(w) in the norm; whatever stands in rows of
// multipliers is no force.
BOOST_AUTO_TEST_CASE(forces_are_measured_by_how_far_they_move_bodies) {
  const Pendulums p;
  for (const std::size_t body : {0, 1}) {
    const double weight = body == 0 ? 0.5 : 1.5; // mass over 2 kg; inertia is twice the mass
    VecX f = VecX::Zero(p.assembler.size());
    f[p.row_of_unknown(body, 1)] = 3;
    f[p.row_of_unknown(body, 4)] = -4;
    f[p.row_of_multiplier(0, 1)] = f[p.row_of_multiplier(1, 2)] = 1e6;
    std::vector<StepNorm::Force> found(p.norm.parts(), {1, 1}); // as somebody left them
    p.norm.measure_forces(f.data(), found);
    const double force = 3 / std::sqrt(weight), moment = 4 / std::sqrt(2 * weight);
    BOOST_TEST(std::abs(found[p.part(body)].size - std::hypot(force, moment)) <= 8 * eps * force);
    BOOST_TEST(std::abs(found[p.part(body)].largest - std::max(force, moment)) <= 8 * eps * force);
    BOOST_TEST(found[p.part(1 - body)].size == 0);
    BOOST_TEST(found[p.part(1 - body)].largest == 0);
  }
}

// One part alone is measured by kernels: the same as one of two.
BOOST_AUTO_TEST_CASE(kernels_measure_the_same) {
  Random random(1);
  Mechanism m = hanging_chain(5, ChainJoint::spherical);
  for (const Instructions instructions : {Instructions::portable, best_instructions()}) {
    TwoPointEquations equations(*m.model);
    const Assembler assembler(equations);
    const StepNorm norm(*m.model, assembler.numbering(), instructions);
    BOOST_REQUIRE(norm.parts() == 1);
    const VecX x = random.numbers(assembler.size());
    std::vector<StepNorm::Size> found(1);
    norm.measure(x.data(), found);
    double multipliers = 0, turns = 0, largest_multiplier = 0, largest_turn = 0;
    for (const Index row : assembler.numbering().row_of_multiplier) {
      multipliers += x[row] * x[row];
      largest_multiplier = std::max(largest_multiplier, std::abs(x[row]));
    }
    for (std::size_t i = 0; i < assembler.numbering().row_of_unknown.size(); ++i)
      if (i % 6 >= 3) {
        const double turn = x[assembler.numbering().row_of_unknown[i]];
        turns += turn * turn;
        largest_turn = std::max(largest_turn, std::abs(turn));
      }
    // Sums of some fifty squares, in another order.
    BOOST_TEST(std::abs(found[0].multipliers - std::sqrt(multipliers)) <= 50 * eps * found[0].multipliers);
    BOOST_TEST(std::abs(found[0].turns - std::sqrt(turns)) <= 50 * eps * found[0].turns);
    BOOST_TEST(found[0].largest_multiplier == largest_multiplier);
    BOOST_TEST(found[0].largest_turn == largest_turn);
  }
}

BOOST_AUTO_TEST_SUITE_END()
