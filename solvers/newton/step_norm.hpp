#pragma once
/// Sizes of increments and multipliers, by which Newton's method is stopped. Increments z are weighed by masses: an
/// error dz of a step costs the part 4 |dz| / |z| of its kinetic energy. Every part of a model that nothing connects to
/// the others is measured by itself.
///
/// Multipliers are measured as they are; or, where some of them are redundant, by the forces that they exert, since the
/// part of them that does nothing may be anything.

#include "core/instructions.hpp"
#include "solvers/assembly/numbering.hpp"

#include <algorithm>

namespace emmy {

class StepNorm {
public:
  StepNorm(const Model& model, const Numbering& numbering, Instructions instructions);

  struct Force {
    double size = 0;
    double largest = 0; ///< in one row
  };
  struct Size {
    double increments = 0;
    double multipliers = 0;
    double turns = 0;              ///< of increments of angles and base vectors, without weights
    double largest_multiplier = 0; ///< by itself
    double largest_turn = 0;
    Force reaction{}; ///< of the multipliers: they themselves, unless somebody has measured what they do

    /// A bound of the products of turn and force at the same place, wherever these are: a few bodies may turn while
    /// forces are everywhere, or the other way round.
    double products(const Force& force) const { return std::min(largest_turn * force.size, turns * force.largest); }
  };
  /// Of the vector x, for every part of the model.
  void measure(const double* x, std::vector<Size>& sizes) const;
  /// Of forces in the rows of increments, for every part of the model: how far they would move bodies that nothing
  /// holds, in the norm of increments. What multipliers of redundant joints do to one another moves nothing and has no
  /// size.
  void measure_forces(const double* f, std::vector<Force>& forces) const;
  /// The same of what is left of forces f once they move bodies by dx: f - M dx.
  void measure_balance(const double* f, const double* dx, std::vector<Force>& forces) const;
  /// x <- x - dx, and the sizes of the increments there.
  void advance(double* x, const double* dx, std::vector<double>& increments) const;
  std::size_t parts() const { return parts_; }
  std::size_t part_of(Index row) const { return part_of_row_[static_cast<std::size_t>(row)]; }

  /// Of everything together, multipliers included: what a linear solve has found.
  double total(const double* x) const;
  /// Weight of each row; 0 for multipliers.
  const VecX& weights() const { return weight_; }

private:
  Instructions instructions_;
  std::size_t parts_ = 1;
  template <class ForceOf>
  void measure_parts(ForceOf force_of, std::vector<Force>& forces) const;

  VecX weight_, is_multiplier_, turns_;
  VecX inverse_weight_; ///< 0 for multipliers
  std::vector<std::size_t> part_of_row_;
};

} // namespace emmy
