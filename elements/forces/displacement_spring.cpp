#include "elements/forces/displacement_spring.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

void require_semidefinite(const DisplacementSpring::Coefficients& matrix, const std::string& name, const char* what) {
  const double size = matrix.cwiseAbs().maxCoeff();
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * size; // of the solver and of the given numbers
  if (!((matrix - matrix.transpose()).cwiseAbs().maxCoeff() <= rounding))
    throw std::invalid_argument("the " + std::string(what) + " of '" + name + "' is not symmetric");
  const double least = Eigen::SelfAdjointEigenSolver<MatX>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (!(least >= -rounding))
    throw std::invalid_argument("the " + std::string(what) + " of '" + name + "' has the negative eigenvalue " +
                                std::to_string(least));
}

} // namespace

DisplacementSpring::DisplacementSpring(std::string name, std::string kind, const Ports& ports,
                                       std::vector<NaturalVariable> variables,
                                       std::vector<BilinearDisplacement> displacements, const Coefficients& K,
                                       const Coefficients& C, const Displacements& y0)
    : Interaction(std::move(name), std::move(kind), ports, std::move(variables)),
      displacements_(std::move(displacements)), K_(K), C_(C), y0_(y0) {
  require_semidefinite(K_, this->name(), "stiffness");
  require_semidefinite(C_, this->name(), "damping");
}

DisplacementSpring::Displacements DisplacementSpring::value(const NaturalVector& q) const {
  Displacements y(y0_.size());
  for (Index i = 0; i < y.size(); ++i) {
    y[i] = 0;
    for (const auto& [factor, a, b] : displacements_[static_cast<std::size_t>(i)].products)
      y[i] += factor * q.segment<3>(3 * a).dot(q.segment<3>(3 * b));
  }
  return y;
}

DisplacementSpring::Gradients DisplacementSpring::gradient(const NaturalVector& q) const {
  Gradients G = Gradients::Zero(y0_.size(), q.size());
  for (Index i = 0; i < G.rows(); ++i)
    for (const auto& [factor, a, b] : displacements_[static_cast<std::size_t>(i)].products) {
      G.block<1, 3>(i, 3 * a) += factor * q.segment<3>(3 * b).transpose();
      G.block<1, 3>(i, 3 * b) += factor * q.segment<3>(3 * a).transpose();
    }
  return G;
}

DisplacementSpring::Displacements DisplacementSpring::force(const NaturalStep& s, const Displacements& dy) const {
  return K_ * (value(s.q_n) + dy / 2 - y0_) + C_ * dy * s.inv_h;
}

void DisplacementSpring::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const Gradients G_bar = gradient(s.q_m); // [D15]
  const Displacements F = force(s, G_bar * (s.q_n1 - s.q_n));
  out.r += G_bar.transpose() * F;
  if (!out.tangent)
    return;
  const Coefficients slope = K_ / 2 + C_ * s.inv_h; // derivative of F by y at n+1
  const Gradients slope_G = slope.lazyProduct(gradient(s.q_n1));
  out.k += G_bar.transpose().lazyProduct(slope_G);
  for (Index i = 0; i < F.size(); ++i)
    for (const auto& [factor, a, b] : displacements_[static_cast<std::size_t>(i)].products) {
      out.k.block<3, 3>(3 * a, 3 * b).diagonal().array() += factor * F[i] / 2;
      out.k.block<3, 3>(3 * b, 3 * a).diagonal().array() += factor * F[i] / 2;
    }
}

void DisplacementSpring::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  Interaction::evaluate_instant(s, out);
  if (C_.isZero(0))
    return;
  const Gradients G = gradient(s.q);
  const Displacements F = C_ * (G * s.q_dot);
  out.viscous += G.transpose() * F;
}

double DisplacementSpring::potential(const NaturalStep& s) const {
  const Displacements y = value(s.q_n1) - y0_;
  return y.dot(K_ * y) / 2;
}

void DisplacementSpring::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  const Displacements dy = gradient(s.q_m) * (s.q_n1 - s.q_n);
  books.dissipation += dy.dot(C_ * dy) * s.inv_h;
}

std::string DisplacementSpring::row_name(Index) const {
  return "spring force";
}

DisplacementSpring::Displacements DisplacementSpring::force(const Step& s, const PortMotions& motions) const {
  const NaturalStep step = natural_step(s, motions);
  return force(step, gradient(step.q_m) * (step.q_n1 - step.q_n));
}

DisplacementSpring::Displacements DisplacementSpring::displacement(const Step& s, const PortMotions& motions) const {
  return value(natural_step(s, motions).q_n1);
}

std::unique_ptr<DisplacementSpring> translational_spring_damper(std::string name, const Ports& ports,
                                                                const JointSide& I, const JointSide& J,
                                                                const SpringLaw& law) {
  const auto one = [](double x) { return DisplacementSpring::Coefficients::Constant(1, 1, x); };
  const std::vector<NaturalVariable> variables{body_direction(I.port, I.axes.col(0)), body_point(I.port, I.at),
                                               body_point(J.port, J.at)};
  const BilinearDisplacement slide{{{{1, 0, 2}, {-1, 0, 1}}}};
  return std::make_unique<DisplacementSpring>(std::move(name), "translational spring damper", ports, variables,
                                              std::vector{slide}, one(law.k), one(law.c), one(law.y0));
}

std::unique_ptr<DisplacementSpring> bushing(std::string name, const Ports& ports, const JointSide& I,
                                            const JointSide& J, const BushingLaw& law) {
  std::vector<NaturalVariable> variables{body_point(I.port, I.at), body_point(J.port, J.at)};
  for (Index i = 0; i < 3; ++i)
    variables.push_back(body_direction(I.port, I.axes.col(i)));
  for (Index i = 0; i < 3; ++i)
    variables.push_back(body_direction(J.port, J.axes.col(i)));
  const auto s = [](int i) { return 2 + i % 3; };
  const auto t = [](int i) { return 5 + i % 3; };
  std::vector<BilinearDisplacement> displacements;
  for (int i = 0; i < 3; ++i)
    displacements.push_back({{{{1, s(i), 1}, {-1, s(i), 0}}}});
  for (int i = 0; i < 3; ++i)
    displacements.push_back({{{{0.5, s(i + 2), t(i + 1)}, {-0.5, s(i + 1), t(i + 2)}}}});
  return std::make_unique<DisplacementSpring>(std::move(name), "bushing", ports, variables, displacements, law.K, law.C,
                                              law.y0);
}

} // namespace emmy
