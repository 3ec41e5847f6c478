#include "problem_cases.hpp"

#include <cmath>
#include <numeric>

namespace emmy::contact {

Index Case::add_body(double mass, const Mat3& inertia, const Vec3& at) {
  W.form().inverse_mass.push_back(1 / mass);
  W.form().inverse_inertia.push_back(inertia.inverse());
  centre.push_back(at);
  v.conservativeResize(6 * static_cast<Index>(centre.size()));
  v.tail<6>().setZero();
  return static_cast<Index>(centre.size()) - 1;
}

Index Case::add_box(double mass, const Vec3& edges, const Vec3& at, const Mat3& turned) {
  const Vec3 squares = edges.cwiseAbs2();
  const Vec3 J = mass / 12 * (Vec3::Constant(squares.sum()) - squares);
  return add_body(mass, turned * J.asDiagonal() * turned.transpose(), at);
}

void Case::add_contact(Index slave, Index master, const Vec3& at, const Vec3& normal, double friction) {
  PointContact contact;
  contact.body = {slave, master};
  for (std::size_t side = 0; side < 2; ++side)
    if (contact.body[side] >= 0)
      contact.arm[side] = at - centre[static_cast<std::size_t>(contact.body[side])];
  W.form().contacts.push_back(contact);
  laws.push_back({ContactLaw::Kind::unilateral, normal.normalized(), friction});
  target.push_back(Vec3::Zero());
}

void Case::push(Index body, const Vec3& velocity, const Vec3& angular) {
  v.segment<3>(6 * body) += velocity;
  v.segment<3>(6 * body + 3) += angular;
}

ContactProblem Case::problem() const {
  return {W, velocities(VecX::Zero(3 * contacts())), laws, scale};
}

VecX Case::motions(const VecX& r) const {
  VecX p(v.size());
  sum_impulses(*W.bodies(), r, p);
  mean_velocities(*W.bodies(), p);
  return v + p;
}

VecX Case::velocities(const VecX& r) const {
  VecX u(3 * contacts());
  relative_velocities(*W.bodies(), motions(r), u);
  for (Index j = 0; j < contacts(); ++j)
    u.segment<3>(3 * j) -= target[static_cast<std::size_t>(j)];
  return u;
}

Vec3 Draw::direction() {
  Vec3 x = vector();
  while (x.norm() > 1 || x.norm() < 0.1)
    x = vector();
  return x.normalized();
}

Mat3 Draw::rotation() {
  return Eigen::AngleAxisd(number(-3, 3), direction()).toRotationMatrix();
}

Mat3 Draw::inertia(double mass) {
  const Vec3 squares = Vec3(number(0.1, 1), number(0.1, 1), number(0.1, 1)).cwiseAbs2();
  const Mat3 Q = rotation();
  return Q * Vec3(mass / 3 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal() * Q.transpose();
}

double residual_of(const Case& c, const VecX& r) {
  const VecX all = c.velocities(r);
  double most = 0;
  for (Index j = 0; j < c.contacts(); ++j) {
    const auto& [kind, n, mu] = c.laws[static_cast<std::size_t>(j)];
    const double D = c.W.own(j).trace() / 3;
    const Vec3 r_j = r.segment<3>(3 * j), u = all.segment<3>(3 * j), tau = r_j - u / D;
    const double P = std::max(0.0, n.dot(tau));
    Vec3 tangential = tau - n.dot(tau) * n;
    if (tangential.norm() > mu * P)
      tangential *= mu * P / tangential.norm();
    most = std::max(most, (kind == ContactLaw::Kind::both_sided ? u : Vec3(D * (r_j - P * n - tangential))).norm());
  }
  return most / c.problem().q.cwiseAbs().maxCoeff();
}

Whole::Whole(const ContactProblem& problem) : contacts(problem.laws.size()) {
  std::iota(contacts.begin(), contacts.end(), 0);
  for (const Index j : contacts)
    own.push_back(problem.W.own(j));
  island = &builder.build(problem, contacts, own);
  island->most_applications = 10000;
}

MatX dense(const Compliance& W) {
  const Index n = 3 * W.contacts();
  MatX out(n, n);
  VecX unit = VecX::Zero(n), column(n);
  for (Index i = 0; i < n; ++i) {
    unit[i] = 1;
    W.apply(unit, column);
    out.col(i) = column;
    unit[i] = 0;
  }
  return out;
}

Case box_on_incline(double friction, double tangent) {
  Case c;
  c.add_box(1, Vec3::Ones(), Vec3(0, 0, 0.5));
  for (int i = 0; i < 4; ++i)
    c.add_contact(0, -1, Vec3(i % 2 - 0.5, i / 2 - 0.5, 0), Vec3::UnitZ(), friction);
  c.push(0, fall * Vec3(tangent, 0, -1) / std::hypot(1, tangent));
  return c;
}

namespace {

/// Corners of what two rectangles, given by their lower and upper corners, have in common.
void add_overlap(Case& c, Index upper, Index lower, const Vec3& low_a, const Vec3& high_a, const Vec3& low_b,
                 const Vec3& high_b, double z, double friction) {
  const Vec3 low = low_a.cwiseMax(low_b), high = high_a.cwiseMin(high_b);
  if (low.x() < high.x() && low.y() < high.y())
    for (int i = 0; i < 4; ++i)
      c.add_contact(upper, lower, Vec3(i % 2 ? high.x() : low.x(), i / 2 ? high.y() : low.y(), z), Vec3::UnitZ(),
                    friction);
}

} // namespace

Case tower(int cubes, double ratio, double friction, double lean) {
  Case c;
  Draw draw(7);
  const Vec3 half(0.5, 0.5, 0);
  for (int i = 0; i < cubes; ++i) {
    const Vec3 at(0.01 * draw.number(), 0.01 * draw.number(), i + 0.5);
    const Vec3 below = i > 0 ? c.centre.back() : at;
    c.add_box(std::pow(ratio, i / (cubes - 1.0)), Vec3::Ones(), at);
    add_overlap(c, i, i - 1, at - half, at + half, below - half, below + half, i, friction);
    c.push(i, fall * Vec3(std::sin(lean), 0, -std::cos(lean)));
  }
  return c;
}

Case cards(double friction) {
  const double alpha = 20 * std::acos(-1) / 180, t = 0.02, depth = 0.5;
  Case c;
  for (const double side : {-1.0, 1.0}) { // the left one leans to the right
    const Vec3 along(-side * std::sin(alpha), 0, std::cos(alpha)),
        inwards(-side * std::cos(alpha), 0, -std::sin(alpha));
    const Vec3 top(0, 0, std::cos(alpha)), foot = top - along;
    Mat3 axes;
    axes << inwards, Vec3::UnitY(), along;
    const Index card = c.add_box(1, Vec3(t, depth, 1), foot + along / 2 - t / 2 * inwards, axes);
    for (const double y : {-depth / 2, depth / 2})
      c.add_contact(card, -1, foot + y * Vec3::UnitY(), Vec3::UnitZ(), friction);
    c.push(card, -fall * Vec3::UnitZ());
  }
  for (const double y : {-depth / 2, depth / 2})
    c.add_contact(1, 0, Vec3(0, y, std::cos(alpha)), Vec3::UnitX(), friction);
  return c;
}

Case sphere_in_groove(double friction, double along) {
  Case c;
  c.add_body(1, 0.1 * Mat3::Identity(), Vec3::Zero());
  for (const double side : {-1.0, 1.0}) {
    const Vec3 normal = Vec3(side, 0, 1).normalized();
    c.add_contact(0, -1, -0.5 * normal, normal, friction);
  }
  c.push(0, fall * Vec3(0, along, -std::sqrt(1 - along * along)));
  return c;
}

Case capsule_in_groove(double friction) {
  Case c;
  c.add_box(1, Vec3(1, 2, 1), Vec3::Zero());
  for (const double end : {-1.0, 1.0})
    for (const double side : {-1.0, 1.0}) {
      const Vec3 normal = Vec3(side, 0, 1).normalized();
      c.add_contact(0, -1, end * Vec3::UnitY() - 0.5 * normal, normal, friction);
    }
  c.push(0, fall * Vec3(0, 0.25, -1));
  return c;
}

Case wall(double friction) {
  Case c;
  std::vector<std::pair<Vec3, Vec3>> row, below;
  Index first_below = -1;
  for (int i = 0; i < 10; ++i) {
    below.swap(row);
    row.clear();
    const auto first = static_cast<Index>(c.centre.size());
    const auto add = [&](double from, double to) {
      const Index brick = c.add_box(to - from, Vec3(to - from, 0.5, 0.5), Vec3((from + to) / 2, 0, 0.25 + 0.5 * i));
      row.emplace_back(Vec3(from, -0.25, 0), Vec3(to, 0.25, 0));
      const auto& [low, high] = row.back();
      if (i == 0)
        add_overlap(c, brick, -1, low, high, low, high, 0, friction);
      for (std::size_t k = 0; k < below.size(); ++k)
        add_overlap(c, brick, first_below + static_cast<Index>(k), low, high, below[k].first, below[k].second, 0.5 * i,
                    friction);
      c.push(brick, -fall * Vec3::UnitZ());
    };
    if (i % 2 == 0) {
      for (int k = 0; k < 5; ++k)
        add(k, k + 0.98);
    } else {
      add(0, 0.49);
      for (int k = 0; k < 4; ++k)
        add(0.51 + k, 1.49 + k);
      add(4.51, 5);
    }
    first_below = first;
  }
  return c;
}

Case heap(int balls, double friction, unsigned seed) {
  Draw draw(seed);
  Case c;
  const int side = static_cast<int>(std::lround(std::cbrt(balls)));
  for (int i = 0; i < balls; ++i) {
    const Vec3 lattice(i % side, i / side % side, i / side / side);
    c.add_body(std::pow(10, draw.number(-0.5, 0.5)), Mat3::Identity() * 0.1, lattice + 0.1 * draw.vector());
    c.push(i, Vec3(0.1 * draw.number(), 0.1 * draw.number(), -1 + 0.1 * draw.number()), draw.vector());
  }
  for (int i = 0; i < balls; ++i) {
    const Vec3& at = c.centre[static_cast<std::size_t>(i)];
    for (int k = i + 1; k < std::min(balls, i + 2 * side * side); ++k) {
      const Vec3 d = at - c.centre[static_cast<std::size_t>(k)];
      if (d.norm() < 1.05)
        c.add_contact(i, k, at - d / 2, d, friction);
    }
    if (at.z() < 0.05)
      c.add_contact(i, -1, at - 0.5 * Vec3::UnitZ(), Vec3::UnitZ(), friction);
    for (int axis = 0; axis < 2; ++axis)
      if (at[axis] < 0 || at[axis] > side - 1) {
        const Vec3 inwards = (at[axis] < 0 ? 1 : -1) * Vec3::Unit(axis);
        c.add_contact(i, -1, at - 0.5 * inwards, inwards, friction);
      }
  }
  return c;
}

} // namespace emmy::contact
