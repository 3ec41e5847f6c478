#include "solvers/contact/free_flight.hpp"

#include "elements/bodies/free_equations.hpp"
#include "elements/bodies/plain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Sweeps of the fixed point [C6], each of which gains a factor h |omega|, before Newton takes over; its iterations.
constexpr int most_sweeps = 12;
constexpr int most_iterations = 30;

double largest(const V3<double>& a) {
  return std::max({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])});
}

/// act(Map()).
template <class Act>
auto by_map(RotationMap map, const Act& act) {
  return map == RotationMap::cayley ? act(CayleyMap()) : act(ExponentialMap());
}

/// Newton on [C5], for turns that are too large for the fixed point.
template <class Map>
bool solve_by_newton(const FreeBody& body, const V3<double>& W, const V3<double>& a_n, const V3<double>& a, double h,
                     V3<double>& Theta) {
  const M3<double> J = plain(body.J);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    V3<double> r;
    M3<double> K;
    balance_momenta(Map(), J, W, a_n, a, h, Theta, r, K);
    const V3<double> change = plain(Vec3(of_eigen(K).partialPivLu().solve(of_eigen(r))));
    const double size = std::sqrt(dot(change, change));
    if (!std::isfinite(size))
      return false;
    Theta = Theta - change;
    const double turn = std::sqrt(dot(Theta, Theta));
    if (size <= 4 * eps * turn || (size < 1e-10 * turn && size >= last))
      return true;
    last = size;
  }
  return false;
}

/// Solves [C5] for Theta.
template <class Map>
bool find_turn(const FreeBody& body, const FreeMotion& n, const Vec3& pi1, double h, V3<double>& Theta) {
  const V3<double> a = to_body(n.q.data(), plain(pi1)), a_n = pi1 == n.pi ? a : to_body(n.q.data(), plain(n.pi));
  const M3<double> J_inverse = plain(body.J_inverse);
  const V3<double> W = J_inverse * a_n;
  Theta = increment_between(W, J_inverse * a, h);
  double last = 0;
  for (int i = 0; i < most_sweeps; ++i) {
    const V3<double> next = free_turn<Map>(J_inverse, W, a, h, Theta);
    const double change = largest(next - Theta), size = largest(next);
    Theta = next;
    // What the next sweep would change: by the measured rate, or by none if it is at the floor already.
    if (change <= 4 * eps * size || (i > 0 && change * change <= 0.25 * eps * size * last))
      return true;
    if (i > 1 && change > 0.5 * last)
      break;
    last = change;
  }
  return solve_by_newton<Map>(body, W, a_n, a, h, Theta);
}

} // namespace

bool fly(const FreeBody& body, const FreeMotion& n, double h, RotationMap map, Flight& flight) {
  flight.shift = of_eigen(free_shift(body.inverse_mass, plain(n.p), plain(flight.p1), h));
  flight.Theta.setZero();
  if (!body.turns)
    return true;
  V3<double> Theta;
  if (!by_map(map, [&](auto rot) { return find_turn<decltype(rot)>(body, n, flight.pi1, h, Theta); }))
    return false;
  flight.Theta = of_eigen(Theta);
  return true;
}

void land(const Flight& flight, RotationMap map, FreeMotion& motion) {
  motion.p = flight.p1;
  motion.pi = flight.pi1;
  add_without_loss<Vec3>(flight.shift, motion.x, motion.lost_x);
  by_map(map, [&](auto rot) { add_turn<decltype(rot)>(plain(flight.Theta), motion.q.data(), motion.lost_q.data()); });
}

Spin spin(const FreeBody& body, const FreeMotion& motion) {
  if (body.inverse_moment > 0)
    return {body.inverse_mass * motion.p, body.inverse_moment * motion.pi};
  const Quaternion q = motion.orientation();
  return {body.inverse_mass * motion.p, q * (body.J_inverse * (q.conjugate() * motion.pi))};
}

Spin mean_spin(const FreeMotion& n, double h, const Flight& flight) {
  return {flight.shift / h, n.orientation() * (flight.Theta / h)};
}

Quaternion turn(const Vec3& Theta, RotationMap map) {
  return map == RotationMap::cayley ? cayley(Theta) : exponential(Theta);
}

} // namespace emmy
