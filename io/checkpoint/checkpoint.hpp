#pragma once
/// All that is needed to go on with a run as if it had never been stopped, and its form as bytes.

#include "io/contact_log.hpp"
#include "io/history.hpp"
#include "solvers/run_state.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy {

/// A file that a deck refers to.
struct ReferredFile {
  std::string path;
  FileMark mark;

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.path, self.mark);
  }
};

/// What was run: a checkpoint of anything else is refused.
struct RunIdentity {
  std::string version; ///< of emmy; a checkpoint is read by the version that wrote it
  std::string deck;    ///< path of the deck, absolute
  std::string text;    ///< of the deck
  std::vector<std::string> overrides;
  std::vector<std::string> petsc_options;
  std::vector<ReferredFile> files;
  double step = 0;                                     ///< [s], as it is used
  std::int64_t values = 0, rates = 0, multipliers = 0; ///< in the state of the model

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.version, self.deck, self.text, self.overrides, self.petsc_options, self.files, self.step, self.values,
       self.rates, self.multipliers);
  }
};

/// What those who look at a run and write about it remember.
struct RecorderState {
  HistoryMark history;
  ContactLog::Seen contacts;
  std::vector<char> tunnels_told; ///< of TunnelWatch
  double largest_condition = 0;   ///< of DirectorMonitor
  double wall = 0;                ///< time that was computed [s]

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.history, self.contacts, self.tunnels_told, self.largest_condition, self.wall);
  }
};

struct Checkpoint {
  RunIdentity identity;
  RunState run;
  RecorderState recorders;
};

/// Why bytes are no checkpoint that can be used.
class CheckpointError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A line of text that says what follows and in which format, its size and digest, and the checkpoint.
std::string encode(const Checkpoint& checkpoint);
/// Throws CheckpointError on anything but a whole and undamaged checkpoint of this format and version.
Checkpoint decode(const std::string& bytes);
/// The same without a look at the digest: what is damaged may be found by what it says, or not at all.
Checkpoint decode_unchecked(const std::string& payload);

} // namespace emmy
