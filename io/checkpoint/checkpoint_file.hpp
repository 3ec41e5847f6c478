#pragma once
/// The checkpoints of a directory: checkpoint.STEP, the newest of which a run goes on from.

#include "io/checkpoint/checkpoint.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

struct CheckpointFile {
  std::string path;
  long step;
};

/// Files with such names, from the newest to the oldest, by their steps.
std::vector<CheckpointFile> checkpoint_files(const std::string& directory);

/// The newest one that is whole; says on `err` which ones are not. Nothing if there is none, said there too.
std::optional<Checkpoint> newest_checkpoint(const std::string& directory, std::ostream& err);

/// Writes one in one go, brings it to the disk, and removes those that are not among the newest `keep` or belong to a
/// later time, from which the run has been taken back. That of a start is left to the system: whatever is lost of it
/// can be computed anew, and short runs need not wait for the disk. Throws FileError.
void write_checkpoint(const std::string& directory, const Checkpoint& checkpoint, int keep);

void remove_checkpoints(const std::string& directory);

} // namespace emmy
