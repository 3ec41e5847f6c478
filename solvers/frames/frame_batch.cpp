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
#else
namespace avx2 = portable;
#endif

namespace {

/// Joints of a group are filled up to a multiple of this.
constexpr std::size_t lanes = 4;

const FrameKernels& kernels_for(const KernelOptions& options) {
  return choose<FrameKernels>(options, {portable::frame_packed, portable::frame_single},
                              {avx2::frame_packed, avx2::frame_single});
}

} // namespace

FrameBatch::FrameBatch(const Model& model, const ConstraintSet& constraints, BlockGraph& graph,
                       const KernelOptions& options)
    : taken_(model.elements().size(), false), moved_(model.nodes().size(), false),
      body_of_port_(model.ports().size(), -1), kernels_(&kernels_for(options)), condensation_(options) {
  if (!options.batches)
    return;
  take_bodies(model);
  take_joints(model, constraints, graph);
  take_weights(model);
  if (options.condenses)
    choose_condensed(model, graph);
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
      bodies_.push_back({e, at, node.value, node.unknown, body->mass(), body->inertia(), Vec3::Zero(), false});
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
      group = groups_.insert(groups_.end(), Group{shape, {}});
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

void FrameBatch::choose_condensed(const Model& model, BlockGraph& graph) {
  std::vector<Condensation::Body> bodies;
  std::vector<bool> suits(bodies_.size(), true);
  std::vector<int> body_at(static_cast<std::size_t>(model.unknowns()), -1);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const TakenBody& body = bodies_[b];
    body_at[static_cast<std::size_t>(body.unknown)] = static_cast<int>(b);
    bodies.push_back(
        {body.value, body.unknown, centre(graph, body), rotation(graph, body), body.mass, body.J, body.weight, {}});
  }
  const auto rule_out = [&](int body) {
    if (body >= 0 && body != ground())
      suits[static_cast<std::size_t>(body)] = false;
  };
  for (std::size_t e = 0; e < model.elements().size(); ++e)
    if (!taken_[e])
      for (const Node& node : model.elements()[e]->nodes())
        rule_out(body_at[static_cast<std::size_t>(node.unknown)]);
  for (const Group& group : groups_)
    for (const TakenJoint& joint : group.joints) {
      if (group.shape.rows != 3 || group.shape.terms != 1 ||
          group.shape.term[0].kind != JointShape::Kind::coincidence) {
        rule_out(joint.body[0]);
        rule_out(joint.body[1]);
        continue;
      }
      const JointShape::Term& term = group.shape.term[0];
      const std::vector<NaturalVariable>& points = joint.joint->composition().variables;
      const auto point = [&](int side) -> const Vec4& {
        return points[static_cast<std::size_t>(group.shape.side[term.a] == side ? term.a : term.b)].w;
      };
      const auto sign = [&](int side) { return group.shape.side[term.a] == side ? -term.factor : term.factor; };
      for (const int side : {0, 1}) {
        const int body = joint.body[side];
        if (body != ground())
          bodies[static_cast<std::size_t>(body)].ports.push_back(
              {graph.multiplier_node[joint.element], sign(side), point(side).tail<3>()});
      }
    }
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (suits[b] && Condensation::suits(bodies[b])) {
      bodies_[b].condensed = true;
      for (const int node : {bodies[b].centre, bodies[b].rotation})
        graph.nodes[static_cast<std::size_t>(node)].goes_first = true;
      condensation_.add(std::move(bodies[b]));
    }
  add_condensed_joints(graph);
}

/// Those between bodies that are condensed and the ground. Others get their distance with the rest.
void FrameBatch::add_condensed_joints(const BlockGraph& graph) {
  for (const Group& group : groups_)
    for (const TakenJoint& joint : group.joints) {
      const auto is_here = [&](int body) {
        return body == ground() || bodies_[static_cast<std::size_t>(body)].condensed;
      };
      if (!is_here(joint.body[0]) || !is_here(joint.body[1]))
        continue;
      const JointShape::Term& term = group.shape.term[0]; // a coincidence, which is all there is
      condensation_.add({graph.multiplier_node[joint.element], end_of(group, joint, term.a),
                         end_of(group, joint, term.b), term.factor});
    }
}

void FrameBatch::bind(const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) {
  if (empty())
    return;
  fill(all_, false, graph, matrix, mean_mass);
  if (condensation_.empty())
    return;
  fill(rest_, true, graph, matrix, mean_mass);
  condensation_.bind(matrix, mean_mass);
}

/// Of all bodies and joints, or of the rest.
void FrameBatch::fill(Tables& tables, bool rest, const BlockGraph& graph, BlockMatrix& matrix, double mean_mass) const {
  std::vector<int> number; // of each body among those here
  int count = 0;
  for (const TakenBody& body : bodies_)
    number.push_back(rest && body.condensed ? -1 : count++);
  number.push_back(count); // the ground
  for (const TakenBody& body : bodies_) {
    if (rest && body.condensed)
      continue;
    const int c = centre(graph, body), r = rotation(graph, body);
    const BlockAddress at_x = matrix.address(c, c);
    tables.places.push_back({static_cast<int>(body.value), static_cast<int>(body.unknown), matrix.row_of(c),
                             matrix.row_of(r), at_x.at, matrix.address(r, r).at, at_x.is_diagonal});
    tables.inertia.resize(tables.inertia.size() + frame_inertia_numbers, 0.0); // mass, J, weight
    double* numbers = tables.inertia.data() + tables.inertia.size() - frame_inertia_numbers;
    numbers[0] = body.mass / mean_mass;
    Eigen::Map<Mat3>(numbers + 1) = body.J / mean_mass;
    Eigen::Map<Vec3>(numbers + 10) = body.weight;
  }
  const auto with_ground = static_cast<std::size_t>(count) + 1;
  tables.motions.assign(with_ground * frame_motion_numbers, 0.0);
  tables.loads.assign(with_ground * frame_loads_numbers, 0.0);
  double* still = tables.motions.data() + static_cast<std::size_t>(count) * frame_motion_numbers;
  for (int matrix_at = 4; matrix_at + 9 <= frame_motion_numbers; matrix_at += 9) // behind the shift
    Eigen::Map<Mat3>(still + matrix_at).setIdentity();

  for (const Group& group : groups_)
    tables.joints.push_back(joints_of(group, number, graph, matrix, tables.distances));
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (const Tables::Joints& joints = tables.joints[g]; !joints.places.empty())
      tables.groups.push_back(
          {groups_[g].shape, static_cast<int>(joints.places.size()), joints.places.data(), joints.w.data()});
  tables.program = {count,
                    tables.places.data(),
                    tables.inertia.data(),
                    tables.motions.data(),
                    tables.loads.data(),
                    static_cast<int>(tables.groups.size()),
                    tables.groups.data()};
}

CentreDistances::End FrameBatch::end_of(const Group& group, const TakenJoint& joint, int variable) const {
  const int body = joint.body[group.shape.side[variable]];
  if (body != ground())
    return {bodies_[static_cast<std::size_t>(body)].value, Vec3::Zero()};
  return {-1, joint.joint->composition().variables[static_cast<std::size_t>(variable)].w.tail<3>()};
}

/// Joints of a group between bodies with these numbers. A side without a number is none of theirs: it stands still in
/// the origin and is written where nobody looks. Joints with nothing but such sides and the ground are left out.
FrameBatch::Tables::Joints FrameBatch::joints_of(const Group& group, const std::vector<int>& number,
                                                 const BlockGraph& graph, BlockMatrix& matrix,
                                                 CentreDistances& distances) const {
  const int scratch = matrix.scratch(), still = number.back();
  // A joint in the centre of a body does not turn it: what is not coupled is written where nobody looks.
  const auto place_of = [&](int row, int column) {
    const int at = matrix.address(row, column).at;
    return at < 0 ? scratch : at;
  };
  const JointPlace nobody{
      {still, still}, static_cast<int>(matrix.rows()), {scratch, scratch}, {scratch, scratch}, {scratch, scratch}};
  Tables::Joints joints;
  for (const TakenJoint& joint : group.joints) {
    const int m = graph.multiplier_node[joint.element];
    JointPlace place = nobody;
    place.row = matrix.row_of(m);
    int rotations[2] = {-1, -1};
    bool is_here[2] = {};
    for (int s = 0; s < 2; ++s) {
      const int here = number[static_cast<std::size_t>(joint.body[s])];
      is_here[s] = here >= 0;
      if (here < 0 || joint.body[s] == ground())
        continue;
      place.body[s] = here;
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
    if (rotations[0] < 0 && rotations[1] < 0)
      continue;
    if (group.shape.couples_rotations && rotations[0] >= 0 && rotations[1] >= 0) {
      place.cross[0] = place_of(rotations[0], rotations[1]);
      place.cross[1] = place_of(rotations[1], rotations[0]);
    }
    joints.places.push_back(place);
    if (const JointShape::Term& term = group.shape.term[0]; term.kind == JointShape::Kind::coincidence)
      distances.add(end_of(group, joint, term.a), end_of(group, joint, term.b), term.factor, place.row);
    const std::vector<NaturalVariable>& variables = joint.joint->composition().variables;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      Vec4 w = is_here[group.shape.side[v]] ? variables[v].w : Vec4(Vec4::Zero());
      if (w[0] != 0 && joint.body[group.shape.side[v]] == ground())
        w.tail<3>().setZero(); // a point on the ground is in the distance
      joints.w.insert(joints.w.end(), w.data(), w.data() + 4);
    }
  }
  while (joints.places.size() % lanes != 0) {
    joints.places.push_back(nobody);
    joints.w.resize(joints.w.size() + static_cast<std::size_t>(4 * group.shape.variables), 0.0);
  }
  return joints;
}

} // namespace emmy
