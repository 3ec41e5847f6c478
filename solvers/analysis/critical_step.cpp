#include "solvers/analysis/critical_step.hpp"

#include "solvers/integrators/explicit/natural_forces.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Largest eigenvalues of M^-1 K and M^-1 C of one element, on its bodies alone.
struct Bounds {
  double stiffness = 0; ///< omega² [1/s²]
  double damping = 0;   ///< 2 zeta omega [1/s]
};

/// Bodies, and ways in which they move with unit kinetic energy, of one state.
class Eigenvalues {
public:
  Eigenvalues(const RigidSystem& system, const State& state) : system_(system), motion_(system.motion(state)) {
    for (std::size_t b = 0; b < system.size(); ++b)
      ports_.push_back(system.port(b, motion_.poses[b]));
  }

  Bounds of(const RigidInteraction& interaction, const State& state) const {
    const NaturalSystem still = at_rest(interaction, state, 0), moving = at_rest(interaction, state, 1);
    const Ways w = ways(interaction, still.r);
    // A step that does not move has half the stiffness, and damping / h, in its tangent.
    return {largest(2 * w.B.transpose() * still.k * w.B + w.K), largest(w.B.transpose() * (moving.k - still.k) * w.B)};
  }

private:
  /// Ways in which the bodies of an element move, six for each of them, of unit kinetic energy.
  struct Ways {
    MatX B; ///< natural variables per unit of every way
    MatX K; ///< stiffness of the force that the element exerts, since its arms turn with the bodies
  };

  NaturalSystem at_rest(const RigidInteraction& interaction, const State& state, double inv_h) const {
    const Interaction& element = interaction.element();
    NaturalStep step;
    step.t = state.time;
    step.h = no_time;
    step.inv_h = inv_h;
    interaction.gather(ports_, ground_port(), step.q_n);
    step.q_n1 = step.q_m = step.q_n;
    step.lambda.setZero(0);
    step.history = state.history.segment(element.first_history(), element.history());
    NaturalSystem natural = element.natural_system(true);
    element.evaluate_natural(step, natural);
    return natural;
  }

  /// At the residual r.
  Ways ways(const RigidInteraction& interaction, const NaturalVector& r) const {
    const auto& units = interaction.units();
    std::vector<Index> bodies;
    for (const Index unit : units)
      if (unit >= 0 && std::find(bodies.begin(), bodies.end(), unit) == bodies.end())
        bodies.push_back(unit);
    const auto columns = static_cast<Index>(6 * bodies.size());
    Ways w{MatX::Zero(static_cast<Index>(3 * units.size()), columns), MatX::Zero(columns, columns)};
    for (std::size_t a = 0; a < units.size(); ++a) {
      if (units[a] < 0)
        continue;
      const auto b = static_cast<std::size_t>(units[a]);
      const RigidUnit& unit = system_.units()[b];
      const NaturalVariable& v = interaction.element().variables()[a];
      const Vec3 arm = v.of(ports_[b]) - v.w[0] * motion_.poses[b].x;
      const auto row = static_cast<Index>(3 * a);
      const Index column = 6 * (std::find(bodies.begin(), bodies.end(), units[a]) - bodies.begin());
      w.B.block<3, 3>(row, column) = v.w[0] * std::sqrt(unit.inverse_mass) * Mat3::Identity();
      if (!unit.turns)
        continue;
      const Mat3 turns =
          motion_.poses[b].q.toRotationMatrix() * unit.axes * unit.moments.cwiseSqrt().cwiseInverse().asDiagonal();
      w.B.block<3, 3>(row, column + 3) = -skew(arm) * turns;
      // r does the work r . (theta x (theta x arm))/2 to second order.
      const Vec3 f = r.segment<3>(row);
      const Mat3 K = (f * arm.transpose() + arm * f.transpose()) / 2 - f.dot(arm) * Mat3::Identity();
      w.K.block<3, 3>(column + 3, column + 3) += turns.transpose() * K * turns;
    }
    return w;
  }

  static double largest(const MatX& matrix) {
    if (matrix.size() == 0)
      return 0;
    const MatX symmetric = (matrix + matrix.transpose()) / 2;
    return std::max(0.0,
                    Eigen::SelfAdjointEigenSolver<MatX>(symmetric, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff());
  }

  const RigidSystem& system_;
  Motion motion_;
  std::vector<Vec12> ports_;
};

/// Frequency at which a body that spins about one of its principal axes nutates, at most [E15].
double nutation(const RigidUnit& unit, const Vec3& Omega) {
  const Vec3 spin = (unit.axes.transpose() * Omega).cwiseAbs();
  double frequency = 0;
  for (int i = 0; i < 3; ++i) {
    const double I = unit.moments[i], J = unit.moments[(i + 1) % 3], K = unit.moments[(i + 2) % 3];
    frequency = std::max(frequency, spin[i] * std::sqrt(std::abs((I - J) * (I - K)) / (J * K)));
  }
  return frequency;
}

} // namespace

CriticalStep critical_step(const Model& model, const State& state, bool gyroscopic_forces) {
  const RigidSystem system(model);
  CriticalStep result;

  // Each body shares its mass among its elements in proportion to their bounds: the largest sum on one body then bounds
  // the frequencies of the whole.
  struct OnBody {
    Bounds sum;
    double stiffest = 0;
    const Interaction* element = nullptr;
  };
  std::vector<OnBody> bodies(system.size());
  const Eigenvalues eigenvalues(system, state);
  for (const Interaction* interaction : model.interactions()) {
    if (interaction->multipliers() > 0 || interaction->acts() == Acts::from_outside)
      continue;
    const RigidInteraction rigid(system, *interaction);
    const Bounds bounds = eigenvalues.of(rigid, state);
    std::vector<Index> units = rigid.units();
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    for (const Index unit : units) {
      if (unit < 0)
        continue;
      OnBody& body = bodies[static_cast<std::size_t>(unit)];
      body.sum.stiffness += bounds.stiffness;
      body.sum.damping += bounds.damping;
      const double size = bounds.stiffness + bounds.damping * bounds.damping;
      if (size > body.stiffest) {
        body.stiffest = size;
        body.element = interaction;
      }
    }
  }
  const Motion motion = system.motion(state);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& [stiffness, damping] = bodies[b].sum;
    const double h = 4 / (damping + std::sqrt(damping * damping + 4 * stiffness)); // [E14]
    if (h < result.elastic && bodies[b].element) {
      result.elastic = h;
      result.element = bodies[b].element->name();
      result.body = system.units()[b].body->name();
      result.frequency = std::sqrt(stiffness);
      result.damping = damping;
    }
    if (!system.units()[b].turns)
      continue;
    const Vec3 Omega = system.twist(b, motion.poses[b], motion.momenta[b]).Omega;
    const double gyroscopic = 2 / nutation(system.units()[b], Omega); // [E15]
    if (gyroscopic_forces && gyroscopic < result.gyroscopic) {
      result.gyroscopic = gyroscopic;
      result.nutating = system.units()[b].body->name();
    }
    if (0.5 / Omega.norm() < result.turning) {
      result.turning = 0.5 / Omega.norm();
      result.spinning = system.units()[b].body->name();
    }
  }
  return result;
}

} // namespace emmy
