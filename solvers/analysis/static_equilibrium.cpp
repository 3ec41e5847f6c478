#include "solvers/analysis/static_equilibrium.hpp"

#include "core/counted.hpp"
#include "solvers/analysis/eigenpairs.hpp"
#include "solvers/analysis/gaps.hpp"
#include "solvers/analysis/response.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Residual, relative to the forces that cancel, below which a search that gets no further has arrived.
constexpr double balanced = 1e-10;
/// No body turns further than this in one iteration [rad].
constexpr double largest_turn = 0.7;
/// Smallest damping, relative to the stiffness of the model, and the stiffness below which the lowest mode decides.
constexpr double least_damping = 1e-10, no_stiffness = 1e-7;

VecX multipliers_at(const Model& model, const State& state, const MassMetric& metric) {
  State unloaded = state;
  unloaded.multipliers.setZero();
  const Statics s = linearise_statics(model, unloaded);
  Saddle saddle;
  saddle.factor(metric.W, s.G, VecX::Zero(s.phi.size()), metric.row_scales(s.G), 1);
  VecX z, l;
  saddle.solve(-s.f, VecX::Zero(s.phi.size()), z, l);
  return l;
}

/// Energy that springs in the rows store, e^2 / 2F.
double energy_of_rows(const Model& model, const State& unloaded) {
  const Statics s = linearise_statics(model, unloaded);
  const VecX F = s.F.diagonal();
  double energy = 0;
  for (Index i = 0; i < F.size(); ++i)
    if (F[i] > 0)
      energy += s.phi[i] * s.phi[i] / (2 * F[i]);
  return energy;
}

struct EnergyChange {
  double value = 0;
  double rounding = 0; ///< of the value
};

/// Change of energy from one state to another, minus the work of loads: discrete gradients do exactly that work, over
/// any distance.
EnergyChange energy_change(const Model& model, State from, State to) {
  from.multipliers.setZero();
  to.multipliers.setZero();
  VecX z(model.unknowns());
  for (const Node& node : model.nodes())
    local(node.kind, from.values.segment(node.value, node.values()), to.values.segment(node.value, node.values()),
          z.segment(node.unknown, node.unknowns()));
  const Step step = still_step(from, z);
  PortMotions motions = model.port_motions();
  model.move_ports(step, motions);
  EnergyChange change;
  for (const auto& element : model.elements()) {
    VecX r = VecX::Zero(element->unknowns() + element->multipliers());
    MatX none(0, 0);
    LocalSystem out{r, none, false};
    element->evaluate({step, motions}, out);
    Index i = 0;
    for (const Node& node : element->nodes())
      for (Index j = 0; j < node.unknowns(); ++j, ++i) {
        change.value += r[i] * z[node.unknown + j];
        change.rounding += 16 * eps * std::abs(r[i] * z[node.unknown + j]);
      }
  }
  const double before = energy_of_rows(model, from), after = energy_of_rows(model, to);
  change.value += after - before;
  change.rounding += 16 * eps * (before + after);
  return change;
}

class Search {
public:
  Search(const Model& model, const State& state) : model_(model), metric_(model, state), state_(state) {
    state_.rates.setZero(model.unknowns());
  }

  EquilibriumReport run(const EquilibriumOptions& options) {
    EquilibriumReport report;
    const GapReport start = close_gaps(model_, metric_, {}, state_);
    if (!start.closed) {
      std::ostringstream text;
      text << "the joints cannot be closed: a gap of " << start.gap << " remains in " << start.worst;
      report.message = text.str();
      report.worst = start.worst;
      return report;
    }
    arrive(state_);
    damping_ = stiffness_;
    double least = residual();
    State best = state_;
    int idle = 0; // close to rounding residuals go up and down
    while (least > eps && idle < 3 && report.iterations < options.max_iterations && advance()) {
      ++report.iterations;
      if (options.go_on && !options.go_on(report.iterations)) {
        report.stopped = true;
        return report;
      }
      idle = residual() > least / 2 && least <= balanced ? idle + 1 : 0;
      if (residual() < least) {
        least = residual();
        best = state_;
      }
    }
    if (least <= balanced)
      arrive(best);
    finish(report);
    return report;
  }

  const State& state() const { return state_; }

private:
  /// Takes a state as the new one, with the multipliers that come closest to balance.
  void arrive(const State& there) {
    state_ = there;
    const VecX l = multipliers_at(model_, state_, metric_);
    state_.multipliers = l.head(model_.multipliers());
    rigidity_multipliers_ = l.tail(l.size() - model_.multipliers());
    s_ = linearise_statics(model_, state_, rigidity_multipliers_);
    K_ = symmetric(s_.K);
    const VecX D = metric_.diagonal;
    const double acceleration = std::sqrt(s_.f_size.cwiseAbs2().cwiseQuotient(D).sum() / D.maxCoeff());
    stiffness_ = std::max(K_.diagonal().cwiseAbs().cwiseQuotient(D).maxCoeff(), acceleration); // at a length of 1 m
  }

  double residual() const {
    const auto size = [&](const VecX& f) { return std::sqrt(f.cwiseAbs2().cwiseQuotient(metric_.diagonal).sum()); };
    const double forces = size(s_.f_size);
    return forces > 0 ? size(s_.f) / forces : 0;
  }

  bool factor(double damping, Saddle& saddle) const {
    return saddle.factor(K_ + damping * metric_.W, s_.G, s_.F.diagonal(), metric_.row_scales(s_.G),
                         std::max(stiffness_, damping));
  }

  /// One accepted move, with as much damping as it takes; false if nothing helps.
  bool advance() {
    constexpr int attempts = 60;
    for (int i = 0; i < attempts; ++i) {
      Saddle saddle;
      if (!factor(damping_, saddle)) {
        increase_damping();
        continue;
      }
      VecX z, dl;
      saddle.solve(-s_.f, -s_.phi, z, dl);
      if (attempt(z, dl))
        return true;
      increase_damping();
    }
    return false;
  }

  bool attempt(VecX& z, const VecX& dl) {
    double turn = 0;
    for (const Body* body : model_.bodies())
      turn = std::max(turn, body->rotation_in(still_step(state_, z)));
    const double share = std::min(1.0, largest_turn / std::max(turn, largest_turn));
    z *= share;
    State there = moved(model_, state_, z);
    there.multipliers += share * dl.head(model_.multipliers());
    GapOptions few;
    few.max_iterations = 10;
    few.elastic = true; // stiff springs follow as the linear equations say: curved paths must not stretch them
    few.strains = strains_after(z);
    if (!close_gaps(model_, metric_, few, there).closed)
      return false;
    EnergyChange change = energy_change(model_, state_, there);
    change.rounding += 16 * eps * s_.phi_size.head(model_.multipliers()).dot(state_.multipliers.cwiseAbs()); // of gaps
    const double predicted = s_.f.dot(z) + z.dot(K_ * z) / 2;
    if (change.value > 0.1 * predicted + change.rounding)
      return false;
    if (change.value <= 0.75 * predicted + change.rounding && share == 1)
      damping_ = std::max(damping_ / 10, least_damping * stiffness_);
    else if (change.value > 0.25 * predicted + change.rounding)
      damping_ *= 2;
    arrive(there);
    return true;
  }

  VecX strains_after(const VecX& z) const {
    const RigidityRows rigidity = rigidity_rows(model_, state_, true);
    VecX strains = rigidity.e + rigidity.C * z;
    for (std::size_t i = 0; i < rigidity.rows.size(); ++i)
      if (rigidity.rows[i].kind == ConstraintRow::Kind::exact)
        strains[static_cast<Index>(i)] = 0;
    return strains;
  }

  void increase_damping() { damping_ = 4 * std::max(damping_, 1e-6 * stiffness_); }

  void finish(EquilibriumReport& report) const {
    report.residual = residual();
    report.gap = s_.phi.size() > 0 ? s_.phi.cwiseAbs().maxCoeff() : 0;
    report.converged = report.residual <= balanced;
    Saddle saddle;
    const double small = no_stiffness * (stiffness_ > 0 ? stiffness_ : 1); // [1/s²] where nothing is stiff
    report.stability = factor(-small, saddle) ? Stability::stable : stability_of_softest_motion(small);
    Index worst = 0;
    s_.f.cwiseAbs2().cwiseQuotient(metric_.diagonal).maxCoeff(&worst);
    report.worst = name_of_unknown(model_, worst);
    if (report.converged)
      return;
    std::ostringstream text;
    text << "no equilibrium after " << counted(report.iterations, "iteration", "iterations") << ": "
         << std::abs(s_.f[worst]) << " is missing in " << report.worst << " (" << report.residual
         << " of the forces); is anything there to balance the loads?";
    report.message = text.str();
  }

  /// By the softest motion that the joints admit: a long beam is as soft as that although its springs are stiff. Its
  /// stiffness is compared with the rounding of the terms that cancel in it, and with what the balance leaves over.
  Stability stability_of_softest_motion(double shift) const {
    const Response response(s_, metric_, stiffness_, shift);
    const auto pairs = largest_eigenpairs([&](const VecX& v) { return response * v; }, response.size(), 1);
    if (pairs.empty())
      return Stability::neutral;
    VecX x, l;
    response.solve(pairs.front().vector.real(), x, l);
    const MotionStiffness found = stiffness_of(x, l, model_, s_, metric_, stiffness_, residual());
    return found.value > found.rounding    ? Stability::stable
           : found.value < -found.rounding ? Stability::unstable
                                           : Stability::neutral;
  }

  const Model& model_;
  MassMetric metric_;
  State state_;
  VecX rigidity_multipliers_;
  Statics s_;
  SparseMatrix K_;
  double stiffness_ = 0; // largest, per mass [1/s²]
  double damping_ = 0;   // of the moves, likewise
};

} // namespace

VecX balancing_multipliers(const Model& model, const State& state) {
  return multipliers_at(model, state, MassMetric(model, state));
}

EquilibriumReport find_equilibrium(const Model& model, State& state, const EquilibriumOptions& options) {
  Search search(model, state);
  const EquilibriumReport report = search.run(options);
  state = search.state();
  return report;
}

} // namespace emmy
