#pragma once
/// All runs that the page is made of.

#include "verification/tables/explicit_rotation/runs.hpp"
#include "verification/tables/study.hpp"

#include <map>
#include <utility>

namespace emmy::tables::rotation {

/// Records by step and scheme.
class Grid {
public:
  /// Room for one more, to be filled later.
  Record& add(double h, const std::string& scheme) { return records_[{h, scheme}]; }
  const Record& operator()(double h, const std::string& scheme) const { return records_.at({h, scheme}); }
  bool has(double h, const std::string& scheme) const { return records_.count({h, scheme}) > 0; }

private:
  std::map<std::pair<double, std::string>, Record> records_;
};

using Trace = std::vector<Sample>;

struct Studies final : Study {
  static constexpr double end = 1000;        ///< of all runs of the tables [s]
  static constexpr double trace_step = 1e-3; ///< of the traces [s]
  static const std::vector<double> unstable_steps, free_steps, top_steps, axis_steps;

  Grid unstable; ///< the whole of the first problem: sw_mid, sw_restarted, sw_every, pc_mid, stg_mid, stg_points, ...
  Grid free;     ///< its part without loads
  Grid top;      ///< the second problem
  Grid axis;     ///< its first ten seconds, for the order of the error
  std::map<std::string, Trace> traces; ///< of the first problem to t = 20, every step
  Trace top_trace;                     ///< of the staggered scheme, to t = 16: one turn of the axis

  void run() override;
  void write_series(const std::string& directory) const override;
  std::vector<Finding> findings() const override;
  std::string table(const std::string& name) const override;
};

/// Errors at t = 10: angle of the rotation that is missing, angle between axes [rad].
double rotation_error(const Record& r);
double axis_error(const Record& r);

/// Largest |T/T(2 + 5h) - 1| of a trace between two times, and when.
struct Burst {
  double t = 0, size = 0;
};
Burst burst(const Trace& trace, double from, double to);

} // namespace emmy::tables::rotation
