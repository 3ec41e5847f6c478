#pragma once
/// Sizes of increments and multipliers, by which Newton's method is stopped. Increments z are weighed by masses: an
/// error dz of a step costs the part 4 |dz| / |z| of its kinetic energy. Every part of a model that nothing connects to
/// the others is measured by itself.

#include "solvers/blocks/block_factor.hpp"
#include "solvers/numbering.hpp"

#include <algorithm>

namespace emmy {

class StepNorm {
public:
  StepNorm(const Model& model, const Numbering& numbering, Instructions instructions);

  struct Size {
    double increments = 0;
    double multipliers = 0;
    double turns = 0;              ///< of increments of angles and base vectors, without weights
    double largest_multiplier = 0; ///< by itself
    double largest_turn = 0;

    /// What the products of turns and multipliers of the same place have at most, wherever these are: turns may be
    /// those of a few bodies, and multipliers everywhere, or the other way round.
    double products() const { return std::min(largest_turn * multipliers, turns * largest_multiplier); }
  };
  /// Of the vector x, for every part of the model.
  void measure(const double* x, std::vector<Size>& sizes) const;
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
  VecX weight_, is_multiplier_, turns_;
  std::vector<std::size_t> part_of_row_;
};

} // namespace emmy
