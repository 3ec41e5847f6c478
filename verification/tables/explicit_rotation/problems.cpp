#include "verification/tables/explicit_rotation/problems.hpp"

#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"

#include <boost/math/special_functions/jacobi_elliptic.hpp>

#include <cmath>

namespace emmy::tables::rotation {

namespace {

const Mat3 unstable_inertia = Vec3(5, 10, 1).asDiagonal();

Problem free_body() {
  Problem problem;
  problem.body = &FrameBody::add_to(*problem.model, "body", 1, unstable_inertia);
  return problem;
}

/// Starts the problem from a pose with a convected angular velocity.
Problem start(Problem problem, double t, const Quaternion& q, const Vec3& Omega) {
  problem.initial = problem.model->rest_state();
  problem.initial.time = t;
  problem.body->set_motion({Vec3::Zero(), q, Vec3::Zero(), q * Omega}, problem.initial);
  return problem;
}

} // namespace

Problem unstable_rotation(double h) {
  constexpr double rounding = 1e-12; // of a time that should be that of a jump
  const double end = 2 + rounding, t_d = end - h;
  const TimeFunction spin_up([=](double t) { return t <= t_d ? 20.0 : 0.0; });
  const TimeFunction push([=](double t) { return t > t_d && t <= end ? 1 / (5 * h) : 0.0; });
  Problem problem = free_body();
  Model& model = *problem.model;
  model.add(std::make_unique<AppliedTorque>("moment", model.ports(), problem.body->port(),
                                            LoadComponents(spin_up, push, TimeFunction(0)), LoadAxes::space));
  return start(std::move(problem), 0, Quaternion::Identity(), Vec3::Zero());
}

Problem free_rotation() {
  const Quaternion q(-0.65364437681742929, -0.75680184077774163, -3.6947982104803e-05, 3.2942721981949e-05);
  return start(free_body(), 2, q, {7.9960004751716531, -0.0025141980652914554, -0.19793409806366003});
}

Problem heavy_top() {
  // About the tip: 3 + 2 1² = 5; weight times distance 2 10 1 = 20.
  const double mass = 2, g = 10;
  Problem problem;
  Model& model = *problem.model;
  const Mat3 J = Vec3(3, 3, 1).asDiagonal();
  problem.body = &PivotedBody::add_to(model, "top", mass, J, Vec3(0, 0, -1), Vec3::Zero());
  model.add(std::make_unique<Gravity>("weight", model.ports(), problem.body->port(), mass, Vec3(0, 0, -g)));
  return start(std::move(problem), 0, exponential({0.3, 0, 0}), {0, 0, 50});
}

Quaternion free_rotation_at_10() {
  return {-0.27673453431899509, 0.96089192963474482, 0.010010100774125561, -0.0021201322028084798};
}

Vec3 top_axis_at_10() {
  return Quaternion(0.33852151631668277, 0.10390086392275632, -0.12136733643593153, -0.92729594149505807) *
         Vec3::UnitZ();
}

double nutation(double t) {
  const double u_0 = std::cos(0.3), root = std::sqrt(1e4 + 32 * (8 - 100 * u_0));
  const double u_2 = (100 - root) / 16, u_3 = (100 + root) / 16;
  const double cd =
      boost::math::jacobi_cd(std::sqrt((u_0 - u_2) / (u_3 - u_2)), std::sqrt(2 * (u_3 - u_2)) * t); // [E9]
  return std::acos(u_2 + (u_0 - u_2) * cd * cd);
}

double nutation(const Quaternion& q) {
  const Vec3 axis = q * Vec3::UnitZ();
  return std::atan2(axis.head<2>().norm(), axis.z());
}

} // namespace emmy::tables::rotation
