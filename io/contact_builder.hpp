#pragma once
/// Turns the section `contact` of a deck into a scene, and the options of the engine that moves it.

#include "contact/scene.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/diagnostics.hpp"
#include "io/file_mark.hpp"
#include "io/model_builder.hpp"
#include "solvers/integrators/conserving/free_bodies.hpp"

#include <vector>

namespace emmy {

/// Kinds of surfaces that a scene may tell apart: its table of rules has the square of it.
inline constexpr std::size_t most_classes = 4096;

/// Reads mesh files and says what is wrong with them, and with pairs that can never touch. The first rule of the scene
/// is the default, the others are the pairs of the deck in their order. Without contact it has no surfaces. `files`
/// gets the mesh files, as often as they were read.
contact::Scene build_scene(const deck::Deck& deck, const BuiltModel& built, deck::Diagnostics& diagnostics,
                           std::vector<ReferredFile>& files);

FreeBodiesOptions contact_options(const deck::Deck& deck);

} // namespace emmy
