#include "solvers/rates/rate_tables.hpp"

#include "core/measure_interaction.hpp"
#include "solvers/batches/frame_pairs.hpp"
#include "solvers/linear/block_program.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace emmy {

inline namespace portable {
extern const RateKernels rate_kernels;
}
#ifdef EMMY_AVX2
namespace avx2 {
extern const RateKernels rate_kernels;
}
#else
namespace avx2 = portable;
#endif

namespace {

/// Numbers of a side: one, and the lower triangle of a matrix by columns.
void put_side(double number, const Mat3& triangle, double* to) {
  *to = number;
  for (Index j = 0; j < 3; ++j)
    for (Index i = j; i < 3; ++i)
      *(to += rate_lanes) = triangle(i, j);
}

/// L^-1 with J = L L^T.
Mat3 root_inverse(const Mat3& J) {
  return Mat3(J.llt().matrixL()).triangularView<Eigen::Lower>().solve(Mat3::Identity());
}

} // namespace

RateTables::RateTables(const RigidSystem& system, const std::vector<const Interaction*>& joints,
                       const KernelOptions& options)
    : system_(system),
      kernels_(options.instructions == Instructions::avx2 ? avx2::rate_kernels : portable::rate_kernels) {
  const ModelParts parts(system.model());
  parts_ = static_cast<Index>(parts.count);
  take_bodies();
  for (const RigidUnit& unit : system.units())
    part_of_body_.push_back(static_cast<Index>(parts.of(unit.body->nodes().front())));
  numbers_of_V_ = largest_block * rate_numbers; // in front those of nobody
  for (const Interaction* joint : joints) {
    take(*joint);
    joints_.back().part = static_cast<Index>(parts.of(joint->nodes().front()));
    has_targets_ = has_targets_ || joint->acts() == Acts::as_motor;
  }
  for (Group& group : groups_)
    fill_up(group);
  for (const Joint& joint : joints_)
    for (int r = 0; r < joint.rows; ++r)
      every_row_.push_back({static_cast<int>(row(joint)) + rate_lanes * r,
                            static_cast<int>(joint.element->first_multiplier()) + r, static_cast<int>(joint.part)});
}

void RateTables::take_bodies() {
  inertia_.assign(system_.size() * inertia_numbers, 0.0);
  for (std::size_t b = 0; b < system_.size(); ++b) {
    const RigidUnit& unit = system_.units()[b];
    double* numbers = inertia_.data() + b * inertia_numbers;
    if (unit.inverse_mass > 0)
      numbers[0] = 1 / unit.inverse_mass;
    if (unit.turns)
      for (Index j = 0; j < 3; ++j)
        Eigen::Map<Vec3>(numbers + 4 * (j + 1)) = unit.J.col(j);
    const Node& node = unit.body->nodes().front();
    is_frame_.push_back(node.kind == NodeKind::frame);
    if (is_frame_.back())
      frames_.push_back({static_cast<int>(b), node.unknown});
    else
      unlike_frames_.push_back(b);
  }
}

/// What knows a joint between two frames, or a frame and the ground; null if nothing does.
const RateFinder* RateTables::finder_of(const Interaction& joint, Index (&ports)[2]) const {
  const MeasureInteraction* element = MeasureInteraction::of(joint);
  if (element == nullptr || element->equations().shares != nullptr || !find_ports(*element, 0, ports))
    return nullptr;
  for (const Index port : ports)
    if (port != Model::ground && !is_frame_[static_cast<std::size_t>(system_.unit_of(port))])
      return nullptr;
  const RateFinder* end = kernels_.finders + kernels_.kinds;
  const RateFinder* finder = std::find_if(kernels_.finders, end, [&](const RateFinder& f) {
    return f.multipliers > 0 && std::string_view(f.name) == element->equations().name;
  });
  return finder == end ? nullptr : finder;
}

RateTables::Group& RateTables::group_of(const RateFinder* finder, int rows, int sides) {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
    return group.finder == finder && group.program.rows == rows && group.program.sides == sides;
  });
  if (found != groups_.end())
    return *found;
  groups_.push_back({finder, {}, {}, {}, {}, {}, {}, {}, {}, {}});
  groups_.back().program.rows = rows;
  groups_.back().program.sides = sides;
  return groups_.back();
}

void RateTables::take(const Interaction& joint) {
  Joint taken{&joint, {}, static_cast<int>(joint.multipliers()), {}, {}, 0};
  Index ports[2];
  const RateFinder* finder = finder_of(joint, ports);
  if (finder != nullptr) {
    for (const Index port : ports)
      taken.bodies.push_back(port == Model::ground ? bodies() : static_cast<int>(system_.unit_of(port)));
    if (ports[0] == Model::ground || ports[1] == Model::ground)
      grounded_.push_back(joints_.size());
  } else {
    const RigidJoint single(system_, joint);
    for (const RigidJoint::Side& side : single.sides())
      taken.bodies.push_back(static_cast<int>(side.unit));
  }
  for (std::size_t s = 0; s < taken.bodies.size(); ++s) {
    taken.V.push_back(numbers_of_V_);
    numbers_of_V_ += taken.rows * rate_numbers;
  }
  Group& group = group_of(finder, taken.rows, static_cast<int>(taken.bodies.size()));
  const auto number = static_cast<int>(group.joints.size());
  taken.place = {static_cast<std::size_t>(&group - groups_.data()), number / rate_lanes, number % rate_lanes};
  group.joints.push_back(joints_.size());
  joints_.push_back(std::move(taken));
}

/// Numbers of joints four side by side; behind the last one those of nobody, who stands on the ground.
void RateTables::fill_up(Group& group) {
  const auto lanes = static_cast<std::size_t>(rate_lanes), sides = static_cast<std::size_t>(group.program.sides);
  const std::size_t real = group.joints.size(), packs = (real + lanes - 1) / lanes;
  group.bodies.assign(packs * sides * lanes, bodies());
  group.values.assign(group.finder != nullptr ? packs * sides * lanes : 0, -1);
  group.V.assign(packs * sides * lanes, 0);
  group.inertia.assign(packs * sides * lanes * side_numbers, 0.0);
  group.roots = group.inertia;
  const auto room = [&](int numbers) { return packs * lanes * static_cast<std::size_t>(numbers); };
  if (group.finder != nullptr) {
    group.vectors.resize(room(group.finder->vectors));
    group.numbers.resize(room(group.finder->numbers));
  }
  for (std::size_t i = 0; i < packs * lanes; ++i) {
    const Joint& joint = joints_[group.joints[std::min(i, real - 1)]]; // of nobody vectors are those of the last one
    const std::size_t pack = i / lanes, lane = i % lanes;
    for (std::size_t s = 0; i < real && s < sides; ++s) {
      const int b = joint.bodies[s];
      const std::size_t at = (pack * sides + s) * lanes + lane;
      group.bodies[at] = b;
      if (b == bodies())
        continue;
      const RigidUnit& unit = system_.units()[static_cast<std::size_t>(b)];
      if (group.finder != nullptr)
        group.values[at] = static_cast<int>(unit.body->nodes().front().value);
      group.V[at] = joint.V[s];
      const std::size_t first = (pack * sides + s) * lanes * side_numbers + lane;
      put_side(unit.inverse_mass, unit.turns ? unit.J_inverse : Mat3(Mat3::Zero()), group.inertia.data() + first);
      put_side(std::sqrt(unit.inverse_mass), unit.turns ? root_inverse(unit.J) : Mat3(Mat3::Zero()),
               group.roots.data() + first);
    }
    if (group.finder == nullptr)
      continue;
    const auto& element = static_cast<const MeasureInteraction&>(*joint.element);
    const auto put = [&](std::vector<double>& list, int numbers, std::size_t k, double value) {
      list[(pack * static_cast<std::size_t>(numbers) + k) * lanes + lane] = value;
    };
    std::size_t k = 0;
    const PairSide ends[2] = {{joint.bodies[0] == bodies(), true}, {joint.bodies[1] == bodies(), true}};
    put_vectors(element, 0, ends, [&](const Vec3& w) {
      for (const double number : w)
        put(group.vectors, group.finder->vectors, k++, number);
    });
    for (int n = 0; n < group.finder->numbers; ++n)
      put(group.numbers, group.finder->numbers, static_cast<std::size_t>(n), element.equations().numbers[n]);
  }
  group.program = {group.program.rows,      group.program.sides, static_cast<int>(packs),
                   static_cast<int>(rows_), gradients_,          group.bodies.data(),
                   group.inertia.data(),    group.roots.data(),  group.V.data()};
  rows_ += static_cast<Index>(packs * lanes) * group.program.rows;
  gradients_ += static_cast<int>(packs * lanes * sides) * 6 * group.program.rows;
}

} // namespace emmy
