/// What schemes that take forces at instants refuse.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/unit/solvers/integrators/pointwise/machine.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>

using namespace emmy;
using namespace emmy::test;

namespace {

std::string refusal(const InstantScheme& scheme, const Model& model) {
  try {
    scheme.on(model);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

} // namespace

BOOST_AUTO_TEST_SUITE(Instants)

BOOST_AUTO_TEST_CASE(bodies_that_have_no_accelerations_of_coordinates_are_refused) {
  const Mat3 J = Mat3::Identity();
  Model frame, director, springs;
  FrameBody::add_to(frame, "F", 1, J);
  DirectorBody::add_to(director, "D", 1, J);
  SpringTetra::add_to(springs, "S", 1, J, SpringTetraOptions{});
  const std::string free = ": expected point masses and links of planar chains";
  for (const InstantScheme& scheme : {linear_acceleration(), high_order(), explicit_euler()}) {
    const std::string name = scheme.name.substr(0, scheme.name.find(','));
    BOOST_TEST(refusal(scheme, frame) == "body 'F' (frame body) cannot be moved by " + name + free);
    BOOST_TEST(refusal(scheme, director) == "body 'D' (director body) cannot be moved by " + name + free);
    BOOST_TEST(refusal(scheme, springs).find("body 'S'") == 0);
  }
  BOOST_TEST(refusal(midpoint(), frame) == "body 'F' (frame body) cannot be moved by midpoint: expected point masses, "
                                           "director bodies and links of planar chains");
  BOOST_TEST(refusal(midpoint(), springs).find("body 'S'") == 0);
  BOOST_TEST(refusal(midpoint(), director) == "");
}

BOOST_AUTO_TEST_CASE(dampers_are_refused) {
  Model model;
  const PointMass& body = PointMass::add_to(model, "mass", 1);
  model.add(std::make_unique<SpringDamper>("d", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                           body_point(body.port(), Vec3::Zero()), SpringLaw{1, 0, 0.1}));
  for (const InstantScheme& scheme : instant_schemes())
    BOOST_TEST(refusal(scheme, model) == "'d' (spring damper) depends on velocities, which " +
                                             scheme.name.substr(0, scheme.name.find(',')) + " does not see");
}

BOOST_AUTO_TEST_CASE(euler_refuses_multipliers) {
  for (const Enforced how : {Enforced::multipliers, Enforced::augmented_lagrangian})
    BOOST_TEST(refusal(explicit_euler(), Machine(how).model) ==
               "'floor' (wall) needs multipliers, which explicit Euler does not find: expected a penalty");
  BOOST_TEST(refusal(explicit_euler(), Machine(Enforced::penalty).model) == "");
}

BOOST_AUTO_TEST_SUITE_END()
