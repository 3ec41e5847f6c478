#include "solvers/batches/batches.hpp"

#include "core/measure_interaction.hpp"
#include "core/natural_interaction.hpp"
#include "elements/bodies/frame.hpp"
#include "solvers/batches/body_blocks.hpp"
#include "solvers/batches/frame_pairs.hpp"
#include "solvers/condensation/weights.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace emmy {

inline namespace portable {
extern const BatchKernels batch_kernels;
}
#ifdef EMMY_AVX2
namespace avx2 {
extern const BatchKernels batch_kernels;
}
#else
namespace avx2 = portable;
#endif

Batches::Batches(const Model& model, const ConstraintSet& constraints, BlockGraph& graph, const KernelOptions& options)
    : taken_(model.elements().size(), false), moved_(model.nodes().size(), false), booked_(taken_), advanced_(taken_),
      length_at_(model.elements().size(), -1), body_of_port_(model.ports().size(), -1),
      kernels_(options.packs && options.instructions == Instructions::avx2 ? &avx2::batch_kernels
                                                                           : &portable::batch_kernels),
      rows_(model.elements().size()), condensation_(options) {
  if (!options.batches)
    return;
  take_bodies(model, graph);
  take_elements(model, constraints);
  take_weights(model);
  take_naturals(model);
  take_turns(model);
  for (std::size_t e = 0; e < taken_.size(); ++e)
    booked_[e] = taken_[e] && !constraints.leaves_out(e);
  int lengths = 0;
  for (const Group& group : groups_)
    for (const TakenElement& element : group.elements) {
      if (!group.is_booked)
        booked_[element.element] = false;
      if (!group.is_natural() && has_square(element.of->equations()))
        length_at_[element.element] = lengths++;
    }
  lengths_.assign(static_cast<std::size_t>(lengths) + 1, 0.0);
  if (options.condenses) {
    choose_wrenches(model, constraints, graph);
    choose_condensed(model, graph);
  }
}

void Batches::take_bodies(const Model& model, const BlockGraph& graph) {
  std::vector<std::size_t> node_at(static_cast<std::size_t>(model.unknowns()));
  for (std::size_t i = 0; i < model.nodes().size(); ++i)
    node_at[static_cast<std::size_t>(model.nodes()[i].unknown)] = i;
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (const auto* frame = dynamic_cast<const FrameBody*>(model.elements()[e].get())) {
      const Node& node = frame->nodes().front();
      const std::size_t at = node_at[static_cast<std::size_t>(node.unknown)];
      bodies_.push_back({e, at, node.value, node.unknown, frame->mass(), frame->inertia(), Vec3::Zero(),
                         graph.shapes[at], false, false});
      taken_[e] = moved_[at] = true;
    }
  std::stable_sort(bodies_.begin(), bodies_.end(),
                   [](const TakenBody& a, const TakenBody& b) { return a.shape < b.shape; });
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& element = *model.body(*model.elements()[bodies_[b].element]);
    body_of_port_[static_cast<std::size_t>(element.port())] = static_cast<int>(b);
  }
}

const PairKernels* Batches::kernels_of(const char* name) const {
  const PairKernels* end = kernels_->pairs + kernels_->pair_kinds;
  const PairKernels* found =
      std::find_if(kernels_->pairs, end, [&](const PairKernels& k) { return std::string_view(k.name) == name; });
  return found == end ? nullptr : found;
}

/// The two bodies of an element, or of one of its shares; false if it is not between two frames, or one and the ground.
bool Batches::find_bodies(const MeasureInteraction& element, int share, int (&found)[2]) const {
  Index ports[2];
  if (!find_ports(element, share, ports))
    return false;
  for (int s = 0; s < 2; ++s)
    found[s] = number_of(ports[s]);
  return found[0] >= 0 && found[1] >= 0;
}

/// The body at a port, or the ground; -1: something else.
int Batches::number_of(Index port) const {
  return port == Model::ground ? ground() : body_of_port_[static_cast<std::size_t>(port)];
}

namespace {
/// False if the books of an element are more than kernels know: work from outside, or gaps that may open.
bool is_known_to_books(const Interaction& element) {
  return (element.acts() == Acts::between_bodies || element.acts() == Acts::as_constraint) && !element.is_one_sided();
}
} // namespace

void Batches::take_elements(const Model& model, const ConstraintSet& constraints) {
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const auto* element = MeasureInteraction::of(*model.elements()[e]);
    if (constraints.leaves_out(e)) // nobody evaluates it
      taken_[e] = true;
    if (element == nullptr || constraints.leaves_out(e))
      continue;
    const MeasureEquations& equations = element->equations();
    const int shares = equations.shares == nullptr ? 1 : 2;
    const PairKernels* kernels[2];
    TakenElement taken[2];
    bool fits = true;
    for (int share = 0; share < shares; ++share) {
      kernels[share] = kernels_of(shares == 1 ? equations.name : equations.shares[share]);
      taken[share] = {e, element, share, {}, -1};
      fits = fits && kernels[share] != nullptr && find_bodies(*element, share, taken[share].body);
    }
    if (!fits)
      continue;
    const bool is_handed = shares == 2 || constraints.of(e) != nullptr;
    const bool is_booked = !is_handed && is_known_to_books(*element);
    for (int share = 0; share < shares; ++share) {
      if (is_handed)
        taken[share].handed = rows_.add(e, equations.multipliers);
      auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
        return g.kernels == kernels[share] && g.is_handed == is_handed && g.is_booked == is_booked;
      });
      if (group == groups_.end())
        group = groups_.insert(groups_.end(), Group{kernels[share], is_handed, is_booked, {}});
      group->elements.push_back(taken[share]);
    }
    taken_[e] = true;
  }
}

void Batches::take_weights(const Model& model) {
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (const std::optional<Weight> weight = as_weight(model, *model.elements()[e]))
      if (const int of = body_of_port_[static_cast<std::size_t>(weight->port)]; of >= 0) {
        bodies_[static_cast<std::size_t>(of)].weight += weight->r;
        taken_[e] = true;
      }
}

void Batches::claim(const BlockGraph& graph, BlockMatrix& matrix) {
  rows_.reserve(matrix);
  for (const TakenBody& of : bodies_)
    if (of.shape == FrameShape::apart)
      for (const int node : BodyBlocks(graph, of.node).nodes())
        matrix.set_written(node, node);
  for (const Group& group : groups_)
    for (const TakenElement& element : group.elements) {
      const int multipliers = graph.multiplier_node[element.element];
      if (multipliers < 0 || group.is_handed)
        continue;
      for (const int b : element.body)
        if (b != ground())
          for (const int node : BodyBlocks(graph, body(b).node).nodes()) {
            matrix.set_written(multipliers, node);
            matrix.set_written(node, multipliers);
          }
    }
}

void Batches::choose_condensed(const Model& model, BlockGraph& graph) {
  std::vector<FrameCondensation::Body> bodies;
  std::vector<bool> suits(bodies_.size(), true);
  std::vector<int> body_at(static_cast<std::size_t>(model.unknowns()), -1);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const TakenBody& of = bodies_[b];
    body_at[static_cast<std::size_t>(of.unknown)] = static_cast<int>(b);
    suits[b] = of.shape != FrameShape::coupled && !of.on_wrenches;
    const BodyBlocks blocks(graph, of.node);
    bodies.push_back({of.value, of.unknown, blocks.centre().node, blocks.rotation(), of.mass, of.J, of.weight, {}});
  }
  const auto rule_out = [&](int b) {
    if (b >= 0 && b != ground())
      suits[static_cast<std::size_t>(b)] = false;
  };
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (!taken_[e])
      for (const Node& node : model.elements()[e]->nodes())
        rule_out(body_at[static_cast<std::size_t>(node.unknown)]);
  for (const Group& group : groups_) {
    if (group.is_load())
      continue;
    for (const TakenElement& joint : group.elements)
      for (const int side : {0, 1}) {
        const int b = joint.body[side];
        if (group.is_natural() || !group.is_booked || !is_ball_joint(joint.of->equations()))
          rule_out(b);
        else if (b != ground())
          bodies[static_cast<std::size_t>(b)].ports.push_back(
              {graph.multiplier_node[joint.element], side == 0 ? -1.0 : 1.0,
               joint.of->variables()[static_cast<std::size_t>(side)].w.tail<3>()});
      }
  }
  int loads = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    bodies_[b].condensed = suits[b] && FrameCondensation::suits(bodies[b]);
    if (is_in(BatchScope::loads, bodies_[b])) // numbered as they are in fill()
      bodies[b].load = loads++;
    if (!bodies_[b].condensed)
      continue;
    for (const int node : {bodies[b].centre, bodies[b].rotation.node})
      graph.nodes[static_cast<std::size_t>(node)].goes_first = true;
    condensation_.add(std::move(bodies[b]));
  }
  add_condensed_joints(graph);
}

/// Those between bodies that are condensed and the ground. Others get their distance with the rest.
void Batches::add_condensed_joints(const BlockGraph& graph) {
  const auto is_here = [&](int b) { return b == ground() || body(b).condensed; };
  for (const Group& group : groups_)
    for (const TakenElement& joint : group.elements)
      if (!group.is_natural() && is_here(joint.body[0]) && is_here(joint.body[1]))
        condensation_.add({graph.multiplier_node[joint.element], end_of(joint, 0), end_of(joint, 1)});
}

/// Where the distance of a ball joint begins or ends.
CentreDistances::End Batches::end_of(const TakenElement& joint, int side) const {
  const int b = joint.body[side];
  if (b != ground())
    return {body(b).value, Vec3::Zero()};
  return {-1, joint.of->variables()[static_cast<std::size_t>(side)].w.tail<3>()};
}

void Batches::begin_step(const State& n, double h) {
  if (!remembers_)
    return;
  for (Tables* tables : {&all_, &beside_wrenches_, &rest_, &loads_})
    begin_step(n, h, *tables);
}

void Batches::begin_step(const State& n, double h, Tables& tables) const {
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  for (Elements& elements : tables.elements) {
    const auto count = static_cast<std::size_t>(elements.kernels->memory);
    double known[8];
    for (std::size_t i = 0; i < elements.remembering.size(); ++i) {
      const TakenElement& element = elements.remembering[i];
      if (element.natural != nullptr)
        std::copy_n(element.natural->recall(n.time, h).begin(), count, known);
      else if (element.share == 0)
        element.of->recall(n.time, h, n.history.data() + element.of->first_history(), known);
      else // the first one knows what there is
        std::fill_n(known, count, 0.0);
      double* to = elements.memory.front().numbers + i / lanes * count * lanes + i % lanes;
      for (std::size_t k = 0; k < count; ++k)
        to[k * lanes] = known[k];
    }
  }
}

void Batches::find_values(const BatchEvaluation& e, BatchScope scope) {
  FrameTable frames = of(scope).frames;
  frames.loads = unused_loads_.data();
  for (const Elements& elements : of(scope).elements)
    if (elements.is_handed)
      elements.kernels->residual(frames, elements.batch, rows_.evaluation(e));
}

void Batches::evaluate(const BatchEvaluation& e, bool tangent, BatchScope scope) {
  const Tables& tables = of(scope);
  for (const Elements& elements : tables.elements)
    (tangent ? elements.kernels->tangent : elements.kernels->residual)(tables.frames, elements.batch,
                                                                       elements.is_handed ? rows_.evaluation(e) : e);
  (tangent ? kernels_->frames.balance_tangent : kernels_->frames.balance_residual)(tables.frames, e);
}

void Batches::book(const BatchEvaluation& e, double s, double mean_mass, const State& n1, StepBooks& books) const {
  const BookEvaluation step{e, s, mean_mass, n1.values.data(), n1.rates.data()};
  BatchBooks sums;
  if (!has(BatchScope::rest) && !has_wrenches_) {
    condensation_.book({e.h, s, mean_mass, e.values, e.remainders, e.x, n1.values.data(), n1.rates.data(), nullptr},
                       sums);
  } else {
    kernels_->frames.book(all_.frames, step, sums);
    for (const Elements& elements : all_.elements)
      if (elements.is_booked)
        elements.kernels->book(all_.frames, elements.batch, step, sums);
  }
  enter(sums, books);
}

} // namespace emmy
