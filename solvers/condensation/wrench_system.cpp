#include "solvers/condensation/wrench_system.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace emmy {

namespace portable {
extern const WrenchKernels wrench_packed, wrench_single;
}
#ifdef EMMY_AVX2
namespace avx2 {
extern const WrenchKernels wrench_packed, wrench_single;
}
#else
namespace avx2 = portable;
#endif

namespace {

constexpr Index room_behind = 12;       ///< of vectors that kernels write to: one more joint, and the rest of a pack
constexpr std::size_t span_numbers = 9; ///< of the vectors of a joint, the first ones

const WrenchKernels& kernels_for(const KernelOptions& options) {
  return choose<WrenchKernels>(options, {portable::wrench_packed, portable::wrench_single},
                               {avx2::wrench_packed, avx2::wrench_single});
}

int wrench_size(const WrenchSystem::Joint& joint) {
  return joint.multipliers > 3 ? 6 : 3;
}

const WrenchJointKernels* find(const WrenchKernels& kernels, std::string_view name) {
  const WrenchJointKernels* end = kernels.joints + kernels.joint_kinds;
  const auto* found = std::find_if(kernels.joints, end, [&](const WrenchJointKernels& k) { return k.name == name; });
  return found == end ? nullptr : found;
}

/// Pairs of joints that share a body, the first one before the second, and the number of bodies that they share.
std::map<std::pair<int, int>, int> coupled(const std::vector<WrenchSystem::Joint>& joints) {
  std::map<std::pair<int, int>, int> pairs;
  std::map<int, std::vector<int>> joints_of;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j)
    for (const WrenchSystem::End& end : joints[static_cast<std::size_t>(j)].end)
      if (end.body != WrenchSystem::ground) {
        for (const int other : joints_of[end.body])
          ++pairs[{other, j}];
        joints_of[end.body].push_back(j);
      }
  return pairs;
}

BlockGraph graph_of(const std::vector<WrenchSystem::Joint>& joints) {
  BlockGraph graph;
  for (const WrenchSystem::Joint& joint : joints) {
    const auto node = static_cast<int>(graph.nodes.size());
    graph.nodes.emplace_back();
    graph.nodes.back().size = wrench_size(joint);
    graph.couplings.push_back({node, node, false});
  }
  for (const auto& [pair, bodies] : coupled(joints))
    graph.couplings.push_back({pair.first, pair.second, false});
  graph.sides.resize(graph.nodes.size());
  return graph;
}

} // namespace

bool WrenchSystem::takes(const char* name) {
  return find(portable::wrench_single, name) != nullptr;
}

WrenchSystem::WrenchSystem(const std::vector<Body>& bodies, const std::vector<Joint>& joints, const BodyLoads& loads,
                           Index rows, double mean_mass, const KernelOptions& options)
    : kernels_(&kernels_for(options)), rows_(rows), matrix_(graph_of(joints)), solver_(matrix_, options.instructions),
      poses_((bodies.size() + 2) * wrench_pose_numbers, 0.0), given_(VecX::Zero(matrix_.rows())),
      solution_(VecX::Zero(matrix_.rows() + room_behind)), change_(solution_), moved_(VecX::Zero(rows + room_behind)) {
  const auto pairs = coupled(joints);
  const bool sets = std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.second == 1; });
  for (const auto& [pair, count] : pairs)
    if (sets) {
      matrix_.set_written(pair.first, pair.second);
      matrix_.set_written(pair.second, pair.first);
    }
  matrix_.allocate();
  for (std::size_t still = bodies.size(); still < bodies.size() + 2; ++still) // the ground, and nobody
    for (int at = 0; at + 9 <= wrench_pose_numbers; at += 9)
      Eigen::Map<Mat3>(poses_.data() + still * wrench_pose_numbers + static_cast<std::size_t>(at)).setIdentity();
  for (const Joint& joint : joints)
    moment_of_.push_back(joint.multipliers > 3 ? moments_++ : -1);
  // Behind the last one there are two more: zeros that are read, and room to write.
  moments_of_joints_.assign(static_cast<std::size_t>((moments_ + 2) * wrench_moment_numbers), 0.0);
  rows_of_moments_.assign(static_cast<std::size_t>((2 * moments_ + 2) * wrench_row_numbers), 0.0);
  program_.loads = loads;
  add_joints(joints, bodies);
  add_bodies(bodies, joints, mean_mass);
  for (BodyTables& t : bodies_)
    body_program_.push_back({t.moments, t.ports, static_cast<int>(t.places.size()), t.places.data(),
                             t.constants.front().numbers, t.kept.front().numbers});
  for (JointTables& t : groups_)
    joint_program_.push_back({t.kernels, static_cast<int>(t.places.size()), t.places.data(), t.vectors.front().numbers,
                              t.kept.front().numbers});
  program_ = {body_program_.data(),
              static_cast<int>(body_program_.size()),
              joint_program_.data(),
              static_cast<int>(joint_program_.size()),
              poses_.data(),
              moments_of_joints_.data(),
              rows_of_moments_.data(),
              loads,
              sets};
}

int WrenchSystem::diagonal(int joint, int row) const {
  const BlockAddress at = matrix_.address(joint, joint);
  return at.at + row * (at.stride + 1);
}

void WrenchSystem::add_joints(const std::vector<Joint>& joints, const std::vector<Body>& bodies) {
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  const int of_ground = static_cast<int>(bodies.size()) * wrench_pose_numbers,
            of_nobody = of_ground + wrench_pose_numbers;
  const auto behind = static_cast<int>(rows_);
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    const Joint& joint = joints[static_cast<std::size_t>(j)];
    const int slot = matrix_.slot_of(j), solution = matrix_.row_of(j), moment = moment_of_[static_cast<std::size_t>(j)];
    joints_.push_back({joint.row, joint.multipliers, slot, solution, wrench_size(joint)});
    const auto end = [&](const End& of) {
      return of.body == ground ? CentreDistances::End{-1, of.at}
                               : CentreDistances::End{bodies[static_cast<std::size_t>(of.body)].value, Vec3::Zero()};
    };
    distances_.add(end(joint.end[0]), end(joint.end[1]), 1, slot);
    for (int i = 0; i < wrench_size(joint); ++i)
      if (i < joint.multipliers)
        multipliers_.push_back({joint.row + i, diagonal(j, i), solution + i});
      else
        free_rows_.push_back(diagonal(j, i));
    if (moment < 0)
      continue;
    const WrenchJointKernels* kernels = find(*kernels_, joint.name);
    auto group =
        std::find_if(groups_.begin(), groups_.end(), [&](const JointTables& g) { return g.kernels == kernels; });
    if (group == groups_.end())
      group = groups_.insert(groups_.end(), JointTables{kernels, {}, {}, {}, {}});
    WrenchJointPlace place{{of_ground, of_ground},
                           joint.row,
                           {-1, -1},
                           slot,
                           solution,
                           moment * wrench_moment_numbers,
                           {2 * moment * wrench_row_numbers, (2 * moment + 1) * wrench_row_numbers}};
    for (int s = 0; s < 2; ++s)
      if (const int body = joint.end[s].body; body != ground) {
        place.pose[s] = body * wrench_pose_numbers;
        place.row_turn[s] = bodies[static_cast<std::size_t>(body)].row_turn;
      }
    group->places.push_back(place);
    group->joints.push_back(&joint);
  }
  const WrenchJointPlace nowhere{{of_nobody, of_nobody},
                                 behind,
                                 {-1, -1},
                                 matrix_.unused_slot(),
                                 0,
                                 (moments_ + 1) * wrench_moment_numbers,
                                 {(2 * moments_ + 1) * wrench_row_numbers, (2 * moments_ + 1) * wrench_row_numbers}};
  for (JointTables& group : groups_) {
    while (group.places.size() % lanes != 0)
      group.places.push_back(nowhere);
    const std::size_t count = group.places.size();
    const auto numbers = static_cast<std::size_t>(group.kernels->vectors);
    group.vectors.assign((numbers * count + 3) / 4, Four{});
    group.kept.assign((wrench_kept_of_joint * count + 3) / 4, Four{});
    for (std::size_t i = 0; i < count; ++i) {
      const Joint& joint = *group.joints[std::min(i, group.joints.size() - 1)]; // behind the last one, any
      double* to = group.vectors.front().numbers + i / lanes * lanes * numbers + i % lanes;
      for (std::size_t k = span_numbers; k < numbers; ++k) // the span is the business of bodies
        to[k * lanes] = joint.directions[(k - span_numbers) / 3][static_cast<Index>((k - span_numbers) % 3)];
    }
    group.joints = {};
  }
}

WrenchBodyPlace WrenchSystem::nowhere(const Body& like) const {
  const auto behind = static_cast<int>(rows_);
  WrenchBodyPlace place{static_cast<int>(like.value),
                        static_cast<int>(like.rate),
                        behind,
                        behind,
                        program_.loads.nobody,
                        static_cast<int>(poses_.size()) - wrench_pose_numbers,
                        {}};
  for (WrenchPort& port : place.port) {
    port = {behind, matrix_.unused_slot(), 0, moments_ * wrench_moment_numbers, 2 * moments_ * wrench_row_numbers, {}};
    std::fill(std::begin(port.target), std::end(port.target), matrix_.scratch());
  }
  return place;
}

void WrenchSystem::add_bodies(const std::vector<Body>& bodies, const std::vector<Joint>& joints, double mean_mass) {
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  std::vector<std::vector<Port>> ports(bodies.size());
  for (const bool with_moments : {true, false}) // these first
    for (std::size_t j = 0; j < joints.size(); ++j)
      if ((moment_of_[j] >= 0) == with_moments)
        for (int s = 0; s < 2; ++s)
          if (const int body = joints[j].end[s].body; body != ground)
            ports[static_cast<std::size_t>(body)].push_back({static_cast<int>(j), s});
  std::map<std::pair<int, int>, std::vector<std::size_t>, std::greater<>> kinds; // by ports, and those with moments
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto moments = std::count_if(ports[b].begin(), ports[b].end(), [&](const Port& port) {
      return moment_of_[static_cast<std::size_t>(port.joint)] >= 0;
    });
    kinds[{static_cast<int>(ports[b].size()), static_cast<int>(moments)}].push_back(b);
  }
  for (auto kind = kinds.begin(); kind != kinds.end(); ++kind) {
    std::vector<std::size_t>& chosen = kind->second;
    const auto [count, moments] = kind->first;
    // Places that would be left empty take bodies with fewer ports.
    for (auto other = std::next(kind); other != kinds.end() && !chosen.empty(); ++other)
      while (chosen.size() % lanes != 0 && !other->second.empty() && other->first.second <= moments &&
             other->first.first - other->first.second <= count - moments) {
        chosen.push_back(other->second.back());
        other->second.pop_back();
      }
    if (chosen.empty())
      continue;
    bodies_.push_back({moments, count, {}, {}, {}});
    fill(bodies_.back(), ports, chosen, bodies, joints, mean_mass);
  }
}

void WrenchSystem::fill(BodyTables& tables, const std::vector<std::vector<Port>>& ports,
                        const std::vector<std::size_t>& chosen, const std::vector<Body>& bodies,
                        const std::vector<Joint>& joints, double mean_mass) const {
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  const std::size_t count = (chosen.size() + lanes - 1) / lanes * lanes;
  const auto constants = static_cast<std::size_t>(wrench_constants_of_port(tables.ports));
  tables.constants.assign((count * constants + 3) / 4, Four{});
  tables.kept.assign((count * static_cast<std::size_t>(wrench_kept_of_port(tables.ports)) + 3) / 4, Four{});
  for (std::size_t i = 0; i < count; ++i) {
    double* numbers = tables.constants.front().numbers + i / lanes * lanes * constants + i % lanes;
    const auto set = [&](int k, const auto& values) {
      for (Index j = 0; j < values.size(); ++j)
        numbers[static_cast<std::size_t>(k + static_cast<int>(j)) * lanes] = values.data()[j];
    };
    const auto number = [&](int k, double value) { numbers[static_cast<std::size_t>(k) * lanes] = value; };
    const bool is_body = i < chosen.size(); // otherwise any will do
    const Body& body = bodies[chosen[is_body ? i : 0]];
    number(wrench_mass_at, body.mass / mean_mass);
    number(wrench_inverse_mass_at, mean_mass / body.mass);
    set(wrench_inertia_at, (body.J / mean_mass).eval());
    WrenchBodyPlace place = nowhere(body);
    if (is_body) {
      set(wrench_weight_at, body.weight);
      place.row_x = body.row_x;
      place.row_turn = body.row_turn;
      if (body.load >= 0)
        place.load = body.load;
      place.pose = static_cast<int>(chosen[i]) * wrench_pose_numbers;
      const std::vector<Port>& own = ports[chosen[i]];
      // Where a body has fewer ports than others here, those without moments are still behind all that have some.
      std::vector<std::pair<std::size_t, const Port*>> at;
      std::size_t with = 0, without = static_cast<std::size_t>(tables.moments);
      for (const Port& port : own)
        at.emplace_back(moment_of_[static_cast<std::size_t>(port.joint)] >= 0 ? with++ : without++, &port);
      for (const auto& [p, port] : at) {
        const Joint& joint = joints[static_cast<std::size_t>(port->joint)];
        const End& end = joint.end[port->side];
        const int first = wrench_constants_of_port(static_cast<int>(p)),
                  moment = moment_of_[static_cast<std::size_t>(port->joint)];
        const double sign = port->side == 0 ? -1 : 1;
        number(first + wrench_sign_at, sign);
        set(first + wrench_arm_at, (sign * end.at).eval());
        number(first + wrench_turns_at, port->side == 0 ? 1 : -1);
        WrenchPort& to = place.port[p];
        to.row = joint.row;
        to.slot = matrix_.slot_of(port->joint);
        to.solution = matrix_.row_of(port->joint);
        if (moment >= 0) {
          to.moment = moment * wrench_moment_numbers;
          to.rows_of_moment = (2 * moment + port->side) * wrench_row_numbers;
        }
        for (const auto& [q, other] : at)
          to.target[q] = matrix_.address(port->joint, other->joint).at;
      }
    }
    tables.places.push_back(place);
  }
}

void WrenchSystem::evaluate(const WrenchEvaluation& iterate, const double* lost, bool tangent) {
  WrenchEvaluation e = iterate;
  e.matrix = matrix_.values();
  e.right_side = matrix_.right_side();
  matrix_.clear_right_side();
  distances_.write(e.values, lost, e.right_side);
  if (!tangent) {
    kernels_->residual(program_, e);
    return;
  }
  matrix_.clear();
  for (const int at : free_rows_)
    e.matrix[at] = 1;
  kernels_->tangent(program_, e);
}

void WrenchSystem::reduce(const double* b) {
  matrix_.clear_right_side();
  for (const Rows& joint : joints_)
    std::copy_n(b + joint.row, joint.multipliers, matrix_.right_side() + joint.slot);
  kernels_->reduce(program_, b, matrix_.right_side());
}

void WrenchSystem::factorise(double epsilon, const double* scale_of_row) {
  if (epsilon == 0)
    return solver_.factorise();
  double* values = matrix_.values();
  for (Multiplier& multiplier : multipliers_) {
    multiplier.block = epsilon * scale_of_row[multiplier.row];
    values[multiplier.at] -= multiplier.block;
  }
  solver_.factorise();
  for (const Multiplier& multiplier : multipliers_)
    values[multiplier.at] += multiplier.block;
}

/// Multipliers of joints that transmit no moments; those of others are left to kernels.
void WrenchSystem::expand_forces(const double* solution, double* dx) const {
  for (const Rows& joint : joints_)
    if (joint.size == 3)
      std::copy_n(solution + joint.solution, 3, dx + joint.row);
}

void WrenchSystem::solve(double* dx) {
  solver_.solve_rest(nullptr, solution_.data());
  expand_forces(solution_.data(), dx);
  kernels_->expand(program_, solution_.data(), dx);
}

Eigen::Map<const VecX> WrenchSystem::solve_refined(const double* x, double* dx) {
  double *given = given_.data(), *solution = solution_.data(), *change = change_.data();
  const Index rows = matrix_.rows();
  for (const Rows& joint : joints_) {
    const double* from = matrix_.right_side() + joint.slot;
    if (joint.size == 3)
      std::copy_n(from, 3, given + joint.solution);
    else
      std::copy_n(from, 6, given + joint.solution);
  }
  solution_.head(rows) = given_;
  if (x != nullptr)
    for (const Multiplier& multiplier : multipliers_)
      solution[multiplier.solution] -= multiplier.block * x[multiplier.row];
  solver_.solve(solution);
  solver_.multiply(solution, change);
  change_.head(rows) = given_ - change_.head(rows);
  solver_.solve(change);
  solution_.head(rows) += change_.head(rows);
  expand_forces(solution, dx);
  kernels_->expand(program_, solution, dx);
  expand_forces(change, moved_.data());
  kernels_->expand_change(program_, change, moved_.data());
  return {moved_.data(), rows_};
}

} // namespace emmy
