#pragma once
/// Measures residuals against the size of the terms that cancel in them. Equations are judged in groups: the force
/// balance of one node, its balance of moments, the constraints of one element. So a light body next to a heavy one is
/// solved as well as if it were alone.

#include "core/model.hpp"
#include "solvers/numbering.hpp"

#include <array>
#include <vector>

namespace emmy {

enum class RowClass : unsigned char { force, moment, constraint };

class ResidualGauge {
public:
  ResidualGauge(const Model& model, const Numbering& numbering);

  /// Physical units of the residual: force and moment rows are multiplied by s, which the assembler has divided by.
  void begin_step(double s);

  /// Residual at the start values: what cancels in it is not known yet.
  void note_first(const double* f);

  /// Takes the size of the terms in each row, in physical units.
  void measure(const VecX& row_sizes);
  bool measured() const { return measured_; }

  /// Largest residual of any group relative to the terms that cancel in it.
  double relative(const double* f) const;
  /// Largest residual relative to the largest terms of its kind in the whole model: joints hand the rounding of large
  /// coordinates and forces on to bodies on which little acts.
  double relative_to_model(const double* f) const;
  /// As relative(), for the residual at the start values.
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
    double magnitude, first_norm;
  };
  double norm(const Group& group, const double* f) const;
  static double ratio(double norm, double magnitude);

  std::vector<Group> groups_;
  std::array<double, 3> of_model_{}; // largest magnitude of each class
  double s_ = 1;
  bool measured_ = false;
};

} // namespace emmy
