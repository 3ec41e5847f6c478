#include "io/checkpoint/checkpoint_file.hpp"

#include "io/system_call.hpp"
#include "io/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <new>
#include <ostream>
#include <utility>

namespace emmy {

namespace {

namespace fs = std::filesystem;
constexpr std::string_view prefix = "checkpoint.";

/// The step of a file by its name; nothing if that is none of a checkpoint.
std::optional<long> step_in(const std::string& name) {
  long step = 0;
  if (name.compare(0, prefix.size(), prefix) != 0)
    return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), step);
  return error == std::errc{} && end == name.data() + name.size() && step >= 0 ? std::optional(step) : std::nullopt;
}

/// Regular files of a directory, as far as it can be read, that an answer is found for.
template <class T, class Ask>
std::vector<T> files_in(const std::string& directory, Ask ask) {
  std::vector<T> found;
  std::error_code failed;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored))
      if (std::optional<T> answer = ask(at->path()))
        found.push_back(std::move(*answer));
  }
  return found;
}

/// An open file.
class Descriptor {
public:
  explicit Descriptor(const std::string& path)
      : number_(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); })) {
    require(number_ >= 0);
  }
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  std::uint64_t size() const {
    struct stat status {};
    require(::fstat(number_, &status) == 0);
    if (!S_ISREG(status.st_mode))
      throw CheckpointError("it is no file");
    return static_cast<std::uint64_t>(status.st_size);
  }
  /// The next bytes: as many, where there are.
  std::string read(std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    for (ssize_t count = 1; done < size && count > 0; done += static_cast<std::size_t>(count)) {
      count = uninterrupted([&] { return ::read(number_, bytes.data() + done, size - done); });
      require(count >= 0);
    }
    bytes.resize(done);
    return bytes;
  }

private:
  static void require(bool is_good) {
    if (!is_good)
      throw CheckpointError(std::string("it cannot be read: ") + std::strerror(errno));
  }
  int number_;
};

/// Does not read what is no checkpoint, however large it is.
Checkpoint read_checkpoint(const std::string& path) {
  try {
    const Descriptor file(path);
    const std::uint64_t size = file.size();
    std::string bytes = file.read(longest_head);
    check_size(bytes, std::max<std::uint64_t>(size, bytes.size()));
    bytes += file.read(size - std::min<std::uint64_t>(size, bytes.size()));
    return decode(bytes);
  } catch (const std::bad_alloc&) {
    throw CheckpointError("there is no memory for it");
  } catch (const std::length_error&) {
    throw CheckpointError("there is no memory for it");
  }
}

} // namespace

std::vector<CheckpointFile> checkpoint_files(const std::string& directory) {
  auto files = files_in<CheckpointFile>(directory, [](const fs::path& path) -> std::optional<CheckpointFile> {
    const std::optional<long> step = step_in(path.filename().string());
    return step ? std::optional(CheckpointFile{path.string(), *step}) : std::nullopt;
  });
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  return files;
}

std::optional<Checkpoint> newest_checkpoint(const std::string& directory, std::ostream& err) {
  std::string told;
  for (const CheckpointFile& file : checkpoint_files(directory)) {
    try {
      Checkpoint checkpoint = read_checkpoint(file.path);
      if (!told.empty())
        err << told << "warning: going on from an older one, " << file.path << "\n";
      return checkpoint;
    } catch (const CheckpointError& bad) {
      told += file.path + ": warning: this checkpoint cannot be used: " + bad.what() + "\n";
    }
  }
  err << told << directory << ": error: there is no checkpoint " << (told.empty() ? "" : "left ") << "to restart from\n"
      << "  expected the directory of results of a motion in time, without 'checkpoint: {keep: 0}', that was "
         "interrupted,\n"
         "  killed or is to be extended\n";
  return std::nullopt;
}

namespace {

/// Of writes that a kill cut short.
void remove_leftovers(const std::string& directory) {
  const auto leftovers = files_in<fs::path>(directory, [](const fs::path& path) {
    const bool is_one =
        path.filename().string().compare(0, prefix.size(), prefix) == 0 && path.extension() == unfinished;
    return is_one ? std::optional(path) : std::nullopt;
  });
  for (const fs::path& leftover : leftovers) {
    std::error_code ignored;
    fs::remove(leftover, ignored);
  }
}

} // namespace

void write_checkpoint(const std::string& directory, const Checkpoint& checkpoint, int keep) {
  const long step = checkpoint.run.outcome.whole_steps;
  replace_file(directory + "/" + std::string(prefix) + std::to_string(step), encode(checkpoint), step > 0);
  int kept = 0;
  for (const CheckpointFile& file : checkpoint_files(directory)) {
    std::error_code ignored;
    if (file.step > step || ++kept > keep)
      fs::remove(file.path, ignored);
  }
  remove_leftovers(directory);
}

void remove_checkpoints(const std::string& directory) {
  for (const CheckpointFile& file : checkpoint_files(directory))
    remove_file(file.path);
  remove_leftovers(directory);
}

} // namespace emmy
