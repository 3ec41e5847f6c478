#pragma once
/// What contact remembers from step to step. It is part of State, sorted by key, so that a run that is continued from a
/// copy finds the same contacts in the same order.

#include "core/types.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace emmy {

/// What touches what: numbers of two surfaces, and of a vertex, edge, facet or end of each; -1 is the whole surface. A
/// contact keeps its key for as long as it lasts.
struct ContactKey {
  std::int32_t slave = -1, slave_feature = -1, master = -1, master_feature = -1;

  std::array<std::int32_t, 4> numbers() const { return {slave, slave_feature, master, master_feature}; }
  bool operator<(const ContactKey& other) const { return numbers() < other.numbers(); }
  bool operator==(const ContactKey& other) const { return numbers() == other.numbers(); }
  bool operator!=(const ContactKey& other) const { return !(*this == other); }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.slave, self.slave_feature, self.master, self.master_feature);
  }
};

struct ContactRecord {
  ContactKey key;
  Vec3 impulse = Vec3::Zero(); ///< on the slave in the last step, in space [N s]
  double h = 0;                ///< length of that step [s]

  bool operator==(const ContactRecord& other) const {
    return key == other.key && impulse == other.impulse && h == other.h;
  }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.key, self.impulse, self.h);
  }
};

using ContactMemory = std::vector<ContactRecord>;

} // namespace emmy
