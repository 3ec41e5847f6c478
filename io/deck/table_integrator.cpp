#include "io/deck/table_parts.hpp"

namespace emmy::deck {

namespace {

Entry solver() {
  return {
      "solver",
      "Solver",
      "How the equations of a step are solved. PETSc's own options can follow `--` on the command line.",
      {
          field("linear", Type::choice, "",
                "solver of the linear systems of steps; `auto` is `block`, emmy's own LU of small dense blocks, "
                "and KLU, which pivots, where that fails. Of no use to explicit integrators of rigid bodies, "
                "`static` and `modes`, which have solvers of their own")
              .of({"auto", "block", "petsc", "klu", "umfpack", "mumps"})
              .otherwise("auto"),
          field("max_iterations", Type::integer, "1", "of Newton's method in a step")
              .within(from_to(1, 1000))
              .otherwise("20"),
          field("tolerance", Type::number, "1",
                "residual relative to its largest term; 0 goes down to the rounding floor")
              .within({0, 1, false, true})
              .otherwise("0"),
          field("max_halvings", Type::integer, "1", "how often a step that failed may be halved")
              .within(from_to(0, 30))
              .otherwise("8"),
          field("redundant", Type::choice, "",
                "joints that repeat what others say: `solve` finds the smallest of the reactions that are possible, "
                "`refuse` ends with an error")
              .of({"solve", "refuse"})
              .otherwise("solve"),
          field("augmented_lagrangian", Type::entry, "",
                "how the multipliers of `enforcement: augmented_lagrangian` are found")
              .like("augmented_lagrangian"),
      },
      {},
      "",
      {}};
}

Entry augmented_lagrangian() {
  return {"augmented_lagrangian",
          "Augmented Lagrangian",
          "How the multipliers of what is enforced by `augmented_lagrangian` are found.",
          {
              field("form", Type::choice, "",
                    "`merged`: multipliers are improved in every iteration of Newton's method; `nested`: between "
                    "solutions with multipliers that are held; `linearised`: once a step, after one linear solve about "
                    "its start, whatever that leaves of the equations; `linear_acceleration` and `high_order` only, "
                    "and there to be compared: errors are of second order, and contacts gain energy")
                  .of({"merged", "nested", "linearised"})
                  .otherwise("merged"),
              field("tolerance", Type::number, "m",
                    "what constraints may be off by [m], [rad]; without it 0, down to rounding, and 1e-10 if nested")
                  .within(at_least(0)),
              field("max_sweeps", Type::integer, "1", "how often multipliers are improved in a step, if nested")
                  .within(from_to(1, 1000))
                  .otherwise("50"),
              field("growth", Type::flag, "",
                    "joints become stiffer in a step whose nested sweeps converge slowly, unless `rho` is given or "
                    "there is no `augmentation`")
                  .otherwise("true"),
              field("augmentation", Type::flag, "",
                    "`false` takes the stiffness r of all of them to be 0: the multiplier method, whose forces are the "
                    "multipliers alone. Not if merged")
                  .otherwise("true"),
              field("rho", Type::number, "N/m, N m/rad",
                    "step of the update of multipliers, which grow by rho times what constraints are off by; the same "
                    "for all. Sweeps converge if rho < 2 r + 2/sigma, sigma being the most by which unit forces move "
                    "their constraints in a step: below 2 r always. Not if merged")
                  .within(above(0)),
              field("relaxation", Type::number, "1",
                    "the same in units of r, or without `augmentation` of the stiffness that the inertia of the bodies "
                    "has against the constraint in a step. Not together with `rho`, and not if merged")
                  .within(above(0))
                  .otherwise("1"),
          },
          {},
          "",
          {}};
}

} // namespace

Entry integrator_entry() {
  return {
      "integrator",
      "Integrator",
      "The time stepping. `energy_momentum` solves equations in every step and takes steps of any size. Five are "
      "explicit, for rigid bodies: steps that solve for joints alone and must stay below a critical size; of these "
      "take `kick_drift_kick`, "
      "the other four are published algorithms, there to be compared. `linear_acceleration`, `high_order`, `midpoint` "
      "and `explicit_euler` take forces at one instant of a step. They move points and links of chains, `midpoint` "
      "also director bodies, without dampers: there to be compared too, and `high_order` for accurate smooth motion.",
      {
          field(
              "type", Type::choice, "",
              "`energy_momentum`: implicit, conserves energy and momenta by construction; `kick_drift_kick`: the "
              "explicit one to use, conserves momenta and keeps the error of the energy bounded; "
              "`simo_wong_explicit`, `staggered`: the same for smooth motions of few bodies; `predictor_corrector`: "
              "conserves momenta, but its energy grows; `park_chiou_downer`: does not conserve angular momentum, and "
              "its energy has bursts after jumps of loads; `midpoint`: implicit, stable, conserves momenta, and loses "
              "energy at stops; `linear_acceleration`: implicit, second order, unstable where stiffness times step² "
              "over mass exceeds 12; `high_order`: implicit, third order, never quite stable: an oscillation of "
              "frequency w [rad/s] grows by (w step)⁴/48 in a step; `explicit_euler`: first order, its energy grows "
              "fast")
              .of({"energy_momentum", "kick_drift_kick", "simo_wong_explicit", "predictor_corrector", "staggered",
                   "park_chiou_downer", "linear_acceleration", "high_order", "midpoint", "explicit_euler"})
              .otherwise("energy_momentum"),
          field("order", Type::integer, "1",
                "of `energy_momentum`: how fast errors vanish with the step. 4 and 6 take each step in 7 or 11 stages "
                "(22 without velocity constraints), "
                "some of them back in time, and conserve energy and momenta as exactly; with dampers up to a step that "
                "`emmy check` tells, and without limits other than penalties. 4 is worth it for errors below 10⁻⁴ of "
                "the size of the model, 6 below "
                "10⁻⁸, see *Which order*")
              .within(multiples(2, 2, 6))
              .otherwise("2"),
          field(
              "velocity_constraints", Type::choice, "",
              "of `energy_momentum`: whether velocities meet the joints at every end of a step. `on`: to rounding, by "
              "two kicks of equal energy around the step; what they differ by is carried to the next one. `exact`, "
              "and orders 4 and 6 in any case: steps are repeated until the kicks are equal; order 6 then takes 11 "
              "stages. `off`: to the order of the step, where end-point velocities, kinetic energy, reactions and "
              "efforts change from step to step by what velocities miss, most of all after targets of drives had a "
              "kink. Bodies are frames, pivoted bodies, director bodies and points; with others, and at orders 4 and "
              "6 with constraints that are not enforced by multipliers, it is `off` unless it is given. Parts of a "
              "model with limits by multipliers go without")
              .of({"off", "on", "exact"})
              .otherwise("on"),
          field("kernel", Type::choice, "",
                "how `kick_drift_kick` turns a body between the kicks: `split` by five turns about its principal axes, "
                "without iteration and more accurate; `lie_midpoint` by one turn found by iteration, which keeps the "
                "spin of a symmetric top exactly")
              .of({"split", "lie_midpoint"})
              .otherwise("split"),
          field("start", Type::choice, "",
                "how `staggered` finds its half sequence at the start and wherever it is made anew: with the "
                "`acceleration`, or by half a step of `predictor_corrector`, which needs none; the difference is of "
                "third order in the step")
              .of({"acceleration", "predictor_corrector"})
              .otherwise("acceleration"),
          field("impulse", Type::choice, "",
                "the configuration that gives the impulse of forces over a step: its middle, or the mean of its ends. "
                "`simo_wong_explicit` takes all three, by default `trapezoidal`, and drifts with `midpoint`; "
                "`symmetric_midpoint`, half the turn of the step, does not; `staggered` takes `midpoint`, the default, "
                "or `trapezoidal`, with which its two solutions part; `predictor_corrector` takes the same two; "
                "`park_chiou_downer` takes `midpoint` only")
              .of({"midpoint", "symmetric_midpoint", "trapezoidal"}),
          field("loads", Type::choice, "",
                "loads given as functions of time, explicit integrators of rigid bodies only: `exact` integrates them "
                "over the step, "
                "so that jumps do no harm; `points` takes them at points in time, as published")
              .of({"exact", "points"})
              .otherwise("exact"),
          field("restart_every", Type::number, "s",
                "interval at which `simo_wong_explicit` computes the acceleration afresh, and `staggered` and "
                "`park_chiou_downer` their half sequence; without it never. Not too often: a restart is not reversible")
              .within(above(0)),
          field("restart_at", Type::numbers, "s", "times at which they do so; right after every jump of a load is best")
              .within(at_least(0)),
          field(
              "after_impact", Type::choice, "",
              "what `linear_acceleration` and `high_order` remember after a step in which a limit by multipliers "
              "pushed: `reset` starts them from the new velocities; `keep` leaves the acceleration of the impact in "
              "their memory, as published, which throws a body back with up to five or seven times its speed. In both "
              "cases the rebound depends on where in the step the impact falls; nothing is reset after penalties")
              .of({"reset", "keep"})
              .otherwise("reset"),
          field("allow_unstable", Type::flag, "",
                "lets `linear_acceleration` and `high_order` run with joints that are not penalties, whose errors grow "
                "by a factor of 3.73 or 5.34 in every step")
              .otherwise("false"),
          field("events", Type::choice, "",
                "impacts of contact within a step: `stepped` takes them with the step, of which impact times and what "
                "follows are of first order; `located` divides the step at impacts that are isolated in time, for "
                "second order")
              .of({"stepped", "located"})
              .otherwise("stepped"),
          field("rotation", Type::choice, "",
                "the map by which bodies with contact turn in a step: Cayley's, or the `exponential`, as published")
              .of({"cayley", "exponential"})
              .otherwise("cayley"),
          field("step", Type::step_size, "s",
                "time step; `auto`, explicit integrators of rigid bodies only, is `safety` times the estimated "
                "critical step")
              .within(above(0))
              .required(),
          field("safety", Type::number, "1", "fraction of the critical step that `step: auto` takes")
              .within({0, 1, true, false})
              .otherwise("0.9"),
          field("end", Type::number, "s", "end of the simulated time, at least one step").within(above(0)).required(),
      },
      {},
      "",
      {}};
}

std::vector<Entry> solver_entries() {
  return {solver(), augmented_lagrangian()};
}

} // namespace emmy::deck
