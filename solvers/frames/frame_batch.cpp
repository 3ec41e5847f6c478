#include "solvers/frames/frame_batch.hpp"

#include "elements/bodies/frame.hpp"
#include "elements/joints/joint.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace emmy {

namespace portable {
extern const FrameKernels frame_packed, frame_single;
}
#ifdef EMMY_AVX2
namespace avx2 {
extern const FrameKernels frame_packed, frame_single;
}
#endif

namespace {

/// Joints of a group are filled up to a multiple of this.
constexpr std::size_t lanes = 4;

const FrameKernels& kernels_for(const KernelOptions& options) {
#ifdef EMMY_AVX2
  if (options.instructions == Instructions::avx2)
    return options.packs ? avx2::frame_packed : avx2::frame_single;
#endif
  return options.packs ? portable::frame_packed : portable::frame_single;
}

} // namespace

FrameBatch::FrameBatch(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph,
                       BlockMatrix& matrix, const KernelOptions& options)
    : taken_(model.elements().size(), false), moved_(model.nodes().size(), false),
      body_of_port_(model.ports().size(), -1), kernels_(&kernels_for(options)) {
  if (!options.batches)
    return;
  take_bodies(model);
  take_joints(model, constraints, graph);
  take_weights(model);
  claim(graph, matrix);
}

void FrameBatch::take_bodies(const Model& model) {
  std::vector<std::size_t> node_at(static_cast<std::size_t>(model.unknowns()));
  for (std::size_t i = 0; i < model.nodes().size(); ++i)
    node_at[static_cast<std::size_t>(model.nodes()[i].unknown)] = i;
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (const auto* body = dynamic_cast<const FrameBody*>(model.elements()[e].get())) {
      const Node& node = body->nodes().front();
      const std::size_t at = node_at[static_cast<std::size_t>(node.unknown)];
      body_of_port_[static_cast<std::size_t>(body->port())] = static_cast<int>(bodies_.size());
      bodies_.push_back({e, at, node.value, node.unknown, body->mass(), body->inertia(), Vec3::Zero()});
      taken_[e] = moved_[at] = true;
    }
}

/// What a joint has in common with others of its kind, and its bodies; false if it is not of a kind that is taken.
bool FrameBatch::describe(const Joint& joint, JointShape& shape, int (&body)[2]) const {
  const JointComposition& c = joint.composition();
  if (c.offset_row >= 0 || c.rows < 3 || c.rows > 6 || c.variables.size() > JointShape::most_variables ||
      c.terms.size() > JointShape::most_terms)
    return false;
  shape.rows = static_cast<int>(c.rows);
  shape.variables = static_cast<int>(c.variables.size());
  shape.terms = static_cast<int>(c.terms.size());
  const Index first_port = c.variables.front().port;
  Index port[2] = {first_port, first_port};
  for (std::size_t i = 0; i < c.variables.size(); ++i) {
    const Index p = c.variables[i].port;
    if (p != first_port && port[1] == first_port)
      port[1] = p;
    if (p != port[0] && p != port[1])
      return false;
    shape.side[i] = p == first_port ? 0 : 1;
  }
  if (port[0] == port[1])
    return false;
  for (int s = 0; s < 2; ++s) {
    body[s] = port[s] == Model::ground ? ground() : body_of_port_[static_cast<std::size_t>(port[s])];
    if (body[s] < 0)
      return false;
  }
  for (std::size_t i = 0; i < c.terms.size(); ++i) {
    const auto& [primitive, row, factor] = c.terms[i];
    const auto direction = [&](int v) { return c.variables[static_cast<std::size_t>(v)].w[0] == 0; };
    if (const auto* points = std::get_if<Coincidence>(&primitive)) {
      // Centres meet the first three rows, and the term is the first one.
      if (direction(points->a) || direction(points->b) || row != 0 || i != 0 ||
          shape.side[points->a] == shape.side[points->b])
        return false;
      shape.term[i] = {JointShape::Kind::coincidence, points->a, points->b, static_cast<int>(row), factor};
    } else if (const auto* dot = std::get_if<Dot>(&primitive)) {
      if (!direction(dot->a) || !direction(dot->b) || shape.side[dot->a] == shape.side[dot->b])
        return false;
      shape.term[i] = {JointShape::Kind::dot, dot->a, dot->b, static_cast<int>(row), factor};
      shape.couples_rotations = true;
    } else {
      return false;
    }
  }
  return true;
}

void FrameBatch::take_joints(const Model& model, const ConstraintSet& constraints, const BlockGraph& graph) {
  std::set<std::pair<int, int>> coupled; // pairs of bodies whose rotations a joint couples: it writes that block alone
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const auto* joint = dynamic_cast<const Joint*>(model.elements()[e].get());
    TakenJoint taken{e, joint, {}};
    JointShape shape;
    if (joint == nullptr || constraints.of(e) != nullptr || graph.multiplier_node[e] < 0 ||
        !describe(*joint, shape, taken.body))
      continue;
    if (shape.couples_rotations && taken.body[0] != ground() && taken.body[1] != ground() &&
        !coupled.insert(std::minmax(taken.body[0], taken.body[1])).second)
      continue;
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.shape == shape; });
    if (group == groups_.end())
      group = groups_.insert(groups_.end(), Group{shape, {}, {}, {}});
    group->joints.push_back(taken);
    taken_[e] = true;
  }
}

void FrameBatch::take_weights(const Model& model) {
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const auto* force = dynamic_cast<const Interaction*>(model.elements()[e].get());
    if (force == nullptr || !force->is_constant() || force->variables().size() != 1)
      continue;
    const NaturalVariable& at = force->variables().front();
    const int body = body_of_port_[static_cast<std::size_t>(at.port)];
    if (body < 0 || at.w != Vec4(1, 0, 0, 0)) // off the centre it has a moment
      continue;
    NaturalStep step;
    step.q_n = step.q_n1 = step.q_m = NaturalVector::Zero(3);
    NaturalSystem natural = force->natural_system(false);
    force->evaluate_natural(step, natural);
    bodies_[static_cast<std::size_t>(body)].weight += natural.r.head<3>();
    taken_[e] = true;
  }
}

void FrameBatch::claim(const BlockGraph& graph, BlockMatrix& matrix) const {
  const auto both = [&](int a, int b) {
    matrix.set_written(a, b);
    if (a != b)
      matrix.set_written(b, a);
  };
  for (const TakenBody& body : bodies_) {
    both(centre(graph, body), centre(graph, body));
    both(rotation(graph, body), rotation(graph, body));
  }
  for (const Group& group : groups_)
    for (const TakenJoint& joint : group.joints) {
      std::vector<int> rotations;
      for (const int b : joint.body)
        if (b != ground()) {
          const TakenBody& body = bodies_[static_cast<std::size_t>(b)];
          both(graph.multiplier_node[joint.element], centre(graph, body));
          both(graph.multiplier_node[joint.element], rotation(graph, body));
          rotations.push_back(rotation(graph, body));
        }
      if (group.shape.couples_rotations && rotations.size() == 2)
        both(rotations[0], rotations[1]);
    }
}

void FrameBatch::bind(const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) {
  if (empty())
    return;
  const auto number = [](Index i) { return static_cast<int>(i); };
  for (const TakenBody& body : bodies_) {
    const int c = centre(graph, body), r = rotation(graph, body);
    const BlockAddress at_x = matrix.address(c, c);
    places_.push_back({number(body.value), number(body.unknown), matrix.row_of(c), matrix.row_of(r), at_x.at,
                       matrix.address(r, r).at, at_x.is_diagonal});
    inertia_.resize(inertia_.size() + frame_inertia_numbers, 0.0); // mass, J, weight
    double* numbers = inertia_.data() + inertia_.size() - frame_inertia_numbers;
    numbers[0] = body.mass / mean_mass;
    Eigen::Map<Mat3>(numbers + 1) = body.J / mean_mass;
    Eigen::Map<Vec3>(numbers + 10) = body.weight;
  }
  motions_.assign((bodies_.size() + 1) * frame_motion_numbers, 0.0);
  loads_.assign((bodies_.size() + 1) * frame_loads_numbers, 0.0);
  double* still = motions_.data() + bodies_.size() * frame_motion_numbers;
  for (int matrix_at = 6; matrix_at + 9 <= frame_motion_numbers; matrix_at += 9) // behind the two vectors
    Eigen::Map<Mat3>(still + matrix_at).setIdentity();

  for (Group& group : groups_) {
    const int scratch = matrix.scratch();
    // A joint in the centre of a body does not turn it: what is not coupled is written where nobody looks.
    const auto place_of = [&](int row, int column) {
      const int at = matrix.address(row, column).at;
      return at < 0 ? scratch : at;
    };
    const JointPlace nobody{
        {ground(), ground()}, number(matrix.rows()), {scratch, scratch}, {scratch, scratch}, {scratch, scratch}};
    for (const TakenJoint& joint : group.joints) {
      const int m = graph.multiplier_node[joint.element];
      JointPlace place = nobody;
      place.row = matrix.row_of(m);
      int rotations[2] = {-1, -1};
      for (int s = 0; s < 2; ++s) {
        place.body[s] = joint.body[s];
        if (joint.body[s] == ground())
          continue;
        const TakenBody& body = bodies_[static_cast<std::size_t>(joint.body[s])];
        rotations[s] = rotation(graph, body);
        place.below[s] = place_of(m, rotations[s]);
        place.right[s] = place_of(rotations[s], m);
        // What a joint does with a centre never changes.
        double pull = 0;
        for (int i = 0; i < group.shape.terms; ++i)
          if (const JointShape::Term& term = group.shape.term[i]; term.kind == JointShape::Kind::coincidence)
            pull += term.factor * ((group.shape.side[term.b] == s ? 1 : 0) - (group.shape.side[term.a] == s ? 1 : 0));
        for (const BlockAddress& at : {matrix.address(m, centre(graph, body)), matrix.address(centre(graph, body), m)})
          for (int k = 0; at.at >= 0 && k < 3; ++k)
            matrix.values()[at.at + (at.is_diagonal ? k : k * (at.stride + 1))] = pull;
      }
      if (group.shape.couples_rotations && rotations[0] >= 0 && rotations[1] >= 0) {
        place.cross[0] = place_of(rotations[0], rotations[1]);
        place.cross[1] = place_of(rotations[1], rotations[0]);
      }
      group.places.push_back(place);
      for (const NaturalVariable& variable : joint.joint->composition().variables)
        group.w.insert(group.w.end(), variable.w.data(), variable.w.data() + 4);
    }
    while (group.places.size() % lanes != 0) {
      group.places.push_back(nobody);
      group.w.resize(group.w.size() + static_cast<std::size_t>(4 * group.shape.variables), 0.0);
    }
  }
  for (const Group& group : groups_)
    joint_groups_.push_back({group.shape, static_cast<int>(group.places.size()), group.places.data(), group.w.data()});
  program_ = {
      static_cast<int>(bodies_.size()),       places_.data(),      inertia_.data(), motions_.data(), loads_.data(),
      static_cast<int>(joint_groups_.size()), joint_groups_.data()};
}

} // namespace emmy
