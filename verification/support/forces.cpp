#include "verification/support/forces.hpp"

#include "elements/forces/bushing.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/forces/translational_spring_damper.hpp"

#include <ostream>

namespace emmy::test {

namespace {

enum class Parts { spring, damper, both };

SpringLaw random_law(Random& random, Parts parts) {
  SpringLaw law;
  if (parts != Parts::damper) {
    law.k = random.between(1, 5);
    law.y0 = random.between(0.2, 2);
  }
  if (parts != Parts::spring)
    law.c = random.between(0.1, 0.5);
  return law;
}

const Interaction& add_between_points(Model& model, const JointSide& I, const JointSide& J, const SpringLaw& law) {
  return model.add(
      std::make_unique<SpringDamper>("spring", model.ports(), body_point(I.port, I.at), body_point(J.port, J.at), law));
}

template <Parts parts>
const Interaction& point_spring(Model& model, const JointSide& I, const JointSide& J, Random& random) {
  return add_between_points(model, I, J, random_law(random, parts));
}

const Interaction& spring_without_length(Model& model, const JointSide& I, const JointSide& J, Random& random) {
  SpringLaw law = random_law(random, Parts::spring);
  law.y0 = 0;
  return add_between_points(model, I, J, law);
}

template <Parts parts>
const Interaction& rotational(Model& model, const JointSide& I, const JointSide& J, Random& random) {
  return model.add(std::make_unique<RotationalSpringDamper>("spring", model.ports(), I, J, random_law(random, parts)));
}

template <Parts parts>
const Interaction& translational(Model& model, const JointSide& I, const JointSide& J, Random& random) {
  return model.add(translational_spring_damper("spring", model.ports(), I, J, random_law(random, parts)));
}

template <Parts parts>
const Interaction& random_bushing(Model& model, const JointSide& I, const JointSide& J, Random& random) {
  BushingLaw law;
  if (parts != Parts::damper) {
    law.K = random_stiffness(random, parts == Parts::both);
    law.y0 = random.numbers(6, 0.3);
  }
  if (parts != Parts::spring)
    law.C = 0.1 * random_stiffness(random, true);
  return model.add(bushing("bushing", model.ports(), I, J, law));
}

/// The same triad of the same body somewhere else.
JointSide elsewhere(JointSide side, Random& random) {
  side.at = random.vector();
  return side;
}

const JointMaker& revolute() {
  for (const JointMaker& maker : joint_makers())
    if (maker.name == "revolute")
      return maker;
  throw std::logic_error("no revolute joint");
}

} // namespace

const std::vector<ForceMaker>& force_makers() {
  static const std::vector<ForceMaker> makers{
      {"spring", true, false, point_spring<Parts::spring>},
      {"damper", false, false, point_spring<Parts::damper>},
      {"spring and damper", false, false, point_spring<Parts::both>},
      {"spring without length", true, false, spring_without_length},
      {"rotational spring", true, true, rotational<Parts::spring>},
      {"rotational damper", false, true, rotational<Parts::damper>},
      {"rotational spring and damper", false, true, rotational<Parts::both>},
      {"translational spring", true, false, translational<Parts::spring>},
      {"translational spring and damper", false, false, translational<Parts::both>},
      {"elastic bushing", true, false, random_bushing<Parts::spring>},
      {"viscous bushing", false, false, random_bushing<Parts::damper>},
      {"bushing", false, false, random_bushing<Parts::both>}};
  return makers;
}

std::vector<ForceSample> force_samples(const std::vector<StepSize>& sizes) {
  std::vector<ForceSample> samples;
  for (const ForceMaker& force : force_makers())
    for (const BodyPair& pair : body_pairs())
      for (const StepSize& size : sizes)
        samples.push_back({&force, pair, size});
  return samples;
}

std::ostream& operator<<(std::ostream& out, const ForceSample& sample) {
  return out << sample.force->name << ", " << sample.bodies << ", " << sample.size.name << " step";
}

ForceScene::ForceScene(const ForceSample& of, Random& random)
    : sample(of), joined({&revolute(), of.bodies, of.size}, random), model(joined.model),
      I(elsewhere(joined.I, random)), J(elsewhere(joined.J, random)), force(of.force->add(model, I, J, random)) {}

std::vector<Motion> ForceScene::motions(Random& random) const {
  return sample.force->has_axis ? joined.joined_motions(random) : joined.free_motions(random);
}

Eigen::Matrix<double, 6, 6> random_stiffness(Random& random, bool singular) {
  const MatX A = random.numbers(36).reshaped(6, 6);
  const MatX Q = A.householderQr().householderQ();
  VecX eigenvalues(6);
  for (Index i = 0; i < 6; ++i)
    eigenvalues[i] = random.between(0.1, 3);
  if (singular)
    eigenvalues[0] = 0;
  const MatX K = Q * eigenvalues.asDiagonal() * Q.transpose();
  return (K + K.transpose()) / 2;
}

} // namespace emmy::test
