#include "io/verify/runs.hpp"

#include "io/run.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace emmy::verify {

namespace {

namespace fs = std::filesystem;

/// Later settings replace earlier ones of the same entry.
std::vector<std::string> overrides(const Settings& first, const Settings& further) {
  Settings all = first;
  for (const auto& setting : further) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.first == setting.first; });
    if (same != all.end())
      same->second = setting.second;
    else
      all.push_back(setting);
  }
  std::vector<std::string> texts;
  for (const auto& [path, value] : all)
    texts.push_back(path + "=" + value);
  return texts;
}

/// Runs a deck, stopped after random parts of its steps: each time the run goes on from its checkpoint, as by the
/// hand of a person. What is kept is compared, last checkpoints too.
int run_with_stops(RunRequest request, int stops, bool keep, std::ostream& text) {
  std::mt19937 random(static_cast<unsigned>(stops)); // the same steps every time
  std::vector<double> parts;
  for (int i = 0; i < stops; ++i)
    parts.push_back(std::uniform_real_distribution<double>(0, 1)(random));
  std::sort(parts.begin(), parts.end());
  request.checkpoints = stops > 0 || keep;
  for (const double part : parts) {
    request.stop_at_part = part;
    const int code = run_deck(request, text, text);
    if (code != exit_failed)
      return code;
    request.restart = request.directory;
    request.deck.clear();
    request.overrides.clear();
  }
  request.stop_at_part.reset();
  return run_deck(request, text, text);
}

RunResult execute(const std::string& deck, const std::vector<std::string>& settings, const std::string& directory,
                  int stops, bool keep) {
  RunRequest request;
  request.deck = deck;
  request.overrides = settings;
  request.directory = directory;
  request.force = true;
  std::ostringstream text;
  RunResult result;
  result.exit_code = run_with_stops(request, stops, keep, text);
  result.text = text.str();
  if (fs::exists(directory + "/history.csv"))
    result.history = Table::read(directory + "/history.csv");
  else if (fs::exists(directory + "/modes.csv"))
    result.history = Table::read(directory + "/modes.csv", "mode");
  if (std::ifstream head(directory + "/impacts.csv"); head)
    if (std::string line; std::getline(head, line) && std::getline(head, line))
      result.impacts = Table::read_impacts(directory + "/impacts.csv");
  if (std::ifstream audit(directory + "/audit.json"); audit)
    result.audit = nlohmann::json::parse(audit, nullptr, false);
  return result;
}

} // namespace

const RunResult& Runs::get(const DeckRun& run, const Settings& further) {
  const std::vector<std::string> settings = overrides(run.set, further);
  std::string key = run.deck;
  for (const std::string& text : settings)
    key += "\n" + text;
  const auto found = results_.find(key);
  if (found != results_.end())
    return found->second;
  const std::string folder = directory_ + "/" + std::to_string(results_.size() + 1) + "-" + run.name;
  RunResult result = execute(run.deck, settings, folder, stops_, keep_);
  if (!keep_)
    fs::remove_all(folder);
  return results_.emplace(key, std::move(result)).first->second;
}

} // namespace emmy::verify
