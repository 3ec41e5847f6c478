#include "io/channels/selection.hpp"

#include "io/deck/hints.hpp"
#include "io/report.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <unordered_map>

namespace emmy {

namespace {

bool fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// A kind in full, and perhaps a pattern for names below it: wildcards stand for letters of names, not of kinds.
bool fits_kind(const std::string& pattern, const Channel& channel) {
  const std::string kind = word_for(channel.kind);
  return pattern == kind ||
         (pattern.compare(0, kind.size() + 1, kind + ".") == 0 && fits(pattern.substr(kind.size() + 1), channel.name));
}

/// By its owner, its kind, or its name below either of them.
bool fits_channel(const std::string& pattern, const Channel& channel) {
  if (channel.on_request && (pattern == channel.owner || pattern == word_for(channel.kind)))
    return false;
  return pattern == channel.owner || fits(pattern, channel.full_name()) || fits_kind(pattern, channel);
}

/// Calls `visit(channel, component, place)` for all numbers of all sources, one after the other.
template <class Visit>
void for_each_number(const std::vector<ChannelSource>& sources, Visit visit) {
  std::size_t place = 0;
  for (const ChannelSource& source : sources)
    for (const Channel& channel : source.channels)
      for (std::size_t i = 0; i < channel.size(); ++i)
        visit(channel, i, place++);
}

/// Calls `visit(channel, component, place)` for those that a pattern chooses.
template <class Visit>
void for_each_chosen(const std::vector<ChannelSource>& sources, const std::string& pattern, Visit visit) {
  bool is_whole = false;
  for_each_number(sources, [&](const Channel& channel, std::size_t i, std::size_t place) {
    if (i == 0)
      is_whole = fits_channel(pattern, channel);
    if (is_whole || fits(pattern, channel.column_name(i)))
      visit(channel, i, place);
  });
}

const deck::Selection* selection_of(ChannelKind kind, const deck::Output& output) {
  switch (kind) {
  case ChannelKind::body:
    return &output.bodies;
  case ChannelKind::joint:
    return &output.joints;
  case ChannelKind::force:
    return &output.forces;
  case ChannelKind::limit:
    return &output.limits;
  case ChannelKind::contact:
    return &output.contacts;
  default:
    return nullptr;
  }
}

/// Place of an owner in the order of a selection; negative if it is not selected.
long place_in(const Channel& channel, const deck::Output& output,
              const std::unordered_map<std::string, long>& place_of_name) {
  if (channel.kind == ChannelKind::energy)
    return output.energies ? 0 : -1;
  if (channel.kind == ChannelKind::momentum)
    return output.momenta ? 0 : -1;
  const deck::Selection* selection = selection_of(channel.kind, output);
  if (selection == nullptr || selection->all)
    return 0;
  if (channel.kind == ChannelKind::contact && channel.owner == "contact") // the totals stand before the pairs
    return selection->names.empty() ? -1 : 0;
  const auto found = place_of_name.find(channel.owner);
  return found == place_of_name.end() ? -1 : found->second;
}

std::unordered_map<std::string, long> places(const deck::Output& output) {
  std::unordered_map<std::string, long> place_of_name;
  long place = 0; // bodies, joints, forces, limits and pairs share one set of names
  for (const deck::Selection* selection :
       {&output.bodies, &output.joints, &output.forces, &output.limits, &output.contacts})
    for (const std::string& name : selection->names)
      place_of_name.emplace(name, ++place);
  return place_of_name;
}

} // namespace

ChosenColumns::ChosenColumns(const std::vector<ChannelSource>& sources, const deck::Output& output) {
  const std::unordered_map<std::string, long> place_of_name = places(output);
  struct Placed {
    ChannelKind kind;
    long place;
    Column column;
  };
  std::vector<Placed> chosen;
  for_each_number(sources, [&](const Channel& channel, std::size_t i, std::size_t number) {
    if (const long place = place_in(channel, output, place_of_name); place >= 0 && !channel.on_request)
      chosen.push_back({channel.kind, place, {&channel, i, number}});
  });
  std::stable_sort(chosen.begin(), chosen.end(), [](const Placed& a, const Placed& b) {
    return a.kind == b.kind ? a.place < b.place : a.kind < b.kind;
  });
  for (const Placed& one : chosen)
    columns_.push_back(one.column);
  settle(sources);
}

ChosenColumns::ChosenColumns(const std::vector<ChannelSource>& sources,
                             const std::vector<deck::ChannelPattern>& patterns) {
  std::vector<char> is_taken;
  for_each_number(sources, [&](const Channel&, std::size_t, std::size_t) { is_taken.push_back(false); });
  for (const deck::ChannelPattern& pattern : patterns)
    for_each_chosen(sources, pattern.text, [&](const Channel& channel, std::size_t i, std::size_t place) {
      if (!is_taken[place])
        columns_.push_back({&channel, i, place});
      is_taken[place] = true;
    });
  settle(sources);
}

void ChosenColumns::settle(const std::vector<ChannelSource>& sources) {
  constexpr std::size_t unread = static_cast<std::size_t>(-1);
  std::vector<std::size_t> source_of; // by place among all numbers
  std::vector<std::size_t> begins, first(sources.size(), unread);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    begins.push_back(source_of.size());
    source_of.insert(source_of.end(), sources[i].size(), i);
  }
  std::vector<char> is_read(sources.size(), false);
  for (const Column& column : columns_)
    is_read[source_of[column.at]] = true;
  std::size_t size = 0;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (is_read[i]) {
      first[i] = size;
      reads_.push_back({&sources[i], size});
      size += sources[i].size();
    }
  for (Column& column : columns_) {
    const std::size_t source = source_of[column.at];
    column.at = first[source] + column.at - begins[source];
  }
  numbers_.resize(size);
}

std::string ChosenColumns::head(bool with_units) const {
  std::string text = with_units ? "t [s]" : "t";
  for (const Column& column : columns_) {
    text += "," + column.channel->column_name(column.component);
    if (with_units)
      text += std::string(" [") + column.channel->unit + "]";
  }
  return text;
}

const std::vector<double>& ChosenColumns::read(const Moment& moment) {
  for (const Read& read : reads_)
    read.source->read(moment, numbers_.data() + read.first);
  return numbers_;
}

namespace {

void check(const std::vector<ChannelSource>& sources, const deck::ChannelPattern& pattern,
           deck::Diagnostics& diagnostics) {
  bool is_found = false;
  for_each_chosen(sources, pattern.text, [&](const Channel&, std::size_t, std::size_t) { is_found = true; });
  if (is_found)
    return;
  std::vector<std::string> names;
  for (const ChannelSource& source : sources)
    for (const Channel& channel : source.channels) {
      names.push_back(channel.full_name());
      for (std::size_t i = 0; i < channel.size(); ++i)
        names.push_back(channel.column_name(i));
    }
  std::vector<std::string> notes = {"expected channels or columns such as " + names.front() +
                                    ", with * for any letters; 'emmy check --channels' lists them"};
  if (const std::string guess = deck::nearest(pattern.text, names); !guess.empty())
    notes.push_back("did you mean '" + guess + "'?");
  diagnostics.error(pattern.where, "no channel of this model is called '" + pattern.text + "'", notes);
}

} // namespace

void check_patterns(const std::vector<ChannelSource>& sources, const deck::Output& output,
                    deck::Diagnostics& diagnostics) {
  for (const deck::ChannelPattern& pattern : output.channels)
    check(sources, pattern, diagnostics);
  for (const deck::OutputGroup& group : output.groups)
    for (const deck::ChannelPattern& pattern : group.channels)
      check(sources, pattern, diagnostics);
}

std::string channel_table(const std::vector<ChannelSource>& sources) {
  std::string text =
      formatted("%-10s %-32s %-40s %-8s %-6s %s\n", "kind", "channel", "columns", "unit", "when", "what");
  for (const ChannelSource& source : sources)
    for (const Channel& channel : source.channels) {
      std::string columns;
      for (std::size_t i = 0; i < channel.size(); ++i)
        columns += (i > 0 ? " " : "") + channel.column_name(i);
      text += formatted("%-10s %-32s %-40s %-8s %-6s %s\n", word_for(channel.kind), channel.full_name().c_str(),
                        columns.c_str(), channel.unit, word_for(channel.when), channel.doc);
    }
  return text;
}

} // namespace emmy
