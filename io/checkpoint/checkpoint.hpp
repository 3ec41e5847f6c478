#pragma once
/// All that is needed to go on with a run as if it had never been stopped, and its form as bytes.

#include "io/contact_log.hpp"
#include "io/file_mark.hpp"
#include "io/history.hpp"
#include "solvers/run_state.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy {

/// What was run: a checkpoint of anything else is refused.
struct RunIdentity {
  std::string version;      ///< of emmy; a checkpoint is read by the version that wrote it
  std::string instructions; ///< that its kernels were compiled to
  std::string deck;         ///< path of the deck, absolute
  std::string deck_name;    ///< as it was called
  std::string text;         ///< of the deck
  std::vector<std::string> overrides;
  std::vector<std::string> petsc_options;              ///< of the command line
  std::string petsc_in_use;                            ///< wherever they come from
  std::vector<ReferredFile> files;                     ///< that were read beside the deck
  double step = 0;                                     ///< [s], as it is used
  std::int64_t values = 0, rates = 0, multipliers = 0; ///< in the state of the model

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.version, self.instructions, self.deck, self.deck_name, self.text, self.overrides, self.petsc_options,
       self.petsc_in_use, self.files, self.step, self.values, self.rates, self.multipliers);
  }
};

/// What those who look at a run and write about it remember.
struct RecorderState {
  HistoryMark history;
  ContactLog::Seen contacts;
  std::vector<std::uint8_t> tunnels_told; ///< of TunnelWatch
  double largest_condition = 0;           ///< of DirectorMonitor
  double wall = 0;                        ///< time that was computed [s]

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

/// Two lines of text, size and digest of what follows, and the checkpoint. The first line says what it is and in which
/// format; the second one where the run is, with a digest of all that the run is, which is equal where every bit is.
std::string encode(const Checkpoint& checkpoint);
/// Bytes of those lines and numbers, at most.
inline constexpr std::size_t longest_head = 256;
/// Throws CheckpointError if a file that begins like this and has so many bytes is no checkpoint.
void check_size(const std::string& head, std::uint64_t size);
/// Throws CheckpointError on anything but a whole and undamaged checkpoint of this format and version.
Checkpoint decode(const std::string& bytes);
/// The same without a look at the digest: what is damaged may be found by what it says, or not at all.
Checkpoint decode_unchecked(const std::string& payload);

} // namespace emmy
