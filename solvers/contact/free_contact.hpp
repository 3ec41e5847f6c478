#pragma once
/// A contact between free bodies in one step, and how it is found.

#include "contact/narrow.hpp"
#include "solvers/contact/free_step.hpp"

#include <array>
#include <vector>

namespace emmy {

/// Where an impulse acts on its two bodies. All but the last two keep angular momentum.
enum class Arms {
  common,    ///< one point of both: that of the slave in the middle of the predicted step [C24]
  mean,      ///< the same in the mean of the step as it comes out [C26]
  corrected, ///< the rule of the paper with its misprints put right [C25]
  start,     ///< the same with centres at the start of the step instead of its middle
  printed    ///< the rule of the paper as it is printed, (13)
};

struct FreeContact {
  ContactKey key;
  int rule = -1;
  contact::Material material;
  contact::ContactSide slave;                          ///< material point of the slave
  double radius = 0;                                   ///< of its rounding [m]
  std::array<Index, 2> body{-1, -1};                   ///< slave, master; -1: the ground
  std::array<Vec3, 2> arm{Vec3::Zero(), Vec3::Zero()}; ///< A, from the centre of each [m]
  Vec3 normal = Vec3::UnitZ();                         ///< nu, on the slave
  double gap = 0;                                      ///< predicted at the end of the step [m]
  Vec3 before = Vec3::Zero();                          ///< w^-, relative velocity before [C20] [m/s]
  Vec3 impulse = Vec3::Zero();                         ///< on the slave [N s]
  Vec3 velocity = Vec3::Zero();                        ///< w, relative velocity in the mean of the step [m/s]

  double approach() const { return -normal.dot(before); }
};

/// Makes contacts of points that come close in a step.
class ContactFinder {
public:
  ContactFinder(const contact::Scene& scene, std::vector<Index> body_of_port, Arms arms);

  const contact::Scene& scene() const { return scene_; }
  Arms arms() const { return arms_; }

  /// Appends the contacts of a pair of surfaces whose gap at the end of the step as it is flown now, less what
  /// restitution below 1 takes away, is below `reserve` [C37], [R7].
  void find(const FreeStep& step, const contact::SurfacePair& pair, double reserve, std::vector<FreeContact>& out);

  /// Points of a pair of surfaces within a margin, at one time of the step as it is flown.
  void near(const FreeStep& step, const contact::SurfacePair& pair, FreeStep::When when, double margin,
            std::vector<contact::ContactPoint>& out) const;

  /// Appends those whose gap at the end of the step as it is flown now is negative.
  void find_closed(const FreeStep& step, const contact::SurfacePair& pair, std::vector<FreeContact>& out);

  /// The contact of a point at the start of the step, as it stands.
  FreeContact standing_contact(const FreeStep& step, const contact::SurfacePair& pair,
                               const contact::ContactPoint& point) const;

  /// Puts the arms of a contact where they belong in the step as it is flown now; only for Arms::mean.
  void renew_arms(const FreeStep& step, FreeContact& contact) const;

  /// A bound of how far points of the surfaces of a pair may move against each other in the step [m].
  double travel(const FreeStep& step, const contact::SurfacePair& pair) const;

  /// Distance that rounding may make between surfaces that touch, of a pair and of any [m].
  double touching(const contact::SurfacePair& pair) const;
  double most_touching() const { return most_touching_; }

  Index body_of(int surface) const;
  Index body_of_port(Index port) const { return body_of_port_[static_cast<std::size_t>(port)]; }

private:
  void find_middles(const FreeStep& step, const contact::SurfacePair& pair, double margin);
  FreeContact contact_at(const FreeStep& step, const contact::SurfacePair& pair,
                         const contact::ContactPoint& end) const;
  FreeContact bare_contact(const contact::SurfacePair& pair, const contact::ContactPoint& point) const;
  void set_common_arms(const contact::Placed& slave, const contact::Placed& master, FreeContact& contact) const;
  Vec3 origin(const FreeStep& step, const contact::SurfacePair& pair) const;
  contact::Placed place(const FreeStep& step, Index body, FreeStep::When when, const Vec3& origin) const;
  void set_arms(const FreeStep& step, const Vec3& origin, const contact::ContactPoint& end, FreeContact& contact) const;

  const contact::Scene& scene_;
  std::vector<Index> body_of_port_;
  std::vector<double> reach_, touching_; ///< by surface
  double most_touching_ = 0;
  Arms arms_;
  std::vector<contact::ContactPoint> ends_, middles_; // work space
};

} // namespace emmy
