#include "io/deck/table_parts.hpp"

namespace emmy::deck {

namespace {

Field interval() {
  return field("every", Type::number, "s",
               "interval, a whole multiple of a step that is given as a number; 0 writes every step")
      .within(at_least(0))
      .otherwise("0");
}

Field step_interval() {
  return field("every_steps", Type::integer, "1", "interval in steps, instead of `every`")
      .within(from_to(1, 1000000000));
}

Entry output() {
  return {
      "output",
      "Output",
      "What is written to history.csv, and how often.",
      {
          interval(),
          step_interval(),
          field("channels", Type::patterns, "",
                "what is written, instead of the selections below, by names of channels or columns, owners or kinds, "
                "with wildcards; see *Channels* in docs/results.md. `emmy check --channels` lists those of a deck"),
          field("groups", Type::named_entries, "", "further files `history.NAME.csv`, with intervals of their own")
              .like("output_group"),
          field("units", Type::flag, "", "units in the head of each column: `arm.x [m]`").otherwise("false"),
          field("bodies", Type::selection, "", "bodies whose motion is written").otherwise("all"),
          field("joints", Type::selection, "", "joints whose coordinates and reactions are written").otherwise("all"),
          field("forces", Type::selection, "", "springs whose length and force are written").otherwise("all"),
          field("limits", Type::selection, "", "limits whose gaps and forces are written").otherwise("all"),
          field(
              "contacts", Type::selection, "",
              "pairs of contact whose points, gaps and forces are written, and their impacts to impacts.csv; `all` is "
              "every impact, `none` not even the totals")
              .otherwise("all"),
          field("points", Type::output_points, "", "points whose position, velocity and acceleration are written"),
          field("energies", Type::flag, "", "kinetic and potential energy, work, dissipation and the imbalance")
              .otherwise("true"),
          field("momenta", Type::flag, "", "linear and angular momentum").otherwise("true"),
          field("angular_velocity", Type::choice, "", "axes along which angular velocities are given")
              .of({"global", "body"})
              .otherwise("global"),
      },
      {},
      "",
      {}};
}

Entry output_group() {
  Entry result{"output_group",
               "Output groups",
               "Channels in a file of their own, `history.NAME.csv`.",
               {
                   field("channels", Type::patterns, "", "what is written, as for `channels` of `output`").required(),
                   interval(),
                   step_interval(),
               },
               {},
               "",
               {}};
  return result;
}

Entry checkpoint() {
  return {
      "checkpoint",
      "Checkpoints",
      "A checkpoint holds all that a run is between two steps, so that `emmy run --restart DIR` goes on as if the "
      "run had never been stopped. One is also written at the start and the end of a run, when it is interrupted, and "
      "when a "
      "step fails for good.",
      {
          field("every", Type::number, "s", "interval of simulated time; 0: none").within(at_least(0)).otherwise("0"),
          field("every_steps", Type::integer, "1", "interval in steps; 0: none")
              .within(from_to(0, 1000000000))
              .otherwise("0"),
          field("every_wall", Type::number, "s", "time of the computation after which one is written; 0: none")
              .within(at_least(0))
              .otherwise("300"),
          field("keep", Type::integer, "1", "how many are kept, the newest; 0 writes none")
              .within(from_to(0, 1000))
              .otherwise("2"),
      },
      {},
      "",
      {}};
}

Entry audit() {
  return {"audit",
          "Audit",
          "Limits on the imbalance of energy and momenta: what work, impulses and dissipation do not explain.",
          {
              field("max_energy_imbalance", Type::number, "1",
                    "relative; without it the run warns above 1e-6, or 1e-2 with chains or integrators other than "
                    "energy_momentum")
                  .within(above(0)),
              field("max_momentum_imbalance", Type::number, "1",
                    "relative, linear and angular; without it the run warns above 1e-6, or 1e-2 with integrators other "
                    "than energy_momentum, kick_drift_kick and midpoint")
                  .within(above(0)),
              field("action", Type::choice, "", "what happens beyond a limit: a warning, or an exit code of its own")
                  .of({"warn", "fail"})
                  .otherwise("warn"),
          },
          {},
          "",
          {}};
}

} // namespace

std::vector<Entry> output_entries() {
  return {output(), output_group(), checkpoint(), audit()};
}

} // namespace emmy::deck
