#include "elements/bodies/affine.hpp"

#include <algorithm>
#include <stdexcept>

namespace emmy {

AffineConnectivity::AffineConnectivity(std::vector<Node> nodes, const Weights& W, std::vector<SupportShare> supports)
    : Connectivity(std::move(nodes), supports.empty() ? Grounding::none : Grounding::partly), W_(W),
      supports_(std::move(supports)) {
  for (const SupportShare& share : supports_)
    for (int i = 0; i < 4; ++i)
      c_.segment<3>(3 * i) += share.weight[i] * share.support.value;
}

std::unique_ptr<AffineConnectivity> AffineConnectivity::from_slots(const std::vector<BodySlot>& slots,
                                                                   const MatX& basis) {
  const auto count = static_cast<Index>(slots.size());
  MatX A(basis.cols(), count);
  for (Index b = 0; b < count; ++b)
    A.col(b) = basis.transpose() * slots[static_cast<std::size_t>(b)].column;
  if (count != basis.cols() || A.fullPivLu().rank() < count)
    throw std::invalid_argument("the points and vectors of a body do not determine its position");
  const MatX of_slots = basis * A.inverse().transpose(); // q = of_slots * values of the slots [T4]

  std::vector<Node> nodes;
  std::vector<Vec4> weights;
  std::vector<SupportShare> supports;
  for (Index b = 0; b < count; ++b) {
    const Vec4 column = of_slots.col(b);
    for (const auto& [node, weight] : slots[static_cast<std::size_t>(b)].nodes) {
      const Index unknown = node.unknown;
      const auto found =
          std::find_if(nodes.begin(), nodes.end(), [unknown](const Node& n) { return n.unknown == unknown; });
      const auto at = static_cast<std::size_t>(found - nodes.begin());
      if (found == nodes.end()) {
        nodes.push_back(node);
        weights.emplace_back(Vec4::Zero());
      }
      weights[at] += weight * column;
    }
    for (const auto& [support, weight] : slots[static_cast<std::size_t>(b)].supports)
      supports.push_back({support, weight * column});
  }
  if (nodes.size() > max_nodes)
    throw std::length_error("a body depends on at most " + std::to_string(max_nodes) + " points and vectors");
  Weights W(4, static_cast<Index>(nodes.size()));
  for (std::size_t a = 0; a < nodes.size(); ++a)
    W.col(static_cast<Index>(a)) = weights[a];
  return std::make_unique<AffineConnectivity>(std::move(nodes), W, std::move(supports));
}

/// Sum of the weights times what `of_node` says.
template <class F>
Vec12 AffineConnectivity::weighted(Vec12 q, const F& of_node) const {
  for (Index a = 0; a < W_.cols(); ++a) {
    const Vec3 u = of_node(nodes()[static_cast<std::size_t>(a)]);
    for (int i = 0; i < 4; ++i)
      q.segment<3>(3 * i) += W_(i, a) * u;
  }
  return q;
}

Vec12 AffineConnectivity::port(const VecX& values) const {
  return weighted(c_, [&](const Node& node) -> Vec3 { return values.segment<3>(node.value); });
}

Vec12 AffineConnectivity::port_change(const VecX& unknowns) const {
  return weighted(Vec12::Zero(), [&](const Node& node) -> Vec3 { return unknowns.segment<3>(node.unknown); });
}

void AffineConnectivity::place(const Step& s, PortMotion& m) const {
  m.q_n = port(s.n.values);
  // From the very numbers that retract() will store: rounding then telescopes over the steps instead of adding up.
  m.q_n1 = weighted(
      c_, [&](const Node& node) -> Vec3 { return s.n.values.segment<3>(node.value) + s.z.segment<3>(node.unknown); });
}

void AffineConnectivity::move(const Step& s, PortMotion& m) const {
  place(s, m);
  m.P_bar.setZero(12, unknowns());
  for (Index a = 0; a < W_.cols(); ++a)
    for (int i = 0; i < 4; ++i)
      m.P_bar.block<3, 3>(3 * i, 3 * a).diagonal().setConstant(W_(i, a)); // [T4]
  m.D = m.P_bar;
}

MapPattern AffineConnectivity::map_pattern() const {
  Pattern map = Pattern::Zero(12, unknowns());
  for (Index a = 0; a < W_.cols(); ++a)
    for (int i = 0; i < 4; ++i)
      if (W_(i, a) != 0)
        map.block<3, 3>(3 * i, 3 * a).setIdentity();
  return {map, map};
}

Pattern AffineConnectivity::geometric_pattern(const PortPattern&) const {
  return Pattern::Zero(unknowns(), unknowns()); // the map is constant
}

void AffineConnectivity::at(const State& state, Vec12& q, Vec12& q_dot) const {
  q = port(state.values);
  q_dot = port_change(state.rates);
}

void AffineConnectivity::add_support(const Vec12& r, const Vec3&, Vec3& force, Vec3& moment) const {
  for (const SupportShare& share : supports_) {
    Vec3 f = Vec3::Zero();
    for (int i = 0; i < 4; ++i)
      f += share.weight[i] * r.segment<3>(3 * i);
    if (share.support.is_point)
      force += f;
    moment += share.support.value.cross(f);
  }
}

} // namespace emmy
