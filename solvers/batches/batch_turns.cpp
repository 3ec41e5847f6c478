// The part of Batches that counts the turns of joints.
#include "elements/joints/joint.hpp"
#include "solvers/batches/batches.hpp"

#include <algorithm>

namespace emmy {

/// Of joints that remember nothing but turns: others take them to the next step with the rest.
void Batches::take_turns(const Model& model) {
  const auto orientation_of = [&](Index port) {
    constexpr int behind_centre = 3;
    return port == Model::ground
               ? -1
               : static_cast<int>(body(body_of_port_[static_cast<std::size_t>(port)]).value) + behind_centre;
  };
  std::vector<const CoordinateMeasure*> angles;
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const auto* joint = dynamic_cast<const Joint*>(model.elements()[e].get());
    if (joint == nullptr || !taken_[e] || joint->equations().memory > 0)
      continue;
    int slot = static_cast<int>(joint->first_history());
    for (std::size_t i = 0; i < joint->coordinates().size(); ++i) {
      const CoordinateMeasure& angle = joint->measure(static_cast<Index>(i));
      if (!angle.counts_turns())
        continue;
      const auto& [s1, s2, t1] = angle.variables();
      turns_.push_back({{orientation_of(s1.port), orientation_of(t1.port)}, slot++});
      angles.push_back(&angle);
    }
    advanced_[e] = joint->history() > 0;
  }
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  while (turns_.size() % lanes != 0) // the last one again: what is written is written twice
    turns_.push_back(turns_.back());
  turn_vectors_.assign((turns_.size() * turn_numbers + 3) / 4, Four{});
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const auto& variables = angles[std::min(i, angles.size() - 1)]->variables();
    double* to = turn_vectors_.front().numbers + i / lanes * lanes * turn_numbers + i % lanes;
    for (std::size_t k = 0; k < turn_numbers; ++k)
      to[k * lanes] = variables[k / 3].w[static_cast<Index>(1 + k % 3)];
  }
}

void Batches::count_turns(const State& n, State& n1) const {
  if (!turns_.empty())
    kernels_->count_turns({static_cast<int>(turns_.size()), turns_.data(), turn_vectors_.front().numbers},
                          n1.values.data(), n.history.data(), n1.history.data());
}

} // namespace emmy
