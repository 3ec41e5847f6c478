#include "solvers/condensation/affine_condensation.hpp"

#include "core/measure_interaction.hpp"
#include "elements/bodies/director.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "solvers/condensation/weights.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <utility>

namespace emmy {

inline namespace portable {
extern const AffineKernels affine_kernels;
}
#ifdef EMMY_AVX2
namespace avx2 {
extern const AffineKernels affine_kernels;
}
#else
namespace avx2 = portable;
#endif

namespace {

/// Smallest part of its largest moment that a body may have along another axis, of inertia or of second moments: its
/// inverse multiplies rounding without anyone to notice.
constexpr double slimmest = 1e-4;

/// Packs where a processor has instructions for them, otherwise one by one.
const AffineKernels& kernels_for(const KernelOptions& options) {
  return options.packs && options.instructions == Instructions::avx2 ? avx2::affine_kernels : portable::affine_kernels;
}

bool is_slim(const Mat3& moments) {
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(moments, Eigen::EigenvaluesOnly).eigenvalues();
  return !(principal[0] > slimmest * principal[2]);
}

/// True if values and unknowns of the nodes follow one another.
bool are_contiguous(const std::vector<Node>& nodes) {
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (nodes[i].value != nodes[i - 1].value + nodes[i - 1].values() ||
        nodes[i].unknown != nodes[i - 1].unknown + nodes[i - 1].unknowns())
      return false;
  return true;
}

} // namespace

AffineCondensation::AffineCondensation(const Model& model, const ConstraintSet& constraints, BlockGraph& graph,
                                       const KernelOptions& options)
    : kernels_(&kernels_for(options)), taken_(model.elements().size(), false), moved_(model.nodes().size(), false),
      body_of_port_(model.ports().size(), elsewhere) {
  if (!options.batches || !options.condenses)
    return;
  add_bodies(model, constraints, graph);
  if (candidates_.empty())
    return;
  take_weights(model);
  add_joints(model, constraints, graph);
  rule_out(model, constraints);
  take(model, graph);
}

/// Director bodies, and tetrahedra on nodes of their own.
void AffineCondensation::add_bodies(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph) {
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    Body body{};
    body.element = e;
    const auto* tetra = dynamic_cast<const SpringTetra*>(model.elements()[e].get());
    const auto* director = dynamic_cast<const DirectorBody*>(model.elements()[e].get());
    if (tetra != nullptr) {
      if (!tetra->is_plain() || tetra->options().evaluation != SpringEvaluation::mixed ||
          constraints.of(e) != nullptr || !are_contiguous(tetra->nodes()) || is_slim(tetra->moments()))
        continue;
      body.kind = AffineKind::tetra;
      body.inertia = tetra->moments();
      body.history = tetra->first_history();
      body.compliance = tetra->compliance();
      body.at_end = tetra->options().rigid ? 1 : 0.5;
      body.stiffness = tetra->options().rigid ? 0 : tetra->options().stiffness;
    } else if (director != nullptr && !is_slim(director->inertia())) {
      body.kind = AffineKind::director;
      body.inertia = director->inertia();
    } else {
      continue;
    }
    const auto& element = static_cast<const emmy::Body&>(*model.elements()[e]);
    body.value = element.nodes().front().value;
    body.rate = element.nodes().front().unknown;
    for (const ElementSlice& part : graph.slices_of[e])
      if (part.offset < element.unknowns())
        body.nodes.push_back(part.node);
    body.springs = graph.multiplier_node[e];
    body.mass = element.mass();
    body.weight = Vec3::Zero();
    body.suits = body.mass > 0;
    body_of_port_[static_cast<std::size_t>(element.port())] = static_cast<int>(candidates_.size());
    candidates_.push_back(std::move(body));
    taken_[e] = true;
  }
  body_of_port_[Model::ground] = ground;
}

void AffineCondensation::take_weights(const Model& model) {
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (const std::optional<Weight> weight = as_weight(model, *model.elements()[e]))
      if (const int body = body_of_port_[static_cast<std::size_t>(weight->port)]; body >= 0) {
        candidates_[static_cast<std::size_t>(body)].weight += weight->r;
        taken_[e] = true;
      }
}

/// Joints of two points that coincide, by multipliers, with a candidate in them.
void AffineCondensation::add_joints(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph) {
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const auto* joint = MeasureInteraction::of(*model.elements()[e]);
    if (joint == nullptr || constraints.of(e) != nullptr || graph.multiplier_node[e] < 0 ||
        !is_ball_joint(joint->equations()) || joint->ports().size() != 2)
      continue;
    BallJoint ball{e, graph.multiplier_node[e], {}, {}};
    for (const int side : {0, 1}) {
      const NaturalVariable& point = joint->variables()[static_cast<std::size_t>(side)];
      ball.body[side] = body_of_port_[static_cast<std::size_t>(point.port)];
      ball.point[side] = point.w;
    }
    if (ball.body[0] < 0 && ball.body[1] < 0)
      continue;
    for (const int side : {0, 1})
      if (ball.body[side] >= 0)
        candidates_[static_cast<std::size_t>(ball.body[side])].ports.push_back(
            {ball.node, side == 0 ? -1.0 : 1.0, ball.point[side].tail<3>(), e, -1});
    joints_.push_back(ball);
    taken_[e] = true;
  }
}

/// Bodies with more than that.
void AffineCondensation::rule_out(const Model& model, const ConstraintSet& constraints) {
  std::vector<int> owner(static_cast<std::size_t>(model.unknowns()), elsewhere);
  for (std::size_t b = 0; b < candidates_.size(); ++b)
    for (const Node& node : model.elements()[candidates_[b].element]->nodes())
      owner[static_cast<std::size_t>(node.unknown)] = static_cast<int>(b);
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (!taken_[e] && !constraints.leaves_out(e))
      for (const Node& node : model.elements()[e]->nodes())
        if (const int b = owner[static_cast<std::size_t>(node.unknown)]; b >= 0)
          candidates_[static_cast<std::size_t>(b)].suits = false;
  for (Body& body : candidates_) // a joint in the centre does not turn the body, and has no full block
    body.suits = body.suits && body.ports.size() <= most_ports &&
                 std::none_of(body.ports.begin(), body.ports.end(), [](const Port& p) { return p.arm.isZero(0); });
}

/// Takes the bodies that suit, and what is between them and the ground.
void AffineCondensation::take(const Model& model, BlockGraph& graph) {
  const auto is_here = [&](int body) {
    return body == ground || (body >= 0 && candidates_[static_cast<std::size_t>(body)].suits);
  };
  const auto take_if = [&](std::size_t element, bool wanted) { taken_[element] = wanted; };
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (const std::optional<Weight> weight = taken_[e] ? as_weight(model, *model.elements()[e]) : std::nullopt)
      take_if(e, is_here(body_of_port_[static_cast<std::size_t>(weight->port)]));
  for (const BallJoint& joint : joints_)
    take_if(joint.element, is_here(joint.body[0]) && is_here(joint.body[1]));
  std::vector<std::size_t> node_at(static_cast<std::size_t>(model.unknowns()));
  for (std::size_t i = 0; i < model.nodes().size(); ++i)
    node_at[static_cast<std::size_t>(model.nodes()[i].unknown)] = i;
  for (const Body& body : candidates_) {
    take_if(body.element, body.suits);
    if (!body.suits)
      continue;
    ++bodies_;
    for (const int node : body.nodes)
      graph.nodes[static_cast<std::size_t>(node)].goes_first = true;
    if (body.springs >= 0)
      graph.nodes[static_cast<std::size_t>(body.springs)].goes_first = true;
    for (const Node& node : model.elements()[body.element]->nodes())
      moved_[node_at[static_cast<std::size_t>(node.unknown)]] = true;
  }
}

/// Bodies with as many ports as the group has, or less: what is missing acts on nobody.
void AffineCondensation::fill(Group& group, const std::vector<const Body*>& bodies, const BlockMatrix& matrix,
                              double mean_mass) const {
  using namespace affine_constants;
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  const std::size_t count = (bodies.size() + lanes - 1) / lanes * lanes;
  const auto constants = static_cast<std::size_t>(of_port(group.ports));
  const auto fours = [&](std::size_t numbers) { return (count * numbers + 3) / 4; };
  group.count = static_cast<int>(count);
  group.real = static_cast<int>(bodies.size());
  group.constants.assign(fours(constants), Four{});
  const AffineGroup described{group.kind, group.ports, group.count, group.real, nullptr, nullptr, nullptr};
  group.kept.assign(fours(static_cast<std::size_t>(kernels_->kept(described))), Four{});
  const auto behind = static_cast<int>(matrix.rows());
  for (std::size_t i = 0; i < count; ++i) {
    const Body* body = i < bodies.size() ? bodies[i] : nullptr;
    const Body& like = body != nullptr ? *body : *bodies.front(); // nobody is read where another one is
    double* numbers = group.constants.front().numbers + i / lanes * lanes * constants + i % lanes;
    const auto set = [&](int k, double value) { numbers[static_cast<std::size_t>(k) * lanes] = value; };
    const auto set_all = [&](int k, const auto& values) {
      for (Index j = 0; j < values.size(); ++j)
        set(k + static_cast<int>(j), values.data()[j]);
    };
    set(mass, like.mass / mean_mass);
    set(inverse_mass, mean_mass / like.mass);
    set_all(inertia, (like.inertia / mean_mass).eval());
    set_all(weight, like.weight);
    set(compliance, like.compliance);
    set(at_end, like.at_end);
    set(stiffness, like.stiffness);
    const std::size_t ports = body != nullptr ? body->ports.size() : 0;
    for (std::size_t p = 0; p < ports; ++p) {
      const Port& port = body->ports[p];
      const int at = of_port(static_cast<int>(p));
      set(at + sign, port.sign);
      set_all(at + arm, (port.sign * port.arm).eval());
      set(at + has_gap, taken_[port.element] ? 1 : 0);
    }
    const auto add = [&](int number) { group.places.push_back(number); }; // in the order of AffinePlace
    add(static_cast<int>(like.value));
    add(static_cast<int>(like.rate));
    add(static_cast<int>(like.history));
    add(body == nullptr ? 1 : 0);
    for (int q = 0; q < 4; ++q) { // a director has two block nodes, centre and base vectors
      const bool apart = like.nodes.size() == 4;
      const int node = like.nodes[static_cast<std::size_t>(apart ? q : std::min(q, 1))];
      add(body == nullptr ? behind : matrix.row_of(node) + (apart || q == 0 ? 0 : 3 * (q - 1)));
    }
    add(body != nullptr && body->springs >= 0 ? matrix.row_of(body->springs) : behind);
    const auto all = static_cast<std::size_t>(group.ports);
    for (std::size_t p = 0; p < all; ++p)
      add(p < ports ? matrix.row_of(body->ports[p].joint) : behind);
    for (std::size_t p = 0; p < all; ++p)
      add(p < ports ? matrix.slot_of(body->ports[p].joint) : matrix.unused_slot());
    for (std::size_t p = 0; p < all; ++p)
      add(p < ports && body->ports[p].booked >= 0 ? body->ports[p].booked : joint_books_.nobody());
    for (std::size_t q = 0; q < all; ++q)
      for (std::size_t p = 0; p < all; ++p)
        add(p < ports && q < ports ? matrix.factor_address(body->ports[p].joint, body->ports[q].joint)
                                   : matrix.scratch());
  }
}

/// Those that are taken.
void AffineCondensation::bind_joints(const BlockMatrix& matrix) {
  const auto end_of = [&](const BallJoint& joint, int side) -> CentreDistances::End {
    if (joint.body[side] == ground)
      return {-1, joint.point[side].tail<3>()};
    return {candidates_[static_cast<std::size_t>(joint.body[side])].value, Vec3::Zero()};
  };
  for (const BallJoint& joint : joints_) {
    if (!taken_[joint.element])
      continue;
    const CentreDistances::End from = end_of(joint, 0), to = end_of(joint, 1);
    const int row = matrix.row_of(joint.node), slot = matrix.slot_of(joint.node);
    distances_.add(from, to, 1, slot);
    gaps_.push_back({row, slot});
    const int booked = joint_books_.add(from, to, row);
    for (const int b : joint.body)
      if (b >= 0)
        for (Port& port : candidates_[static_cast<std::size_t>(b)].ports)
          if (port.element == joint.element)
            port.booked = booked;
  }
}

void AffineCondensation::bind(const BlockMatrix& matrix, double mean_mass) {
  bind_joints(matrix);
  for (const AffineKind kind : {AffineKind::director, AffineKind::tetra}) {
    std::vector<const Body*> few, many;
    for (const Body& body : candidates_)
      if (body.suits && body.kind == kind)
        (body.ports.size() <= few_ports ? few : many).push_back(&body);
    // Places that would be left empty take bodies with fewer ports.
    for (; many.size() % static_cast<std::size_t>(kernels_->lanes) != 0 && !few.empty(); few.pop_back())
      many.push_back(few.back());
    for (const auto& [ports, bodies] : {std::pair(most_ports, &many), std::pair(few_ports, &few)}) {
      if (bodies->empty())
        continue;
      groups_.push_back({kind, ports, 0, 0, {}, {}, {}});
      fill(groups_.back(), *bodies, matrix, mean_mass);
    }
  }
  for (Group& group : groups_)
    program_.push_back({group.kind, group.ports, group.count, group.real, group.places.data(),
                        group.constants.front().numbers, group.kept.front().numbers});
  candidates_ = {};
  joints_ = {};
}

void AffineCondensation::book(const BookedStep& step, StepBooks& books) const {
  BatchBooks sums;
  each(kernels_->book, step, joint_books_.begin(step), sums);
  joint_books_.book(step, sums);
  enter(sums, books);
}

void AffineCondensation::refine_gaps(const AffineEvaluation& e, double* f) const {
  write_distances(e);
  each(kernels_->gaps, e);
  for (const Gap& gap : gaps_)
    std::copy_n(e.right_side + gap.slot, 3, f + gap.row);
}

} // namespace emmy
