#include "io/channels/channel.hpp"

namespace emmy {

const char* word_for(ChannelKind kind) {
  switch (kind) {
  case ChannelKind::body:
    return "body";
  case ChannelKind::joint:
    return "joint";
  case ChannelKind::force:
    return "force";
  case ChannelKind::limit:
    return "limit";
  case ChannelKind::contact:
    return "contact";
  case ChannelKind::point:
    return "point";
  case ChannelKind::energy:
    return "energy";
  case ChannelKind::momentum:
    return "momentum";
  }
  return "";
}

const char* word_for(When when) {
  switch (when) {
  case When::end:
    return "end";
  case When::mean:
    return "mean";
  case When::step:
    return "step";
  case When::total:
    return "total";
  }
  return "";
}

std::string Channel::full_name() const {
  return (owner.empty() ? word_for(kind) : owner) + "." + name;
}

std::string Channel::column_name(std::size_t i) const {
  return owner.empty() ? columns[i] : owner + "." + columns[i];
}

std::size_t ChannelSource::size() const {
  std::size_t sum = 0;
  for (const Channel& channel : channels)
    sum += channel.size();
  return sum;
}

} // namespace emmy
