#pragma once
/// Books of bodies summed lane by lane: only for sources of kernels.

#include "elements/bodies/momenta.hpp"
#include "solvers/books/book_program.hpp"
#include "solvers/condensation/side_by_side.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// 1 in the lanes that are real, 0 in others.
template <class T>
EMMY_INLINE T ones(int real) {
  double lanes[Lanes<T>::count];
  for (int i = 0; i < Lanes<T>::count; ++i)
    lanes[i] = i < real ? 1 : 0;
  T a;
  std::memcpy(&a, lanes, sizeof a);
  return a;
}
/// What is computed where nobody is may be no number: it is left out, not multiplied with zero.
template <class T>
EMMY_INLINE T only(const T& real, const T& a) {
  return real > 0 ? a : T{};
}
template <class T>
EMMY_INLINE V3<T> only(const T& real, const V3<T>& a) {
  return {{only(real, a[0]), only(real, a[1]), only(real, a[2])}};
}
template <class T>
inline double lane(const T& numbers, int i) {
  return reinterpret_cast<const double*>(&numbers)[i];
}
template <class T>
inline double sum_of_lanes(const T& numbers) {
  double sum = 0;
  for (int i = 0; i < Lanes<T>::count; ++i)
    sum += lane(numbers, i);
  return sum;
}
template <class T>
inline double largest_of_lanes(const T& numbers) {
  double largest = lane(numbers, 0);
  for (int i = 1; i < Lanes<T>::count; ++i)
    largest = larger(largest, lane(numbers, i));
  return largest;
}

/// Sum of vectors and of their lengths, lane by lane.
template <class T>
struct VectorSum {
  V3<T> sum{};
  T of_lengths{};
  EMMY_INLINE void add(const V3<T>& a) {
    sum = sum + a;
    of_lengths = of_lengths + square_root(dot(a, a));
  }
  /// Times a factor that all have in common.
  void write(double factor, double* to, double& lengths) const {
    for (int k = 0; k < 3; ++k)
      to[k] += factor * sum_of_lanes(sum[k]);
    lengths += larger(factor, -factor) * sum_of_lanes(of_lengths);
  }
};

/// Momenta of bodies, and what their weights do.
template <class T>
struct BodySums {
  T kinetic{}, potential{};
  VectorSum<T> linear, angular, weights, moments;

  /// `real` is 0 in lanes where nobody is.
  EMMY_INLINE void add(const T& real, const BodyMomenta<T>& of) {
    kinetic = kinetic + only(real, of.kinetic);
    linear.add(only(real, of.linear));
    angular.add(only(real, of.angular));
  }
  /// A weight, with the sign of a residual, on a centre that is at x in the end and at x_m in the mean.
  EMMY_INLINE void add_weight(const T& real, const V3<T>& weight, const V3<T>& x, const V3<T>& x_m) {
    potential = potential + only(real, dot(weight, x));
    weights.add(only(real, weight));
    moments.add(only(real, cross(x_m, weight)));
  }
  /// Of momenta relative to the mean mass, in a step of length h.
  void write(double mean_mass, double h, BatchBooks& books) const {
    books.kinetic += mean_mass * sum_of_lanes(kinetic);
    books.potential += sum_of_lanes(potential);
    linear.write(mean_mass, books.linear_momentum, books.linear_momentum_sum);
    angular.write(mean_mass, books.angular_momentum, books.angular_momentum_sum);
    weights.write(-h, books.impulse, books.impulse_sum);
    moments.write(-h, books.angular_impulse, books.angular_impulse_sum);
  }
};

/// Adds what a body has in the gap of a ball joint and in its speed; `joint(i)` is where the numbers of lane i are.
template <class T, class Address>
EMMY_INLINE void add_to_joint(Address joint, const V3<T>& gap, const V3<T>& speed) {
  const T padded[ball_joint_numbers] = {gap[0], gap[1], gap[2], T{}, speed[0], speed[1], speed[2], T{}};
  add<ball_joint_numbers>(joint, padded);
}

} // namespace EMMY_ISA
} // namespace emmy
