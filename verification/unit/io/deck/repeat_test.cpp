/// Entries that stand for many, and positions that are moved at random.
#include "verification/unit/io/deck/support.hpp"

#include <cmath>
#include <limits>
#include <set>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

std::string bodies(const std::string& entries) {
  return "bodies: {" + entries + "}\n" + integrator;
}

/// First line of what is said about a deck, without its place.
std::string complaint(const std::string& text) {
  const std::string all = messages(text);
  const std::size_t start = all.find("error: ");
  return start == std::string::npos ? all : all.substr(start + 7, all.find('\n') - start - 7);
}

std::size_t errors_in(const std::string& text) {
  Diagnostics diagnostics;
  read_deck_text("deck.yaml", text, {}, diagnostics);
  return diagnostics.error_count();
}

const std::string links = "link: {box: [1, 1, 1], mass: 1, position: [2*i, 0, 0], repeat: {i: 4}}";

} // namespace

BOOST_AUTO_TEST_SUITE(Repeat)

BOOST_AUTO_TEST_CASE(counters_run_from_one_and_are_parameters_of_the_entry) {
  const Deck deck =
      read_good("parameters: {N: 3}\n" +
                bodies("box: {box: [1, 1, 1], mass: '10^(i-1)', position: [0, 0, i-0.5], repeat: {i: N}}"));
  BOOST_TEST_REQUIRE(deck.bodies.size() == 3U);
  for (int i = 1; i <= 3; ++i) {
    const Body& box = deck.bodies[static_cast<std::size_t>(i) - 1];
    BOOST_TEST(box.name == "box" + std::to_string(i));
    BOOST_TEST(box.mass == std::pow(10, i - 1));
    BOOST_TEST((box.position == Vec3(0, 0, i - 0.5)));
    BOOST_TEST(box.where.line == 2);
  }
}

BOOST_AUTO_TEST_CASE(of_several_counters_the_last_runs_fastest) {
  const Deck deck =
      read_good(bodies("ball: {formulation: point, mass: 1, position: [i, j, k], repeat: {i: 2, j: 3, k: 2}}"));
  BOOST_TEST_REQUIRE(deck.bodies.size() == 12U);
  std::size_t at = 0;
  for (int i = 1; i <= 2; ++i)
    for (int j = 1; j <= 3; ++j)
      for (int k = 1; k <= 2; ++k, ++at) {
        BOOST_TEST(deck.bodies[at].name ==
                   "ball" + std::to_string(i) + "_" + std::to_string(j) + "_" + std::to_string(k));
        BOOST_TEST((deck.bodies[at].position == Vec3(i, j, k)));
      }
}

BOOST_AUTO_TEST_CASE(counters_are_not_known_elsewhere) {
  BOOST_TEST(complaint(bodies(links + ", other: {sphere: i, mass: 1}")) ==
             "unknown name 'i' in 'sphere' of body 'other'");
}

BOOST_AUTO_TEST_CASE(names_mean_copies_with_the_same_counters_and_their_neighbours) {
  const Deck deck = read_good("bodies: {" + links + R"(}
joints:
  hook: {type: spherical, between: [ground, link1], at: [1, 0, 0]}
  pin: {type: revolute, between: [link+1, link], at: [2*n+1, 0, 0], axis: z, repeat: {n: 3}}
  gear: {type: coupler, joints: [pin, pin+1], ratio: n+1, repeat: {n: 2}}
forces:
  back: {type: spring, between: [link+1, link], stiffness: k, repeat: {k: 3}}
  turn: {type: rotational_spring, joint: pin, stiffness: 1, repeat: {k: 3}}
  load: {type: force, body: link, value: [k*t, 0, 0], repeat: {k: 4}}
limits:
  stop: {type: stop, joint: pin, lower: -k, repeat: {k: 3}}
)" + integrator + "output: {bodies: [link], joints: [pin, hook]}\n");
  BOOST_TEST_REQUIRE(deck.joints.size() == 6U);
  for (int n = 1; n <= 3; ++n) {
    const auto i = static_cast<std::size_t>(n);
    BOOST_TEST(deck.joints[i].name == "pin" + std::to_string(n));
    BOOST_TEST(deck.joints[i].between[0] == n); // link n + 1, counted from 0
    BOOST_TEST(deck.joints[i].between[1] == n - 1);
    BOOST_TEST((deck.joints[i].at.at == Vec3(2 * n + 1, 0, 0)));
    BOOST_TEST(deck.forces[i - 1].stiffness == n);
    BOOST_TEST(deck.forces[i - 1].ends[0].body == n);
    BOOST_TEST(deck.forces[i + 2].joint == n);
    BOOST_TEST(deck.limits[i - 1].joint == n);
    BOOST_TEST(deck.limits[i - 1].lower.value() == -n);
  }
  // Couplers are read once all joints are known; their counters hold all the same.
  BOOST_TEST((deck.joints[4].joints == std::array<int, 2>{1, 2}));
  BOOST_TEST((deck.joints[5].joints == std::array<int, 2>{2, 3}));
  BOOST_TEST(deck.joints[5].ratio == 3);
  BOOST_TEST(deck.forces[8].value[0](0.5) == 1.5); // functions of time keep the counter of their copy
  BOOST_TEST((deck.output.bodies.names == std::vector<std::string>{"link1", "link2", "link3", "link4"}));
  BOOST_TEST((deck.output.joints.names == std::vector<std::string>{"pin1", "pin2", "pin3", "hook"}));
}

BOOST_AUTO_TEST_CASE(with_several_counters_each_has_a_shift) {
  const std::string grid = "bodies: {ball: {formulation: point, mass: 1, position: [i, j, 0], repeat: {i: 3, j: 2}}}\n";
  const auto springs = [&](const std::string& between) {
    return grid + "forces: {s: {type: spring, between: [" + between + "], stiffness: 1, repeat: {i: 2, j: 2}}}\n" +
           integrator;
  };
  const Deck deck = read_good(springs("ball, ball+1+0"));
  BOOST_TEST_REQUIRE(deck.forces.size() == 4U);
  BOOST_TEST(deck.forces[3].ends[0].body == 3); // ball2_2
  BOOST_TEST(deck.forces[3].ends[1].body == 5); // ball3_2
  BOOST_TEST(complaint(springs("ball, ball+1")) == "unknown body 'ball+1' in 'between' of force 's1_1'");
  BOOST_TEST(contains(messages(springs("ball, ball+1")), "expected a shift for each of its 2 counters, such as +1+0"));
  BOOST_TEST(complaint(springs("ball, ball+0-1")) == "unknown body 'ball1_0' in 'between' of force 's1_1'");
}

BOOST_AUTO_TEST_CASE(names_with_a_dash_are_names_first) {
  const Deck deck =
      read_good("bodies: {" + links + ", link-1: {box: [1, 1, 1], mass: 1, position: [0, 9, 0]}}\n" +
                "forces: {s: {type: spring, between: [link-1, link], stiffness: 1, repeat: {i: 1}}}\n" + integrator);
  BOOST_TEST(deck.forces[0].ends[0].body == 4);
}

BOOST_AUTO_TEST_CASE(a_copy_may_not_have_the_name_of_another_thing) {
  const std::string box = "{box: [1, 1, 1], mass: 1}";
  BOOST_TEST(complaint(bodies("link2: " + box + ", " + links)) ==
             "the copy 'link2' of body 'link' has the name of another body");
  BOOST_TEST(complaint(bodies(links + ", link2: " + box)) == "body 'link2' has the name of another body");
  BOOST_TEST(complaint("bodies: {" + links +
                       "}\njoints: {link3: {type: spherical, between: [ground, link1], at: [0, 0, 0]}}\n" +
                       integrator) == "joint 'link3' has the name of a body");
}

BOOST_AUTO_TEST_CASE(a_mistake_of_many_copies_is_said_once) {
  BOOST_TEST(errors_in(bodies("a: {sphere: 1, mas: 1, repeat: {i: 1000}}")) == 1U);
  BOOST_TEST(errors_in(bodies("a: {sphere: 1, mass: 3-i, repeat: {i: 1000}}")) == 1U);
  BOOST_TEST(complaint(bodies("a: {sphere: 1, mass: 3-i, repeat: {i: 1000}}")) == "'mass' of body 'a3' is 0 kg");
}

BOOST_AUTO_TEST_CASE(there_is_a_limit_to_all_copies_together) {
  const std::string many = "{sphere: 1, mass: 1, repeat: {i: 100, j: 1000}}";
  BOOST_TEST(read_good(bodies("a: " + many + ", b: " + many)).bodies.size() == 200'000U);
  BOOST_TEST(complaint(bodies("a: " + many + ", b: " + many + ", c: {sphere: 1, mass: 1, repeat: {i: 1}}")) ==
             "'repeat' of body 'c' makes 1 copies, after 200000 of others");
}

BOOST_AUTO_TEST_CASE(overrides_change_numbers_and_values_of_copies) {
  const Deck deck = read_good(bodies(links), {"bodies.link.repeat.i=2", "bodies.link.mass=i+0.5"});
  BOOST_TEST_REQUIRE(deck.bodies.size() == 2U);
  BOOST_TEST(deck.bodies[1].mass == 2.5);
}

BOOST_AUTO_TEST_CASE(scatter_depends_on_name_and_seed_alone) {
  const std::string ball = "{sphere: 1, mass: 1, position: [5, 5, 5], scatter: ";
  const auto place = [&](const std::string& entries, std::size_t i = 0) {
    return Vec3(read_good(bodies(entries)).bodies.at(i).position - Vec3::Constant(5));
  };
  const Vec3 moved = place("ball1: " + ball + "0.1}");
  // The first numbers of splitmix64 from the FNV-1a hash of "ball1+0", by another program; 5 + x - 5 rounds to 5 eps.
  const Vec3 expected(0.02652197443294233, 0.059691199529783724, -0.02213330091014001);
  BOOST_TEST((moved - expected).cwiseAbs().maxCoeff() <= 5 * std::numeric_limits<double>::epsilon());
  BOOST_TEST((place("other: " + ball + "0.1}, ball: " + ball + "0.1, repeat: {i: 3}}", 1) == moved));
  BOOST_TEST((place("ball1: " + ball + "{by: 0.1, seed: 0}}") == moved));
  BOOST_TEST((place("ball1: " + ball + "{by: 0.1, seed: 1}}") != moved));
  BOOST_TEST((place("ball2: " + ball + "0.1}") != moved));
  BOOST_TEST((place("ball1: " + ball + "0}").isZero(0)));
}

// Means of n uniform numbers in (-s, s) are within 5 s / sqrt(3 n) of zero, and the mean of their squares of s²/3
// within 5 s² sqrt(4/45/n), but for one case in a million; the seed is fixed.
BOOST_AUTO_TEST_CASE(scatter_is_uniform) {
  const Deck deck = read_good(bodies("p: {formulation: point, mass: 1, scatter: 2, repeat: {i: 10000}}"));
  const double n = static_cast<double>(deck.bodies.size()), s = 2;
  Vec3 mean = Vec3::Zero(), squares = Vec3::Zero();
  double product = 0, most = 0;
  for (const Body& body : deck.bodies) {
    mean += body.position / n;
    squares += body.position.cwiseAbs2() / n;
    product += body.position.x() * body.position.y() / n;
    most = std::max(most, body.position.cwiseAbs().maxCoeff());
  }
  BOOST_TEST(mean.cwiseAbs().maxCoeff() <= 5 * s / std::sqrt(3 * n));
  BOOST_TEST((squares - Vec3::Constant(s * s / 3)).cwiseAbs().maxCoeff() <= 5 * s * s * std::sqrt(4.0 / 45 / n));
  BOOST_TEST(std::abs(product) <= 5 * s * s / 3 / std::sqrt(n)); // coordinates have nothing to do with each other
  BOOST_TEST(most <= s);
  BOOST_TEST(most >= 0.999 * s);
}

BOOST_AUTO_TEST_SUITE_END()
