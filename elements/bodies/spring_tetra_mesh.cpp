#include "elements/bodies/spring_tetra_mesh.hpp"

#include <cmath>
#include <set>
#include <utility>

namespace emmy {

namespace {

/// What is left of a column of unit length after those before it have been projected out: below this a body would hang
/// on points that hardly determine it.
constexpr double independent = 1e-3;
/// The same for columns that are one and for springs that hold what others hold.
constexpr double equal = 1e-9;

/// Part of x that is orthogonal to the span of columns, relative to x.
double remainder(const std::vector<VecX>& columns, VecX x) {
  std::vector<VecX> basis;
  const auto project = [&](VecX v) {
    for (int twice = 0; twice < 2; ++twice)
      for (const VecX& b : basis)
        v -= b.dot(v) * b;
    return v;
  };
  for (const VecX& c : columns) {
    const VecX rest = project(c.normalized());
    if (rest.norm() > equal)
      basis.push_back(rest.normalized());
  }
  const double size = x.norm();
  return size > 0 ? project(x).norm() / size : 0;
}

} // namespace

Index SpringTetraMesh::add_body(std::string name, double mass, const Mat3& J, const Quaternion& orientation,
                                const SpringTetraOptions& options) {
  Member m;
  m.E = SpringTetra::second_moments(name, J);
  m.name = std::move(name);
  m.mass = mass;
  m.J = J;
  m.orientation = orientation.normalized();
  m.options = options;
  m.basis = SpringTetra::basis(m.E);
  m.length = std::sqrt(m.E.trace() / mass);
  m.springs = SpringTetra::standard_springs(m.E);
  members_.push_back(std::move(m));
  return static_cast<Index>(members_.size()) - 1;
}

Index SpringTetraMesh::add_connection(SharedKind kind, const SharedSide& first, const SharedSide& second) {
  connections_.push_back({kind, first, second, true, {}});
  return static_cast<Index>(connections_.size()) - 1;
}

bool SpringTetraMesh::is_shared(Index connection) const {
  return connections_.at(static_cast<std::size_t>(connection)).is_shared;
}

const std::string& SpringTetraMesh::reason(Index connection) const {
  return connections_.at(static_cast<std::size_t>(connection)).reason;
}

SpringTetra& SpringTetraMesh::body(Index i) const {
  return *members_.at(static_cast<std::size_t>(i)).body;
}

void SpringTetraMesh::build(Model& model) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    place(i, model);
}

std::vector<SpringTetraMesh::Wanted> SpringTetraMesh::wanted(SharedKind kind, const SharedSide& here,
                                                             const SharedSide& there) {
  const auto column = [](double w, const Vec3& r) { return Vec4(w, r.x(), r.y(), r.z()); };
  std::vector<Wanted> columns{{column(1, here.at), column(1, there.at)}};
  const int vectors = kind == SharedKind::point ? 0 : kind == SharedKind::axis ? 1 : 3;
  for (int i = 0; i < vectors; ++i)
    columns.push_back({column(0, here.axes.col(i)), column(0, there.axes.col(i))});
  return columns;
}

/// A rod consists of the points of its axis.
bool SpringTetraMesh::is_in_reach(const Member& m, const Vec4& column) const {
  return (column - m.basis * (m.basis.transpose() * column)).norm() <= equal * column.norm();
}

/// Part of a column that the others do not have, lengths measured by the size of the body.
double SpringTetraMesh::novelty(const Member& m, const Vec4& column, const std::vector<Column>& columns) const {
  const auto scaled = [&](Vec4 c) -> VecX {
    c.tail<3>() /= m.length;
    return c;
  };
  std::vector<VecX> others;
  for (const Column& c : columns)
    others.push_back(scaled(c.column));
  return remainder(others, scaled(column));
}

/// Where a point or vector of a placed body, or of the ground, is.
SpringTetraMesh::Combination SpringTetraMesh::value_on(const SharedSide& side, const Vec4& column) {
  if (side.body == SharedSide::ground) {
    const Support support{column.tail<3>(), column[0] != 0};
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].is_fixed && points_[p].support.is_point == support.is_point &&
          points_[p].support.value == support.value)
        return {{p, 1.0}};
    points_.push_back({true, support, {}});
    return {{points_.size() - 1, 1.0}};
  }
  const Member& m = members_[static_cast<std::size_t>(side.body)];
  for (const Column& c : m.columns)
    if ((c.column - column).norm() <= equal * column.norm())
      return c.value;
  const auto count = static_cast<Index>(m.columns.size());
  MatX A(m.basis.cols(), count);
  for (Index b = 0; b < count; ++b)
    A.col(b) = m.basis.transpose() * m.columns[static_cast<std::size_t>(b)].column;
  const VecX N = A.inverse() * (m.basis.transpose() * column); // [T7]
  Combination value;
  for (Index b = 0; b < count; ++b)
    if (std::abs(N[b]) > equal * N.cwiseAbs().maxCoeff())
      for (const auto& [point, weight] : m.columns[static_cast<std::size_t>(b)].value)
        value[point] += N[b] * weight;
  return value;
}

/// Hangs a body on what a connection to a placed body, or to the ground, determines; false if that is impossible.
bool SpringTetraMesh::take_over(std::size_t member, Connection& connection) {
  Member& m = members_[member];
  const bool is_first = connection.first.body == static_cast<Index>(member);
  const SharedSide& here = is_first ? connection.first : connection.second;
  const SharedSide& there = is_first ? connection.second : connection.first;
  const auto refuse = [&](const char* why) {
    connection.is_shared = false;
    connection.reason = why;
    return false;
  };
  if (connection.kind == SharedKind::weld && there.body == SharedSide::ground)
    return refuse("nothing of the body would be left to move");
  std::vector<Column> columns = m.columns;
  for (const Wanted& w : wanted(connection.kind, here, there)) {
    const bool other_reaches =
        there.body == SharedSide::ground || is_in_reach(members_[static_cast<std::size_t>(there.body)], w.there);
    if (!is_in_reach(m, w.here) || !other_reaches)
      return refuse("a rod has no points beside its axis");
    Combination value = value_on(there, w.there);
    if (novelty(m, w.here, columns) > independent) {
      columns.push_back({w.here, std::move(value)});
      continue;
    }
    bool is_known = false; // the same point or vector of space, by another way
    for (const Column& c : columns)
      is_known = is_known || ((c.column - w.here).norm() <= equal * w.here.norm() && c.value == value);
    if (!is_known)
      return refuse("the points and vectors that the body shares already determine this one");
  }
  std::set<std::size_t> nodes;
  for (const Column& c : columns)
    for (const auto& [point, weight] : c.value)
      if (!points_[point].is_fixed)
        nodes.insert(point);
  if (nodes.size() + static_cast<std::size_t>(m.basis.cols()) - columns.size() > AffineConnectivity::max_nodes)
    return refuse("the body would depend on too many points of others");
  if (nodes.empty() && columns.size() == static_cast<std::size_t>(m.basis.cols()))
    return refuse("nothing of the body would be left to move");
  m.columns = std::move(columns);
  m.follows = m.follows || connection.kind == SharedKind::weld;
  return true;
}

void SpringTetraMesh::add_free(Member& m, const Vec4& column, Model& model) {
  points_.push_back({false, {}, model.add_node(NodeKind::point)});
  m.columns.push_back({column, {{points_.size() - 1, 1.0}}});
}

/// Points, then axes, to which bodies that come later will be attached become nodes as far as there is room; the others
/// can be expressed in them [T7].
void SpringTetraMesh::offer_masters(Member& m, std::size_t member, Model& model) {
  for (const bool points : {true, false})
    for (const Connection& c : connections_)
      for (const SharedSide* side : {&c.first, &c.second}) {
        const SharedSide& other = side == &c.first ? c.second : c.first;
        if (side->body != static_cast<Index>(member) || other.body == SharedSide::ground ||
            members_[static_cast<std::size_t>(other.body)].is_placed || !c.is_shared)
          continue;
        for (const Wanted& w : wanted(c.kind, *side, other))
          if ((w.here[0] != 0) == points && is_in_reach(m, w.here) && novelty(m, w.here, m.columns) > independent)
            add_free(m, w.here, model);
      }
}

/// Adds the centre or base vectors, those first that are farthest from what is there.
void SpringTetraMesh::complete(Member& m, Model& model) {
  while (m.columns.size() < static_cast<std::size_t>(m.basis.cols())) {
    Index best = 0;
    double most = -1;
    for (Index b = 0; b < m.basis.cols(); ++b) {
      const double rest = novelty(m, m.basis.col(b), m.columns);
      if (rest > most + equal) {
        most = rest;
        best = b;
      }
    }
    add_free(m, m.basis.col(best), model);
  }
}

std::vector<BodySlot> SpringTetraMesh::slots(const Member& m) const {
  std::vector<BodySlot> result;
  for (const Column& c : m.columns) {
    BodySlot slot{c.column, {}, {}};
    for (const auto& [point, weight] : c.value) {
      if (points_[point].is_fixed)
        slot.supports.emplace_back(points_[point].support, weight);
      else
        slot.nodes.emplace_back(points_[point].node, weight);
    }
    result.push_back(std::move(slot));
  }
  return result;
}

/// Derivatives of the lengths of springs with respect to all points, in the pose of the start.
MatX SpringTetraMesh::rigidity_rows(const Member& m, const std::vector<Vec3>& springs) const {
  const auto count = static_cast<Index>(m.columns.size());
  MatX A(m.basis.cols(), count);
  for (Index b = 0; b < count; ++b)
    A.col(b) = m.basis.transpose() * m.columns[static_cast<std::size_t>(b)].column;
  const MatX of_columns = m.basis * A.inverse().transpose(); // [T4]
  MatX rows = MatX::Zero(static_cast<Index>(springs.size()), static_cast<Index>(3 * points_.size()));
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const Vec3 along = m.orientation * springs[s].normalized();
    const VecX B = of_columns.bottomRows<3>().transpose() * springs[s];
    for (Index b = 0; b < count; ++b)
      for (const auto& [point, weight] : m.columns[static_cast<std::size_t>(b)].value)
        if (!points_[point].is_fixed)
          rows.block<1, 3>(static_cast<Index>(s), static_cast<Index>(3 * point)) += B[b] * weight * along.transpose();
  }
  return rows;
}

/// Springs of constant length are of no use. Two bodies that share an axis both keep its length: as multipliers of
/// rigid bodies one of the two is too many.
std::vector<Vec3> SpringTetraMesh::needed_springs(const Member& m, std::size_t member) const {
  std::vector<Vec3> needed;
  if (m.follows)
    return needed; // strained no more than the body it is welded to
  std::vector<VecX> held;
  if (m.options.rigid)
    for (const Connection& c : connections_) {
      const auto here = static_cast<Index>(member);
      if (!c.is_shared || (c.first.body != here && c.second.body != here))
        continue;
      const Index there = c.first.body == here ? c.second.body : c.first.body;
      if (there == SharedSide::ground)
        continue;
      const Member& other = members_[static_cast<std::size_t>(there)];
      if (!other.is_placed || !other.options.rigid)
        continue;
      const MatX rows = rigidity_rows(other, other.springs);
      for (Index i = 0; i < rows.rows(); ++i)
        held.emplace_back(rows.row(i).transpose());
    }
  const MatX rows = rigidity_rows(m, m.springs);
  for (Index i = 0; i < rows.rows(); ++i) {
    const VecX row = rows.row(i).transpose();
    if (row.norm() <= equal || (m.options.rigid && remainder(held, row) <= equal))
      continue;
    needed.push_back(m.springs[static_cast<std::size_t>(i)]);
    held.push_back(row);
  }
  return needed;
}

void SpringTetraMesh::place(std::size_t member, Model& model) {
  Member& m = members_[member];
  const auto here = static_cast<Index>(member);
  for (Connection& c : connections_) {
    if (c.first.body != here && c.second.body != here)
      continue;
    const Index there = c.first.body == here ? c.second.body : c.first.body;
    if (there == here) {
      c.is_shared = false;
      c.reason = "both sides are the same body";
    } else if (there == SharedSide::ground || members_[static_cast<std::size_t>(there)].is_placed) {
      take_over(member, c);
    }
  }
  offer_masters(m, member, model);
  complete(m, model);
  m.body = &SpringTetra::add_to(model, m.name, m.mass, m.J, m.options, slots(m), needed_springs(m, member));
  m.is_placed = true;
}

/// Bodies on the side of `from`; nothing if sharing leads back to `to`, or to the ground.
std::optional<std::vector<std::size_t>> SpringTetraMesh::side_of(const Connection& connection, Index from,
                                                                 Index to) const {
  std::set<Index> reached;
  std::vector<Index> open{from};
  while (!open.empty()) {
    const Index here = open.back();
    open.pop_back();
    if (here == SharedSide::ground || here == to)
      return std::nullopt;
    if (!reached.insert(here).second)
      continue;
    for (const Connection& c : connections_)
      if (&c != &connection && c.is_shared && (c.first.body == here || c.second.body == here))
        open.push_back(c.first.body == here ? c.second.body : c.first.body);
  }
  return std::vector<std::size_t>(reached.begin(), reached.end());
}

std::optional<Reaction> SpringTetraMesh::reaction(const Model& model, Index connection, const MovedStep& s) const {
  const Connection& c = connections_.at(static_cast<std::size_t>(connection));
  if (!c.is_shared)
    return std::nullopt;
  const SharedSide* side = &c.second;
  double sign = 1;
  auto bodies = side_of(c, c.second.body, c.first.body);
  if (!bodies) { // action and reaction
    side = &c.first;
    sign = -1;
    bodies = side_of(c, c.first.body, c.second.body);
  }
  if (!bodies)
    return std::nullopt;
  const auto mean = [&](Index port) {
    const PortMotion& m = s.motions[static_cast<std::size_t>(port)];
    return Vec12((m.q_n + m.q_n1) / 2);
  };
  const Index at = body(side->body).port();
  const Vec3 centre = body_point(at, side->at).of(mean(at));
  Reaction reaction;
  for (const std::size_t i : *bodies) {
    const Index port = members_[i].body->port();
    Vec12 r = members_[i].body->port_residual(s);
    for (const Interaction* interaction : model.interactions())
      r += interaction->port_residual(s, port);
    // What inertia and forces on the bodies leave open is what the connection does.
    const Vec12 q_m = mean(port);
    reaction.force += sign * r.head<3>();
    reaction.moment -= sign * centre.cross(r.head<3>());
    for (int j = 0; j < 4; ++j)
      reaction.moment += sign * q_m.segment<3>(3 * j).cross(r.segment<3>(3 * j));
  }
  return reaction;
}

} // namespace emmy
