#pragma once
/// Small owners for PETSc handles. Only solvers/ includes this, and the program that starts PETSc.

#include <petscsnes.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace emmy {

/// A PETSc call that failed for a reason other than the mathematics of a step, which is reported by value.
class PetscFailure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Every PETSc return code passes through here.
inline void check(PetscErrorCode code) {
  if (code == 0)
    return;
  const char* text = nullptr;
  char* specific = nullptr;
  PetscErrorMessage(code, &text, &specific);
  throw PetscFailure(std::string("PETSc: ") + (text ? text : "error") + " (code " + std::to_string(code) + ")" +
                     (specific && *specific ? std::string(": ") + specific : ""));
}

/// Owns one PETSc object; `Destroy` is the function that ends it.
template <class T, PetscErrorCode (*Destroy)(T*)>
class PetscHandle {
public:
  PetscHandle() = default;
  ~PetscHandle() { reset(); }
  PetscHandle(const PetscHandle&) = delete;
  PetscHandle& operator=(const PetscHandle&) = delete;
  PetscHandle(PetscHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

  operator T() const { return handle_; } // NOLINT: PETSc's functions take the bare handle
  T* out() {
    reset();
    return &handle_;
  }

private:
  void reset() {
    if (handle_)
      Destroy(&handle_); // nothing can be done about a failing destructor
    handle_ = nullptr;
  }
  T handle_ = nullptr;
};

using PetscVector = PetscHandle<Vec, VecDestroy>;
using PetscMatrix = PetscHandle<Mat, MatDestroy>;
using PetscNewton = PetscHandle<SNES, SNESDestroy>;

/// PETSc is running while an object of this class lives; one per process.
class PetscSession {
public:
  /// `options` as on a PETSc command line: {"-ksp_view", "-pc_type", "lu"}.
  explicit PetscSession(const std::vector<std::string>& options = {});
  ~PetscSession();
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;

  /// Options that were given but that nobody asked for: misspelt ones, mostly.
  std::vector<std::string> unused_options() const;
};

} // namespace emmy
