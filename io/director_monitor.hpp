#pragma once
/// Looks at the momenta of director bodies in every step: those of a rigid body meet C(q) p = 0 [D3].

#include "elements/bodies/director.hpp"
#include "solvers/simulation.hpp"

#include <utility>
#include <vector>

namespace emmy {

class DirectorMonitor {
public:
  explicit DirectorMonitor(std::vector<const DirectorBody*> bodies) : bodies_(std::move(bodies)) {}

  /// True if there is nothing to look at.
  bool empty() const { return bodies_.empty(); }
  void observe(const Simulation& simulation);
  /// Largest entry of C(q) p of a body so far [N m s].
  double largest() const { return largest_; }
  void set_largest(double largest) { largest_ = largest; }

private:
  std::vector<const DirectorBody*> bodies_;
  double largest_ = 0;
};

} // namespace emmy
