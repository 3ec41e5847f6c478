#include "io/checkpoint/checkpoint.hpp"

#include "core/archive.hpp"
#include "io/digest.hpp"

#include <cstring>
#include <string_view>

namespace emmy {

namespace {

/// The first line of a file. Another number means another arrangement of what follows.
constexpr std::string_view any_format = "emmy checkpoint, format ";
constexpr std::string_view this_format = "1\n";

struct Envelope {
  std::uint64_t size, digest;
};

} // namespace

std::string encode(const Checkpoint& checkpoint) {
  Bytes bytes;
  ByteWriter{bytes}(checkpoint.identity, checkpoint.run, checkpoint.recorders);
  const std::string payload(bytes.begin(), bytes.end());
  const Envelope envelope{payload.size(), digest_of(payload)};
  std::string file(any_format);
  file += this_format;
  file.append(reinterpret_cast<const char*>(&envelope), sizeof envelope);
  return file + payload;
}

Checkpoint decode(const std::string& bytes) {
  const std::string_view all = bytes;
  if (all.substr(0, any_format.size()) != any_format)
    throw CheckpointError("it is no checkpoint of emmy");
  const std::string_view format =
      all.substr(any_format.size(), all.find('\n', any_format.size()) + 1 - any_format.size());
  if (format != this_format)
    throw CheckpointError("it was written by a version of emmy that arranges checkpoints in another way");
  const std::size_t begin = any_format.size() + this_format.size();
  Envelope envelope{};
  if (bytes.size() < begin + sizeof envelope)
    throw CheckpointError("it ends early");
  std::memcpy(&envelope, bytes.data() + begin, sizeof envelope);
  const std::string payload = bytes.substr(begin + sizeof envelope);
  if (payload.size() != envelope.size)
    throw CheckpointError(payload.size() < envelope.size ? "it ends early" : "something was added to it");
  if (digest_of(payload) != envelope.digest)
    throw CheckpointError("its bytes are not what was written");
  return decode_unchecked(payload);
}

Checkpoint decode_unchecked(const std::string& payload) {
  Checkpoint checkpoint;
  try {
    ByteReader reader(reinterpret_cast<const unsigned char*>(payload.data()), payload.size());
    reader(checkpoint.identity.version);
    if (checkpoint.identity.version != EMMY_VERSION)
      throw CheckpointError("it was written by emmy " + checkpoint.identity.version +
                            ", and this is emmy " EMMY_VERSION);
    ByteReader whole(reinterpret_cast<const unsigned char*>(payload.data()), payload.size());
    whole(checkpoint.identity, checkpoint.run, checkpoint.recorders);
    if (!whole.is_at_end())
      throw CheckpointError("something was added to it");
  } catch (const ArchiveError& error) {
    throw CheckpointError(error.what());
  }
  return checkpoint;
}

} // namespace emmy
