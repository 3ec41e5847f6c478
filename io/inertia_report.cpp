#include "io/inertia_report.hpp"

#include "io/report.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>

namespace emmy {

namespace {

/// Inertias are typed with a few digits: what nine digits cannot tell apart is taken as equal, as where they are read.
constexpr double typed = 1e-9;

/// The order of the columns of Q in which they lie nearest to x, y and z: the largest |Q_0a Q_1b Q_2c|.
std::array<int, 3> nearest_order(const Mat3& Q) {
  std::array<int, 3> order = {0, 1, 2}, best = order;
  double largest = -1;
  do {
    const double fit = std::abs(Q(0, order[0]) * Q(1, order[1]) * Q(2, order[2]));
    if (fit > largest) {
      largest = fit;
      best = order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::string axis_text(const Vec3& axis) {
  std::string text = "(";
  for (int i = 0; i < 3; ++i) // typed digits are all there is to them
    text += formatted(i > 0 ? ", %.5g" : "%.5g", std::abs(axis[i]) <= typed ? 0 : axis[i]);
  return text + ")";
}

} // namespace

PrincipalInertia principal_inertia(const Mat3& J) {
  PrincipalInertia result;
  const double size = J.cwiseAbs().maxCoeff();
  const Mat3 beside = J - Mat3(J.diagonal().asDiagonal());
  result.turned = beside.cwiseAbs().maxCoeff() > typed * size;
  result.moments = J.diagonal();
  result.axes = Mat3::Identity();
  if (!result.turned)
    return result;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(J);
  const std::array<int, 3> order = nearest_order(solver.eigenvectors());
  for (int i = 0; i < 3; ++i) {
    result.moments[i] = solver.eigenvalues()[order[static_cast<std::size_t>(i)]];
    const Vec3 axis = solver.eigenvectors().col(order[static_cast<std::size_t>(i)]);
    result.axes.col(i) = axis[i] < 0 ? Vec3(-axis) : axis;
  }
  if (result.axes.determinant() < 0)
    result.axes.col(2) *= -1;
  for (int i = 0; i < 3; ++i)
    if (std::abs(result.moments[(i + 1) % 3] - result.moments[(i + 2) % 3]) <= typed * size)
      result.symmetry = i;
  return result;
}

std::string principal_axes_report(const deck::Deck& deck, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(deck.bodies.size(), most); ++i) {
    const PrincipalInertia inertia = principal_inertia(deck.bodies[i].inertia);
    if (!inertia.turned)
      continue;
    text += "  " + deck.bodies[i].name + " has its principal axes in body coordinates at ";
    if (inertia.symmetry >= 0)
      text += axis_text(inertia.axes.col(inertia.symmetry)) + " and all across it";
    else
      for (int k = 0; k < 3; ++k)
        text += (k > 0 ? ", " : "") + axis_text(inertia.axes.col(k));
    text += "\n";
  }
  return text;
}

} // namespace emmy
