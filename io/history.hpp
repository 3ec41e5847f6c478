#pragma once
/// history.csv: one line per output time. The first column is `t`; what belongs to something with a name is
/// `name.column`. Numbers are written with as many digits as it takes to read back the same double.

#include "io/contact_log.hpp"
#include "io/deck/deck.hpp"
#include "io/model_builder.hpp"
#include "io/text_file.hpp"
#include "solvers/simulation.hpp"

#include <string>
#include <vector>

namespace emmy {

/// A state to be written, and the step that led to it.
struct Moment {
  const State& state;
  const MovedStep& step;               ///< one that does not move where none led here
  bool has_reactions;                  ///< the step says what joints and springs do
  const std::vector<StepStage>& parts; ///< in the mean of which they do it
  const Ledger& ledger;
};

/// What a joint exerts on its second body in a step; NaN where that is not determined.
Reaction reaction_of(const BuiltModel& built, const BuiltJoint& joint, const MovedStep& s);

/// What is written, by the selection of a deck.
struct HistoryColumns {
  HistoryColumns(const BuiltModel& built, const deck::Output& output);

  std::vector<const Body*> bodies;
  std::vector<const ChainLink*> links; ///< each of these where it is one, otherwise null
  std::vector<const BuiltJoint*> joints;
  std::vector<const BuiltSpring*> springs;
  std::vector<const Limit*> limits;
  bool has_contact = false;
  std::vector<std::size_t> pairs; ///< of contact, as rules of the scene
  std::string head = "t";         ///< of the file, its first line
  std::size_t count = 1;

private:
  void add(const std::string& owner, std::initializer_list<const char*> what);
};

/// Steps from one line to the next.
long history_stride(const deck::Output& output, double step);

class History {
public:
  /// Creates the file and writes its head. Throws FileError if it cannot be written. `contacts` knows what surfaces do,
  /// where there are any.
  History(const std::string& path, const BuiltModel& built, const deck::Output& output, double step,
          const ContactLog* contacts = nullptr);

  /// Writes a line if one is due after `step` steps.
  void observe(const Simulation& simulation, long step);
  /// Writes the last good state of a run that ended early, and everything to the disk.
  void finish(const Simulation& simulation);
  /// Writes a state at rest, whose multipliers are its reactions, and everything to the disk.
  void write_equilibrium(const State& state);
  long rows() const { return rows_; }

private:
  void write_state(const Simulation& simulation);
  void write_row(const Moment& moment);
  void write_joint(const BuiltJoint& joint, const Moment& moment);
  void write_drive(const BuiltJoint& joint, const Moment& m);
  void write_spring(const BuiltSpring& spring, const Moment& moment);
  void write_limit(const Limit& limit, const Moment& moment);
  void write_contact(const Moment& moment);
  void write_point(const TracedPoint& point, const Moment& moment);
  void number(double x);
  void vector(const Vec3& v);

  const BuiltModel& built_;
  deck::Output output_;
  long stride_; ///< steps between lines
  HistoryColumns columns_;
  const ContactLog* contacts_;
  TextFile file_;
  std::string line_;
  long rows_ = 0;
  double last_time_ = 0; ///< of the last line
};

} // namespace emmy
