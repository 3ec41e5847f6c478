#include "solvers/enforcement/constraint_set.hpp"

#include "solvers/assembly/linearisation.hpp"

#include <algorithm>

namespace emmy {

namespace {
/// An effective mass beyond this many times the mean mass means that nothing moves the constraint here.
constexpr double immovable = 1e6;
/// Joints that hold one another make the weakest combination of their rows this much weaker than a single row.
constexpr double weakest_part = 0.1;
} // namespace

ConstraintSet::ConstraintSet(const StepEquations& equations, const AugmentedLagrangianOptions& options,
                             OneSided one_sided)
    : equations_(equations), model_(equations.model()) {
  Index largest = 0, unknowns = 0;
  std::vector<bool> used(model_.ports().size(), false);
  for (const auto& element : model_.elements()) {
    left_out_.push_back(element->is_one_sided() && one_sided == OneSided::left_out);
    auto strategy = left_out_.back()
                        ? nullptr
                        : ConstraintStrategy::make(*element, model_.enforcement(*element), equations.level(), options);
    of_element_.push_back(strategy.get());
    if (!strategy)
      continue;
    if (strategy->iterates())
      iterating_.push_back(static_cast<AugmentedLagrangian*>(strategy.get()));
    switches_ = switches_ || (element->is_one_sided() && strategy->is_folded());
    rests_by_values_ = rests_by_values_ || (element->is_one_sided() && strategy->rests_by_values());
    free_motion_ = free_motion_ || (element->is_one_sided() && equations.level().rates);
    unknowns = std::max(unknowns, element->unknowns());
    largest = std::max(largest, element->unknowns() + element->multipliers());
    for (const Index port : element->ports())
      used[static_cast<std::size_t>(port)] = true;
    strategies_.push_back(std::move(strategy));
  }
  if (empty())
    return;
  only_push_ = std::all_of(strategies_.begin(), strategies_.end(), [](const auto& strategy) {
    return strategy->element().is_one_sided() && !strategy->iterates();
  });
  may_rest_ = equations.takes_elements_as_they_are() &&
              std::any_of(strategies_.begin(), strategies_.end(),
                          [](const auto& strategy) { return strategy->element().is_one_sided(); });
  for (std::size_t port = 0; port < used.size(); ++port)
    if (used[port])
      ports_.push_back(static_cast<Index>(port));
  const State rest = model_.rest_state();
  inverse_mass_ = positive_mass_diagonal(model_, mass_matrix(model_, rest)).cwiseInverse();
  zero_.setZero(model_.unknowns());
  free_ = zero_;
  motions_ = model_.port_motions();
  local_.resize(largest);
  local_k_.resize(largest, largest);
  local_z_.resize(unknowns);
  local_w_.resize(unknowns);
}

void ConstraintSet::move_ports(const Step& s) {
  for (const Index port : ports_)
    model_.ports()[static_cast<std::size_t>(port)]->move(s, motions_[static_cast<std::size_t>(port)]);
}

/// Values of the constraints of an element; with the tangent, their gradients are in local_k_.
VectorRef ConstraintSet::evaluate(const MovedStep& s, const Element& element, bool tangent) {
  const Index size = element.unknowns() + element.multipliers();
  auto r = local_.head(size);
  auto k = local_k_.topLeftCorner(size, size);
  r.setZero();
  k.setZero();
  LocalSystem out{r, k, tangent};
  element.evaluate(s, out);
  return local_.segment(element.unknowns(), element.multipliers());
}

/// Notes where free motion would take constraints that only push.
void ConstraintSet::look_ahead(const State& n, double h) {
  free_ = h * n.rates;
  const Step free{n, h, 1 / h, free_, n.multipliers};
  move_ports(free);
  for (const auto& strategy : strategies_)
    if (const Element& element = strategy->element(); element.is_one_sided())
      strategy->note_free(evaluate({free, motions_}, element, false));
}

bool ConstraintSet::rests(const State& n, double h) {
  if (free_motion_)
    look_ahead(n, h);
  const Step still{n, no_time, 0, zero_, n.multipliers};
  move_ports(still);
  return std::all_of(strategies_.begin(), strategies_.end(), [&](const auto& strategy) {
    const Element& element = strategy->element();
    return !element.is_one_sided() || strategy->rests(evaluate({still, motions_}, element, false));
  });
}

bool ConstraintSet::has_rested(const Step& solved) {
  move_ports(solved);
  return std::all_of(strategies_.begin(), strategies_.end(), [&](const auto& strategy) {
    const Element& element = strategy->element();
    return !element.is_one_sided() || strategy->has_rested(evaluate({solved, motions_}, element, false));
  });
}

void ConstraintSet::gather(const Element& element, const VecX& of_unknowns, VectorRef local) const {
  Index i = 0;
  for (const Node& node : element.nodes()) {
    local.segment(i, node.unknowns()) = of_unknowns.segment(node.unknown, node.unknowns());
    i += node.unknowns();
  }
}

void ConstraintSet::begin_step(const State& n, double h) {
  if (empty())
    return;
  const double heaviest = immovable * model_.mean_mass();
  ConstraintStart start;
  start.h = h;
  start.acceleration = equations_.acceleration_factor() / (h * h);
  if (free_motion_)
    look_ahead(n, h);
  const Step still{n, no_time, 0, zero_, n.multipliers};
  move_ports(still);
  for (const auto& strategy : strategies_) {
    const Element& element = strategy->element();
    const Index nz = element.unknowns(), m = element.multipliers();
    start.phi = evaluate({still, motions_}, element, true);
    start.lambda = n.multipliers.segment(element.first_multiplier(), m);
    start.phi_rate.resize(m);
    start.effective_mass.resize(m);
    auto rates = local_z_.head(nz), inverse = local_w_.head(nz);
    gather(element, n.rates, rates);
    gather(element, inverse_mass_, inverse);
    for (Index i = 0; i < m; ++i) {
      const auto G = local_k_.row(nz + i).head(nz);
      start.phi_rate[i] = G.dot(rates.transpose());
      const double compliance = G.cwiseAbs2().dot(inverse.transpose());
      start.effective_mass[i] = compliance * heaviest > 1 ? 1 / compliance : heaviest;
    }
    strategy->begin(start);
  }
  contraction_ = steepest_ = 0;
  if (is_merged())
    for (const AugmentedLagrangian* strategy : iterating_)
      contraction_ = std::max(contraction_, 1 / (1 + weakest_part * strategy->least_beta()));
}

void ConstraintSet::use_merged(bool merged) {
  for (AugmentedLagrangian* strategy : iterating_)
    strategy->use_merged(merged);
}

ConstraintSet::Error ConstraintSet::largest_error(bool with_limits) const {
  Error largest;
  for (const AugmentedLagrangian* strategy : iterating_)
    if ((with_limits || !strategy->element().is_one_sided()) &&
        !(strategy->error() < largest.size)) // also what is no number
      largest = {strategy->error(), &strategy->element()};
  return largest;
}

void ConstraintSet::update() {
  MultiplierResponse response;
  for (AugmentedLagrangian* strategy : iterating_)
    strategy->update(response);
  if (response.size > 0)
    steepest_ = std::max(steepest_, response.work / response.size);
}

void ConstraintSet::write_multipliers(VecX& lambda) const {
  for (const AugmentedLagrangian* strategy : iterating_)
    lambda.segment(strategy->element().first_multiplier(), strategy->rows()) = strategy->multipliers();
}

void ConstraintSet::follow(const VecX& dz) {
  for (AugmentedLagrangian* strategy : iterating_) {
    auto local = local_z_.head(strategy->element().unknowns());
    gather(strategy->element(), dz, local);
    strategy->follow(local);
  }
}

void ConstraintSet::grow(double factor) {
  for (AugmentedLagrangian* strategy : iterating_)
    strategy->grow(factor);
}

void ConstraintSet::book(const VecX& lambda, StepBooks& books) const {
  for (const auto& strategy : strategies_)
    strategy->book(lambda.segment(strategy->element().first_multiplier(), strategy->rows()), books);
}

} // namespace emmy
