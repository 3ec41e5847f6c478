#pragma once
/// Hanging chains of four director bodies: the examples of M. B. Nielsen & S. Krenk (docs/theory/directors.md).

#include "verification/support/mechanisms.hpp"
#include "verification/tables/study.hpp"

namespace emmy::tables::directors {

/// A state of the chain, from step to step.
struct Instant {
  double t = 0;
  double kinetic = 0, potential = 0;    ///< [J]
  Vec3 angular_momentum = Vec3::Zero(); ///< about the support [N m s]
  double strain = 0;                    ///< largest |e(q)| of a body [D2]
  double momentum_condition = 0;        ///< largest |C(q)p| of a body [D3] [N m s]
  double joints = 0;                    ///< largest violation of a joint [m], [1]
  std::vector<Vec3> centres, points;    ///< of the bodies; support, joints and end

  double energy() const { return kinetic + potential; }
};

struct Chain {
  const char *name, *title;
  test::ChainJoint joint;
  double h; ///< that of the paper [s]

  Index unknowns = 0, multipliers = 0;
  std::vector<Instant> trace = {};
  double iterations = 0; ///< of Newton's method, mean of all steps

  void run(double end);
  const Instant& at(double t) const;
  double energy_error() const;                     ///< largest, relative to the range of the kinetic energy
  double largest(double Instant::*quantity) const; ///< over all steps
  double momentum_error(int axis) const;           ///< largest change of a component [N m s]
};

struct Studies final : Study {
  static constexpr double end = 10;       ///< [s]
  static const std::vector<double> shown; ///< times of the shapes in figures 2 and 5 [s]

  std::vector<Chain> chains{{"revolute", "revolute joints", test::ChainJoint::revolute, 0.01},
                            {"spherical", "spherical joints", test::ChainJoint::spherical, 0.1}};

  void run() override;
  void write_series(const std::string& directory) const override;
  std::vector<Finding> findings() const override;
  std::string table(const std::string& name) const override;
};

} // namespace emmy::tables::directors
