#pragma once
/// Which surfaces may meet in a step of free bodies. Far from contact a step costs little more than a comparison a
/// body.

#include "contact/search/watch.hpp"
#include "solvers/contact/free_contact.hpp"

namespace emmy {

class Lookout {
public:
  /// `ports` by body. `touching`: how near surfaces have to be to count as touching, in units of ContactFinder's.
  Lookout(const ContactFinder& finder, std::vector<Index> ports, std::size_t ports_of_model, double touching);

  /// All bodies fly to the end of `step`. True if surfaces may come within what ContactFinder::find() looks for, or
  /// within `slop`; pairs() then are those that may.
  bool comes_close(const FreeStep& step, double slop);
  /// Some of them fly elsewhere than predicted.
  void follow(const FreeStep& step, const std::vector<std::size_t>& bodies);
  /// Looks where bodies are at the end of the step, whatever was known before.
  void look_anew(const FreeStep& step, double slop);
  /// Bodies have been moved by others.
  void forget() { watch_.forget(); }

  const std::vector<contact::SurfacePair>& pairs() const { return watch_.pairs(); }

private:
  void look(const FreeStep& step);
  double way(const FreeStep& step, std::size_t b, const Vec3& shift, const Vec3& Theta) const;
  double watched_gap() const;

  contact::Watch watch_;
  std::vector<Index> ports_;
  std::vector<contact::Placed> places_; ///< by port
  std::vector<double> travels_;         ///< by port: of the step [m]
  double touching_;                     ///< [m]
  double least_restitution_ = 1;
  double fastest_ = 0; ///< largest travel of a body in the step [m]
  double slop_ = 0;
};

} // namespace emmy
