#include "elements/forces/rotational_spring_damper.hpp"

#include <cmath>

namespace emmy {

AngleStep<double> RotationalSpringDamper::angle_step(const NaturalStep& s) const {
  Memory memory;
  const MeasureValues y = measure(s, memory);
  return {y.n[0], y.n[1], y.n1[0], y.n1[1]};
}

void RotationalSpringDamper::begin_history(const NaturalStep& still, HistoryVector& history) const {
  const AngleStep<double> phi = angle_step(still);
  history[0] = std::atan2(phi.s_n1, phi.c_n1);
}

double RotationalSpringDamper::torque(const MovedStep& s) const {
  const NaturalStep step = natural_step(s);
  const AngleStep<double> phi = angle_step(step);
  return numbers().force(phi.start(step.history[0]) + phi.theta / 2, phi.theta, step.inv_h);
}

double RotationalSpringDamper::angle(const MovedStep& s) const {
  const NaturalStep step = natural_step(s);
  const AngleStep<double> phi = angle_step(step);
  return phi.counted(phi.start(step.history[0]));
}

} // namespace emmy
