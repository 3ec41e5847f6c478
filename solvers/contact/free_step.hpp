#pragma once
/// One attempted step of all free bodies of a model: where they start, what acts on them, and how they fly with the
/// impulses that have been found so far.

#include "contact/surfaces/surface.hpp"
#include "solvers/contact/free_flight.hpp"
#include "solvers/integrators/explicit/rigid_system.hpp"

#include <vector>

namespace emmy {

class FreeStep {
public:
  FreeStep(std::vector<FreeBody> bodies, RotationMap map);

  std::size_t size() const { return bodies_.size(); }
  const FreeBody& body(std::size_t b) const { return bodies_[b]; }
  RotationMap map() const { return map_; }
  double h() const { return h_; }

  /// Of all bodies at the start of the step; changed by the caller before begin(), and by finish().
  std::vector<FreeMotion>& motions() { return motions_; }
  const std::vector<FreeMotion>& motions() const { return motions_; }
  const Flight& flight(std::size_t b) const { return flights_[b]; }
  /// The flight that was held as the prediction.
  const Flight& prediction(std::size_t b) const { return predicted_[b]; }
  /// Force and moment on every body, constant in the step.
  Wrenches& loads() { return loads_; }
  const Wrenches& loads() const { return loads_; }

  /// Flies all bodies without contact for a time h >= 0. False if one turns too far; see lost_body().
  bool begin(double h);
  /// Remembers the flights as they are now: what When::middle means while impulses are found.
  void hold_prediction() { predicted_ = flights_; }
  /// Flies one body once more, with momenta changed by an impulse and its moment beyond the loads. False as above.
  bool push(std::size_t b, const Vec3& impulse, const Vec3& moment);
  /// Flies some of the bodies for another length of the step. False as above.
  bool fly_to(double h, const std::vector<std::size_t>& bodies);
  /// Moves all bodies to the end of their flights.
  void finish();

  // --- between steps
  /// Moves and turns a body; its momenta stay.
  void displace(std::size_t b, const Vec3& shift, const Vec3& theta);
  /// Adds to its velocities.
  void add_spin(std::size_t b, const Vec3& v, const Vec3& omega);

  std::size_t lost_body() const { return lost_body_; }

  /// Velocities at the start, and in the mean of the step as it is flown now: those of [C3]. In a step of no length
  /// they are the means of before and after.
  Spin start_spin(std::size_t b) const { return spin(bodies_[b], motions_[b]); }
  Spin mean_spin(std::size_t b) const;
  /// At the end of the step.
  Spin end_spin(std::size_t b) const;

  enum class When {
    start,
    middle, ///< of the predicted step: half its shift and half its turn [C22], [C24]
    end     ///< of the step as it is flown now
  };
  /// Where a body is then, from an origin nearby.
  contact::Placed place(std::size_t b, When when, const Vec3& origin) const;

private:
  bool is_flown(std::size_t b);
  void load(std::size_t b, const Vec3& impulse, const Vec3& moment);

  std::vector<FreeBody> bodies_;
  RotationMap map_;
  std::vector<FreeMotion> motions_;
  std::vector<Flight> flights_, predicted_;
  Wrenches loads_;
  double h_ = 0;
  std::size_t lost_body_ = 0;
};

} // namespace emmy
