#include "io/checkpoint/checkpoint.hpp"

#include "core/archive.hpp"
#include "io/digest.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace emmy {

namespace {

/// The first line of a file. Another number means another arrangement of what follows.
constexpr std::string_view any_format = "emmy checkpoint, format ";
constexpr std::string_view this_format = "3\n";

struct Envelope {
  std::uint64_t size, digest;
};

/// For people, and for those who compare runs.
std::string second_line(const RunState& run) {
  const Bytes bytes = bytes_of(run);
  std::array<char, 100> text{};
  std::snprintf(text.data(), text.size(), "step %ld, t = %.9g s, run %016llx\n", run.outcome.whole_steps,
                run.state.time, static_cast<unsigned long long>(digest_of({bytes.begin(), bytes.end()})));
  return text.data();
}

/// Where the envelope is, behind two lines.
std::size_t begin_of_envelope(const std::string& bytes) {
  const std::string_view all = bytes;
  if (all.substr(0, any_format.size()) != any_format)
    throw CheckpointError("it is no checkpoint of emmy");
  const std::string_view format =
      all.substr(any_format.size(), all.find('\n', any_format.size()) + 1 - any_format.size());
  if (format != this_format)
    throw CheckpointError("it was written by a version of emmy that arranges checkpoints in another way");
  const std::size_t end = all.find('\n', any_format.size() + this_format.size());
  if (end == std::string_view::npos || bytes.size() < end + 1 + sizeof(Envelope))
    throw CheckpointError("it ends early");
  return end + 1;
}

Envelope envelope_at(const std::string& bytes, std::size_t begin) {
  Envelope envelope{};
  std::memcpy(&envelope, bytes.data() + begin, sizeof envelope);
  return envelope;
}

} // namespace

std::string encode(const Checkpoint& checkpoint) {
  Bytes bytes;
  ByteWriter{bytes}(checkpoint.identity, checkpoint.run, checkpoint.recorders);
  const std::string payload(bytes.begin(), bytes.end());
  const Envelope envelope{payload.size(), digest_of(payload)};
  std::string file(any_format);
  file += this_format;
  file += second_line(checkpoint.run);
  file.append(reinterpret_cast<const char*>(&envelope), sizeof envelope);
  return file + payload;
}

void check_size(const std::string& head, std::uint64_t size) {
  const std::size_t begin = begin_of_envelope(head) + sizeof(Envelope);
  const std::uint64_t expected = envelope_at(head, begin - sizeof(Envelope)).size;
  if (size < begin || size - begin != expected)
    throw CheckpointError(size < begin || size - begin < expected ? "it ends early" : "something was added to it");
}

Checkpoint decode(const std::string& bytes) {
  check_size(bytes, bytes.size());
  const std::size_t begin = begin_of_envelope(bytes);
  const std::string payload = bytes.substr(begin + sizeof(Envelope));
  if (digest_of(payload) != envelope_at(bytes, begin).digest)
    throw CheckpointError("its bytes are not what was written");
  Checkpoint checkpoint = decode_unchecked(payload);
  const std::size_t first = any_format.size() + this_format.size();
  if (bytes.compare(first, begin - first, second_line(checkpoint.run)) != 0)
    throw CheckpointError("its bytes are not what was written");
  return checkpoint;
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
