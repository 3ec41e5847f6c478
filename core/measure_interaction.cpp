#include "core/measure_interaction.hpp"

#include "core/pull_forces.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace emmy {

MeasureInteraction::MeasureInteraction(std::string name, std::string kind, const Ports& ports,
                                       std::vector<NaturalVariable> ends, std::unique_ptr<MeasureEquations>&& equations,
                                       const InteractionFacts& facts)
    : Interaction(std::move(name), std::move(kind), ports, std::move(ends), facts), equations_(std::move(equations)) {
  if (equations_->vector_count > most_vectors || equations_->memory > static_cast<int>(Memory().size()))
    throw std::length_error("element '" + this->name() + "' has too many vectors or numbers to know");
  int end = 0;
  for (int i = 0; i < equations_->vector_count; ++i) {
    first_end_[static_cast<std::size_t>(i)] = end;
    for_ends(i, [&](int a, double sign) {
      const auto at = static_cast<std::size_t>(a);
      if (at < variables().size())
        port_ends_.push_back({use()[at], sign * variables()[at].w});
    });
    end += is_span(equations_->vectors[i]) ? 2 : 1;
  }
  if (end != static_cast<int>(variables().size()) || equations_->multipliers != facts.rows.count())
    throw std::invalid_argument("element '" + this->name() + "' has other vectors or multipliers than its equations");
}

const MeasureInteraction* MeasureInteraction::of(const Element& element) {
  return dynamic_cast<const MeasureInteraction*>(&element);
}

void MeasureInteraction::recall(double, double, const double* history, double* memory) const {
  const Index first = this->history() - equations_->memory;
  std::copy_n(history + first, equations_->memory, memory);
}

template <class Act>
void MeasureInteraction::for_ends(int vector, Act act) const {
  const int first = first_end_[static_cast<std::size_t>(vector)];
  if (is_span(equations_->vectors[vector])) {
    act(first, -1.0);
    act(first + 1, 1.0);
  } else {
    act(first, 1.0);
  }
}

template <class Act>
void MeasureInteraction::for_port_ends(int vector, Act act) const {
  const PortEnd* end = port_ends_.data() + first_end_[static_cast<std::size_t>(vector)];
  act(*end);
  if (is_span(equations_->vectors[vector]))
    act(*(end + 1));
}

MeasureInteraction::Vectors MeasureInteraction::vectors(const NaturalVector& q) const {
  Vectors v;
  for (int i = 0; i < equations_->vector_count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Index first = 3 * first_end_[k];
    if (is_span(equations_->vectors[i]))
      v[k] = q.segment<3>(first + 3) - q.segment<3>(first);
    else
      v[k] = q.segment<3>(first);
  }
  return v;
}

namespace {

/// act(term, its first and its second vector), the second of no meaning in a coincidence.
template <class Vectors, class Act>
void for_terms(const MeasureEquations& e, const Vectors& v, Act act) {
  for (const Term* term = e.terms; term != e.terms + e.term_count; ++term) {
    const Vec3& u = v[static_cast<std::size_t>(term->u)];
    act(*term, u, term->v == itself ? u : v[static_cast<std::size_t>(term->v)]);
  }
}

} // namespace

void MeasureInteraction::add_values(const Vectors& v, double* y) const {
  for_terms(*equations_, v, [&](const Term& term, const Vec3& a, const Vec3& b) {
    if (term.v == itself)
      Eigen::Map<Vec3>(y + term.row) += term.factor * a;
    else
      y[term.row] += term.factor * a.dot(b);
  });
}

template <class Act>
void MeasureInteraction::for_gradient(const Vectors& v, Act act) const {
  for_terms(*equations_, v, [&](const Term& term, const Vec3& a, const Vec3& b) {
    if (term.v == itself) {
      for (int i = 0; i < 3; ++i)
        act(term.row + i, term.u, Vec3(term.factor * Vec3::Unit(i)));
    } else {
      act(term.row, term.u, Vec3(term.factor * b));
      act(term.row, term.v, Vec3(term.factor * a));
    }
  });
}

template <class F, class Act>
void MeasureInteraction::for_pairs(const F& of_rows, Act act) const {
  for (const Term* term = equations_->terms; term != equations_->terms + equations_->term_count; ++term) {
    if (term->v == itself)
      continue;                                             // linear
    const double w = of_rows[term->row] * term->factor / 2; // [D16]: the mean moves half as far as the end point
    act(term->u, term->v, w);
    act(term->v, term->u, w);
  }
}

/// Gradient at v times how the vectors change: at the mean of a step its change by the discrete gradient [D15].
void MeasureInteraction::add_rates(const Vectors& v, const Vectors& rate, double* y) const {
  for_gradient(v, [&](int row, int vector, const Vec3& g) { y[row] += g.dot(rate[static_cast<std::size_t>(vector)]); });
}

/// By natural variables.
Gradients MeasureInteraction::gradient(const Vectors& v) const {
  Gradients G = Gradients::Zero(static_cast<Index>(3 * variables().size()), equations_->rows);
  for_gradient(v, [&](int row, int vector, const Vec3& g) {
    for_ends(vector, [&](int end, double sign) { G.block<3, 1>(3 * end, row) += sign * g; });
  });
  return G;
}

/// By the numbers of ports that move.
void MeasureInteraction::add_gradient(const Vectors& v, OfPorts<PortRows>& G) const {
  for (std::size_t u = 0; u < uses().size(); ++u)
    G[u].setZero(12, equations_->rows);
  for_gradient(v, [&](int row, int vector, const Vec3& g) {
    for_port_ends(vector, [&](const PortEnd& end) {
      double* of_port = G[end.use].data() + 12 * row;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
          of_port[3 * i + j] += end.w[i] * g[j];
    });
  });
}

MeasureValues MeasureInteraction::measure(const NaturalStep& s, Memory& memory) const {
  MeasureValues y{};
  add_values(vectors(s.q_n1), y.n1);
  if (s.q_n.size() > 0) { // otherwise nobody asks for more than the end of the step
    const Vectors v_n = vectors(s.q_n), v_m = vectors(s.q_m);
    Vectors change = vectors(s.q_n1);
    for (int i = 0; i < equations_->vector_count; ++i)
      change[static_cast<std::size_t>(i)] -= v_n[static_cast<std::size_t>(i)];
    add_values(v_n, y.n);
    add_rates(v_m, change, y.d);
  }
  y.inv_h = s.inv_h;
  memory = {};
  if (s.history.size() > 0)
    recall(s.t, s.h, s.history.data(), memory.data());
  y.memory = memory.data();
  return y;
}

MeasureAnswer MeasureInteraction::response(const NaturalStep& s) const {
  Memory memory;
  const MeasureValues y = measure(s, memory);
  MeasureAnswer answer;
  equations_->answer(y, s.lambda.data(), false, answer);
  return answer;
}

MeasureInteraction::Answer MeasureInteraction::answer(const NaturalStep& s, bool tangent) const {
  Memory memory;
  const MeasureValues y = measure(s, memory);
  Answer answer;
  equations_->answer(y, s.lambda.data(), tangent, answer);
  if (multipliers() == 0) {
    answer.total = Eigen::Map<const VecX>(answer.F, equations_->rows);
    return answer;
  }
  answer.total.setZero(equations_->rows);
  for (Index r = 0; r < multipliers(); ++r)
    for (int i = 0; i < equations_->rows; ++i)
      answer.total[i] += answer.g_bar[r][i] * s.lambda[r]; // [M3]
  return answer;
}

void MeasureInteraction::evaluate(const MovedStep& s, LocalSystem& out) const {
  const NaturalStep step = natural_step(s);
  const Answer F = answer(step, out.tangent);
  const Vectors v_m = vectors(step.q_m);
  NaturalVector r = NaturalVector::Zero(step.q_m.size());
  for_gradient(v_m, [&](int row, int vector, const Vec3& g) { // [D15]
    for_ends(vector, [&](int end, double sign) { r.segment<3>(3 * end) += (sign * F.total[row]) * g; });
  });
  out.r.segment(unknowns(), multipliers()) += Eigen::Map<const VecX>(F.phi, multipliers());
  pull_forces(variables(), uses(), use(), s.motions, r, out.r);
  if (!out.tangent)
    return;

  PortSystem system; // [M4]
  system.rows = equations_->rows;
  system.multipliers = equations_->multipliers;
  add_gradient(v_m, system.G_bar);
  add_gradient(vectors(step.q_n1), system.G);
  for (std::size_t u = 0; u < uses().size(); ++u)
    system.f[u] = system.G_bar[u].lazyProduct(F.total);
  if (equations_->has_slope) {
    system.slope = F.slope;
    system.g_bar = F.g_bar;
    system.g = F.g;
  }
  for_pairs(F.total, [&](int u, int v, double w) {
    for_port_ends(u, [&](const PortEnd& a) {
      for_port_ends(v, [&](const PortEnd& b) {
        Mat4& W = system.W[a.use][b.use];
        if (!std::exchange(system.has_W[a.use][b.use], true))
          W.setZero();
        W.noalias() += (w * a.w) * b.w.transpose();
      });
    });
  });
  pull_back(uses(), s, system, out);
}

void MeasureInteraction::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const int R = equations_->multipliers;
  const Answer F = answer(s, out.tangent);
  const Gradients G_bar = gradient(vectors(s.q_m)); // [D15]
  const OfRows g_bar = equations_->has_slope ? F.g_bar : nullptr, g = equations_->has_slope ? F.g : nullptr;
  if (R == 0)
    out.r += G_bar * F.total;
  else
    out.G_bar += of_constraints(g_bar, R, G_bar).transpose();
  out.phi += Eigen::Map<const VecX>(F.phi, R);
  if (!out.tangent)
    return;
  const Gradients G = gradient(vectors(s.q_n1));
  out.phi_t += Eigen::Map<const VecX>(F.phi_t, R);
  if (R > 0)
    out.G += of_constraints(g, R, G).transpose();
  if (equations_->has_slope) // [M4]
    add_slope(F.slope, G_bar, G, out.k);
  for_pairs(F.total, [&](int u, int v, double w) {
    for_ends(u, [&](int a, double sign_a) {
      for_ends(
          v, [&](int b, double sign_b) { out.k.block<3, 3>(3 * a, 3 * b).diagonal().array() += sign_a * sign_b * w; });
    });
  });
}

NaturalPattern MeasureInteraction::natural_pattern() const {
  Vectors anywhere;
  anywhere.fill(Vec3::Ones());
  const Pattern rows = (gradient(anywhere).transpose().array() != 0).cast<int>();
  NaturalPattern pattern{Pattern::Zero(rows.cols(), rows.cols()), Pattern::Zero(multipliers(), rows.cols())};
  for_pairs(VecX::Ones(equations_->rows), [&](int u, int v, double) {
    for_ends(u, [&](int a, double) {
      for_ends(v, [&](int b, double) { pattern.k.block<3, 3>(3 * a, 3 * b).diagonal().setOnes(); });
    });
  });
  if (!equations_->has_slope) {
    pattern.G = rows;
    return pattern;
  }
  // Functions of the measures depend on all of them.
  const Pattern all = rows.colwise().sum();
  for (Index r = 0; r < multipliers(); ++r)
    pattern.G.row(r) = all;
  pattern.k += all.transpose() * all;
  return pattern;
}

void MeasureInteraction::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  Interaction::evaluate_instant(s, out);
  if (!depends_on_rates())
    return;
  const Vectors v = vectors(s.q);
  double y[most_measures] = {}, rate[most_measures] = {}, F[most_measures] = {};
  add_values(v, y);
  add_rates(v, vectors(s.q_dot), rate);
  equations_->damp(y, rate, F);
  out.viscous += gradient(v) * Eigen::Map<const VecX>(F, equations_->rows);
}

double MeasureInteraction::potential(const NaturalStep& s) const {
  EnergyBooks<double> books;
  Memory memory;
  equations_->book(measure(s, memory), books);
  return books.potential;
}

void MeasureInteraction::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  EnergyBooks<double> of_step;
  Memory memory;
  equations_->book(measure(s, memory), of_step);
  books.dissipation += of_step.dissipation;
}

void MeasureInteraction::advance_history(const NaturalStep& s, HistoryVector& history) const {
  Memory memory;
  const MeasureValues y = measure(s, memory);
  equations_->remember(y, history.data() + (history.size() - equations_->memory));
}

void MeasureInteraction::end_of_constraints(const NaturalStep& s, const NaturalVector& q_dot, MultiplierVector& phi,
                                            MultiplierVector& phi_dot) const {
  Memory memory;
  const MeasureValues y = measure(s, memory);
  double rate[most_measures] = {};
  add_rates(vectors(s.q_n1), vectors(q_dot), rate);
  MeasureAnswer answer;
  const MultiplierVector none = MultiplierVector::Zero(multipliers()); // slopes, which nobody asks for, need them
  equations_->answer(y, none.data(), true, answer);
  for (int r = 0; r < equations_->multipliers; ++r) {
    phi[r] = answer.phi[r];
    phi_dot[r] = answer.phi_t[r];
    for (int i = 0; i < equations_->rows; ++i)
      phi_dot[r] += answer.g[r][i] * rate[i];
  }
}

double MeasureInteraction::bending_length(const MovedStep& s) const {
  const NaturalStep step = natural_step(s);
  const Vectors v_n = vectors(step.q_n), v_n1 = vectors(step.q_n1);
  double least = std::numeric_limits<double>::infinity();
  for (const Term* term = equations_->terms; term != equations_->terms + equations_->term_count; ++term)
    if (term->u == term->v)
      for (const Vectors* v : {&v_n, &v_n1})
        least = std::min(least, (*v)[static_cast<std::size_t>(term->u)].norm());
  return least;
}

} // namespace emmy
