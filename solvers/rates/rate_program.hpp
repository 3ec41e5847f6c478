#pragma once
/// Rows of joints at an instant as kernels see them: plain data.
///
/// Joints of one kind stand four side by side: their bodies, their inertia, their gradients G and their rows. A vector
/// of rows has the numbers of each such four, row by row. Vectors of rates have two packs for each body.

namespace emmy {

/// Joints that stand side by side, on every processor: what is kept of a run must not depend on it.
inline constexpr int rate_lanes = 4;
/// Numbers of a body in a vector of rates: velocity and a zero, convected angular velocity and a zero.
inline constexpr int rate_numbers = 8;
/// Of its inertia: mass and three zeros, J in columns with a zero each.
inline constexpr int inertia_numbers = 16;
/// Of a side of a joint: 1/mass, the lower triangle of J^-1 by columns; and the same of L^-1, M = L L^T.
inline constexpr int side_numbers = 7;

/// Joints with as many rows and sides each. Of lanes that nobody has G and inertia are zero.
struct RateGroup {
  int rows, sides, packs;
  int first;             ///< in vectors of rows
  int gradients;         ///< in G: packs x sides x rows x 6
  const int* bodies;     ///< packs x sides; one beyond the last is the ground
  const double* inertia; ///< packs x sides x side_numbers
  const double* roots;   ///< likewise
  const int* V;          ///< where V of each side goes, packs x sides; of nobody's where nobody looks
};

/// What finds the gradients of a group of joints between two frames.
struct RateBatch {
  RateGroup group;
  const int* values;               ///< of each side in State::values, packs x 2; -1 for the ground
  const double *vectors, *numbers; ///< constants
  const double* memory;            ///< what joints know of the instant
};

struct RateInstant {
  const double *values, *remainders; ///< of a State
  const double* ground;              ///< and of the ground: seven numbers, then zeros
};

struct RateFinder {
  const char* name;
  int multipliers;              ///< 0: it has no rows
  int vectors, numbers, memory; ///< of each joint
  void (*find)(const RateBatch&, const RateInstant&, double* G, double* by_time);
};

/// A block of the matrix W = G M^-1 G^T: the sum over bodies that two joints act on. Of each such side there is V =
/// L^-1 G^T with M = L L^T, a row after the other, as rates of bodies are.
struct MetricBlock {
  int rows, columns;
  int at, transposed; ///< in the matrix; the latter -1 on the diagonal
  int first, count;   ///< pairs
};
struct MetricPair {
  int a, b; ///< where V of the two is
};
/// A body of many joints stays an unknown of its own: [W, V; V^T, -1].
struct HubSide {
  int rows, columns; ///< of the joint: where V is, and how many they are
  int pivot;         ///< their own block
  int below, right;  ///< block (joint, hub), and (hub, joint)
};
struct MetricProgram {
  const MetricBlock* blocks;
  int block_count;
  const MetricPair* pairs;
  const HubSide* hubs;
  int hub_count;
};

struct RateKernels {
  const RateFinder* finders;
  int kinds;
  /// c = G y.
  void (*rates)(const RateGroup&, const double* G, const double* y, double* c);
  /// y += factor M^-1 G^T m.
  void (*kick)(const RateGroup&, const double* G, const double* m, double factor, double* y);
  /// (y - z)^T M (y - z) of every body.
  void (*energies)(int bodies, const double* inertia, const double* y, const double* z, double* energies);
  void (*normalise)(const RateGroup&, const double* G, double* V);
  /// W with a diagonal that is larger by the part `shift`, or one where a row does nothing.
  void (*metric)(const MetricProgram&, const double* V, double shift, double* matrix);
};

} // namespace emmy
