#pragma once
/// Orders of composed steps that are seen where their number is doubled.

#include "solvers/integrators/conserving/composition.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace emmy::test {

using Stages = std::vector<double>;

struct Motions {
  std::vector<BodyMotion> bodies;
  Ledger ledger;
};

/// All bodies after `count` steps to the time `end`.
inline Motions motions(const Model& model, const State& initial, const Stages& stages, double end, int count,
                       const NewtonOptions& options = {}) {
  Composition integrator(model, stages, options);
  State state = initial;
  Motions result;
  result.ledger.open(model.books_at(state));
  for (int i = 0; i < count; ++i) {
    const StepReport report = integrator.step(state, end / count);
    BOOST_TEST_REQUIRE(report.converged, report.why);
    result.ledger.add(integrator.books(state));
  }
  for (const Body* body : model.bodies())
    result.bodies.push_back(body->motion(state));
  return result;
}

struct Distance {
  double place = 0; ///< of centres [m] and orientations [rad]
  double velocity = 0;
};

inline Distance distance(const Motions& a, const Motions& b) {
  Distance d;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const BodyMotion &m = a.bodies[i], &n = b.bodies[i];
    d.place = std::max({d.place, (m.position - n.position).norm(), m.orientation.angularDistance(n.orientation)});
    d.velocity =
        std::max({d.velocity, (m.velocity - n.velocity).norm(), (m.angular_velocity - n.angular_velocity).norm()});
  }
  return d;
}

struct Slopes {
  double place, velocity;
};

/// Orders that are seen where `count` steps become twice as many. Reference: four times as many of them in sixth order,
/// whose errors are below those looked at by (1/4)^6 = 2e-4 if these are of sixth order, by more if of fourth.
inline Slopes slopes(const Model& model, const State& initial, const Stages& stages, double end, int count,
                     const NewtonOptions& options = {}) {
  const Motions reference = motions(model, initial, stages_of_order(6), end, 4 * count, options);
  const Distance coarse = distance(motions(model, initial, stages, end, count, options), reference);
  const Distance fine = distance(motions(model, initial, stages, end, 2 * count, options), reference);
  return {std::log2(coarse.place / fine.place), std::log2(coarse.velocity / fine.velocity)};
}

/// Symmetric methods have even orders: a slope within less than 1 of one of them belongs to no other. The half leaves
/// room for the next term of the error, which is h² smaller.
inline constexpr double same_order = 0.5;

inline void check_order(const Slopes& found, int order) {
  BOOST_TEST(std::abs(found.place - order) < same_order, "places are of order " << found.place);
  BOOST_TEST(std::abs(found.velocity - order) < same_order, "velocities are of order " << found.velocity);
}

/// Steps at which errors are well above the rounding of velocities, 1e-10 m/s, and small.
inline int count_for(int order) {
  return order == 4 ? 40 : 11;
}

} // namespace emmy::test
