#pragma once
/// How relative velocities at contacts answer to impulses: u = W r, three numbers a contact, as vectors in space [Q8].
/// Solvers of the contact problem know W by this and no mechanics.

#include "core/types.hpp"

#include <array>
#include <vector>

namespace emmy::contact {

/// A contact between two free bodies, as a point at which the slave receives an impulse r and the master -r.
struct PointContact {
  std::array<Index, 2> body{-1, -1};                   ///< slave, master; -1: something that does not move
  std::array<Vec3, 2> arm{Vec3::Zero(), Vec3::Zero()}; ///< from the centre of each [m]
};

/// Bodies and contacts behind a compliance W = G^T M^-1 G / 2 of free bodies, for methods that solve in the velocities
/// of bodies [R8].
struct BodyForm {
  std::vector<double> inverse_mass;  ///< [1/kg]
  std::vector<Mat3> inverse_inertia; ///< in space [1/(kg m²)]
  std::vector<PointContact> contacts;
};

class Compliance {
public:
  virtual ~Compliance() = default;

  virtual Index contacts() const = 0;
  /// u = W r; both have three numbers a contact, and do not overlap.
  virtual void apply(const ConstVectorRef& r, VectorRef u) const = 0;
  /// Block of W of contact j with itself, or an upper bound of it: a scale and a preconditioner.
  virtual Mat3 own(Index j) const = 0;
  /// Moving parts that contact j touches, -1 for none: for islands.
  virtual std::array<Index, 2> parts(Index j) const = 0;
  /// Where [R8] applies; null otherwise.
  virtual const BodyForm* bodies() const { return nullptr; }
};

} // namespace emmy::contact
