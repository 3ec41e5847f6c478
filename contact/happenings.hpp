#pragma once
/// What happened between surfaces in one step: for histories, lists of impacts, summaries and warnings.

#include "core/contact_memory.hpp"

#include <string>
#include <vector>

namespace emmy::contact {

/// An impulse that begins: in the step before there was none between the same features.
struct Impact {
  double time = 0;                ///< [s]
  int rule = -1;                  ///< of the scene
  ContactKey key;                 ///< first is the slave
  Vec3 at = Vec3::Zero();         ///< in space [m]
  Vec3 normal = Vec3::UnitZ();    ///< on the slave
  double impulse = 0;             ///< along the normal [N s]
  Vec3 tangential = Vec3::Zero(); ///< across it [N s]
  double approach = 0;            ///< speed with which the surfaces approached before [m/s]
  double lost = 0;                ///< [J]
};

/// Of all contacts of one rule in one step.
struct RuleTotals {
  int points = 0;             ///< that carried an impulse
  double gap = 0;             ///< the least one at the end [m]; NaN if no points were near
  Vec3 force = Vec3::Zero();  ///< mean over the step, on the second side of a named pair [N]
  Vec3 moment = Vec3::Zero(); ///< likewise, about Rule::second_port [N m]

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.points, self.gap, self.force, self.moment);
  }
};

/// Points that were pressed into each other.
struct Penetration {
  double depth = 0;            ///< [m]; 0 if there was none
  int first = -1, second = -1; ///< surfaces

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.depth, self.first, self.second);
  }
};

struct Happenings {
  int contacts = 0;              ///< points that carried an impulse
  std::vector<Impact> impacts;   ///< in the order of their keys
  std::vector<RuleTotals> rules; ///< by rule of the scene
  Penetration worst;             ///< at the end of the step
  double residual = 0;           ///< how far the laws of contact were missed, [R4], relative to the velocities
  std::string warning;           ///< something that a person should know
};

} // namespace emmy::contact
