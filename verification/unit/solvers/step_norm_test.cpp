/// Sizes of increments and multipliers, apart for every part of a model.
#include "elements/bodies/frame.hpp"
#include "elements/joints/joint.hpp"
#include "solvers/assembler.hpp"
#include "solvers/step_norm.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;

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
  TwoPoint equations{two.model};
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
    BOOST_TEST(sizes[p.part(joint)].increments == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
