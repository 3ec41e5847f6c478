#include "elements/forces/load.hpp"

#include "elements/forces/load_equations.hpp"

#include <utility>

namespace emmy {

namespace {

template <class E>
std::unique_ptr<NaturalEquations> equations_of() {
  return std::make_unique<NaturalEquationsOf<E>>();
}

/// The point, and what the force turns with: nothing in space; in the body the force itself if it does not change, or
/// the three base vectors that its components multiply.
std::vector<NaturalVariable> force_variables(Index port, const Vec3& at, const LoadComponents& f, LoadAxes axes) {
  std::vector<NaturalVariable> variables{body_point(port, at)};
  if (axes == LoadAxes::body && f.is_constant())
    variables.push_back(body_direction(port, f.at(0)));
  else if (axes == LoadAxes::body)
    for (int i = 0; i < 3; ++i)
      variables.push_back(body_direction(port, Vec3::Unit(i)));
  return variables;
}

/// Those of these variables.
std::unique_ptr<NaturalEquations> force_equations(const LoadComponents& f, LoadAxes axes) {
  if (axes == LoadAxes::space)
    return equations_of<SpaceForceEquations<InstantPart::given>>();
  return f.is_constant() ? equations_of<FollowerForceEquations>() : equations_of<BodyForceEquations>();
}

InteractionFacts facts_of(const LoadComponents& components) {
  return {ConstraintRows::none(), no_history, Acts::from_outside,
          components.is_constant() ? Forces::of_configuration : Forces::of_time, Nonlinear::in_turns};
}

NaturalNumbers numbers_of(const Vec3& components) {
  return {components.x(), components.y(), components.z()};
}

} // namespace

LoadComponents::LoadComponents(const TimeFunction& x, const TimeFunction& y, const TimeFunction& z)
    : f_{x, y, z}, is_constant_(x.is_constant() && y.is_constant() && z.is_constant()) {
  if (is_constant_)
    constant_ = Vec3(x(0), y(0), z(0));
}

AppliedForce::AppliedForce(std::string name, const Ports& ports, Index port, const Vec3& at, const LoadComponents& f,
                           LoadAxes axes)
    : NaturalInteraction(std::move(name), "force", ports, force_variables(port, at, f, axes), force_equations(f, axes),
                         facts_of(f)),
      f_(f) {}

NaturalNumbers AppliedForce::numbers(double from, double to) const {
  return numbers_of(f_.mean(from, to));
}

void AppliedForce::book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const {
  books.work -= r.dot(s.q_n1 - s.q_n);
}

std::string AppliedForce::row_name(Index) const {
  return "force";
}

AppliedTorque::AppliedTorque(std::string name, const Ports& ports, Index port, const LoadComponents& m, LoadAxes axes)
    : NaturalInteraction(std::move(name), "torque", ports,
                         {body_direction(port, Vec3::UnitX()), body_direction(port, Vec3::UnitY()),
                          body_direction(port, Vec3::UnitZ())},
                         axes == LoadAxes::body ? equations_of<TorqueEquations<true>>()
                                                : equations_of<TorqueEquations<false>>(),
                         facts_of(m)),
      m_(m) {}

NaturalNumbers AppliedTorque::numbers(double from, double to) const {
  return numbers_of(m_.mean(from, to));
}

void AppliedTorque::book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const {
  books.work -= r.dot(s.q_n1 - s.q_n);
}

std::string AppliedTorque::row_name(Index) const {
  return "torque";
}

} // namespace emmy
