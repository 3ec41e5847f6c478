#include "io/deck/shapes.hpp"

namespace emmy::deck {

namespace {

constexpr double pi = 3.141592653589793238462643383279502884;

} // namespace

Shape box(const Vec3& edges) {
  const Vec3 squares = edges.cwiseAbs2();
  Shape shape;
  shape.volume = edges.prod();
  shape.gyration.diagonal() = (Vec3::Constant(squares.sum()) - squares) / 12;
  return shape;
}

Shape sphere(double radius) {
  return spherical_shell(radius, radius);
}

Shape cylinder(double radius, double length, const Vec3& axis) {
  const double r2 = radius * radius, l2 = length * length;
  const Mat3 along = axis * axis.transpose();
  Shape shape;
  shape.volume = pi * r2 * length;
  shape.gyration = r2 / 2 * along + (3 * r2 + l2) / 12 * (Mat3::Identity() - along);
  return shape;
}

Shape spherical_shell(double radius, double thickness) {
  // R⁵ - r⁵ and R³ - r³ share the factor R - r; dividing it out keeps all digits for thin walls and gives their limit.
  const double R = radius, r = radius - thickness;
  const double fifth = R * R * R * R + R * R * R * r + R * R * r * r + R * r * r * r + r * r * r * r;
  const double third = R * R + R * r + r * r;
  Shape shape;
  shape.volume = 4 * pi / 3 * third * thickness;
  shape.gyration = Mat3::Identity() * (0.4 * fifth / third);
  return shape;
}

} // namespace emmy::deck
