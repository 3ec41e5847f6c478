#pragma once
/// Small vibrations about an equilibrium: eigenvalues s and shapes x of M x s² + C x s + K x + G^T l = 0, G x = 0
/// (docs/theory/statics.md, vibrations).

#include "solvers/assembly/linearisation.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace emmy {

struct Mode {
  std::complex<double> eigenvalue; ///< s [1/s]: the motion grows as exp(s t). Of a pair, the one with Im s >= 0
  double omega = 0;                ///< Im s [rad/s]
  double frequency = 0;            ///< omega / 2 pi [Hz]
  double damping_ratio = 0; ///< -Re s / |s|: 1 and more for what creeps back, negative for what grows, 0 at s = 0
  /// Increments of the unknowns, x^H M x = 1, with the largest entry real and positive. Real without damping.
  Eigen::VectorXcd shape;
};

struct ModalReport {
  Index degrees_of_freedom = 0;
  bool damped = false;  ///< dampers act, or forces without potential: eigenvalues come in pairs and single ones
  bool stopped = false; ///< by `go_on`: modes are missing
  double imbalance = 0; ///< forces that are not in balance at the state, relative to all: should be rounding
  std::vector<Mode>
      modes; ///< by |s|, then by Re s; one for every pair, and one with s = 0 for a motion without resistance
};

struct ModalOptions {
  bool damping = true; ///< false: as if there were no dampers
  Index count =
      0; ///< so many of the lowest; 0: all, or the twenty lowest of a model with more than a thousand unknowns
  /// Asked now and then, with the number of modes found so far; false ends the search. Dense matrices ask at their end.
  std::function<bool(Index found)> go_on = {};
};

/// Modes about `state`, which should be in equilibrium; reactions are found from the balance of forces, whatever the
/// multipliers of the state. Small models are dense in the admitted motions; the lowest modes of larger ones are found
/// by iteration with sparse matrices, unless there are dampers and forces without potential. PETSc must be running.
ModalReport find_modes(const Model& model, const State& state, const ModalOptions& options = {});

} // namespace emmy
