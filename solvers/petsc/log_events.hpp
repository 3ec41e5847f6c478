#pragma once
/// Where the time of a step goes, for PETSc's log (`-log_view`): it costs nothing while that is off.

#include "solvers/petsc/petsc.hpp"

namespace emmy {

/// One kind of work; times are those between the beginning and the end of a LogSpan.
enum class LogEvent { step, evaluate, assemble, factorise, solve };

class LogSpan {
public:
  /// Passes through PETSc's callbacks, so it does not throw: a log that fails is left alone.
  explicit LogSpan(LogEvent event) noexcept;
  ~LogSpan();
  LogSpan(const LogSpan&) = delete;
  LogSpan& operator=(const LogSpan&) = delete;

private:
  PetscLogEvent event_;
};

} // namespace emmy
