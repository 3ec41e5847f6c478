/// The mechanisms of boxes: one box, many ways to hang it up.

#include "verification/benchmarks/problems.hpp"

#include <cmath>

namespace emmy::benchmark {

namespace {

const double half_length = 1.5; // of a box 1 x 0.5 x 3 m, its long axis is z
const Vec3 upper_end(0, 0, half_length), lower_end(0, 0, -half_length);
const Vec3 weight(0, 0, -9.81);

Mechanism named(const std::string& name) {
  Mechanism m;
  m.name = name;
  m.gravity = weight;
  return m;
}

std::string sized(const char* name, int N) {
  return name + std::string(" ") + std::to_string(N);
}

/// Adds a box whose point `at` is at X.
int add_box(Mechanism& m, const Quaternion& orientation, const Vec3& at, const Vec3& X) {
  return m.add(12, {9.25, 10, 1.25}, orientation, at, X);
}

void join(Mechanism& m, int i, const Vec3& at_i, int j, const Vec3& at_j) {
  m.joints.push_back({{i, at_i}, {j, at_j}});
}

void hang(Mechanism& m, int i, const Vec3& at) {
  m.joints.push_back({{Mechanism::ground, m.position({i, at})}, {i, at}});
}

Quaternion inclined(int i, int N) {
  return exponential({(i < N / 2 ? 1 : 3) * M_PI / 4, 0, 0});
}

const Quaternion out_of_plane = exponential({0, M_PI / 4, 0});

/// Appends boxes that go on from one another, the first from X; joins none of them.
void add_line(Mechanism& m, int N, const Quaternion& turn, Vec3 X) {
  for (int i = 0; i < N; ++i) {
    const int box = add_box(m, turn * inclined(i, N), upper_end, X);
    X = m.position({box, lower_end});
  }
}

/// Spherical joints along the boxes `first` to the last, the first one to the ground.
void join_line(Mechanism& m, int first) {
  hang(m, first, upper_end);
  for (int i = first + 1; i < m.size(); ++i)
    join(m, i - 1, lower_end, i, upper_end);
}

} // namespace

Mechanism free_bodies(int N) {
  Mechanism m = named(sized("free bodies", N));
  m.gravity = Vec3::Zero();
  for (int i = 0; i < N; ++i) {
    add_box(m, out_of_plane * inclined(i, N), Vec3::Zero(), Vec3(4.0 * i, 0, 0));
    m.bodies.back().start.velocity = Vec3(0, 0.1, 0.2);
    m.bodies.back().start.angular_velocity = Vec3(1, 2, 3 + std::sin(i));
  }
  return m;
}

Mechanism chain(int N) {
  Mechanism m = named(sized("chain", N));
  add_line(m, N, out_of_plane, Vec3::Zero());
  join_line(m, 0);
  return m;
}

Mechanism revolute_chain(int N) {
  Mechanism m = named(sized("revolute chain", N));
  add_line(m, N, Quaternion::Identity(), Vec3::Zero());
  join_line(m, 0);
  for (Mechanism::Joint& joint : m.joints)
    joint.axis = Vec3::UnitX();
  return m;
}

Mechanism spring_chain(int N) {
  Mechanism m = chain(N);
  m.name = sized("spring chain", N);
  const Vec3 beside(0.5, 0, 0);
  for (int i = 1; i < N; ++i)
    m.springs.push_back({{i - 1, beside}, {i, beside}, 1e3});
  return m;
}

Mechanism director_chain(int N) {
  Mechanism m = chain(N);
  m.name = sized("director chain", N);
  m.formulation = Mechanism::Formulation::director;
  return m;
}

Mechanism spring_tetra_chain(int N) {
  Mechanism m = chain(N);
  m.name = sized("spring_tetra chain", N);
  m.formulation = Mechanism::Formulation::spring_tetra;
  return m;
}

Mechanism bushing_chain(int N) {
  Mechanism m = chain(N);
  m.name = sized("bushing chain", N);
  for (const Mechanism::Joint& joint : m.joints)
    m.bushings.push_back({joint.first, joint.second, 1e5, 1e2});
  m.joints.clear();
  return m;
}

Mechanism tied_chains(int chains, int length) {
  Mechanism m = named(std::to_string(chains) + " tied chains of " + std::to_string(length));
  for (int c = 0; c < chains; ++c) {
    add_line(m, length, out_of_plane, Vec3(2.0 * c, 0, 0));
    join_line(m, c * length);
    for (int i = 0; c > 0 && i < length; ++i) {
      const int box = c * length + i;
      m.springs.push_back({{box - length, Vec3::Zero()}, {box, Vec3::Zero()}, 1e3});
    }
  }
  return m;
}

Mechanism tree(int N) {
  Mechanism m = named(sized("tree", N));
  hang(m, add_box(m, Quaternion::Identity(), upper_end, Vec3::Zero()), upper_end);
  for (int i = 1; i < N; ++i) {
    const int parent = (i - 1) / 2;
    const Quaternion branch = exponential({i % 2 ? 0.6 : -0.6, 0, 0.3 * i});
    const int box = add_box(m, branch, upper_end, m.position({parent, lower_end}));
    join(m, parent, lower_end, box, upper_end);
  }
  return m;
}

Mechanism star(int N) {
  Mechanism m = named(sized("star", N));
  const int hub = add_box(m, Quaternion::Identity(), upper_end, Vec3::Zero());
  hang(m, hub, upper_end);
  for (int i = 1; i < N; ++i) {
    const double angle = 2 * M_PI * i / (N - 1);
    const Vec3 seat(std::cos(angle), std::sin(angle), 0);
    const int arm = add_box(m, exponential({0.5, 0, angle}), upper_end, m.position({hub, seat}));
    join(m, hub, seat, arm, upper_end);
  }
  return m;
}

Mechanism cage(int limbs) {
  Mechanism m = named(sized("cage", 2 + 2 * limbs));
  const double bend = 0.5; // of the elbow against the vertical [rad]
  const int upper = add_box(m, Quaternion::Identity(), upper_end, Vec3::Zero());
  const Vec3 shift(0, 0, -4 * half_length * std::cos(bend)); // from hub to hub
  const int lower = add_box(m, Quaternion::Identity(), upper_end, shift);
  hang(m, upper, upper_end);
  for (int i = 0; i < limbs; ++i) {
    const double angle = 2 * M_PI * i / limbs;
    const Vec3 seat(std::cos(angle), std::sin(angle), 0);
    const Quaternion side = exponential({0, 0, angle});
    const int arm = add_box(m, side * exponential({bend, 0, 0}), upper_end, m.position({upper, seat}));
    const int fore = add_box(m, side * exponential({-bend, 0, 0}), upper_end, m.position({arm, lower_end}));
    join(m, upper, seat, arm, upper_end);
    join(m, arm, lower_end, fore, upper_end);
    join(m, fore, lower_end, lower, seat);
  }
  return m;
}

Mechanism ring(int N) {
  Mechanism m = named(sized("ring", N));
  Vec3 X = Vec3::Zero();
  for (int i = 0; i < N; ++i) { // each side of the polygon is turned by the same angle against the last
    const int box = add_box(m, exponential({2 * M_PI * i / N, 0, 0}), upper_end, X);
    X = m.position({box, lower_end});
  }
  join_line(m, 0);
  join(m, N - 1, lower_end, 0, upper_end);
  return m;
}

Mechanism net(int rows, int columns) {
  Mechanism m = named("net " + std::to_string(rows) + " x " + std::to_string(columns));
  std::vector<std::vector<Mechanism::Point>> knots(static_cast<std::size_t>(rows * columns));
  const auto knot = [&](int r, int c) -> std::vector<Mechanism::Point>& {
    return knots[static_cast<std::size_t>(r * columns + c)];
  };
  const Quaternion across = exponential({M_PI / 2, 0, 0}); // the rod's lower end points along +y
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const Vec3 X(0, 2 * half_length * c, -2 * half_length * r);
      if (c + 1 < columns) {
        const int rod = add_box(m, across, upper_end, X);
        knot(r, c).push_back({rod, upper_end});
        knot(r, c + 1).push_back({rod, lower_end});
      }
      if (r + 1 < rows) {
        const int rod = add_box(m, Quaternion::Identity(), upper_end, X);
        knot(r, c).push_back({rod, upper_end});
        knot(r + 1, c).push_back({rod, lower_end});
      }
    }
  hang(m, knot(0, 0).front().body, knot(0, 0).front().at);
  for (const auto& ends : knots)
    for (std::size_t e = 1; e < ends.size(); ++e)
      m.joints.push_back({ends[0], ends[e]});
  return m;
}

} // namespace emmy::benchmark
