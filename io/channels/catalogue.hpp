#pragma once
/// All channels of a model. This is the one place that says what results are called, what unit they have and how they
/// are found.

#include "io/channels/channel.hpp"
#include "io/contact_log.hpp"
#include "io/deck/deck.hpp"
#include "io/model_builder.hpp"

namespace emmy {

/// In the order of the deck. `contacts` knows what pairs of surfaces do; null where nothing is going to be read.
/// Both the model and the log have to outlive what is returned.
std::vector<ChannelSource> channels_of(const BuiltModel& built, const deck::Output& output, const ContactLog* contacts);

/// What a joint exerts on its second body in a step; NaN where that is not determined.
Reaction reaction_of(const BuiltModel& built, const BuiltJoint& joint, const MovedStep& s);

} // namespace emmy
