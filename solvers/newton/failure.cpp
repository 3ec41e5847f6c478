#include "solvers/newton/failure.hpp"

#include <cstdio>

namespace emmy {

void explain(const Failure& failure, Assembler& assembler, const ResidualTest& test, StepReport& report) {
  report.remedy = Remedy::none;
  if (const Element* element = assembler.non_finite()) {
    report.why = "element '" + element->name() + "' (" + element->kind() + ") returned a value that is not finite";
    return;
  }
  const ResidualGauge::Worst worst = assembler.gauge().worst(assembler.balance());
  const std::string where = "\n  largest residual: " + assembler.row_name(worst.row);
  if (failure.reason == SNES_DIVERGED_LINEAR_SOLVE && failure.linear < 0) {
    report.why = std::string("the linear solver that was asked for did not converge (PETSc: ") +
                 KSPConvergedReasons[failure.linear] + ")" + where;
    return;
  }
  if (failure.reason == SNES_DIVERGED_LINEAR_SOLVE || assembler.beyond_bounds()) {
    report.why =
        "the linear system is singular: over-constrained bodies, or a configuration where the joints lock" + where;
    return;
  }
  static const char* const units[] = {"N", "N m", "m"};
  const char* unit = units[static_cast<std::size_t>(worst.row_class)];
  char text[200];
  std::snprintf(text, sizeof text,
                "Newton stopped after %d iteration%s, |R| = %.1e %s (wanted %.1e %s, rounding floor %.1e %s)",
                failure.iterations, failure.iterations == 1 ? "" : "s", worst.residual, unit,
                test.wanted() * worst.magnitude, unit, ResidualTest::floor() * worst.magnitude, unit);
  report.why = text + where;
  if (failure.reason == SNES_DIVERGED_MAX_IT && failure.max_iterations < NewtonOptions().max_iterations)
    report.remedy = Remedy::more_iterations;
}

} // namespace emmy
