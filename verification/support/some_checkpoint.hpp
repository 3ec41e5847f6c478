#pragma once
/// A checkpoint that has something in every part of it.

#include "io/checkpoint/checkpoint.hpp"

namespace emmy::test {

inline Checkpoint some_checkpoint() {
  Checkpoint c;
  c.identity = {EMMY_VERSION,
                "portable",
                "/decks/a.yaml",
                "a.yaml",
                "title: a\n",
                {"integrator.end=2"},
                {"-ksp_type", "preonly"},
                "-ksp_type preonly ",
                {{"/meshes/b.stl", {10, 11}}},
                0.125,
                7,
                6,
                3};
  c.run.state.time = 0.1 + 0.2;
  c.run.state.values = VecX::LinSpaced(7, -1, 1);
  c.run.outcome.whole_steps = 42;
  c.run.told = {"a topic"};
  c.recorders.history = {{"history.csv", "t,x", 3, {{1000, 77}, 12, 0.25}, {{900, 78}, 11, 0.2}}};
  c.recorders.contacts.totals.resize(2);
  c.recorders.contacts.totals[1].force = {1, 2, 3};
  c.recorders.tunnels_told = {0, 1};
  c.recorders.largest_condition = 1e-15;
  c.recorders.wall = 3.5;
  return c;
}

} // namespace emmy::test
