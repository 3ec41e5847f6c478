#include "solvers/contact/targets.hpp"

#include <algorithm>

namespace emmy {

namespace {

/// Velocity before, changed as the field of the island has it [Q3].
Vec3 corrected(const FreeStep& step, const FreeContact& c, const Vec3& centre_velocity, const Vec3& Omega) {
  const auto correction = [&](Index body) -> Vec3 {
    const auto b = static_cast<std::size_t>(body);
    return step.h() / 2 * Omega.cross(step.body(b).inverse_mass * step.motions()[b].p - centre_velocity);
  };
  return c.before + correction(c.body[0]) - correction(c.body[1]);
}

} // namespace

void Targets::find(const FreeStep& step, const std::vector<FreeContact>& contacts, const ContactSet& set,
                   GrowingVector& s) {
  s.set_zero(3 * static_cast<Index>(contacts.size()));
  for (std::size_t island = 0; island < set.islands(); ++island) {
    const ContactSet::Range members = set.contacts_of(island);
    const double common = contacts[*members.begin()].material.restitution;
    const bool is_uniform = std::all_of(members.begin(), members.end(), [&](std::size_t j) {
      const contact::Material& m = contacts[j].material;
      return m.restitution == common && (m.friction == 0 || m.tangential_restitution == common);
    });
    if (is_uniform && common == 1)
      continue;
    const bool floats = set.find_bodies(island, bodies_) && is_uniform;
    const Cluster whole = floats ? cluster(step, bodies_) : Cluster();
    const Vec3 Omega = floats ? whole.turn(whole.angular_momentum) : Vec3(Vec3::Zero());
    for (const std::size_t j : members) {
      const FreeContact& c = contacts[j];
      const Vec3 before = floats ? corrected(step, c, whole.velocity, Omega) : c.before;
      const double normal = c.normal.dot(before);
      s.segment<3>(3 * static_cast<Index>(j)) =
          (1 - c.material.restitution) / 2 * (is_uniform ? normal : std::min(normal, 0.0)) * c.normal + // [Q2], [C31]
          (1 - c.material.tangential_restitution) / 2 * (before - normal * c.normal);
    }
  }
}

} // namespace emmy
