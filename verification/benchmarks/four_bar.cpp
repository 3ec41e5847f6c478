#include "verification/benchmarks/problems.hpp"

#include <array>
#include <cmath>

namespace emmy::benchmark {

namespace {

constexpr double g = 9.81;
const Vec3 lower(0, -0.5, 0), upper(0, 0.5, 0); // ends of a rod, which lies along its y axis

int add_rod(Mechanism& m, const Quaternion& orientation, const Vec3& lower_end) {
  return m.add(1, {1.0 / 12, 1e-4, 1.0 / 12}, orientation, lower, lower_end);
}

void hinge(Mechanism& m, const Mechanism::Point& first, const Mechanism::Point& second) {
  m.joints.push_back({first, second, Vec3::UnitZ()});
}

} // namespace

Mechanism four_bar(int windows) {
  Mechanism m;
  m.name = "four-bar " + std::to_string(windows);
  m.gravity = Vec3(0, -g, 0);
  m.is_redundant = true;
  for (int i = 0; i <= windows; ++i) {
    const int upright = add_rod(m, Quaternion::Identity(), Vec3(i, 0, 0));
    m.bodies.back().start.angular_velocity = Vec3(0, 0, -1);
    m.bodies.back().start.velocity = Vec3(0.5, 0, 0);
    hinge(m, {Mechanism::ground, Vec3(i, 0, 0)}, {upright, lower});
  }
  for (int i = 0; i < windows; ++i) {
    const int coupler = add_rod(m, exponential({0, 0, -M_PI / 2}), Vec3(i, 1, 0));
    m.bodies.back().start.velocity = Vec3(1, 0, 0);
    hinge(m, {i, upper}, {coupler, lower});
  }
  for (int i = 0; i < windows; ++i)
    hinge(m, {i + 1, upper}, {windows + 1 + i, upper}); // closes the window
  return m;
}

std::vector<Vec3> four_bar_centres(int windows, double t) {
  const double N = windows;
  // theta'' = a sin(theta), theta from the upright: all uprights turn by theta, bars move with their tops and do not
  // turn. N + 1 uprights have the inertia 1/3 about their feet and their weight at 1/2, N bars have theirs at 1.
  const double a = g * ((N + 1) / 2 + N) / ((N + 1) / 3 + N);
  const int steps = 20000; // classical Runge-Kutta: error far below 1e-12 in a second
  const double h = t / steps;
  std::array<double, 2> y = {0, 1};
  const auto rate = [a](double theta, double omega) { return std::array<double, 2>{omega, a * std::sin(theta)}; };
  for (int i = 0; i < steps; ++i) {
    const auto k1 = rate(y[0], y[1]);
    const auto k2 = rate(y[0] + h / 2 * k1[0], y[1] + h / 2 * k1[1]);
    const auto k3 = rate(y[0] + h / 2 * k2[0], y[1] + h / 2 * k2[1]);
    const auto k4 = rate(y[0] + h * k3[0], y[1] + h * k3[1]);
    for (std::size_t j = 0; j < 2; ++j)
      y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  const Vec3 top(std::sin(y[0]), std::cos(y[0]), 0);
  std::vector<Vec3> centres;
  for (int i = 0; i <= windows; ++i)
    centres.emplace_back(Vec3(i, 0, 0) + top / 2);
  for (int i = 0; i < windows; ++i)
    centres.emplace_back(Vec3(i + 0.5, 0, 0) + top);
  return centres;
}

} // namespace emmy::benchmark
