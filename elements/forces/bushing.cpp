#include "elements/forces/bushing.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

void require_semidefinite(const Mat6& matrix, const std::string& name, const char* what) {
  const double size = matrix.cwiseAbs().maxCoeff();
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * size; // of the solver and of the given numbers
  if (!((matrix - matrix.transpose()).cwiseAbs().maxCoeff() <= rounding))
    throw std::invalid_argument("the " + std::string(what) + " of '" + name + "' is not symmetric");
  const double least = Eigen::SelfAdjointEigenSolver<MatX>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (!(least >= -rounding))
    throw std::invalid_argument("the " + std::string(what) + " of '" + name + "' has the negative eigenvalue " +
                                std::to_string(least));
}

BushingEquations::Numbers<double> numbers_of(const BushingLaw& law) {
  BushingEquations::Numbers<double> numbers;
  for (int i = 0; i < 6; ++i) {
    numbers.y0[i] = law.y0[i];
    for (int j = 0; j < 6; ++j) {
      numbers.K(i, j) = law.K(i, j);
      numbers.C(i, j) = law.C(i, j);
    }
  }
  return numbers;
}

} // namespace

Bushing::Bushing(std::string name, const Ports& ports, const JointSide& I, const JointSide& J, const BushingLaw& law)
    : InteractionOf(std::move(name), "bushing", ports,
                    {I.point(), J.point(), I.n(), I.s1(), I.s2(), J.n(), J.s1(), J.s2()}, numbers_of(law),
                    spring_facts<BushingEquations>(!law.C.isZero(0), Nonlinear::in_turns)) {
  require_semidefinite(law.K, this->name(), "stiffness");
  require_semidefinite(law.C, this->name(), "damping");
}

Vec6 Bushing::force(const MovedStep& s) const {
  return Eigen::Map<const Vec6>(response(natural_step(s)).F);
}

Vec6 Bushing::displacement(const MovedStep& s) const {
  Memory memory;
  return Eigen::Map<const Vec6>(measure(natural_step(s), memory).n1);
}

std::unique_ptr<Bushing> bushing(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                 const BushingLaw& law) {
  return std::make_unique<Bushing>(std::move(name), ports, I, J, law);
}

} // namespace emmy
