#pragma once
/// The contacts of a step as a problem: the bodies that they touch, numbered from 0, and the islands that they form.

#include "contact/problem/free_compliance.hpp"
#include "contact/problem/islands.hpp"
#include "solvers/contact/free_contact.hpp"

namespace emmy {

class ContactSet {
public:
  /// Numbers bodies and finds islands.
  void enter(const FreeStep& step, const std::vector<FreeContact>& contacts);
  /// Writes to `form` where bodies are at that time and the arms of the contacts, as the compliance of free bodies
  /// wants them.
  void fill(const FreeStep& step, FreeStep::When when, const std::vector<FreeContact>& contacts,
            contact::BodyForm& form) const;

  /// Touched bodies, as numbered in the model.
  const std::vector<std::size_t>& bodies() const { return bodies_; }

  std::size_t islands() const { return begins_.size() - 1; }
  /// Contacts of an island: positions in the list that was entered.
  struct Range {
    const std::size_t *first, *last;
    const std::size_t* begin() const { return first; }
    const std::size_t* end() const { return last; }
  };
  Range contacts_of(std::size_t island) const {
    return {order_.data() + begins_[island], order_.data() + begins_[island + 1]};
  }
  /// Bodies of an island, as numbered in the model, sorted; true if none of its contacts touches the ground.
  bool find_bodies(std::size_t island, std::vector<std::size_t>& bodies) const;

private:
  std::vector<std::size_t> bodies_;
  std::vector<Index> number_; ///< of a body of the model among bodies_; -1 outside of enter()
  std::vector<std::array<Index, 2>> parts_;
  contact::IslandFinder finder_;
  std::vector<Index> island_; ///< by contact
  std::vector<std::size_t> order_, begins_{0};
};

/// A group of bodies as one: how it would turn as a rigid body.
struct Cluster {
  Vec3 centre = Vec3::Zero();           ///< of mass [m]
  Vec3 velocity = Vec3::Zero();         ///< of it [m/s]
  Vec3 angular_momentum = Vec3::Zero(); ///< about it [N m s]
  Mat3 inertia = Mat3::Zero();          ///< about it [kg m²]

  /// Angular velocity with the angular momentum H [R19]. Points on one line have no inertia about it: the solution of
  /// least norm leaves that turn out.
  Vec3 turn(const Vec3& H) const { return inertia.completeOrthogonalDecomposition().solve(H); }
};
Cluster cluster(const FreeStep& step, const std::vector<std::size_t>& bodies);

} // namespace emmy
