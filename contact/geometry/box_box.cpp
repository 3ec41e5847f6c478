#include "contact/geometry/box_box.hpp"

#include "contact/geometry/closest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::contact {

std::array<int, 2> ends_of_edge(int edge) {
  const int axis = edge / 4, next = (axis + 1) % 3, last = (axis + 2) % 3;
  const int corner = (edge & 1 ? 1 << next : 0) | (edge & 2 ? 1 << last : 0);
  return {corner, corner | 1 << axis};
}

void BoxManifold::put(const BoxPoint& point) {
  BoxPoint* const end = points.data() + count;
  BoxPoint* const place = std::find_if(points.data(), end, [&](const BoxPoint& p) { return p.same_feature(point); });
  if (place == end && count == most)
    return;
  *place = point;
  count += place == end;
}

namespace {

constexpr double bias = 1e-3;            ///< of the smallest half edge: how much better another axis must be
constexpr double nearly_parallel = 0.99; ///< cosine from which on the bias applies
constexpr double same_place = 1e-6;      ///< of the smallest half edge: points closer than that are one

/// Two boxes, and what they have in common.
struct Pair {
  const PlacedBox &a, &b;
  Mat3 R;      ///< axes of b in those of a
  Vec3 t;      ///< centre of b in the axes of a
  double size; ///< smallest half edge

  Pair(const PlacedBox& first, const PlacedBox& second)
      : a(first), b(second), R(first.axes.transpose() * second.axes), t(first.coordinates(second.centre)),
        size(std::min(first.half.minCoeff(), second.half.minCoeff())) {}

  /// How far apart the boxes are along a direction in the axes of a.
  double separation(const Vec3& n) const {
    return std::abs(n.dot(t)) - a.half.dot(n.cwiseAbs()) - b.half.dot((R.transpose() * n).cwiseAbs());
  }
};

/// A direction in the axes of a, from a to b, and how far the boxes are apart along it.
struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 n = Vec3::UnitZ();
  int i = -1, j = -1; ///< axis of the face, or of the edges of a and b

  void consider(const Pair& pair, const Vec3& direction, int axis_a, int axis_b) {
    const double here = pair.separation(direction);
    if (here > separation) {
      const double side = direction.dot(pair.t) < 0 ? -1 : 1;
      *this = {here, side * direction, axis_a, axis_b};
    }
  }
};

struct Axes {
  Axis face_a, face_b, edges;

  explicit Axes(const Pair& pair) {
    for (int i = 0; i < 3; ++i) {
      face_a.consider(pair, Vec3::Unit(i), i, -1);
      face_b.consider(pair, pair.R.col(i), -1, i);
    }
  }

  /// Products of edges that are parallel to rounding say nothing.
  void find_edges(const Pair& pair) {
    constexpr double least_sine = 1e-6;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const Vec3 product = Vec3::Unit(i).cross(pair.R.col(j));
        const double sine = product.norm();
        if (sine > least_sine)
          edges.consider(pair, product / sine, i, j);
      }
  }

  double greatest() const { return std::max({face_a.separation, face_b.separation, edges.separation}); }
};

/// How much is taken off the second of two axes, so that it does not win by rounding.
double handicap(const Axis& first, const Axis& second, double size) {
  return std::abs(first.n.dot(second.n)) > nearly_parallel ? bias * size : 0;
}

/// Corner of a box that is farthest along a direction in its axes.
int support(const Vec3& n) {
  return (n.x() > 0 ? 1 : 0) | (n.y() > 0 ? 2 : 0) | (n.z() > 0 ? 4 : 0);
}

/// Edge of a box along `axis` that holds a corner.
int edge_at(int corner, int axis) {
  return 4 * axis + (corner >> ((axis + 1) % 3) & 1) + 2 * (corner >> ((axis + 2) % 3) & 1);
}

std::array<Vec3, 2> placed_edge(const PlacedBox& box, int edge) {
  const std::array<int, 2> corners = ends_of_edge(edge);
  return {box.point(corner_of_box(box.half, corners[0])), box.point(corner_of_box(box.half, corners[1]))};
}

/// The face of one box looks at the other, which is seen in the axes of the first.
class Clip {
public:
  /// `axis` and `side` of the reference face; `flipped`: the reference is box b.
  Clip(const PlacedBox& reference, const PlacedBox& incident, int axis, double side, bool flipped, double size,
       double margin, BoxManifold& out)
      : reference_(reference), k_(axis), u_((axis + 1) % 3), v_((axis + 2) % 3), side_(side), flipped_(flipped),
        same_(same_place * size), margin_(margin), out_(out) {
    // The face of the other box that looks back.
    const Vec3 n = side * reference.axes.col(axis);
    const Vec3 seen = incident.axes.transpose() * n;
    seen.cwiseAbs().maxCoeff(&l_);
    const int low = seen[l_] > 0 ? 0 : 1;
    constexpr std::array<int, 4> around_next{0, 1, 1, 0}, around_last{0, 0, 1, 1};
    for (std::size_t i = 0; i < 4; ++i) {
      corners_[i] = low << l_ | around_next[i] << (l_ + 1) % 3 | around_last[i] << (l_ + 2) % 3;
      x_[i] = reference.coordinates(incident.point(corner_of_box(incident.half, corners_[i])));
    }
  }

  void put_points() {
    corners_on_face();
    corners_of_face();
    crossings();
  }

private:
  double height(const Vec3& x) const { return side_ * x[k_] - reference_.half[k_]; }

  /// A point of the incident box, and the one of the reference face below it; a place that is taken is left out.
  void put(int reference_feature, int incident_feature, BoxPoint::Kind kind, const Vec3& x) {
    const double gap = height(x);
    if (gap > margin_)
      return;
    for (int i = 0; i < taken_; ++i)
      if (std::abs(x[u_] - places_[static_cast<std::size_t>(i)].x()) <= same_ &&
          std::abs(x[v_] - places_[static_cast<std::size_t>(i)].y()) <= same_)
        return;
    if (taken_ < BoxManifold::most)
      places_[static_cast<std::size_t>(taken_++)] = {x[u_], x[v_]};
    Vec3 below = x;
    below[k_] = side_ * reference_.half[k_];
    const Vec3 on_reference = reference_.point(below), on_incident = reference_.point(x);
    const Vec3 n = side_ * reference_.axes.col(k_);
    if (flipped_)
      out_.put({kind, incident_feature, reference_feature, on_incident, on_reference, -n, gap});
    else
      out_.put({kind, reference_feature, incident_feature, on_reference, on_incident, n, gap});
  }

  bool above_face(const Vec3& x) const {
    return std::abs(x[u_]) <= reference_.half[u_] + same_ && std::abs(x[v_]) <= reference_.half[v_] + same_;
  }

  void corners_on_face() {
    for (std::size_t i = 0; i < 4; ++i)
      if (above_face(x_[i]))
        put(-1, corners_[i], flipped_ ? BoxPoint::Kind::corner_of_a : BoxPoint::Kind::corner_of_b, x_[i]);
  }

  void corners_of_face() {
    // x = x0 + r e + s f with the same u and v as the corner; e and f are far from parallel as seen along the normal.
    const Vec3 e = x_[1] - x_[0], f = x_[3] - x_[0];
    const double determinant = e[u_] * f[v_] - e[v_] * f[u_];
    const double slack_r = same_ / e.norm(), slack_s = same_ / f.norm();
    for (int i = 0; i < 4; ++i) {
      const int corner = (side_ > 0 ? 1 : 0) << k_ | (i & 1) << u_ | (i >> 1) << v_;
      const Vec3 d = corner_of_box(reference_.half, corner) - x_[0];
      const double r = (d[u_] * f[v_] - d[v_] * f[u_]) / determinant;
      const double s = (e[u_] * d[v_] - e[v_] * d[u_]) / determinant;
      if (r >= -slack_r && r <= 1 + slack_r && s >= -slack_s && s <= 1 + slack_s)
        put(corner, -1, flipped_ ? BoxPoint::Kind::corner_of_b : BoxPoint::Kind::corner_of_a, x_[0] + r * e + s * f);
    }
  }

  void crossings() {
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 &from = x_[i], &to = x_[(i + 1) % 4];
      // Sides 0 and 2 of the incident face run along the axis after its own, 1 and 3 along the last.
      const int incident_edge = edge_at(corners_[i], (static_cast<int>(l_) + (i % 2 ? 2 : 1)) % 3);
      for (const int across : {u_, v_})
        for (const double line : {-reference_.half[across], reference_.half[across]}) {
          const double before = from[across] - line, after = to[across] - line;
          // An end on the line counts as a corner.
          if ((before < 0) == (after < 0) || std::min(std::abs(before), std::abs(after)) <= same_)
            continue;
          const Vec3 x = from + before / (before - after) * (to - from);
          const int along = across == u_ ? v_ : u_;
          if (std::abs(x[along]) > reference_.half[along] + same_)
            continue;
          const int corner = (side_ > 0 ? 1 : 0) << k_ | (line > 0 ? 1 : 0) << across;
          put(edge_at(corner, along), incident_edge, BoxPoint::Kind::edges, x);
        }
    }
  }

  const PlacedBox& reference_;
  int k_, u_, v_; ///< axes of the reference box: across the face, and along it
  double side_;
  bool flipped_;
  double same_, margin_;
  BoxManifold& out_;
  Index l_ = 0;                  ///< axis of the incident box across its face
  std::array<int, 4> corners_{}; ///< of the incident face, going around
  std::array<Vec3, 4> x_;        ///< where they are, in the axes of the reference box
  std::array<Eigen::Vector2d, BoxManifold::most> places_;
  int taken_ = 0;
};

/// Where two edges cross; false if they pass each other.
bool put_crossing(const Pair& pair, const Axis& axis, BoxManifold& out) {
  const int edge_a = edge_at(support(axis.n), axis.i),
            edge_b = edge_at(support(-(pair.R.transpose() * axis.n)), axis.j);
  const ClosestOfSegments closest = closest_of_segments(placed_edge(pair.a, edge_a), placed_edge(pair.b, edge_b));
  if (!closest.crossing())
    return false;
  out.put({BoxPoint::Kind::edges, edge_a, edge_b, closest.on_a, closest.on_b, pair.a.axes * axis.n, axis.separation});
  return true;
}

/// Corners of one box near the other, which is apart from it.
void put_corners(const PlacedBox& mine, const PlacedBox& other, bool mine_is_a, double margin, BoxManifold& out) {
  for (int corner = 0; corner < box_corners; ++corner) {
    const Vec3 x = mine.point(corner_of_box(mine.half, corner)), seen = other.coordinates(x);
    if ((seen.cwiseAbs() - other.half).maxCoeff() > margin)
      continue;
    const Touch touch = touch_box(seen, other.half);
    const Vec3 n = other.axes * touch.normal;
    if (touch.distance > margin || !leaves_box(-(mine.axes.transpose() * n), corner))
      continue;
    const Vec3 at = other.point(touch.at);
    if (mine_is_a)
      out.put({BoxPoint::Kind::corner_of_a, corner, -1, x, at, -n, touch.distance});
    else if (!touch.at_corner) // two corners: that of a stands for both
      out.put({BoxPoint::Kind::corner_of_b, -1, corner, at, x, n, touch.distance});
  }
}

} // namespace

void box_box(const PlacedBox& a, const PlacedBox& b, double margin, BoxManifold& out) {
  out.count = 0;
  const Pair pair(a, b);
  Axes axes(pair);
  if (axes.greatest() > margin)
    return;
  axes.find_edges(pair);
  const double greatest = axes.greatest();
  if (greatest > margin)
    return;
  const bool by_b = axes.face_b.separation > axes.face_a.separation + handicap(axes.face_a, axes.face_b, pair.size);
  const Axis& face = by_b ? axes.face_b : axes.face_a;
  const bool by_edges = axes.edges.separation > face.separation + handicap(face, axes.edges, pair.size) &&
                        put_crossing(pair, axes.edges, out);
  if (!by_edges && by_b)
    Clip(b, a, face.j, face.n.dot(pair.R.col(face.j)) > 0 ? -1 : 1, true, pair.size, margin, out).put_points();
  else if (!by_edges)
    Clip(a, b, face.i, face.n[face.i] > 0 ? 1 : -1, false, pair.size, margin, out).put_points();

  // Apart, and by more than these say: corners and edges are what is nearest.
  double least = std::numeric_limits<double>::infinity();
  for (const BoxPoint& point : out)
    least = std::min(least, point.gap);
  if (!(greatest > 0) || least <= (1 + bias) * greatest + same_place * pair.size)
    return;
  put_corners(a, b, true, margin, out);
  put_corners(b, a, false, margin, out);
  if (axes.edges.separation > 0)
    put_crossing(pair, axes.edges, out);
}

} // namespace emmy::contact
