#include "solvers/contact/free_step.hpp"

#include <utility>

namespace emmy {

FreeStep::FreeStep(std::vector<FreeBody> bodies, RotationMap map)
    : bodies_(std::move(bodies)), map_(map), motions_(bodies_.size()), flights_(bodies_.size()),
      loads_(bodies_.size()) {}

bool FreeStep::is_flown(std::size_t b) {
  if (fly(bodies_[b], motions_[b], h_, map_, flights_[b]))
    return true;
  lost_body_ = b;
  return false;
}

void FreeStep::load(std::size_t b, const Vec3& impulse, const Vec3& moment) {
  flights_[b].p1 = motions_[b].p + (h_ * loads_[b].force + impulse); // [C1]
  flights_[b].pi1 = motions_[b].pi + (h_ * loads_[b].moment + moment);
}

bool FreeStep::begin(double h) {
  h_ = h;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    load(b, Vec3::Zero(), Vec3::Zero());
    if (!is_flown(b))
      return false;
  }
  return true;
}

bool FreeStep::push(std::size_t b, const Vec3& impulse, const Vec3& moment) {
  load(b, impulse, moment);
  return is_flown(b);
}

bool FreeStep::fly_to(double h, const std::vector<std::size_t>& bodies) {
  h_ = h;
  for (const std::size_t b : bodies)
    if (!push(b, Vec3::Zero(), Vec3::Zero()))
      return false;
  return true;
}

void FreeStep::finish() {
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    land(flights_[b], map_, motions_[b]);
}

void FreeStep::displace(std::size_t b, const Vec3& shift, const Vec3& theta) {
  FreeMotion& m = motions_[b];
  const Vec3 Theta = bodies_[b].turns ? Vec3(m.orientation().conjugate() * theta) : Vec3(Vec3::Zero());
  land({m.p, m.pi, shift, Theta}, map_, m);
}

void FreeStep::add_spin(std::size_t b, const Vec3& v, const Vec3& omega) {
  FreeMotion& m = motions_[b];
  m.p += v / bodies_[b].inverse_mass;
  const Quaternion q = m.orientation();
  m.pi += q * (bodies_[b].J * (q.conjugate() * omega));
}

Spin FreeStep::end_spin(std::size_t b) const {
  FreeMotion end = motions_[b];
  land(flights_[b], map_, end);
  return spin(bodies_[b], end);
}

Spin FreeStep::mean_spin(std::size_t b) const {
  if (h_ > 0)
    return emmy::mean_spin(motions_[b], h_, flights_[b]);
  const Spin before = start_spin(b), after = end_spin(b);
  return {(before.v + after.v) / 2, (before.omega + after.omega) / 2};
}

contact::Placed FreeStep::place(std::size_t b, When when, const Vec3& origin) const {
  const FreeMotion& n = motions_[b];
  const Vec3 x = n.x - origin;
  const Quaternion q = n.orientation();
  if (when == When::start)
    return {x + n.lost_x, q.normalized().toRotationMatrix()};
  const Flight& flight = when == When::end ? flights_[b] : predicted_[b];
  const Quaternion end = q * turn(flight.Theta, map_);
  if (when == When::end)
    return {x + (n.lost_x + flight.shift), end.normalized().toRotationMatrix()};
  // The mean of the two quaternions has half the turn, by either map.
  return {x + (n.lost_x + flight.shift / 2),
          Quaternion((q.coeffs() + end.coeffs()).eval()).normalized().toRotationMatrix()};
}

} // namespace emmy
