#pragma once
/// The ledger: where every joule and every newton-second went. Elements enter each accepted step in StepBooks; the
/// ledger adds up and keeps the imbalance, which is what work, impulses and dissipation do not explain.

#include "core/types.hpp"

namespace emmy {

/// What the elements enter for one step.
struct StepBooks {
  // at the end of the step
  double kinetic = 0;                   ///< [J]
  double potential = 0;                 ///< [J]
  double strain = 0;                    ///< part of the potential that is stored in bodies that should be rigid [J]
  double least_volume = 1;              ///< smallest determinant of the base vectors of a body that can be strained
  Vec3 linear_momentum = Vec3::Zero();  ///< [N s]
  Vec3 angular_momentum = Vec3::Zero(); ///< about the origin [N m s]
  double linear_momentum_sum = 0;       ///< sum of the bodies' magnitudes
  double angular_momentum_sum = 0;      ///< likewise, about the origin
  double position_violation = 0;        ///< largest constraint value [m], [1]
  double velocity_violation = 0;        ///< largest rate of a constraint [m/s], [1/s]
  double penetration = 0;               ///< largest value beyond a one-sided constraint [m], [rad]
  double rigidity_violation = 0;        ///< largest entry of Q^T Q - 1 of a body whose base vectors are unknowns
  int contacts = 0;                     ///< points that carried an impulse in the step
  double law_residual = 0;              ///< how far the laws of contact were missed [R4], of their velocities
  double kicks = 0;                     ///< energy that kicks of velocities lent, to be given back [V11] [J]
  // during the step
  double work = 0;                     ///< done on the system by loads that have no potential [J]
  double dissipation = 0;              ///< lost [J]
  double lost_restitution = 0;         ///< part of it along the normals of contacts [C30]
  double lost_friction = 0;            ///< part of it across them
  double stabilisation = 0;            ///< energy that correcting positions brought in, W_st of [R21] [J]
  int impacts = 0;                     ///< impulses that began
  Vec3 impulse = Vec3::Zero();         ///< from outside [N s]
  Vec3 angular_impulse = Vec3::Zero(); ///< from outside, about the origin [N m s]
  double impulse_sum = 0;              ///< sum of the magnitudes of all impulses from outside, and at contacts
  double angular_impulse_sum = 0;      ///< likewise

  double energy() const { return kinetic + potential; }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.kinetic, self.potential, self.strain, self.least_volume, self.linear_momentum, self.angular_momentum,
       self.linear_momentum_sum, self.angular_momentum_sum, self.position_violation, self.velocity_violation,
       self.penetration, self.rigidity_violation, self.contacts, self.law_residual, self.kicks);
    to(self.work, self.dissipation, self.lost_restitution, self.lost_friction, self.stabilisation, self.impacts,
       self.impulse, self.angular_impulse, self.impulse_sum, self.angular_impulse_sum);
  }
};

/// Sum that keeps what rounding drops (Neumaier), so that 10⁷ bookings add no error of their own.
template <class T>
class CompensatedSum {
public:
  void add(const T& x);
  T value() const { return sum_ + lost_; }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.sum_, self.lost_);
  }

private:
  T sum_ = zero();
  T lost_ = zero();
  static T zero();
};

class Ledger {
public:
  /// Opens the books with the initial state; what happened during a step is ignored.
  void open(const StepBooks& initial);
  /// Books one accepted step.
  void add(const StepBooks& step);

  const StepBooks& initial() const { return initial_; }
  const StepBooks& last() const { return last_; }
  double work() const { return work_.value(); }
  double dissipation() const { return dissipation_.value(); }
  double lost_restitution() const { return lost_restitution_.value(); }
  double lost_friction() const { return lost_friction_.value(); }
  double stabilisation() const { return stabilisation_.value(); }
  long impacts() const { return impacts_; }
  double max_law_residual() const { return max_law_residual_; }

  // imbalance now
  double energy_imbalance() const;
  Vec3 linear_imbalance() const;
  Vec3 angular_imbalance() const;

  // largest imbalance so far, and the scales that make it relative
  double max_energy_imbalance() const { return max_energy_; }
  double max_linear_imbalance() const { return max_linear_; }
  double max_angular_imbalance() const { return max_angular_; }
  double max_position_violation() const { return max_position_; }
  double max_velocity_violation() const { return max_velocity_; }
  double max_penetration() const { return max_penetration_; }
  double max_rigidity_violation() const { return max_rigidity_; }
  /// Largest energy stored in bodies that should be rigid, relative to the largest kinetic energy [T16]. Both of the
  /// whole run: shortly after a start from rest their ratio means nothing.
  double strain_ratio() const { return max_kinetic_ > 0 ? max_strain_ / max_kinetic_ : 0; }
  double least_volume() const { return least_volume_; }
  /// Largest kinetic energy + largest change of potential + largest work done: free of any datum.
  double energy_scale() const { return max_kinetic_ + max_potential_change_ + max_work_; }
  /// Largest sum of the bodies' magnitudes.
  double linear_scale() const { return max_linear_sum_; }
  double angular_scale() const { return max_angular_sum_; }

  // largest imbalance relative to its scale; 0 where nothing happened that is larger than rounding: a body that rests
  // on a joint has no momentum worth speaking of, but its weight passes through the ledger in every step
  double relative_energy_imbalance() const;
  double relative_linear_imbalance() const;
  double relative_angular_imbalance() const;

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.initial_, self.last_, self.work_, self.dissipation_, self.lost_restitution_, self.lost_friction_,
       self.stabilisation_, self.impulse_, self.angular_impulse_);
    to(self.max_energy_, self.max_linear_, self.max_angular_, self.max_position_, self.max_velocity_, self.max_kinetic_,
       self.max_potential_change_, self.max_work_, self.max_linear_sum_, self.max_angular_sum_, self.max_energy_size_,
       self.impulse_sum_, self.angular_impulse_sum_, self.max_strain_, self.least_volume_, self.max_rigidity_,
       self.max_penetration_, self.max_law_residual_, self.impacts_);
  }

private:
  void update_extremes();

  StepBooks initial_, last_;
  CompensatedSum<double> work_, dissipation_, lost_restitution_, lost_friction_, stabilisation_;
  CompensatedSum<Vec3> impulse_, angular_impulse_;
  double max_energy_ = 0, max_linear_ = 0, max_angular_ = 0, max_position_ = 0, max_velocity_ = 0;
  double max_kinetic_ = 0, max_potential_change_ = 0, max_work_ = 0, max_linear_sum_ = 0, max_angular_sum_ = 0;
  double max_energy_size_ = 0, impulse_sum_ = 0, angular_impulse_sum_ = 0;
  double max_strain_ = 0, least_volume_ = 1, max_rigidity_ = 0, max_penetration_ = 0;
  double max_law_residual_ = 0;
  long impacts_ = 0;
};

} // namespace emmy
