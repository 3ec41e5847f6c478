#include "contact/geometry/closest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

double closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double squared = along.squaredNorm();
  return squared > 0 ? std::clamp(along.dot(p - a) / squared, 0.0, 1.0) : 0;
}

ClosestOfSegments closest_of_segments(const std::array<Vec3, 2>& a, const std::array<Vec3, 2>& b) {
  const Vec3 u = a[1] - a[0], v = b[1] - b[0];
  ClosestOfSegments best;
  best.distance_squared = std::numeric_limits<double>::infinity();
  const auto consider = [&](double s, double t) {
    const Vec3 on_a = a[0] + s * u, on_b = b[0] + t * v;
    const double squared = (on_a - on_b).squaredNorm();
    if (squared < best.distance_squared)
      best = {on_a, on_b, s, t, squared};
  };
  // Between the lines: along their common normal. Where they are parallel to rounding, ends are as close.
  constexpr double least_sine = 1e-8;
  const Vec3 n = u.cross(v), w = b[0] - a[0];
  const double n_squared = n.squaredNorm();
  if (n_squared > least_sine * least_sine * u.squaredNorm() * v.squaredNorm()) {
    const double s = w.cross(v).dot(n) / n_squared, t = w.cross(u).dot(n) / n_squared;
    if (s > 0 && s < 1 && t > 0 && t < 1) {
      consider(s, t);
      return best;
    }
  }
  for (int end = 0; end < 2; ++end) {
    consider(end, closest_on_segment(a[static_cast<std::size_t>(end)], b[0], b[1]));
    consider(closest_on_segment(b[static_cast<std::size_t>(end)], a[0], a[1]), end);
  }
  return best;
}

namespace {

/// The closest point on the edges of a facet.
template <std::size_t count>
ClosestOnFacet closest_on_edges(const Vec3& p, const std::array<Vec3, count>& x) {
  ClosestOnFacet best;
  best.distance_squared = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = (i + 1) % count;
    const double t = closest_on_segment(p, x[i], x[j]);
    const Vec3 at = x[i] + t * (x[j] - x[i]);
    const double squared = (p - at).squaredNorm();
    if (!(squared < best.distance_squared))
      continue;
    best = {at, {}, FacetPart::edge, static_cast<int>(i), squared};
    best.N[i] = 1 - t;
    best.N[j] = t;
    if (t == 0 || t == 1) {
      best.part = FacetPart::vertex;
      best.number = static_cast<int>(t == 0 ? i : j);
    }
  }
  return best;
}

std::array<double, 4> bilinear(double xi, double eta) {
  return {(1 - xi) * (1 - eta), xi * (1 - eta), xi * eta, (1 - xi) * eta};
}

/// A bilinear facet x(xi, eta) = x0 + xi e + eta f + xi eta g over the unit square.
struct Bilinear {
  Vec3 x0, e, f, g;

  explicit Bilinear(const std::array<Vec3, 4>& x) : x0(x[0]), e(x[1] - x[0]), f(x[3] - x[0]), g(x[2] - x[1] - f) {}

  Vec3 at(double xi, double eta) const { return x0 + xi * e + eta * f + xi * eta * g; }
};

/// Minimum of the distance inside the square, from a start: Newton's method where it leads down, else Gauss-Newton's.
/// Returns false if the square is left.
bool minimum_inside(const Vec3& p, const Bilinear& x, double& xi, double& eta) {
  constexpr int most_steps = 30;
  double squared = (p - x.at(xi, eta)).squaredNorm();
  for (int step = 0; step < most_steps; ++step) {
    const Vec3 r = x.at(xi, eta) - p, a = x.e + eta * x.g, b = x.f + xi * x.g;
    const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b), ra = r.dot(a), rb = r.dot(b);
    double mixed = ab + r.dot(x.g);
    if (!(aa * bb - mixed * mixed > 1e-6 * aa * bb))
      mixed = ab;
    const double determinant = aa * bb - mixed * mixed;
    if (!(determinant > 1e-24 * aa * bb))
      return false; // no area here
    const double d_xi = (-ra * bb + rb * mixed) / determinant, d_eta = (-rb * aa + ra * mixed) / determinant;
    // Shorter until it leads down. Short steps are good ones, of which squares of distances can tell nothing any more.
    constexpr double surely_good = 1e-5;
    const double change = std::abs(d_xi) + std::abs(d_eta);
    double length = 1, new_squared = (p - x.at(xi + d_xi, eta + d_eta)).squaredNorm();
    while (new_squared > squared && length * change > surely_good) {
      length /= 2;
      new_squared = (p - x.at(xi + length * d_xi, eta + length * d_eta)).squaredNorm();
    }
    xi += length * d_xi;
    eta += length * d_eta;
    squared = new_squared;
    if (std::abs(xi - 0.5) > 1 || std::abs(eta - 0.5) > 1)
      return false; // on its way to an edge
    if (change < 1e-14)
      break;
  }
  return xi >= 0 && xi <= 1 && eta >= 0 && eta <= 1;
}

} // namespace

ClosestOnFacet closest_on_triangle(const Vec3& p, const std::array<Vec3, 3>& x) {
  const Vec3 e = x[1] - x[0], f = x[2] - x[0], n = e.cross(f), r = p - x[0];
  const double n_squared = n.squaredNorm();
  if (n_squared > 1e-24 * e.squaredNorm() * f.squaredNorm()) { // not a line
    const double N1 = r.cross(f).dot(n) / n_squared, N2 = e.cross(r).dot(n) / n_squared, N0 = 1 - N1 - N2;
    if (N0 >= 0 && N1 >= 0 && N2 >= 0) {
      const Vec3 at = x[0] + N1 * e + N2 * f;
      return {at, {N0, N1, N2, 0}, FacetPart::face, 0, (p - at).squaredNorm()};
    }
  }
  return closest_on_edges(p, x);
}

ClosestOnFacet closest_on_quad(const Vec3& p, const std::array<Vec3, 4>& x) {
  ClosestOnFacet best = closest_on_edges(p, x);
  const Bilinear facet(x);
  const auto start_at = [&](double xi, double eta) {
    if (!minimum_inside(p, facet, xi, eta))
      return;
    const Vec3 at = facet.at(xi, eta);
    const double squared = (p - at).squaredNorm();
    if (squared <= best.distance_squared)
      best = {at, bilinear(xi, eta), FacetPart::face, 0, squared};
  };
  start_at(0.5, 0.5);
  // A warped facet may have several minima.
  if (facet.g.squaredNorm() > 0.01 * std::max(facet.e.squaredNorm(), facet.f.squaredNorm()))
    for (const double xi : {0.1, 0.9})
      for (const double eta : {0.1, 0.9})
        start_at(xi, eta);
  return best;
}

Vec3 quad_normal(const std::array<Vec3, 4>& x, const std::array<double, 4>& N) {
  const Bilinear facet(x);
  const double xi = N[1] + N[2], eta = N[2] + N[3];
  return (facet.e + eta * facet.g).cross(facet.f + xi * facet.g);
}

} // namespace emmy::contact
