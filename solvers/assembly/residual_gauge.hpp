#pragma once
/// Measures residuals against the size of the terms that cancel in them. Forces, moments and constraints are judged
/// apart, and so is every part of the model that nothing connects to the others: a light body beside a heavy one is
/// solved as well as if it were alone. Within a part joints hand the rounding of large coordinates and forces on to
/// bodies on which little acts, so a part is judged by its largest terms.

#include "core/model_parts.hpp"
#include "solvers/assembly/numbering.hpp"
#include "solvers/enforcement/constraint_set.hpp"

#include <array>
#include <vector>

namespace emmy {

enum class RowClass : unsigned char { force, moment, constraint };

class ResidualGauge {
public:
  ResidualGauge(const Model& model, const Numbering& numbering, const ConstraintSet& constraints);

  /// Constraints of augmented Lagrangians that are met to `tolerance` count as met exactly.
  void admit(double tolerance) { admitted_ = tolerance; }
  /// True if they are met so, or to `rounding` of their terms; always if there is no tolerance.
  bool admits(const double* f, double rounding) const;

  /// Physical units of the residual: force and moment rows are multiplied by s, which the assembler has divided by.
  void begin_step(double s);

  /// Residual at the start values: what cancels in it is not known yet.
  void note_first(const double* f);

  /// Takes the size of the terms in each row, in physical units.
  void measure(const VecX& row_sizes);
  bool measured() const { return measured_; }

  /// Largest residual of any group relative to the terms that cancel in it.
  double relative(const double* f) const;
  /// The same for equations alone: constraints without unknown multipliers do not count.
  double relative_equations(const double* f) const;
  /// The same for the residual at the start values.
  double relative_first() const;

  /// The equation that is worst in this sense.
  struct Worst {
    std::size_t row = 0;
    RowClass row_class = RowClass::force;
    double residual = 0;  ///< physical units
    double magnitude = 0; ///< of the terms that cancel
  };
  Worst worst(const double* f) const;

private:
  struct Group {
    std::size_t first, count; // rows
    RowClass row_class;
    std::size_t part; // of the model: bodies that joints or springs connect
    double magnitude, first_norm;
    bool is_equation = true; // false: a constraint without unknown multipliers
  };
  double norm(const Group& group, const double* f) const;
  static double ratio(double norm, double magnitude);
  double relative(const Group& group, const double* f) const;

  std::vector<Group> groups_;
  std::vector<std::array<double, 3>> largest_; // magnitude in each part of the model, by class
  double s_ = 1;
  double admitted_ = 0;
  bool measured_ = false;
};

} // namespace emmy
