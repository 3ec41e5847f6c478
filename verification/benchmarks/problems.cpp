#include "verification/benchmarks/problems.hpp"

#include "elements/forces/gravity.hpp"
#include "elements/joints/joint.hpp"

#include <cmath>

namespace emmy::benchmark {

namespace {

const Vec3 upper_end(0, 0, Box::half_length), lower_end(0, 0, -Box::half_length);

/// Adds a weighing box whose body point `at` is at `X` [m].
class Builder {
public:
  explicit Builder(std::string name) { problem_.name = std::move(name); }

  std::size_t add_box(const Quaternion& orientation, const Vec3& at, const Vec3& X) {
    Model& model = *problem_.model;
    const std::string name = "box" + std::to_string(problem_.bodies.size() + 1);
    const FrameBody& body = FrameBody::add_to(model, name, Box::mass, Box::inertia());
    model.add(
        std::make_unique<Gravity>("weight of " + name, model.ports(), body.port(), Box::mass, Vec3(0, 0, -gravity)));
    problem_.bodies.push_back(&body);
    motions_.push_back({X - orientation * at, orientation, Vec3::Zero(), Vec3::Zero()});
    return problem_.bodies.size() - 1;
  }

  /// Position of a point of body i [m].
  Vec3 point(std::size_t i, const Vec3& at) const { return motions_[i].position + motions_[i].orientation * at; }

  void join(std::size_t i, const Vec3& at_i, std::size_t j, const Vec3& at_j) {
    add_joint({problem_.bodies[i]->port(), at_i, Mat3::Identity()},
              {problem_.bodies[j]->port(), at_j, Mat3::Identity()});
  }
  void hang(std::size_t i, const Vec3& at) {
    add_joint({Model::ground, point(i, at), Mat3::Identity()}, {problem_.bodies[i]->port(), at, Mat3::Identity()});
  }

  Problem finish() {
    problem_.initial = problem_.model->rest_state();
    for (std::size_t i = 0; i < motions_.size(); ++i)
      problem_.bodies[i]->set_motion(motions_[i], problem_.initial);
    return std::move(problem_);
  }

private:
  void add_joint(const JointSide& I, const JointSide& J) {
    Model& model = *problem_.model;
    model.add(spherical_joint("joint" + std::to_string(++joints_), model.ports(), I, J));
  }

  Problem problem_;
  std::vector<BodyMotion> motions_;
  int joints_ = 0;
};

std::string sized(const char* name, int N) {
  return name + std::string(" ") + std::to_string(N);
}

} // namespace

Quaternion chain_orientation(int i, int N) {
  const double inclination = (i < N / 2 ? 1 : 3) * M_PI / 4;
  return exponential({0, M_PI / 4, 0}) * exponential({inclination, 0, 0});
}

Problem free_bodies(int N) {
  Problem problem;
  problem.name = sized("free bodies", N);
  for (int i = 0; i < N; ++i)
    problem.bodies.push_back(
        &FrameBody::add_to(*problem.model, "box" + std::to_string(i + 1), Box::mass, Box::inertia()));
  problem.initial = problem.model->rest_state();
  for (int i = 0; i < N; ++i)
    problem.bodies[static_cast<std::size_t>(i)]->set_motion(
        {Vec3(4.0 * i, 0, 0), chain_orientation(i, N), Vec3(0, 0.1, 0.2), Vec3(1, 2, 3 + std::sin(i))},
        problem.initial);
  return problem;
}

Problem chain(int N) {
  Builder builder(sized("chain", N));
  Vec3 X = Vec3::Zero();
  for (int i = 0; i < N; ++i) {
    const std::size_t box = builder.add_box(chain_orientation(i, N), upper_end, X);
    if (i == 0)
      builder.hang(box, upper_end);
    else
      builder.join(box - 1, lower_end, box, upper_end);
    X = builder.point(box, lower_end);
  }
  return builder.finish();
}

Problem tree(int N) {
  Builder builder(sized("tree", N));
  builder.hang(builder.add_box(Quaternion::Identity(), upper_end, Vec3::Zero()), upper_end);
  for (int i = 1; i < N; ++i) {
    const auto parent = static_cast<std::size_t>((i - 1) / 2);
    const Quaternion branch = exponential({i % 2 ? 0.6 : -0.6, 0, 0.3 * i});
    const std::size_t box = builder.add_box(branch, upper_end, builder.point(parent, lower_end));
    builder.join(parent, lower_end, box, upper_end);
  }
  return builder.finish();
}

Problem star(int N) {
  Builder builder(sized("star", N));
  const std::size_t hub = builder.add_box(Quaternion::Identity(), upper_end, Vec3::Zero());
  builder.hang(hub, upper_end);
  for (int i = 1; i < N; ++i) {
    const double angle = 2 * M_PI * i / (N - 1);
    const Vec3 seat(std::cos(angle), std::sin(angle), 0);
    const std::size_t arm = builder.add_box(exponential({0.5, 0, angle}), upper_end, builder.point(hub, seat));
    builder.join(hub, seat, arm, upper_end);
  }
  return builder.finish();
}

Problem cage(int limbs) {
  Builder builder(sized("cage", 2 + 2 * limbs));
  const double bend = 0.5; // of the elbow against the vertical [rad]
  const std::size_t upper = builder.add_box(Quaternion::Identity(), upper_end, Vec3::Zero());
  const Vec3 shift(0, 0, -4 * Box::half_length * std::cos(bend)); // from hub to hub
  const std::size_t lower = builder.add_box(Quaternion::Identity(), upper_end, shift);
  builder.hang(upper, upper_end);
  for (int i = 0; i < limbs; ++i) {
    const double angle = 2 * M_PI * i / limbs;
    const Vec3 seat(std::cos(angle), std::sin(angle), 0);
    const Quaternion side = exponential({0, 0, angle});
    const std::size_t arm = builder.add_box(side * exponential({bend, 0, 0}), upper_end, builder.point(upper, seat));
    const std::size_t fore =
        builder.add_box(side * exponential({-bend, 0, 0}), upper_end, builder.point(arm, lower_end));
    builder.join(upper, seat, arm, upper_end);
    builder.join(arm, lower_end, fore, upper_end);
    builder.join(fore, lower_end, lower, seat);
  }
  return builder.finish();
}

Problem ring(int N) {
  Builder builder(sized("ring", N));
  Vec3 X = Vec3::Zero();
  for (int i = 0; i < N; ++i) { // each side of the polygon is turned by the same angle against the last
    const std::size_t box = builder.add_box(exponential({2 * M_PI * i / N, 0, 0}), upper_end, X);
    if (i == 0)
      builder.hang(box, upper_end);
    else
      builder.join(box - 1, lower_end, box, upper_end);
    X = builder.point(box, lower_end);
  }
  builder.join(static_cast<std::size_t>(N) - 1, lower_end, 0, upper_end);
  return builder.finish();
}

Problem net(int rows, int columns) {
  Builder builder("net " + std::to_string(rows) + " x " + std::to_string(columns));
  struct RodEnd {
    std::size_t rod;
    Vec3 at;
  };
  std::vector<std::vector<RodEnd>> knots(static_cast<std::size_t>(rows * columns));
  const auto knot = [&](int r, int c) -> std::vector<RodEnd>& {
    return knots[static_cast<std::size_t>(r * columns + c)];
  };
  const Quaternion across = exponential({M_PI / 2, 0, 0}); // the rod's lower end points along +y
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const Vec3 X(0, 2 * Box::half_length * c, -2 * Box::half_length * r);
      if (c + 1 < columns) {
        const std::size_t rod = builder.add_box(across, upper_end, X);
        knot(r, c).push_back({rod, upper_end});
        knot(r, c + 1).push_back({rod, lower_end});
      }
      if (r + 1 < rows) {
        const std::size_t rod = builder.add_box(Quaternion::Identity(), upper_end, X);
        knot(r, c).push_back({rod, upper_end});
        knot(r + 1, c).push_back({rod, lower_end});
      }
    }
  builder.hang(knot(0, 0).front().rod, knot(0, 0).front().at);
  for (const auto& ends : knots)
    for (std::size_t e = 1; e < ends.size(); ++e)
      builder.join(ends[0].rod, ends[0].at, ends[e].rod, ends[e].at);
  return builder.finish();
}

} // namespace emmy::benchmark
