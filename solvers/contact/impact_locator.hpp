#pragma once
/// When, within a step, surfaces that close in it first touch.

#include "solvers/contact/free_contact.hpp"

#include <optional>

namespace emmy {

class ImpactLocator {
public:
  explicit ImpactLocator(const ContactFinder& finder);

  /// The time from the start of the step at which the first of the contacts, which are closed at its end, touches; 0 if
  /// one touches already and approaches. Nothing if one touches and does neither approach nor leave faster than `slow`
  /// [m/s]: it rests. Leaves the flights of their bodies at some length.
  std::optional<double> first_touch(FreeStep& step, const std::vector<contact::SurfacePair>& pairs,
                                    const std::vector<FreeContact>& contacts, double slow);

private:
  /// What contacts that touch at the start of the step are about to do; if some rest, that.
  enum class Start { apart, hits, leaves, rests };
  Start start(FreeStep& step, const std::vector<FreeContact>& contacts, double slow);
  /// Visits the contacts with their gaps after a time, in units of what counts as touching.
  template <class Visitor>
  bool each_gap(FreeStep& step, double time, const std::vector<FreeContact>& contacts, const Visitor& visit);
  /// Least gap of the contacts after a time, in units of what counts as touching.
  double least_gap(FreeStep& step, double time, const std::vector<FreeContact>& contacts);

  const ContactFinder& finder_;
  std::vector<contact::SurfacePair> pairs_; ///< that the contacts belong to
  std::vector<double> margins_;             ///< within which their points are looked for
  std::vector<std::size_t> bodies_;
  std::vector<contact::ContactPoint> points_;
};

} // namespace emmy
