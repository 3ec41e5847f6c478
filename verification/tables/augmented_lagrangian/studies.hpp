#pragma once
/// All runs that the page is made of.

#include "verification/tables/augmented_lagrangian/linkage.hpp"
#include "verification/tables/augmented_lagrangian/wall.hpp"
#include "verification/tables/study.hpp"

#include <map>

namespace emmy::tables::impact {

/// Uzawa's iteration on the two links at the wall, midpoint, h = 1e-3.
struct Uzawa {
  double r = 0, relaxation = 1; ///< rho / r
  int sweeps = 0;               ///< of the step that took most
  double predicted() const;     ///< [A13]
};

/// The multiplier method, r = 0, on the same links to their first impact, HO, h = 1e-3.
struct MultiplierSweeps {
  double rho = 0;           ///< [N/m]
  int sweeps = 0;           ///< of the step that took most
  std::string why;          ///< it failed, if it did
  double predicted() const; ///< [A13]

  static double bound(); ///< of rho [A12]
};

struct Studies final : Study {
  static constexpr double end = 3; ///< of runs of the two links [s]
  static const std::vector<double> flight_steps, growth_z, penalty_z;

  // one particle, by name of the scheme
  std::map<std::string, Restitution> exact;
  std::map<std::pair<std::string, double>, Restitution> penalty; ///< and z
  std::map<double, Restitution> rate;                            ///< energy-momentum, by the restitution of the wall
  std::map<std::pair<std::string, double>, double> growth;       ///< and z
  std::map<std::string, double> growth_of_constraint;

  // two links
  std::map<std::pair<std::string, double>, double> flight; ///< error, by scheme and step
  std::vector<Uzawa> uzawa;
  std::vector<MultiplierSweeps> multiplier_method;
  std::vector<LinkageRun> linkage, tilted;
  std::vector<Combination> combinations;
  std::map<std::string, Record> wall; ///< by combination

  void run() override;
  void write_series(const std::string& directory) const override;
  std::vector<Finding> findings() const override;
  std::string table(const std::string& name) const override;
};

} // namespace emmy::tables::impact
