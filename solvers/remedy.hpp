#pragma once
/// What usually helps where a step fails or its result is doubtful. Solvers say what is wrong in words of mechanics and
/// numerics; who asked for the run knows by which entries of the deck it is changed (io/remedies.hpp).

namespace emmy {

enum class Remedy {
  none,
  more_iterations, ///< fewer are allowed than Newton usually gets
  one_sequence,    ///< an integrator whose second sequence cannot part from the first, or to tie the two by restarts
  tolerance,       ///< it alone decides when a step is solved
};

} // namespace emmy
