#pragma once
/// All surfaces of a model, and which of them may touch and how. It does not change once time runs.

#include "contact/surfaces/surface.hpp"

#include <string>
#include <utility>
#include <vector>

namespace emmy::contact {

struct Material {
  double restitution = 1; ///< e, of normal velocities: 0 to 1
  double friction = 0;    ///< mu
  double tangential_restitution = 0;
};

/// How the surfaces of two classes meet.
struct Rule {
  std::string name; ///< of a pair that the deck names; empty for the default of all others
  Material material;
  std::vector<int> second; ///< surfaces of the second side of a named pair, on which its force is written; sorted
  Index second_port = 0;   ///< about the centre of which its moment is written; the ground: about the origin
};

struct Scene {
  std::vector<Surface> surfaces;
  std::vector<int> class_of; ///< surface -> class: surfaces of one class meet all others alike
  Eigen::MatrixXi rule_of;   ///< class x class -> index in `rules`, or -1 where they pass through each other
  std::vector<Rule> rules;
  std::vector<std::pair<Index, Index>> apart; ///< ports of bodies whose surfaces never meet, smaller first, sorted

  /// Index of the rule for two surfaces; -1 if they do not meet. Surfaces of one body never do.
  int rule(int a, int b) const;
  /// The same by their ports and classes.
  int rule(Index port_a, int class_a, Index port_b, int class_b) const;
};

} // namespace emmy::contact
