#pragma once
/// The parts of the benchmark. Each adds its tables, figures and promises to the report; `quick` runs fewer, shorter
/// and smaller things.

#include "verification/benchmarks/report.hpp"

namespace emmy::benchmark {

/// What the figures were measured on.
void machine(Report& report);

/// Time per step and where it goes, memory, and growth with the size of the model.
void step_costs(bool quick, Report& report);

/// What other elements and bodies cost relative to ball joints between frames, what the ledger costs relative to a
/// step, iterations of closed loops, and four_bar_steps(): all that is promised as a ratio.
void ratios(bool quick, Report& report);

/// Newton iterations per step over a long run.
void iterations(bool quick, Report& report);

/// One iteration of Newton's method with emmy's own factorisation and with KLU at its best, on the same equations.
void newton_iteration(bool quick, Report& report);

/// The direct solvers against one another on chains, trees, hubs, loops, nets and springs.
void linear_solvers(bool quick, Report& report);

/// Steps per second of explicit and implicit integrators on free bodies and a chain.
void explicit_steps(bool quick, Report& report);

/// Steps of free bodies with contact, against their bare flight and against other programs.
void contact_steps(bool quick, Report& report);

/// Time to find the pairs of surfaces that may meet, and growth with their number.
void search(bool quick, Report& report);

/// Time from the text of a deck to a model that is ready for its first step, and growth with its size.
void set_up(bool quick, Report& report);

/// What writing history.csv at every step costs.
void output_costs(bool quick, Report& report);

/// Time, energy and trajectory of equal steps of chains, against other programs where they are installed.
void equal_steps(bool quick, Report& report);
/// The same of closed loops; a part of ratios().
void four_bar_steps(bool quick, Report& report);

/// CPU time to a given error of the trajectory, against other programs where they are installed.
void work_precision(bool quick, Report& report);

/// Takes steps of a named job, or books one as often, and does nothing else, for tools that count instructions; throws
/// std::invalid_argument at a name that it does not know.
void counted_steps(const std::string& job, int steps);

/// The table of instructions per step that verification/benchmarks/instructions wrote; says what is missing if `file`
/// is empty.
void instructions(const std::string& file, Report& report);

} // namespace emmy::benchmark
