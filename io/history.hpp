#pragma once
/// history.csv: one line per output time. The first column is `t`; what belongs to something with a name is
/// `name.column`. Numbers are written with as many digits as it takes to read back the same double.

#include "io/deck/deck.hpp"
#include "io/model_builder.hpp"
#include "io/text_file.hpp"
#include "solvers/simulation.hpp"

#include <string>
#include <vector>

namespace emmy {

class History {
public:
  /// Creates the file and writes its head. Throws FileError if it cannot be written.
  History(const std::string& path, const BuiltModel& built, const deck::Output& output, double step);

  /// Writes a line if one is due after `step` steps.
  void observe(const Simulation& simulation, long step);
  /// Writes the last good state of a run that ended early, and everything to the disk.
  void finish(const Simulation& simulation);
  long rows() const { return rows_; }

private:
  void write_header();
  void write_row(const Simulation& simulation);
  void column(const std::string& name);
  void number(double x);
  void vector(const Vec3& v);

  const BuiltModel& built_;
  deck::Output output_;
  long stride_; ///< steps between lines
  TextFile file_;
  std::vector<const Body*> bodies_;
  std::vector<const Joint*> joints_;
  std::string line_;
  long rows_ = 0;
  double last_time_ = 0; ///< of the last line
};

} // namespace emmy
