#pragma once
/// A channel is something that a run can write, with its name and unit: the position of a body, the reaction of a
/// joint, the kinetic energy. All of them are made once, for a model (catalogue.hpp); files choose among them
/// (selection.hpp).

#include "core/ledger.hpp"
#include "core/state.hpp"
#include "solvers/integrators/integrator.hpp"

#include <functional>
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

enum class ChannelKind { body, joint, force, limit, contact, point, energy, momentum };
const char* word_for(ChannelKind kind);

enum class When {
  end,  ///< of the step
  mean, ///< over the step: not a number (NaN) where no step led to the state
  step, ///< a count or a largest value of the step, or of its parts; 0 where none led to the state
  total ///< since the start of the run
};
const char* word_for(When when);

struct Channel {
  ChannelKind kind;
  std::string owner; ///< name in the deck; empty for what belongs to the whole model
  std::string name;
  const char* unit;                 ///< "1" for pure numbers
  std::vector<std::string> columns; ///< of its numbers
  When when;
  const char* doc;
  bool on_request = false; ///< chosen by its own name alone, not by that of its owner or kind, nor among all

  std::size_t size() const { return columns.size(); }
  /// What selects it: `arm.position`; of the whole model `energy.kinetic`.
  std::string full_name() const;
  /// What one of its numbers is called: `arm.x`; of the whole model `kinetic`.
  std::string column_name(std::size_t i) const;
};

/// Channels of one owner whose numbers are found together.
struct ChannelSource {
  std::vector<Channel> channels;
  std::function<void(const Moment&, double*)> read; ///< all their numbers, one channel after the other

  std::size_t size() const;
};

} // namespace emmy
