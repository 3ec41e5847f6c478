// The joints with their vectors and coordinates; their equations are in joint_equations.hpp.
#include "elements/joints/joint_equations.hpp"

#include "elements/joints/coupler_equations.hpp"
#include "elements/joints/joint.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

using Ends = std::vector<NaturalVariable>;
using Coordinates = std::vector<CoordinateMeasure>;

template <class E>
std::unique_ptr<Joint> make(std::string name, const char* kind, const Ports& ports, Ends ends, Joint::Parts parts = {},
                            const typename E::template Numbers<double>& numbers = {}) {
  return std::make_unique<Joint>(std::move(name), kind, ports, std::move(ends),
                                 std::make_unique<EquationsOf<E>>(numbers), std::move(parts));
}

/// Turn of J about n.
CoordinateMeasure angle(const Ports& ports, const JointSide& I, const JointSide& J) {
  return CoordinateMeasure::angle("angle", ports, I.s1(), I.s2(), J.s1());
}

CoordinateMeasure displacement(const char* name, const Ports& ports, const NaturalVariable& along, const JointSide& I,
                               const JointSide& J) {
  return CoordinateMeasure::displacement(name, ports, along, I.point(), J.point());
}

/// In the plane across n.
Coordinates displacements(const Ports& ports, const JointSide& I, const JointSide& J) {
  return {displacement("displacement1", ports, I.s1(), I, J), displacement("displacement2", ports, I.s2(), I, J)};
}

/// Along n, and the turn about it.
Coordinates screw_motion(const Ports& ports, const JointSide& I, const JointSide& J) {
  return {displacement("displacement", ports, I.n(), I, J), angle(ports, I, J)};
}

} // namespace

std::unique_ptr<Joint> spherical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return make<SphericalEquations>(std::move(name), "spherical joint", ports, {I.point(), J.point()});
}

std::unique_ptr<Joint> revolute_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return make<RevoluteEquations>(std::move(name), "revolute joint", ports,
                                 {I.point(), J.point(), I.n(), J.s1(), J.s2()}, {{angle(ports, I, J)}});
}

std::unique_ptr<Joint> prismatic_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return make<PrismaticEquations>(std::move(name), "prismatic joint", ports,
                                  {I.point(), J.point(), I.n(), I.s1(), I.s2(), J.s1(), J.s2()},
                                  {{displacement("displacement", ports, I.n(), I, J)}});
}

std::unique_ptr<Joint> cylindrical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return make<CylindricalEquations>(std::move(name), "cylindrical joint", ports,
                                    {I.point(), J.point(), I.n(), I.s1(), I.s2(), J.s1(), J.s2()},
                                    {screw_motion(ports, I, J)});
}

std::unique_ptr<Joint> screw_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                   double pitch) {
  if (pitch == 0)
    throw std::invalid_argument("screw joint '" + name + "' has no pitch");
  const double advance = pitch / two_pi;
  return make<ScrewEquations>(std::move(name), "screw joint", ports,
                              {I.point(), J.point(), I.n(), I.s1(), I.s2(), J.s1(), J.s2()},
                              {screw_motion(ports, I, J), 1, -advance, std::abs(pitch)}, {advance});
}

std::unique_ptr<Joint> universal_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  // Turns J = I rot(s1, angle1) rot(s2, angle2): the first carries s2 of J towards n of I, the second, seen from J,
  // carries s1 of I towards n of J.
  return make<UniversalEquations>(std::move(name), "universal joint", ports, {I.point(), J.point(), I.s1(), J.s2()},
                                  {{CoordinateMeasure::angle("angle1", ports, I.s2(), I.n(), J.s2()),
                                    CoordinateMeasure::angle("angle2", ports, J.s1(), J.n(), I.s1())}});
}

std::unique_ptr<Joint> constant_velocity_joint(std::string name, const Ports& ports, const JointSide& I,
                                               const JointSide& J) {
  return make<ConstantVelocityEquations>(std::move(name), "constant velocity joint", ports,
                                         {I.point(), J.point(), I.s1(), I.s2(), J.s1(), J.s2()});
}

std::unique_ptr<Joint> planar_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  Coordinates coordinates = displacements(ports, I, J);
  coordinates.push_back(angle(ports, I, J));
  return make<PlanarEquations>(std::move(name), "planar joint", ports, {I.point(), J.point(), I.n(), J.s1(), J.s2()},
                               {std::move(coordinates)});
}

std::unique_ptr<Joint> fixed_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return make<FixedEquations>(std::move(name), "fixed joint", ports,
                              {I.point(), J.point(), I.n(), I.s1(), I.s2(), J.n(), J.s1(), J.s2()});
}

std::unique_ptr<Joint> distance_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                      double length) {
  if (!(length > 0))
    throw std::invalid_argument("distance joint '" + name + "' needs a length above zero");
  return make<DistanceEquations>(std::move(name), "distance joint", ports, {I.point(), J.point()},
                                 {{CoordinateMeasure::length("length", ports, I.point(), J.point())}}, {length});
}

std::unique_ptr<Joint> point_on_line_joint(std::string name, const Ports& ports, const JointSide& I,
                                           const JointSide& J) {
  return make<PointOnLineEquations>(std::move(name), "point on line joint", ports,
                                    {I.point(), J.point(), I.s1(), I.s2()},
                                    {{displacement("displacement", ports, I.n(), I, J)}});
}

std::unique_ptr<Joint> point_on_plane_joint(std::string name, const Ports& ports, const JointSide& I,
                                            const JointSide& J) {
  return make<PointOnPlaneEquations>(std::move(name), "point on plane joint", ports, {I.point(), J.point(), I.n()},
                                     {displacements(ports, I, J)});
}

std::unique_ptr<Joint> parallel_axes_joint(std::string name, const Ports& ports, const JointSide& I,
                                           const JointSide& J) {
  return make<ParallelAxesEquations>(std::move(name), "parallel axes joint", ports, {I.n(), J.s1(), J.s2()},
                                     {{angle(ports, I, J)}});
}

std::unique_ptr<Joint> coupler_joint(std::string name, const Ports& ports, const CoupledCoordinate& first,
                                     const CoupledCoordinate& second) {
  Ends ends;
  for (const CoupledCoordinate* coordinate : {&first, &second}) {
    const JointSide &I = coordinate->I, &J = coordinate->J;
    if (coordinate->kind == CoupledCoordinate::Kind::angle)
      ends.insert(ends.end(), {I.s1(), I.s2(), J.s1()});
    else
      ends.insert(ends.end(), {I.point(), J.point(), I.n()});
  }
  const bool turns[] = {first.kind == CoupledCoordinate::Kind::angle, second.kind == CoupledCoordinate::Kind::angle};
  const Joint::Parts parts{{}, turns[0] ? 2 : 1}; // on J, its point if there is one
  const auto of = [&](auto first_turns, auto second_turns) {
    return make<CouplerEquations<decltype(first_turns)::value, decltype(second_turns)::value>>(
        std::move(name), "coupler", ports, std::move(ends), parts, {{first.factor, second.factor}});
  };
  using yes = std::true_type;
  using no = std::false_type;
  if (turns[0])
    return turns[1] ? of(yes(), yes()) : of(yes(), no());
  return turns[1] ? of(no(), yes()) : of(no(), no());
}

} // namespace emmy
