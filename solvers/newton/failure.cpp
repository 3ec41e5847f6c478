#include "solvers/newton/failure.hpp"

#include "solvers/newton/newton_options.hpp"

#include <cstdio>

namespace emmy {

std::string explain(const Failure& failure, Assembler& assembler, const ResidualTest& test) {
  if (const Element* element = assembler.non_finite())
    return "element '" + element->name() + "' (" + element->kind() + ") returned a value that is not finite";
  const ResidualGauge::Worst worst = assembler.gauge().worst(assembler.balance());
  const std::string where = "\n  largest residual: " + assembler.row_name(worst.row);
  if (failure.reason == SNES_DIVERGED_LINEAR_SOLVE && failure.linear < 0)
    return std::string("the linear solver that was asked for did not converge (PETSc: ") +
           KSPConvergedReasons[failure.linear] + ")" + where;
  if (failure.reason == SNES_DIVERGED_LINEAR_SOLVE || assembler.beyond_bounds())
    return "the linear system is singular: over-constrained bodies, or a configuration where the joints lock" + where;
  static const char* const units[] = {"N", "N m", "m"};
  const char* unit = units[static_cast<std::size_t>(worst.row_class)];
  char text[200];
  std::snprintf(text, sizeof text,
                "Newton stopped after %d iteration%s, |R| = %.1e %s (wanted %.1e %s, rounding floor %.1e %s)",
                failure.iterations, failure.iterations == 1 ? "" : "s", worst.residual, unit,
                test.wanted() * worst.magnitude, unit, ResidualTest::floor() * worst.magnitude, unit);
  const bool is_short =
      failure.reason == SNES_DIVERGED_MAX_IT && failure.max_iterations < NewtonOptions().max_iterations;
  return text + where + (is_short ? "\n  more iterations may be allowed (solver.max_iterations)" : "");
}

} // namespace emmy
