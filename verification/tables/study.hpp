#pragma once
/// What a page is made of: runs, the tables and figures that they give, and what must come out.

#include "verification/tables/findings.hpp"

#include <memory>

namespace emmy::tables {

class Study {
public:
  virtual ~Study() = default;

  virtual void run() = 0;
  /// Writes the data of figures to an existing directory; throws std::runtime_error if it cannot.
  virtual void write_series(const std::string& directory) const = 0;
  virtual std::vector<Finding> findings() const = 0;
  /// The table of a name; throws std::runtime_error if there is none.
  virtual std::string table(const std::string& name) const = 0;
};

/// Constraints and integrators of docs/theory/augmented_lagrangian.md on a particle and on two links that meet a wall.
std::unique_ptr<Study> augmented_lagrangian();
/// Hanging chains of docs/theory/directors.md, with all that they conserve.
std::unique_ptr<Study> director_chains();
/// The integrators of docs/theory/explicit_rotation.md on two problems with closed forms.
std::unique_ptr<Study> explicit_rotation();

} // namespace emmy::tables
