#pragma once
/// Volume and inertia of homogeneous solids about their centre of mass. Lengths are positive unless said otherwise;
/// `axis` is a unit vector in body axes.

#include "core/types.hpp"

namespace emmy::deck {

struct Shape {
  double volume = 0;            ///< [m³]; 0 for a thin shell, which has a mass only when it is given
  Mat3 gyration = Mat3::Zero(); ///< inertia for unit mass [m²]
};

/// Edges a, b, c along x, y, z:  Jx = m (b² + c²) / 12 and so on.
Shape box(const Vec3& edges);

/// J = 2/5 m r².
Shape sphere(double radius);

/// J = m r² / 2 about the axis, m (3 r² + l²) / 12 across. A radius of 0 is allowed: a line without volume.
Shape cylinder(double radius, double length, const Vec3& axis);

/// Between the outer radius R and r = R - thickness:  J = 2/5 m (R⁵ - r⁵) / (R³ - r³), which tends to 2/3 m R² for a
/// thin wall. 0 <= thickness <= R.
Shape spherical_shell(double radius, double thickness);

} // namespace emmy::deck
