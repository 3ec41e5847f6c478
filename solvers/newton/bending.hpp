#pragma once
/// What an iteration of Newton's method leaves at least, because springs and rods point elsewhere when their ends move.
/// Turns of bodies are no part of this: StepNorm measures them.
///
///   L      length of an element: Element::bending_length() [m]
///   rho    reach [S13]: its ends move by rho |dz| at most, |dz| the increments in the norm of StepNorm
///   rho/L  angle by which it turns with increments of 1; its forces are off by the square of the angle, and if it has
///          multipliers by the product of the angle and what these change by
///
/// Of elements that do not know their length it is assumed that increments as large as the whole step change their
/// forces entirely.

#include "solvers/newton/step_norm.hpp"

namespace emmy {

class Assembler;

class Bending {
public:
  Bending(const Assembler& assembler, const StepNorm& norm);

  /// False if nothing is ever bent.
  bool exists() const { return !elements_.empty(); }

  /// Lengths at an iterate; the ports of elements that bend, outside batches, must have been moved there.
  void measure(const MovedStep& s);

  /// How much is left after the iteration that found the increments `moved`, as a part of them, in a step of this size.
  double rate(std::size_t part, const StepNorm::Size& moved, double size) const;

private:
  struct Bent {
    const Element* element;
    const double* batched; ///< where its length is, if it is evaluated in a batch
    std::size_t part;
    double reach;
  };
  struct Worst {
    double angle = 0;      ///< rho / L
    double multiplied = 0; ///< rho² / L, of those with multipliers: these act on the bodies by way of rho again
    bool is_known = true;
  };

  std::vector<Bent> elements_;
  std::vector<Worst> worst_; ///< of every part
};

} // namespace emmy
