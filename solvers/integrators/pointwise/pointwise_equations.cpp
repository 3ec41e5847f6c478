#include "solvers/integrators/pointwise/pointwise_equations.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace emmy {

void External::add(double factor, const External& other) {
  force += factor * other.force;
  moment += factor * other.moment;
  force_sum += std::abs(factor) * other.force_sum;
  moment_sum += std::abs(factor) * other.moment_sum;
}

void External::read(const ConstVectorRef& numbers) {
  force = numbers.head<3>();
  moment = numbers.segment<3>(3);
  force_sum = numbers[6];
  moment_sum = numbers[7];
}

void External::write(VectorRef numbers) const {
  numbers << force, moment, force_sum, moment_sum;
}

PointwiseEquations::PointwiseEquations(const Model& model, double share, const std::string& scheme)
    : StepEquations(model), share_(share), at_(model.rest_state()), zero_(VecX::Zero(model.unknowns())), part_(zero_),
      still_(model.port_motions()), on_way_(still_) {
  Index largest = 0;
  for (const Interaction* interaction : model.interactions())
    if (interaction->depends_on_rates())
      throw std::invalid_argument("'" + interaction->name() + "' (" + interaction->kind() +
                                  ") depends on velocities, which " + scheme + " does not see");
  for (const auto& element : model.elements()) {
    has_penalties_ = has_penalties_ || (element->multipliers() > 0 && is_penalty(*element));
    largest = std::max(largest, element->unknowns() + element->multipliers());
  }
  apart_.resize(largest);
  apart_k_.resize(largest, largest);
}

void PointwiseEquations::move(const Step& s) {
  StepEquations::move(s);
  part_ = share_ * s.z;
  const Step on_way{s.n, share_ * s.h, s.inv_h, part_, s.lambda};
  model().retract_nodes(on_way, at_.values);
  at_.time = s.n.time + share_ * s.h;
  at_.history = s.n.history;
  model().move_ports(still(s), still_);
  if (has_penalties_)
    model().move_ports(on_way, on_way_);
}

void PointwiseEquations::evaluate(const Step& s, const Element& element, LocalSystem& out) const {
  if (const Body* body = model().body(element)) {
    evaluate_body(s, *body, out);
    return;
  }
  element.evaluate(still(s), out);
  if (out.tangent)
    out.k.topLeftCorner(element.unknowns(), element.unknowns()) *= 2 * share_; // the instant moves by share z
  if (element.multipliers() > 0)
    evaluate_rows(s, element, out);
}

/// Asks about the step itself, or the part of it that leads to the instant, and not about the instant: what is
/// prescribed over time, and turns that are counted, begin at n.
void PointwiseEquations::evaluate_rows(const Step& s, const Element& element, LocalSystem& out) const {
  const Index nz = element.unknowns(), m = element.multipliers();
  const bool on_way = is_penalty(element);
  const double share = on_way ? share_ : 1;
  if (share == 0) { // values are those of the instant already
    if (out.tangent)
      out.k.bottomLeftCorner(m, nz).setZero();
    return;
  }
  const Step to{s.n, share * s.h, s.inv_h / share, on_way ? part_ : s.z, s.lambda};
  const LocalSystem rows = evaluate_apart(element, {to, on_way ? on_way_ : motions()}, out.tangent);
  out.r.tail(m) = rows.r.tail(m);
  if (out.tangent)
    out.k.bottomLeftCorner(m, nz) = share * rows.k.bottomLeftCorner(m, nz);
}

LocalSystem PointwiseEquations::evaluate_apart(const Element& element, const MovedStep& s, bool tangent) const {
  const Index size = element.unknowns() + element.multipliers();
  LocalSystem out{apart_.head(size), apart_k_.topLeftCorner(size, size), tangent};
  out.r.setZero();
  if (tangent)
    out.k.setZero();
  element.evaluate(s, out);
  return out;
}

void PointwiseEquations::add_magnitude(const Step& s, const Element& element, VectorRef size) const {
  if (const Body* body = model().body(element)) {
    add_body_magnitude(s, *body, size);
    return;
  }
  element.add_magnitude(still(s), size);
  if (element.multipliers() > 0)
    add_row_magnitude(s, element, size);
}

/// Motion over the step. A point that touches a wall at the origin has no other size.
void PointwiseEquations::add_row_magnitude(const Step& s, const Element& element, VectorRef size) const {
  const Index nz = element.unknowns(), m = element.multipliers();
  const LocalSystem instant = evaluate_apart(element, still(s), true);
  Index column = 0;
  for (const Node& node : element.nodes())
    for (Index i = node.unknown; i < node.unknown + node.unknowns(); ++i, ++column)
      size.tail(m) += (std::abs(s.z[i]) + s.h * std::abs(s.n.rates[i])) * instant.k.block(nz, column, m, 1).cwiseAbs();
}

External PointwiseEquations::external(const Step& s) const {
  StepBooks rates;
  for (const Interaction* interaction : model().interactions()) {
    const NaturalStep instant = interaction->natural_step(still(s));
    NaturalSystem natural = interaction->natural_system(false);
    interaction->evaluate_natural(instant, natural);
    if (interaction->multipliers() > 0)
      natural.r += natural.G_bar.transpose() * instant.lambda;
    interaction->book_impulses(instant.q_m, natural.r, 1, rates);
  }
  return {rates.impulse, rates.angular_impulse, rates.impulse_sum, rates.angular_impulse_sum};
}

void require_inertia_at_instant(const Model& model, const std::string& scheme) {
  for (const Body* body : model.bodies())
    if (!body->has_inertia_at_instant())
      throw std::invalid_argument("body '" + body->name() + "' (" + body->kind() + ") cannot be moved by " + scheme +
                                  ": expected point masses and links of planar chains");
}

StepBooks books_with(const External& impulse, const Model& model, const MovedStep& s, const State& n1) {
  StepBooks books;
  for (const Interaction* interaction : model.interactions())
    interaction->book(s, n1, books);
  // Their work is that of mean forces, as in any other step; the impulse is what the scheme took instead.
  books.impulse = impulse.force;
  books.angular_impulse = impulse.moment;
  books.impulse_sum = impulse.force_sum;
  books.angular_impulse_sum = impulse.moment_sum;
  for (const Body* body : model.bodies())
    body->book(s, n1, books);
  model.book_penalties(s, books);
  return books;
}

} // namespace emmy
