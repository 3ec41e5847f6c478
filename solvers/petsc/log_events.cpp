#include "solvers/petsc/log_events.hpp"

#include <array>

namespace emmy {

namespace {

using Numbers = std::array<PetscLogEvent, 5>;

/// By itself, lest every span saves the registers that are needed here once.
[[gnu::noinline]] Numbers register_events() {
  PetscClassId class_id = 0;
  PetscClassIdRegister("emmy", &class_id);
  Numbers numbers{};
  const char* const names[] = {"emmy step", "emmy evaluate", "emmy assemble", "emmy factorise", "emmy solve"};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    PetscLogEventRegister(names[i], class_id, &numbers[i]);
  return numbers;
}

/// Registered when the first is asked for.
PetscLogEvent number_of(LogEvent event) {
  static const Numbers numbers = register_events();
  return numbers[static_cast<std::size_t>(event)];
}

PetscErrorCode begin(PetscLogEvent event) {
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, nullptr, nullptr, nullptr, nullptr));
  PetscFunctionReturn(0);
}

PetscErrorCode end(PetscLogEvent event) {
  PetscFunctionBegin;
  PetscCall(PetscLogEventEnd(event, nullptr, nullptr, nullptr, nullptr));
  PetscFunctionReturn(0);
}

} // namespace

LogSpan::LogSpan(LogEvent event) noexcept : event_(number_of(event)) {
  begin(event_);
}

LogSpan::~LogSpan() {
  end(event_);
}

} // namespace emmy
