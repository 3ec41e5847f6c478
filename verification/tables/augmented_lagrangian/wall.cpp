#include "verification/tables/augmented_lagrangian/wall.hpp"

#include "elements/bodies/spring_tetra_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::tables::impact {

namespace {

constexpr double beyond_all_bounds = 1e6; // [J]; the start has 12
const double pi = std::acos(-1.0);

/// The links as rods of two points; otherwise as test::TwoLinks.
struct TwoRods {
  TwoRods(const Enforcement& how, double restitution) {
    const Mat3 J = Vec3(0, 1, 1).asDiagonal() * (1.0 / 12);
    const Vec3 half(0.5, 0, 0);
    const double angles[] = {pi / 3, pi / 2};
    for (const double angle : angles)
      mesh.add_body("rod", 1, J, along(angle), SpringTetraOptions{});
    mesh.add_connection(SharedKind::point, {}, {0, -half});
    mesh.add_connection(SharedKind::point, {0, half}, {1, -half});
    mesh.build(model);
    for (Index i = 0; i < 2; ++i)
      model.enforce(mesh.body(i), how);
    Vec3 joint = Vec3::Zero();
    for (Index i = 0; i < 2; ++i) {
      const Index port = mesh.body(i).port();
      model.add(std::make_unique<Gravity>("weight", model.ports(), port, 1, Vec3(0, -g, 0)));
      model.add(wall("wall", model.ports(), test::side_along(Vec3(-0.3, 0, 0), Vec3::UnitX()), body_point(port, half),
                     0, restitution),
                how);
    }
    state = model.rest_state();
    for (Index i = 0; i < 2; ++i) {
      const Quaternion q = along(angles[i]);
      mesh.body(i).set_motion({joint + q * half, q, Vec3::Zero(), Vec3::Zero()}, state);
      joint += q * (2 * half);
    }
    model.begin(state);
  }
  double energy(const State& at) const { return model.books_at(at).energy() + g * (0.5 + 1.5); }
  VecX angles(const State& at) const {
    VecX theta(2);
    for (Index i = 0; i < 2; ++i) {
      const Vec3 x = mesh.body(i).motion(at).orientation * Vec3::UnitX();
      theta[i] = std::atan2(x.x(), -x.y());
    }
    return theta;
  }

  Model model;
  SpringTetraMesh mesh;
  State state;

private:
  static constexpr double g = 9.81;
  static Quaternion along(double angle) { return exponential({0, 0, angle - pi / 2}); }
};

VecX angles_of(const test::TwoLinks&, const State& state) {
  return state.values;
}

VecX angles_of(const TwoRods& rods, const State& state) {
  return rods.angles(state);
}

template <class Links>
Record run(const Combination& c, Links&& links, double end) {
  std::vector<Index> walls;
  for (const auto& element : links.model.elements())
    if (element->is_one_sided())
      walls.push_back(element->first_multiplier());
  const auto integrator = c.scheme.on(links.model, c.options);
  State& state = links.state;
  Record r;
  const auto note = [&](double t) {
    Instant now{t, links.energy(state), {}};
    for (std::size_t i = 0; i < walls.size(); ++i)
      now.force[i] = state.multipliers[walls[i]];
    if (!r.trace.empty())
      r.gain = std::max(r.gain, now.E - r.trace.back().E);
    r.trace.push_back(now);
    return now.E < beyond_all_bounds; // not a number is not
  };
  note(0);
  const long steps = std::lround(end / c.h);
  for (long i = 1; i <= steps && !r.end; ++i) {
    const StepReport report = integrator->step(state, c.h);
    const double t = static_cast<double>(i) * c.h;
    r.solves += report.iterations;
    r.most_sweeps = std::max(r.most_sweeps, report.sweeps);
    if (!report.converged || !note(t))
      r.end = t;
    r.why = report.why;
  }
  r.solves /= static_cast<double>(r.trace.size() - 1);
  r.theta = angles_of(links, state);
  return r;
}

} // namespace

double Record::energy(double t) const {
  const double h = trace[1].t - trace[0].t;
  const auto i = static_cast<std::size_t>(std::lround(t / h));
  return i < trace.size() ? trace[i].E : std::numeric_limits<double>::quiet_NaN();
}

double Record::peak(double until) const {
  double largest = 0;
  for (const Instant& now : trace)
    if (now.t < until + 1e-9)
      largest = std::max({largest, now.force[0], now.force[1]});
  return largest;
}

double Record::impulse(int point) const {
  double sum = 0;
  for (std::size_t i = 1; i < trace.size(); ++i)
    sum += (trace[i].t - trace[i - 1].t) * trace[i].force[point];
  return sum;
}

Record run(const Combination& c, double end) {
  return c.bodies == Bodies::rods ? run(c, TwoRods(c.how, c.restitution), end) : run(c, test::TwoLinks(c.how), end);
}

double flight_error(const InstantScheme& scheme, double h, const NewtonOptions& options) {
  const test::TwoLinks links;
  State state = links.state;
  test::advance(*scheme.on(links.model, options), state, h, static_cast<int>(std::lround(0.6 / h)));
  // by an independent method of order four with h = 1e-4
  return (state.values - Eigen::Vector2d(0.2145981712821, -0.0531959020874)).norm();
}

} // namespace emmy::tables::impact
