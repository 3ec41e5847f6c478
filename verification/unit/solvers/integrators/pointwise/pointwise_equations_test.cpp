/// Equations of schemes that take forces at instants: tangents, accelerations, and when loads count.
#include "solvers/assembly/assembler.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"
#include "verification/unit/solvers/integrators/pointwise/machine.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <stdexcept>

using namespace emmy;
using namespace emmy::test;

namespace {

/// The assembled tangent against central differences of the assembled residual, at a point away from the solution.
Verdict tangent_agrees(const Machine& m, StepEquations& equations, double h) {
  AugmentedLagrangianOptions options;
  options.form = AugmentedForm::nested; // merged, the curvature is that of the last multipliers [A22]
  Assembler assembler(equations, options);
  const Index n = assembler.size();
  VecX x(n), f(n), ahead(n), back(n);
  assembler.begin_step(m.state, h);
  assembler.start_freely(x.data());
  Random random(5);
  x += random.numbers(n, 0.05);
  if (!assembler.evaluate_closely(x.data(), f.data()))
    throw std::runtime_error("not finite");
  assembler.fill_matrix();
  MatX K(n, n), K_differences(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const auto row = static_cast<PetscInt>(i), column = static_cast<PetscInt>(j);
      check(MatGetValues(assembler.matrix(), 1, &row, 1, &column, &K(i, j)));
    }
  const double step = std::cbrt(eps);
  for (Index j = 0; j < n; ++j) {
    VecX there = x;
    there[j] += step;
    assembler.evaluate_closely(there.data(), ahead.data());
    there[j] = x[j] - step;
    assembler.evaluate_closely(there.data(), back.data());
    K_differences.col(j) = (ahead - back) / (2 * step);
  }
  return agree("tangent", K, K_differences,
               20 * (step * step * K.cwiseAbs().maxCoeff() + eps / step * f.cwiseAbs().maxCoeff()));
}

} // namespace

BOOST_AUTO_TEST_SUITE(Instants)

BOOST_AUTO_TEST_CASE(tangents_are_derivatives_of_residuals) {
  for (const Enforced how : {Enforced::penalty, Enforced::multipliers, Enforced::augmented_lagrangian}) {
    const Machine m(how);
    const double h = 0.1;
    BOOST_TEST_CONTEXT("enforcement " << static_cast<int>(how)) {
      for (const AccelerationRule& rule : {AccelerationRule::linear_acceleration(), AccelerationRule::high_order()}) {
        EndEquations end(m.model, rule);
        Random random(3);
        end.remember(random.numbers(m.model.unknowns(), 1), random.numbers(m.model.unknowns(), 1));
        BOOST_TEST(tangent_agrees(m, end, h), rule.name);
      }
      MidpointEquations middle(m.model);
      BOOST_TEST(tangent_agrees(m, middle, h), "midpoint");
      AccelerationEquations instant(m.model, "start");
      instant.begin(m.state);
      BOOST_TEST(tangent_agrees(m, instant, AccelerationEquations::h), "accelerations");
    }
  }
}

// Along any motion that meets the joints, their values have no second derivative: the accelerations that are found lead
// from a consistent state to one that is off by the third power of time.
BOOST_AUTO_TEST_CASE(accelerations_keep_joints_closed) {
  Model model;
  const PointMass& body = PointMass::add_to(model, "bob", 2);
  model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, 0, -9.81)));
  model.add(distance_joint("rod", model.ports(), {}, {body.port(), Vec3::Zero()}, 1));
  State state = model.rest_state();
  body.set_motion({Vec3(0.6, 0, -0.8), Quaternion::Identity(), Vec3(0, 2, 0), Vec3::Zero()}, state);
  Accelerations accelerations(model, {}, "start");
  BOOST_TEST(accelerations.solve(state).converged);
  // gravity without its part along the rod, and v²/l towards the hook
  const Vec3 rod(0.6, 0, -0.8), g(0, 0, -9.81);
  const Vec3 expected = g - rod * rod.dot(g) - 4 * rod;
  BOOST_TEST(agree("a", accelerations.a(), expected, 1e-8)); // differences over a millimetre
}

// Accelerations that change linearly, or quadratically, are what the rules are exact for; midpoint takes the load in
// the middle of the step, Euler at its start.
BOOST_AUTO_TEST_CASE(loads_are_taken_at_the_instants_of_the_scheme) {
  struct Expected {
    InstantScheme scheme;
    int power;
    double x, v; // after 1 s
  };
  const int n = 10;
  const double h = 0.1;
  double sum = 0, sum_of_sums = 0;
  for (int i = 0; i < n; ++i) {
    sum_of_sums += h * sum;
    sum += h * h * i;
  }
  const Expected all[] = {{linear_acceleration(), 1, 1.0 / 6, 1.0 / 2},
                          {high_order(), 2, 1.0 / 12, 1.0 / 3},
                          {midpoint(), 1, 1.0 / 6 + h * h / 12, 1.0 / 2}, // trapezoidal rule of v
                          {explicit_euler(), 1, sum_of_sums, sum}};
  for (const Expected& e : all)
    BOOST_TEST_CONTEXT(e.scheme) {
      Model model;
      const PointMass& body = PointMass::add_to(model, "mass", 1);
      const TimeFunction power([&](double t) { return std::pow(t, e.power); });
      model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(),
                                               LoadComponents(power, 0, 0), LoadAxes::space));
      State state = model.rest_state();
      advance(*e.scheme.on(model), state, h, n);
      BOOST_TEST(agree("x", state.values[0], e.x, 100 * eps));
      BOOST_TEST(agree("v", state.rates[0], e.v, 100 * eps));
    }
}

BOOST_AUTO_TEST_SUITE_END()
