#include "io/checkpoint/checkpoint_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace emmy {

namespace {

namespace fs = std::filesystem;
constexpr std::string_view prefix = "checkpoint.";

std::optional<std::string> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad())
    return std::nullopt;
  return bytes;
}

} // namespace

std::vector<CheckpointFile> checkpoint_files(const std::string& directory) {
  std::vector<CheckpointFile> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    long step = 0;
    if (name.compare(0, prefix.size(), prefix) != 0)
      continue;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), step);
    if (error == std::errc{} && end == name.data() + name.size())
      files.push_back({entry.path().string(), step});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  return files;
}

std::optional<Checkpoint> newest_checkpoint(const std::string& directory, std::ostream& err) {
  std::string told;
  for (const CheckpointFile& file : checkpoint_files(directory)) {
    try {
      const std::optional<std::string> bytes = contents(file.path);
      if (!bytes)
        throw CheckpointError("it cannot be read");
      Checkpoint checkpoint = decode(*bytes);
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
  std::vector<fs::path> leftovers;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed))
    if (const std::string name = entry.path().filename().string();
        name.compare(0, prefix.size(), prefix) == 0 && entry.path().extension() == unfinished)
      leftovers.push_back(entry.path());
  for (const fs::path& leftover : leftovers)
    fs::remove(leftover, failed);
}

} // namespace

void write_checkpoint(const std::string& directory, const Checkpoint& checkpoint, int keep) {
  const long step = checkpoint.run.outcome.whole_steps;
  replace_file(directory + "/" + std::string(prefix) + std::to_string(step), encode(checkpoint));
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

std::optional<FileMark> mark_of(const std::string& path) {
  const std::optional<std::string> bytes = contents(path);
  if (!bytes)
    return std::nullopt;
  return FileMark{bytes->size(), digest_of(*bytes)};
}

} // namespace emmy
