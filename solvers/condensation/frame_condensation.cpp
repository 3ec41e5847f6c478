#include "solvers/condensation/frame_condensation.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <map>

namespace emmy {

namespace portable {
extern const CondensationKernels condensation_packed, condensation_single;
}
#ifdef EMMY_AVX2
namespace avx2 {
extern const CondensationKernels condensation_packed, condensation_single;
}
#else
namespace avx2 = portable;
#endif

namespace {

/// Smallest part of its largest moment of inertia that a body may have about another axis. Its inverse multiplies
/// rounding without anyone to notice.
constexpr double slimmest = 1e-4;

const CondensationKernels& kernels_for(const KernelOptions& options) {
  return choose<CondensationKernels>(options, {portable::condensation_packed, portable::condensation_single},
                                     {avx2::condensation_packed, avx2::condensation_single});
}

} // namespace

FrameCondensation::FrameCondensation(const KernelOptions& options) : kernels_(&kernels_for(options)) {}

bool FrameCondensation::suits(const Body& body) {
  if (body.ports.size() > most_ports)
    return false;
  // A joint in the centre does not turn the body, and has no block for that.
  if (std::any_of(body.ports.begin(), body.ports.end(), [](const Port& port) { return port.arm.isZero(0); }))
    return false;
  return gives_way(body.mass, body.J);
}

bool FrameCondensation::gives_way(double mass, const Mat3& J) {
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(J, Eigen::EigenvaluesOnly).eigenvalues();
  return mass > 0 && moments[0] > slimmest * moments[2];
}

/// Bodies with as many ports as the group has, or less: what is missing acts on nobody.
void FrameCondensation::fill(Group& group, const std::vector<const Body*>& bodies, const BlockMatrix& matrix,
                             double mean_mass) const {
  const auto lanes = static_cast<std::size_t>(kernels_->lanes);
  const std::size_t count = (bodies.size() + lanes - 1) / lanes * lanes;
  const int constants = constants_of_port(group.ports);
  const auto fours = [&](int numbers) { return (count * static_cast<std::size_t>(numbers) + 3) / 4; };
  group.real = static_cast<int>(bodies.size());
  group.constants.assign(fours(constants), Four{});
  group.kept.assign(fours(kept_of_port(group.ports)), Four{});

  for (std::size_t i = 0; i < count; ++i) {
    double* numbers =
        group.constants.front().numbers + i / lanes * lanes * static_cast<std::size_t>(constants) + i % lanes;
    const auto set = [&](int k, double value) { numbers[static_cast<std::size_t>(k) * lanes] = value; };
    const auto set_all = [&](int k, const auto& values) {
      for (Index j = 0; j < values.size(); ++j)
        set(k + static_cast<int>(j), values.data()[j]);
    };
    if (i >= bodies.size()) { // any body will do
      set(mass_at, 1);
      set(inverse_mass_at, 1);
      set_all(inertia_at, Mat3::Identity().eval());
      continue;
    }
    const Body& body = *bodies[i];
    set(mass_at, body.mass / mean_mass);
    set(inverse_mass_at, mean_mass / body.mass);
    set_all(inertia_at, (body.J / mean_mass).eval());
    set_all(weight_at, body.weight);
    for (std::size_t p = 0; p < body.ports.size(); ++p) {
      const Port& port = body.ports[p];
      const int at = constants_of_port(static_cast<int>(p));
      set(at + sign_at, port.sign);
      set_all(at + arm_at, (port.sign * port.arm).eval());
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    place(i < bodies.size() ? bodies[i] : nullptr, *bodies.front(), matrix, group);
}

/// Addresses of a body, or of none: one that is read where `like` is and written where nobody looks.
void FrameCondensation::place(const Body* body, const Body& like, const BlockMatrix& matrix, Group& group) const {
  const auto ports = static_cast<std::size_t>(group.ports);
  const auto behind = static_cast<int>(matrix.rows());
  const auto has = [&](std::size_t p) { return body != nullptr && p < body->ports.size(); };
  const auto add = [&](int number) { group.places.push_back(number); }; // in the order of CondensedPlace
  ++group.count;
  add(static_cast<int>(body != nullptr ? body->value : like.value));
  add(static_cast<int>(body != nullptr ? body->rate : like.rate));
  add(body != nullptr ? matrix.row_of(body->centre) : behind);
  add(body != nullptr ? matrix.row_of(body->rotation.node) + body->rotation.offset : behind);
  add(body != nullptr && body->load >= 0 ? body->load : loads_.nobody);
  for (std::size_t p = 0; p < ports; ++p)
    add(has(p) ? matrix.row_of(body->ports[p].joint) : behind);
  for (std::size_t p = 0; p < ports; ++p)
    add(has(p) ? matrix.slot_of(body->ports[p].joint) : matrix.unused_slot());
  for (std::size_t p = 0; p < ports; ++p)
    add(has(p) && body->ports[p].booked >= 0 ? body->ports[p].booked : joint_books_.nobody());
  for (std::size_t q = 0; q < ports; ++q)
    for (std::size_t p = 0; p < ports; ++p)
      add(has(p) && has(q) ? matrix.factor_address(body->ports[p].joint, body->ports[q].joint) : matrix.scratch());
}

void FrameCondensation::bind(BlockMatrix& matrix, const BodyLoads& loads, double mean_mass) {
  loads_ = loads;
  std::map<int, int> booked;
  for (const Joint& joint : joints_) {
    distances_.add(joint.from, joint.to, 1, matrix.slot_of(joint.node));
    booked[joint.node] = joint_books_.add(joint.from, joint.to, matrix.row_of(joint.node));
  }
  for (Body& body : bodies_)
    for (Port& port : body.ports)
      if (const auto found = booked.find(port.joint); found != booked.end())
        port.booked = found->second;
  std::vector<const Body*> with_ports[most_ports + 1];
  for (const Body& body : bodies_)
    with_ports[std::max<std::size_t>(body.ports.size(), 1)].push_back(&body);
  groups_.reserve(most_ports);
  for (int ports = most_ports; ports > 0; --ports) {
    std::vector<const Body*>& bodies = with_ports[ports];
    if (bodies.empty())
      continue;
    // Places that would be left empty take bodies with fewer ports.
    for (int fewer = ports - 1; fewer > 0; --fewer)
      while (bodies.size() % static_cast<std::size_t>(kernels_->lanes) != 0 && !with_ports[fewer].empty()) {
        bodies.push_back(with_ports[fewer].back());
        with_ports[fewer].pop_back();
      }
    groups_.push_back({ports, 0, 0, {}, {}, {}});
    fill(groups_.back(), bodies, matrix, mean_mass);
  }
  for (Group& group : groups_)
    program_.push_back({group.ports, group.count, group.real, group.places.data(), group.constants.front().numbers,
                        group.kept.front().numbers, loads_});
  bodies_ = {};
  joints_ = {};
}

} // namespace emmy
