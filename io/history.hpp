#pragma once
/// history.csv, and history.GROUP.csv of the groups of a deck: one line per output time. The first column is `t`; what
/// belongs to something with a name is `name.column`. Numbers are written with as many digits as it takes to read back
/// the same double.

#include "io/channels/selection.hpp"
#include "io/contact_log.hpp"
#include "io/deck/deck.hpp"
#include "io/model_builder.hpp"
#include "io/text_file.hpp"
#include "solvers/simulation.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

/// What a file of rows is, for those who ask before it is there.
struct RowsPlan {
  std::string name;  ///< of the file
  std::string entry; ///< of the deck, which asks for it
  ChosenColumns columns;
  long stride; ///< steps from one row to the next
};

/// history.csv first, then the groups.
std::vector<RowsPlan> plan_rows(const std::vector<ChannelSource>& sources, const deck::Output& output, double step);

/// How far a file of rows has come.
struct RowsEnd {
  FileMark file;
  long rows = 0;
  double last_time = 0; ///< of the last row

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.file, self.rows, self.last_time);
  }
};

/// Where a file of rows was when a checkpoint was made.
struct RowsMark {
  std::string name;
  std::string head; ///< its first line
  long stride = 0;
  RowsEnd all;
  RowsEnd due; ///< without a row that is there only because the run ended with it

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.name, self.head, self.stride, self.all, self.due);
  }
};
using HistoryMark = std::vector<RowsMark>;

class History {
public:
  /// Creates the files in a directory and writes their heads. Throws FileError if one cannot be written. `contacts`
  /// knows what surfaces do, where there are any.
  History(const std::string& directory, const BuiltModel& built, const deck::Output& output, double step,
          const ContactLog* contacts = nullptr);
  /// Goes on with the files that are there, behind `all` of a mark: what stands there is cut off.
  History(const std::string& directory, const BuiltModel& built, const deck::Output& output, double step,
          const ContactLog* contacts, const HistoryMark& mark);

  /// Writes lines that are due after `step` steps.
  void observe(const Simulation& simulation, long step);
  /// Where the files are. sync() brings them to the disk.
  HistoryMark mark();
  void sync();
  /// Writes the last good state of a run that ended early, and everything to the disk.
  void finish(const Simulation& simulation);
  /// Writes a state at rest, whose multipliers are its reactions, and everything to the disk.
  void write_equilibrium(const State& state);

  /// Of a line of history.csv, time included.
  std::size_t columns() const { return files_.front().plan.columns.columns().size() + 1; }
  /// "history.csv (101 rows)", with the groups.
  std::string summary() const;

private:
  struct Rows {
    RowsPlan plan;
    std::string head;
    std::unique_ptr<TextFile> file;
    long count = 0;
    double last_time = 0;       ///< of the last line
    std::optional<RowsEnd> due; ///< before a line that is there only because the run ended with it
    RowsEnd end() { return {file->mark(), count, last_time}; }
  };
  struct Planned {}; ///< tells a constructor that opens no files

  History(const BuiltModel& built, const deck::Output& output, double step, const ContactLog* contacts, Planned);
  /// Writes a line to each of these.
  void write_state(const Simulation& simulation, const std::vector<Rows*>& files);
  void write_moment(const Moment& moment, const std::vector<Rows*>& files);
  void write_row(Rows& rows, const Moment& moment);

  const BuiltModel& built_;
  std::vector<ChannelSource> sources_;
  std::vector<Rows> files_;
  std::vector<Rows*> wanted_; ///< those that a line is due in
  std::string line_;
};

} // namespace emmy
