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
  /// Writes impacts to `path`: all of them, those of the pairs that are selected, or none and no file.
  /// Throws FileError if it cannot be written.
  ContactLog(const contact::Scene& scene, const deck::Selection& selection, const std::string& path);

  /// After every piece of a step that was accepted.
  void observe_piece(const Simulation& simulation);
  /// After every whole step: what is observed from then on belongs to the next one.
  void end_step() { is_new_step_ = true; }
  /// Writes everything to the disk.
  void finish();

  /// By rule, of the step that ended last: forces and moments are means over all its pieces.
  const std::vector<contact::RuleTotals>& totals() const { return totals_; }
  bool has_file() const { return file_ != nullptr; }
  long lines() const { return lines_; } ///< of impacts.csv

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
  long lines_ = 0;
  std::vector<contact::RuleTotals> totals_;
  bool is_new_step_ = true;
  double piece_start_ = 0, step_length_ = 0; ///< [s]; of the pieces so far

  contact::Penetration worst_;
  double worst_time_ = 0;
  double residual_ = 0, residual_time_ = 0;
  int most_contacts_ = 0;
};

/// Lines of `emmy check`: surfaces, how they touch, and how many pairs of them may.
std::string contact_report(const deck::Deck& deck, const contact::Scene& scene);

} // namespace emmy
