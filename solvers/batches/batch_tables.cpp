// Tables of Batches: numbers and addresses of bodies and elements.
#include "core/measure_interaction.hpp"
#include "core/natural_interaction.hpp"
#include "solvers/batches/batches.hpp"
#include "solvers/batches/body_blocks.hpp"
#include "solvers/batches/frame_pairs.hpp"

#include <algorithm>

namespace emmy {

void Batches::bind(const Model& model, const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) {
  if (empty())
    return;
  find_sides(model, graph);
  fill(all_, BatchScope::all, graph, matrix, mean_mass);
  if (has_wrenches_)
    fill(beside_wrenches_, BatchScope::beside_wrenches, graph, matrix, mean_mass);
  fill(rest_, BatchScope::rest, graph, matrix, mean_mass);
  fill_loads(graph, matrix, mean_mass);
  remembers_ = std::any_of(all_.elements.begin(), all_.elements.end(),
                           [](const Elements& elements) { return !elements.remembering.empty(); });
  unused_loads_ = all_.loads; // the largest one
  condensation_.bind(matrix, body_loads(), mean_mass);
}

/// Tells elements that hand their rows over where their bodies are among their own unknowns.
void Batches::find_sides(const Model& model, const BlockGraph& graph) {
  for (const Group& group : groups_)
    for (const TakenElement& element : group.elements) {
      if (!group.is_handed)
        continue;
      Index offset = 0;
      for (const Node& node : model.elements()[element.element]->nodes()) {
        for (const int s : {0, 1})
          if (const int b = element.body[s]; b != ground() && body(b).unknown == node.unknown)
            rows_.set_side(element.handed, s, offset, BodyBlocks(graph, body(b).node).stride());
        offset += node.unknowns();
      }
    }
}

bool Batches::is_in(BatchScope scope, const TakenBody& of) const {
  switch (scope) {
  case BatchScope::all:
    return true;
  case BatchScope::beside_wrenches:
    return !of.on_wrenches;
  case BatchScope::rest:
    return !of.on_wrenches && !of.condensed;
  case BatchScope::loads:
    break;
  }
  return of.is_loaded && (of.condensed || of.on_wrenches);
}

/// Of all bodies and elements, or of those in a scope: there, bodies that are eliminated elsewhere are looked at where
/// they were when the step began. Or of loads alone.
void Batches::fill(Tables& tables, BatchScope scope, const BlockGraph& graph, BlockMatrix& matrix,
                   double mean_mass) const {
  const auto is_here = [&](const TakenBody& of) { return is_in(scope, of); };
  std::vector<const Group*> groups;
  for (const Group& group : groups_)
    if (scope != BatchScope::loads || group.is_load())
      groups.push_back(&group);
  std::vector<int> number; // of each body in the table of motions
  int apart = 0, coupled = 0, count = 0;
  for (const TakenBody& of : bodies_) {
    number.push_back(is_here(of) ? count++ : -1);
    apart += is_here(of) && of.shape == FrameShape::apart ? 1 : 0;
    coupled += is_here(of) && of.shape != FrameShape::whole ? 1 : 0;
  }
  if (count == 0)
    return;
  for (const TakenBody& of : bodies_) {
    if (!is_here(of))
      continue;
    const BodyBlocks blocks(graph, of.node);
    const BodyPart x = blocks.centre(), turn = blocks.rotation();
    const BlockAddress at_x = matrix.address(x.node, x.node);
    tables.places.push_back({static_cast<int>(of.value), static_cast<int>(of.unknown), matrix.row_of(x.node),
                             matrix.row_of(turn.node) + turn.offset, at_x.at, address_of(matrix, turn, turn),
                             at_x.is_diagonal});
    tables.inertia.resize(tables.inertia.size() + frame_inertia_numbers, 0.0); // mass, J, weight
    double* numbers = tables.inertia.data() + tables.inertia.size() - frame_inertia_numbers;
    numbers[0] = of.mass / mean_mass;
    Eigen::Map<Mat3>(numbers + 1) = of.J / mean_mass;
    Eigen::Map<Vec3>(numbers + 10) = of.weight;
  }
  int moved = count;
  const auto behind = static_cast<int>(matrix.rows()); // where nothing moves
  for (const Group* group : groups)
    for (const TakenElement& element : group->elements)
      for (const int s : {0, 1})
        if (const int b = element.body[s], other = element.body[1 - s];
            b != ground() && number[static_cast<std::size_t>(b)] < 0 && other != ground() && is_here(body(other))) {
          number[static_cast<std::size_t>(b)] = moved++;
          tables.places.push_back({static_cast<int>(body(b).value), static_cast<int>(body(b).unknown), behind,
                                   behind + 3, matrix.scratch(), matrix.scratch(), false});
        }
  number.push_back(moved); // the ground
  const auto with_ground = static_cast<std::size_t>(moved) + 1;
  tables.motions.assign(with_ground * frame_motion_numbers, 0.0);
  tables.loads.assign(with_ground * frame_loads_numbers, 0.0);
  tables.rates.assign(with_ground * frame_rate_numbers, 0.0);
  double* still = tables.motions.data() + static_cast<std::size_t>(moved) * frame_motion_numbers;
  for (int matrix_at = 12; matrix_at + 9 <= frame_motion_numbers; matrix_at += 9) // behind where it is
    Eigen::Map<Mat3>(still + matrix_at).setIdentity();

  for (const Group* group : groups)
    if (Elements elements = elements_of(*group, number, count, graph, matrix); !elements.places.empty())
      tables.elements.push_back(std::move(elements));
  for (Elements& elements : tables.elements)
    elements.batch = {static_cast<int>(elements.places.size()),
                      elements.real,
                      elements.places.data(),
                      elements.vectors.front().numbers,
                      elements.numbers.front().numbers,
                      elements.memory.front().numbers};
  tables.frames = {count,
                   moved,
                   apart,
                   coupled,
                   tables.places.data(),
                   tables.inertia.data(),
                   tables.motions.data(),
                   tables.loads.data(),
                   tables.rates.data(),
                   lengths_.data(),
                   matrix.scratch()};
}

/// Elements of a group on bodies with numbers below `count`. A side on another body stays where it was, does not turn
/// and is written where nobody looks. Elements with nothing but such sides and the ground are left out.
Batches::Elements Batches::elements_of(const Group& group, const std::vector<int>& number, int count_of_bodies,
                                       const BlockGraph& graph, BlockMatrix& matrix) const {
  const auto acts_on = [&](int b) {
    const int as = b == ground() ? -1 : number[static_cast<std::size_t>(b)];
    return as >= 0 && as < count_of_bodies;
  };
  const int scratch = matrix.scratch(), still = number.back();
  PairPlace nobody{};
  nobody.row = group.is_handed ? rows_.row_of_nobody() : static_cast<int>(matrix.rows());
  nobody.length = static_cast<int>(lengths_.size()) - 1;
  for (int s = 0; s < 2; ++s) {
    nobody.body[s] = still;
    nobody.stride[s] = stride_of(3);
    nobody.below_x[s] = nobody.below_turn[s] = nobody.right_x[s] = nobody.right_turn[s] = nobody.cross[s] = scratch;
    for (int by = 0; by < 2; ++by)
      nobody.xx[s][by] = nobody.x_turn[s][by] = nobody.turn_x[s][by] = scratch;
  }
  Elements elements;
  elements.kernels = group.kernels;
  elements.is_handed = group.is_handed;
  elements.is_booked = group.is_booked;
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  std::vector<const TakenElement*> here;
  for (const TakenElement& element : group.elements)
    if (acts_on(element.body[0]) || acts_on(element.body[1]))
      here.push_back(&element);
  const std::size_t count = (here.size() + lanes - 1) / lanes * lanes;
  elements.real = static_cast<int>(here.size());
  const auto room = [&](int numbers) { return count * static_cast<std::size_t>(numbers) / 4 + 1; };
  elements.vectors.resize(room(group.kernels->vectors), Four{});
  elements.numbers.resize(room(group.kernels->numbers), Four{});
  elements.memory.resize(room(group.kernels->memory), Four{});
  for (std::size_t i = 0; i < count; ++i) {
    PairPlace place = nobody;
    bool is_here[2] = {false, false};
    const TakenElement& element = *here[std::min(i, here.size() - 1)];
    if (i < here.size()) {
      const int multipliers = graph.multiplier_node[element.element];
      if (group.is_handed)
        place.row = rows_.row(element.handed);
      else if (multipliers >= 0)
        place.row = matrix.row_of(multipliers);
      for (int s = 0; s < 2; ++s) {
        const int b = element.body[s];
        place.body[s] = number[static_cast<std::size_t>(b)];
        is_here[s] = b == ground() || acts_on(b);
        if (!acts_on(b))
          continue;
        const BodyBlocks blocks(graph, body(b).node);
        const BodyPart x = blocks.centre(), turn = blocks.rotation(), mu{multipliers, 0};
        place.stride[s] = blocks.stride();
        if (group.is_handed) {
          const auto [below_x, below_turn, right_x, right_turn] = rows_.blocks(element.handed, s, matrix);
          place.below_x[s] = below_x;
          place.below_turn[s] = below_turn;
          place.right_x[s] = right_x;
          place.right_turn[s] = right_turn;
          if (coincides(element.of->equations()))
            for (int k = 0; k < 3; ++k)
              matrix.values()[below_x + k * (stride_of(element.of->equations().multipliers) + 1)] =
                  matrix.values()[right_x + k * (place.stride[s] + 1)] = s == 0 ? -1 : 1;
        } else if (multipliers >= 0) {
          place.below_x[s] = address_of(matrix, mu, x);
          place.below_turn[s] = address_of(matrix, mu, turn);
          place.right_x[s] = address_of(matrix, x, mu);
          place.right_turn[s] = address_of(matrix, turn, mu);
          if (coincides(element.of->equations())) // what such a joint does with a centre never changes
            for (const BlockAddress& at : {matrix.address(mu.node, x.node), matrix.address(x.node, mu.node)})
              for (int k = 0; k < 3; ++k)
                matrix.values()[at.at + (at.is_diagonal ? k : k * (at.stride + 1))] = s == 0 ? -1 : 1;
        }
        for (int by = 0; by < 2; ++by) {
          const int other = element.body[by];
          if (!acts_on(other))
            continue;
          const BodyBlocks others(graph, body(other).node);
          place.xx[s][by] = address_of(matrix, x, others.centre());
          place.x_turn[s][by] = address_of(matrix, x, others.rotation());
          place.turn_x[s][by] = address_of(matrix, turn, others.centre());
          if (by != s)
            place.cross[s] = address_of(matrix, turn, others.rotation());
        }
      }
      if (const int length = length_at_[element.element]; length >= 0)
        place.length = length;
      if (group.kernels->memory > 0)
        elements.remembering.push_back(element);
    }
    elements.places.push_back(place);
    add_numbers(element, is_here, i, elements);
  }
  return elements;
}

/// Vectors and constants of an element; sides that are not here have none.
void Batches::add_numbers(const TakenElement& element, const bool (&is_here)[2], std::size_t at, Elements& to) const {
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  const auto put = [&](std::vector<Four>& list, int numbers, std::size_t k, double value) {
    list.front().numbers[at / lanes * static_cast<std::size_t>(numbers) * lanes + k * lanes + at % lanes] = value;
  };
  std::size_t k = 0;
  const auto put3 = [&](const Vec3& w) {
    for (int i = 0; i < 3; ++i)
      put(to.vectors, to.kernels->vectors, k++, w[i]);
  };
  if (element.natural != nullptr) { // all its bodies are here: more than loads keep them from being eliminated
    for (const NaturalVariable& variable : element.natural->variables())
      put3(variable.w.tail<3>());
    return;
  }
  const PairSide sides[2] = {{element.body[0] == ground(), is_here[0]}, {element.body[1] == ground(), is_here[1]}};
  put_vectors(*element.of, element.share, sides, put3);
  // Of a coupler each share has one number, its factor.
  const MeasureEquations& equations = element.of->equations();
  const double* numbers = equations.numbers + (equations.shares == nullptr ? 0 : element.share);
  for (int i = 0; i < to.kernels->numbers; ++i)
    put(to.numbers, to.kernels->numbers, static_cast<std::size_t>(i), numbers[i]);
}

} // namespace emmy
