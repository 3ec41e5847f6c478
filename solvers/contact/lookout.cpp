#include "solvers/contact/lookout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace emmy {

Lookout::Lookout(const ContactFinder& finder, std::vector<Index> ports, std::size_t ports_of_model, double touching)
    : watch_(finder.scene(), ports_of_model), ports_(std::move(ports)), places_(ports_of_model),
      travels_(ports_of_model, 0.0), touching_(touching * finder.most_touching()) {
  for (const contact::Rule& rule : finder.scene().rules)
    least_restitution_ = std::min(least_restitution_, rule.material.restitution);
}

/// A bound of how far points of a body are from where another flight from the same start would have brought them.
double Lookout::way(const FreeStep& step, std::size_t b, const Vec3& shift, const Vec3& Theta) const {
  const Flight& flight = step.flight(b);
  return (flight.shift - shift).norm() + (flight.Theta - Theta).norm() * watch_.reach(ports_[b]);
}

/// Gap below which a pair of surfaces may have contacts in a step, for all pairs alike: what ContactFinder::find allows
/// for, with the fastest bodies.
double Lookout::watched_gap() const {
  return touching_ + (1 - least_restitution_) * fastest_ + slop_;
}

bool Lookout::comes_close(const FreeStep& step, double slop) {
  slop_ = slop;
  fastest_ = 0;
  bool close = false;
  for (std::size_t b = 0; b < step.size(); ++b) {
    const double travel = way(step, b, Vec3::Zero(), Vec3::Zero());
    travels_[static_cast<std::size_t>(ports_[b])] = travel;
    fastest_ = std::max(fastest_, travel);
    close |= watch_.spend(ports_[b], travel);
  }
  if (!close && watch_.covers(watched_gap()))
    return false;
  look(step);
  return true;
}

void Lookout::look(const FreeStep& step) {
  for (std::size_t b = 0; b < step.size(); ++b)
    places_[static_cast<std::size_t>(ports_[b])] = step.place(b, FreeStep::When::end, Vec3::Zero());
  const double gap = watched_gap();
  // Rounded up to a power of two, so that small changes do not matter.
  watch_.look(places_, travels_, gap > 0 ? std::exp2(std::ceil(std::log2(gap))) : 0);
}

void Lookout::look_anew(const FreeStep& step, double slop) {
  slop_ = slop;
  watch_.forget();
  look(step);
}

void Lookout::follow(const FreeStep& step, const std::vector<std::size_t>& bodies) {
  bool close = false;
  for (const std::size_t b : bodies)
    close |= watch_.spend(ports_[b], way(step, b, step.prediction(b).shift, step.prediction(b).Theta));
  if (close)
    look(step);
}

} // namespace emmy
