#include "io/loading.hpp"

#include "core/counted.hpp"
#include "io/channels/catalogue.hpp"
#include "io/channels/selection.hpp"
#include "io/contact_builder.hpp"
#include "io/contact_start.hpp"
#include "io/deck/reader.hpp"
#include "io/report.hpp"
#include "io/time_stepping.hpp"

#include <limits>
#include <ostream>
#include <utility>

namespace emmy {

namespace {

/// Initial data may miss the joints by what a person rounds when typing them, and no more [m], [m/s].
constexpr double typing_tolerance = 1e-8;

/// Place of one of the joints or limits of a deck, by its name.
template <class T>
std::string place_of(const deck::Deck& deck, const std::vector<T>& all, const std::string& name) {
  for (const T& one : all)
    if (one.name == name && one.where.line > 0)
      return formatted("%s:%d:%d", one.where.file.c_str(), one.where.line, one.where.column);
  return deck.file;
}

/// Place of the joint that an element belongs to: its own, or the one that it drives.
std::string place_of_joint(const deck::Deck& deck, const std::string& element) {
  return place_of(deck, deck.joints, element.substr(0, element.find('.')));
}

/// Rounding of the coordinates, times a few: larger than the tolerance for typing in models of astronomical size.
double rounding_of(const VecX& numbers) {
  return 100 * std::numeric_limits<double>::epsilon() * (numbers.size() > 0 ? numbers.cwiseAbs().maxCoeff() : 0);
}

/// Moves the initial state to where the joints close; false after an error.
bool assemble_initial(Loaded& m, std::ostream& err) {
  m.assembly = assemble(*m.built.model, m.built.initial);
  if (!m.assembly->converged) {
    err << m.deck.file << ": error: the joints cannot be closed: " << m.assembly->message << "\n";
    return false;
  }
  m.built.model->begin(m.built.initial);
  return true;
}

/// Initial data that are beyond a limit, as a warning; empty if there are none.
std::string limit_warning(const Loaded& m) {
  const ConstraintAnalysis& a = m.analysis;
  if (a.penetration <= typing_tolerance + rounding_of(m.built.initial.values))
    return {};
  return place_of(m.deck, m.deck.limits, a.deepest) +
         formatted(": warning: limit '%s' does not hold in the initial configuration: its %s is passed by %.3e\n",
                   a.deepest.c_str(), a.deepest_row.c_str(), a.penetration);
}

/// Makes the scene of contact; false after an error.
bool build_contact(Loaded& m, deck::Diagnostics& diagnostics) {
  m.built.scene = build_scene(m.deck, m.built, diagnostics, m.files);
  if (!diagnostics.has_errors() && !m.built.scene.surfaces.empty())
    check_overlap(m.deck, *m.built.model, m.built.initial, m.built.scene, diagnostics);
  return !diagnostics.has_errors();
}

/// Builds the model of a deck that has been read, with what was said about it.
std::optional<Loaded> build(deck::Deck&& read, deck::Diagnostics& diagnostics, std::ostream& err) {
  Loaded loaded;
  loaded.deck = std::move(read);
  if (diagnostics.has_errors()) {
    err << diagnostics.text();
    return std::nullopt;
  }
  try {
    loaded.built = build_model(loaded.deck);
  } catch (const BadModel& bad) {
    err << diagnostics.text() << bad.what();
    return std::nullopt;
  }
  bool is_good = build_contact(loaded, diagnostics);
  if (is_good && (loaded.deck.output.by_channels || !loaded.deck.output.groups.empty())) {
    check_patterns(channels_of(loaded.built, loaded.deck.output, nullptr), loaded.deck.output, diagnostics);
    is_good = !diagnostics.has_errors();
  }
  err << diagnostics.text();
  if (!is_good)
    return std::nullopt;
  if (loaded.deck.initial.assemble && !assemble_initial(loaded, err))
    return std::nullopt;
  loaded.analysis = analyse_constraints(*loaded.built.model, loaded.built.initial);
  if (const std::string problem = prepare_time_stepping(loaded); !problem.empty()) {
    err << problem;
    return std::nullopt;
  }
  err << limit_warning(loaded);
  return loaded;
}

} // namespace

std::optional<Loaded> load(const std::string& path, const std::vector<std::string>& overrides, std::ostream& err) {
  deck::Diagnostics diagnostics;
  return build(deck::read_deck(path, overrides, diagnostics), diagnostics, err);
}

std::optional<Loaded> load_text(const std::string& name, const std::string& text,
                                const std::vector<std::string>& overrides, std::ostream& err) {
  deck::Diagnostics diagnostics;
  return build(deck::read_deck_text(name, text, overrides, diagnostics), diagnostics, err);
}

std::string refusal(const Loaded& m) {
  const ConstraintAnalysis& a = m.analysis;
  const double gap = typing_tolerance + rounding_of(m.built.initial.values);
  const double rate = typing_tolerance + rounding_of(m.built.initial.rates);
  const char* remedy = m.assembly ? "" : ", or let 'initial: {assemble: true}' do it";
  std::string text;
  if (a.position_violation > gap)
    text += place_of_joint(m.deck, a.worst_position) +
            formatted(": error: joint '%s' is not closed in the initial configuration: %s is off by %.3e\n"
                      "  expected at most %.0e; correct the positions and orientations of its bodies%s\n",
                      a.worst_position.c_str(), a.worst_position_row.c_str(), a.position_violation, gap, remedy);
  if (a.velocity_violation > rate && m.deck.analysis.type == "transient")
    text += place_of_joint(m.deck, a.worst_velocity) +
            formatted(": error: the initial velocities tear joint '%s' apart: %s changes by %.3e a second\n"
                      "  expected at most %.0e; correct the velocities of its bodies%s\n",
                      a.worst_velocity.c_str(), a.worst_velocity_row.c_str(), a.velocity_violation, rate, remedy);
  if (a.redundancy() > 0 && m.deck.solver.refuse_redundant) {
    std::string names;
    for (const std::string& name : a.redundant)
      names += (names.empty() ? "'" : ", '") + name + "'";
    text +=
        place_of_joint(m.deck, a.redundant.front()) +
        formatted(": error: %s, in the %s %s\n"
                  "  free some of their directions, or have them solved by 'solver: {redundant: solve}'\n",
                  counted(a.redundancy(), "redundant constraint equation", "redundant constraint equations").c_str(),
                  a.redundant.size() == 1 ? "joint" : "joints", names.c_str());
  }
  return text;
}

} // namespace emmy
