#pragma once
/// Targets of the laws of contact: what restitution makes of the velocities before a step. w - s takes the place of w
/// in the law of perfectly elastic contact.
///
///   s = (1 - e)/2 G^T v~      normal part, likewise the tangential one with e_t [Q2]
///
/// v~ is one velocity field of all bodies of an island, so that the targets can be met by motions of rigid bodies: the
/// velocities before, and on islands that float free without what bodies that turn together seem to approach [Q3].
/// Where restitution differs within an island no such field exists; every contact then has a target of its own [Q6].

#include "core/growing_vector.hpp"
#include "solvers/contact/contact_set.hpp"

namespace emmy {

class Targets {
public:
  void find(const FreeStep& step, const std::vector<FreeContact>& contacts, const ContactSet& set, GrowingVector& s);

private:
  std::vector<std::size_t> bodies_; ///< of an island
};

} // namespace emmy
