#pragma once
/// Which channels a file has, and the numbers of a line of it.

#include "io/channels/channel.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/diagnostics.hpp"

#include <string>
#include <vector>

namespace emmy {

/// A number of a channel.
struct Column {
  const Channel* channel;
  std::size_t component;
  std::size_t at; ///< in what ChosenColumns reads
};

/// The columns of a file, beside its time. The sources have to outlive it.
class ChosenColumns {
public:
  /// By the entries `bodies`, `joints`, `energies` and so on of `output`.
  ChosenColumns(const std::vector<ChannelSource>& sources, const deck::Output& output);
  /// By names of channels or columns, with wildcards: in their order, each column once.
  ChosenColumns(const std::vector<ChannelSource>& sources, const std::vector<deck::ChannelPattern>& patterns);

  const std::vector<Column>& columns() const { return columns_; }
  /// First line of a file, without its end: `t,arm.x,...`, with units `t [s],arm.x [m],...`.
  std::string head(bool with_units) const;
  /// The numbers of all sources of which something is chosen: those of the columns are at Column::at.
  const std::vector<double>& read(const Moment& moment);

private:
  /// Finds what to read, once the columns are known by their place among all numbers of all sources.
  void settle(const std::vector<ChannelSource>& sources);

  struct Read {
    const ChannelSource* source;
    std::size_t first;
  };
  std::vector<Column> columns_;
  std::vector<Read> reads_;
  std::vector<double> numbers_;
};

/// Says which patterns of a deck choose nothing.
void check_patterns(const std::vector<ChannelSource>& sources, const deck::Output& output,
                    deck::Diagnostics& diagnostics);

/// A table of all channels for a person: names, columns, units, when, what.
std::string channel_table(const std::vector<ChannelSource>& sources);

} // namespace emmy
