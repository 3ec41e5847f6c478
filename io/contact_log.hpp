#pragma once
/// What surfaces did in a run: impacts.csv, what the history says of pairs, and the worst of it for summary and audit.

#include "contact/scene.hpp"
#include "io/deck/deck.hpp"
#include "io/text_file.hpp"
#include "solvers/simulation.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace emmy {

class ContactLog {
public:
  /// What it has seen in a run.
  struct Seen {
    FileMark file; ///< impacts.csv, if there is one
    long lines = 0;
    std::vector<contact::RuleTotals> totals; ///< by rule, of the step that ended last
    bool is_new_step = true;
    double piece_start = 0, step_length = 0; ///< [s]; of the pieces so far
    contact::Penetration worst;
    double worst_time = 0;
    double residual = 0, residual_time = 0;
    int most_contacts = 0;

    template <class Self, class Archive>
    static void archive(Self& self, Archive& to) {
      to(self.file, self.lines, self.totals, self.is_new_step, self.piece_start, self.step_length, self.worst,
         self.worst_time, self.residual, self.residual_time, self.most_contacts);
    }
  };

  /// Writes impacts to `path`: all of them, those of the pairs that are selected, or none and no file.
  /// Throws FileError if it cannot be written.
  ContactLog(const contact::Scene& scene, const deck::Selection& selection, const std::string& path);
  /// Goes on after what has been seen, in a file that is there or in a new one.
  ContactLog(const contact::Scene& scene, const deck::Selection& selection, const std::string& path, const Seen& seen,
             bool in_place);
  /// Whether there is anything to write to a file.
  static bool writes(const contact::Scene& scene, const deck::Selection& selection);

  /// After every piece of a step that was accepted.
  void observe_piece(const Simulation& simulation);
  /// After every whole step: what is observed from then on belongs to the next one.
  void end_step() { seen_.is_new_step = true; }
  /// Writes everything to the disk.
  void finish();
  /// For a checkpoint; sync() brings the file to the disk.
  Seen mark();
  void sync();

  /// By rule, of the step that ended last: forces and moments are means over all its pieces.
  const std::vector<contact::RuleTotals>& totals() const { return seen_.totals; }
  bool has_file() const { return file_ != nullptr; }
  long lines() const { return seen_.lines; } ///< of impacts.csv

  /// Lines for the summary, and the same for audit.json.
  std::string summary(const Ledger& ledger) const;
  nlohmann::ordered_json json(const Ledger& ledger) const;

private:
  void add_totals(const contact::Happenings& happened, double h);
  void write(const contact::Impact& impact);
  const std::string& name(int surface) const { return scene_.surfaces[static_cast<std::size_t>(surface)].name; }

  const contact::Scene& scene_;
  std::vector<bool> is_written_; ///< by rule
  std::unique_ptr<TextFile> file_;
  std::string line_;
  Seen seen_;
};

/// Lines of `emmy check`: surfaces, how they touch, and how many pairs of them may.
std::string contact_report(const deck::Deck& deck, const contact::Scene& scene);

} // namespace emmy
