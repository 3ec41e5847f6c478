#include "verification/support/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::test {

namespace {

/// The step as it would be if nothing had moved.
NaturalStep unmoved(NaturalStep step) {
  step.q_n1 = step.q_m = step.q_n;
  return step;
}

/// The step as it would be if time had stood still.
NaturalStep at_start_time(NaturalStep step) {
  step.h = 1e-200; // added to a time it changes nothing
  step.inv_h = 0;
  return step;
}

MultiplierVector constraint(const Interaction& element, const NaturalStep& step) {
  return natural_system(element, step).phi;
}

/// Change of phi over the step at fixed time, the mean of that at the two times [D17].
MultiplierVector change_at_fixed_time(const Interaction& element, const NaturalStep& step) {
  const NaturalStep start = at_start_time(step);
  return (constraint(element, step) - constraint(element, unmoved(step)) + constraint(element, start) -
          constraint(element, unmoved(start))) /
         2;
}

/// Change of phi over the step.
MultiplierVector constraint_change(const Interaction& element, const NaturalStep& step) {
  return constraint(element, step) - constraint(element, unmoved(at_start_time(step)));
}

/// Sum of |r| |q|: the terms of which works and moments are made.
double size_of_work(const NaturalStep& step, const NaturalVector& r) {
  return r.cwiseAbs().dot(step.q_n.cwiseAbs() + step.q_n1.cwiseAbs());
}

bool moves(const Model& model, const NaturalVariable& v) {
  return !model.ports()[static_cast<std::size_t>(v.port)]->fixed();
}

struct Net {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
};

/// The body at a port that turns about a fixed point, if there is one.
const Body* pivoted_at(const Model& model, Index port) {
  for (const Body* body : model.bodies())
    if (const auto inertia = body->rigid_inertia(); body->port() == port && inertia && inertia->is_pivoted)
      return body;
  return nullptr;
}

Vec3 fixed_point(const Body& body, const State& state) {
  const BodyMotion m = body.motion(state);
  return m.position + m.orientation * body.rigid_inertia()->pivot;
}

/// Sum of r over all variables.
Net net(const Interaction& element, const NaturalStep& step, const NaturalVector& r) {
  Net sum;
  for (std::size_t a = 0; a < element.variables().size(); ++a) {
    const Vec3 r_a = r.segment<3>(static_cast<Index>(3 * a));
    sum.force += element.variables()[a].w[0] * r_a;
    sum.moment += Vec3(step.q_m.segment<3>(static_cast<Index>(3 * a))).cross(r_a);
  }
  return sum;
}

/// What reaches bodies that move: force and moment, or the moment about its fixed point if a body has one.
Net reaching_bodies(const Interaction& element, const Model& model, const Trial& trial, const NaturalStep& step,
                    const NaturalVector& r) {
  Net sum;
  for (std::size_t a = 0; a < element.variables().size(); ++a) {
    const NaturalVariable& v = element.variables()[a];
    if (!moves(model, v))
      continue;
    const Vec3 r_a = r.segment<3>(static_cast<Index>(3 * a)), q_m = step.q_m.segment<3>(static_cast<Index>(3 * a));
    if (const Body* body = pivoted_at(model, v.port)) {
      sum.moment += (q_m - v.w[0] * fixed_point(*body, trial.n)).cross(r_a);
      continue;
    }
    sum.force += v.w[0] * r_a;
    sum.moment += q_m.cross(r_a);
  }
  return sum;
}

/// The variables as they would be if all bodies were turned by R and moved by c.
NaturalStep turned_variables(const Interaction& element, NaturalStep step, const Quaternion& R, const Vec3& c) {
  for (std::size_t a = 0; a < element.variables().size(); ++a)
    for (NaturalVector* q : {&step.q_n, &step.q_n1}) {
      const auto i = static_cast<Index>(3 * a);
      q->segment<3>(i) = R * Vec3(q->segment<3>(i)) + element.variables()[a].w[0] * c;
    }
  step.q_m = (step.q_n + step.q_n1) / 2;
  return step;
}

/// The tangent in natural variables keeps to the pattern that the element declares.
Verdict inside_natural_pattern(const Interaction& element, const NaturalSystem& system) {
  const NaturalPattern pattern = element.natural_pattern();
  const auto inside = [](const MatX& m, const Pattern& p) {
    return m.rows() == p.rows() && m.cols() == p.cols() && !((p.array() == 0) && (m.array() != 0)).any();
  };
  Verdict verdict(inside(system.k, pattern.k) && inside(system.G, pattern.G) && inside(system.G_bar, pattern.G));
  if (!verdict)
    verdict.message() << element.kind() << ": writes outside its pattern in natural variables";
  return verdict;
}

} // namespace

NaturalStep natural_step(const Interaction& element, const Model& model, const Trial& trial) {
  return element.natural_step(trial.moved(model));
}

NaturalSystem natural_system(const Interaction& element, const NaturalStep& step) {
  const Index n = step.q_n.size(), m = element.multipliers();
  NaturalSystem system;
  system.tangent = true;
  system.r.setZero(n);
  system.k.setZero(n, n);
  system.phi.setZero(m);
  system.G_bar.setZero(m, n);
  system.G.setZero(m, n);
  system.phi_t.setZero(m);
  element.evaluate_natural(step, system);
  system.r += system.G_bar.transpose() * step.lambda;
  return system;
}

Verdict check_work(const Interaction& element, const Model& model, const Trial& trial) {
  const NaturalStep step = natural_step(element, model, trial);
  const NaturalSystem system = natural_system(element, step);
  const NaturalVector dq = step.q_n1 - step.q_n;
  const double terms = static_cast<double>(dq.size());

  // A difference of points is known to eps |q|, a gradient is a point or a number.
  const MultiplierVector dphi = change_at_fixed_time(element, step);
  const MultiplierVector phi_size = system.G_bar.cwiseAbs() * (step.q_n.cwiseAbs() + step.q_n1.cwiseAbs());
  const Verdict constraints =
      agree("G_bar dq = change of phi", MultiplierVector(system.G_bar * dq), dphi, MatX(terms * eps * phi_size));

  // Both works sum |r| |q| over all entries; P_bar adds twenty roundings of its own (see check_secant).
  const DenseSystem local = assemble(element, model, trial, false);
  const double work = system.r.dot(dq);
  const double tolerance = (terms + 20) * eps * size_of_work(step, system.r);
  const Verdict works = agree("work in the unknowns", local.r.head(model.unknowns()).dot(trial.z), work, tolerance);
  return both(inside_natural_pattern(element, system), both(constraints, works));
}

Verdict check_discrete_gradient(const Interaction& element, const Model& model, const Trial& trial) {
  const NaturalStep step = natural_step(element, model, trial);
  const NaturalSystem system = natural_system(element, step);
  const NaturalVector r = system.r - system.G_bar.transpose() * step.lambda;
  const double V_n = element.potential(unmoved(step)), V_n1 = element.potential(step);
  // One rounding of |r| |q| for each entry and each end, and those of the potential.
  const double terms = static_cast<double>(2 * r.size());
  const double tolerance = terms * eps * (size_of_work(step, system.r) + std::abs(V_n) + std::abs(V_n1));
  return both(agree("work against the potential", r.dot(step.q_n1 - step.q_n), V_n1 - V_n, tolerance),
              check_work(element, model, trial));
}

Verdict check_momentum(const Interaction& element, const Model& model, const Trial& trial, bool moments) {
  const NaturalStep step = natural_step(element, model, trial);
  const NaturalSystem system = natural_system(element, step);
  const Net sum = net(element, step, system.r);
  // One rounding of a force, or of a force times an arm, for each entry. Where points coincide they do so to a few
  // roundings of their coordinates, of which the arms take part.
  const double terms = static_cast<double>(system.r.size()) + 10;
  const double force = system.r.cwiseAbs().maxCoeff();
  const double arm = 1 + step.q_m.cwiseAbs().maxCoeff();
  const Verdict forces = agree("net force", sum.force, Vec3(Vec3::Zero()), terms * eps * force);
  if (!moments)
    return forces;
  return both(forces, agree("net moment", sum.moment, Vec3(Vec3::Zero()), terms * eps * force * arm));
}

Verdict check_frame_indifference(const Interaction& element, const Model& model, const std::vector<Motion>& motions,
                                 Index vector_rows, Random& random) {
  const Quaternion R = random.rotation();
  const Vec3 c = random.vector();
  const auto turn_rows = [&](auto rows) {
    for (Index i = 0; i < vector_rows; i += 3)
      rows.template segment<3>(i) = R * Vec3(rows.template segment<3>(i));
  };
  VecX lambda = random.numbers(model.multipliers());
  const NaturalStep here = natural_step(element, model, make_trial(model, motions, 0.05, lambda));
  std::vector<Motion> elsewhere;
  for (const Motion& m : motions)
    elsewhere.push_back(turned(m, R, c));
  turn_rows(lambda.segment(element.first_multiplier(), element.multipliers()));
  NaturalStep there = natural_step(element, model, make_trial(model, elsewhere, 0.05, lambda));
  for (const NaturalVariable& v : element.variables())
    if (pivoted_at(model, v.port)) { // which cannot be turned about another point: only what the element sees is
      const MultiplierVector turned_lambda = there.lambda;
      there = turned_variables(element, here, R, c);
      there.lambda = turned_lambda;
      break;
    }
  const NaturalSystem r_here = natural_system(element, here), r_there = natural_system(element, there);

  NaturalVector expected = r_here.r;
  for (Index a = 0; a < expected.size(); a += 3)
    expected.segment<3>(a) = R * Vec3(expected.segment<3>(a));
  VecX phi = r_here.phi;
  turn_rows(phi.segment(0, phi.size()));
  // Points and directions are turned and fitted to the unknowns with some thirty roundings; forces change with them by
  // k, constraints by G.
  const double q_size = 1 + here.q_n1.cwiseAbs().maxCoeff() + there.q_n1.cwiseAbs().maxCoeff();
  const double r_size = r_here.r.cwiseAbs().maxCoeff() + r_here.k.cwiseAbs().rowwise().sum().maxCoeff() * q_size;
  const double phi_size = phi.size() ? r_here.G.cwiseAbs().rowwise().sum().maxCoeff() * q_size : 0;
  return both(agree("turned force", r_there.r, expected, 30 * eps * r_size),
              agree("turned constraint", r_there.phi, phi, 30 * eps * phi_size));
}

Verdict check_books(const Interaction& element, const Model& model, const Trial& trial) {
  const NaturalStep step = natural_step(element, model, trial);
  const NaturalSystem system = natural_system(element, step);
  PortMotions ends = model.port_motions();
  model.place_ports(trial.step(), ends);
  for (PortMotion& port : ends) {
    port.P_bar.setConstant(std::numeric_limits<double>::quiet_NaN());
    port.D = port.P_bar;
  }
  StepBooks books;
  element.book({trial.step(), ends}, trial.n1, books);

  const double terms = static_cast<double>(2 * system.r.size()) + 20;
  const double force = system.r.cwiseAbs().maxCoeff();
  const double arm = 1 + step.q_m.cwiseAbs().maxCoeff();
  const Net given = reaching_bodies(element, model, trial, step, system.r); // the acting force is -r
  const Verdict impulses =
      both(agree("impulse", books.impulse, Vec3(-trial.h * given.force), terms * eps * trial.h * force),
           agree("angular impulse", books.angular_impulse, Vec3(-trial.h * given.moment),
                 terms * eps * trial.h * force * arm));

  // r dq = change of potential + dissipation - work + lambda (change of phi); the last vanishes for a joint that holds.
  const NaturalVector dq = step.q_n1 - step.q_n;
  const double V_n = element.potential(unmoved(step)), V_n1 = element.potential(step);
  double joint_work = 0;
  if (element.multipliers() > 0)
    joint_work = step.lambda.dot(constraint_change(element, step));
  const double energy_size = size_of_work(step, system.r) + std::abs(V_n) + std::abs(V_n1);
  const Verdict energy = both(agree("potential", books.potential, V_n1, terms * eps * (std::abs(V_n1) + energy_size)),
                              agree("work and dissipation", V_n1 - V_n + books.dissipation - books.work,
                                    system.r.dot(dq) - joint_work, terms * eps * energy_size));
  if (element.multipliers() == 0)
    return both(impulses, energy);

  // The rate of phi by central differences along the rates of the end state; no rate is above ten.
  const double d = std::cbrt(eps);
  const auto phi_after = [&](double time) {
    Trial drift = trial;
    drift.n = trial.n1;
    element.advance(trial.moved(model), drift.n);
    drift.h = time;
    drift.z = time * trial.n1.rates;
    return natural_system(element, natural_step(element, model, drift)).phi;
  };
  const VecX rate = (phi_after(d) - phi_after(-d)) / (2 * d);
  const double rate_size = 10 * system.G.cwiseAbs().rowwise().sum().maxCoeff();
  // What only pushes is violated beyond its bound and nowhere else.
  const bool one_sided = element.is_one_sided();
  double position = one_sided ? 0 : system.phi.cwiseAbs().maxCoeff();
  for (Index i = 0; one_sided && i < element.multipliers(); ++i)
    position = std::max(position, element.constraints().bounds()[static_cast<std::size_t>(i)].beyond(system.phi[i]));
  const Verdict violation =
      both(agree("position violation", one_sided ? books.penetration : books.position_violation, position,
                 terms * eps * arm),
           agree("velocity violation", books.velocity_violation, one_sided ? 0 : rate.cwiseAbs().maxCoeff(),
                 10 * std::pow(eps, 2.0 / 3) * rate_size));
  return both(both(impulses, energy), violation);
}

} // namespace emmy::test
