// The part of Batches that takes elements of natural equations, and finds the loads of bodies that are eliminated.
#include "core/natural_interaction.hpp"
#include "solvers/batches/batches.hpp"

#include <algorithm>

namespace emmy {

bool Batches::Group::is_load() const {
  return is_natural() && elements.front().natural->equations().is_load;
}

/// The bodies that an element names, the ground in place of what it does not; false if one of them is no frame, or if
/// its variables are not what its equations say.
bool Batches::find_bodies(const NaturalInteraction& element, int (&found)[2]) const {
  Index port[2] = {-1, -1};
  for (std::size_t i = 0; i < element.variables().size(); ++i) {
    const NaturalVariable& variable = element.variables()[i];
    const NaturalOn on = element.equations().variables[i];
    Index& of = port[side_of(on)];
    if (variable.w[0] != (is_point(on) ? 1 : 0) || (of >= 0 && of != variable.port))
      return false;
    of = variable.port;
  }
  for (int s = 0; s < 2; ++s) {
    found[s] = port[s] < 0 ? ground() : number_of(port[s]);
    if (found[s] < 0)
      return false;
  }
  return found[0] != found[1];
}

/// Those that are no weights.
void Batches::take_naturals(const Model& model) {
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const NaturalInteraction* element = NaturalInteraction::of(*model.elements()[e]);
    TakenElement taken{e, nullptr, 0, {}, -1, element};
    if (element == nullptr || taken_[e] || !find_bodies(*element, taken.body))
      continue;
    const PairKernels* kernels = kernels_of(element->equations().name);
    if (kernels == nullptr)
      continue;
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.kernels == kernels; });
    if (group == groups_.end())
      group = groups_.insert(groups_.end(), Group{kernels, false, false, {}});
    group->elements.push_back(taken);
    taken_[e] = true;
    if (element->equations().is_load)
      bodies_[static_cast<std::size_t>(taken.body[0])].is_loaded = true;
  }
}

/// What loads write to the blocks of a body is kept beside the matrix.
void Batches::fill_loads(const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) {
  fill(loads_, BatchScope::loads, graph, matrix, mean_mass);
  if (loads_.elements.empty())
    return;
  const auto with_nobody = static_cast<std::size_t>(loads_.frames.bodies) + 2; // behind the ground
  loads_.loads.assign(with_nobody * frame_loads_numbers, 0.0);
  loads_.frames.loads = loads_.loads.data();
  turning_.assign(with_nobody * turning_numbers, 0.0);
  for (Elements& elements : loads_.elements)
    for (PairPlace& place : elements.places) {
      place.x_turn[0][0] = turning_numbers * place.body[0];
      place.stride[0] = stride_of(3);
    }
}

BodyLoads Batches::body_loads() const {
  if (loads_.elements.empty())
    return {nullptr, nullptr, 0};
  return {loads_.loads.data(), turning_.data(), loads_.frames.bodies + 1};
}

void Batches::evaluate_loads(const BatchEvaluation& e, bool tangent) {
  BatchEvaluation own = e;
  own.matrix = turning_.data();
  kernels_->frames.move(loads_.frames, own);
  if (tangent)
    std::fill(turning_.begin(), turning_.end(), 0.0);
  for (const Elements& elements : loads_.elements)
    (tangent ? elements.kernels->tangent : elements.kernels->residual)(loads_.frames, elements.batch, own);
}

} // namespace emmy
