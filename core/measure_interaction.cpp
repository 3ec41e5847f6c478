#include "core/measure_interaction.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace emmy {

MeasureInteraction::MeasureInteraction(std::string name, std::string kind, const Ports& ports,
                                       std::vector<NaturalVariable> ends, std::unique_ptr<MeasureEquations>&& equations,
                                       const InteractionFacts& facts)
    : Interaction(std::move(name), std::move(kind), ports, std::move(ends), facts), equations_(std::move(equations)) {
  int end = 0;
  for (int i = 0; i < equations_->vector_count; ++i) {
    first_end_[static_cast<std::size_t>(i)] = end;
    end += is_span(equations_->vectors[i]) ? 2 : 1;
  }
  if (end != static_cast<int>(variables().size()) || equations_->vector_count > most_vectors ||
      equations_->multipliers != facts.rows.count())
    throw std::invalid_argument("element '" + this->name() + "' has other vectors or multipliers than its equations");
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

/// Gradient at v times how the vectors change: at the mean of a step its change by the discrete gradient [D15].
void MeasureInteraction::add_rates(const Vectors& v, const Vectors& rate, double* y) const {
  for_terms(*equations_, v, [&](const Term& term, const Vec3& a, const Vec3& b) {
    const Vec3& a_dot = rate[static_cast<std::size_t>(term.u)];
    if (term.v == itself)
      Eigen::Map<Vec3>(y + term.row) += term.factor * a_dot;
    else
      y[term.row] += term.factor * (a_dot.dot(b) + a.dot(rate[static_cast<std::size_t>(term.v)]));
  });
}

/// By natural variables.
MeasureInteraction::Rows MeasureInteraction::gradient(const Vectors& v) const {
  Rows G = Rows::Zero(equations_->rows, static_cast<Index>(3 * variables().size()));
  for_terms(*equations_, v, [&](const Term& term, const Vec3& a, const Vec3& b) {
    const auto add = [&](int vector, const Vec3& other) {
      for_ends(vector, [&](int end, double sign) {
        G.block<1, 3>(term.row, 3 * end) += sign * term.factor * other.transpose();
      });
    };
    if (term.v == itself) {
      for_ends(term.u, [&](int end, double sign) {
        G.block<3, 3>(term.row, 3 * end).diagonal().array() += sign * term.factor;
      });
    } else {
      add(term.u, b);
      add(term.v, a);
    }
  });
  return G;
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

void MeasureInteraction::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const int M = equations_->rows, R = equations_->multipliers;
  Memory memory;
  const MeasureValues y = measure(s, memory);
  MeasureAnswer answer;
  equations_->answer(y, s.lambda.data(), out.tangent, answer);
  const Rows G_bar = gradient(vectors(s.q_m)); // [D15]
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_measures, 1>;
  Vector F = Vector::Zero(M);
  if (R == 0) {
    F = Eigen::Map<const VecX>(answer.F, M);
    out.r += G_bar.transpose() * F;
  }
  const Rows G = out.tangent ? gradient(vectors(s.q_n1)) : Rows();
  for (int r = 0; r < R; ++r) {
    out.phi[r] = answer.phi[r];
    for (int i = 0; i < M; ++i) {
      const double weight = answer.g_bar[r][i], weight_n1 = answer.g[r][i];
      F[i] += weight * s.lambda[r];
      if (weight != 0)
        out.G_bar.row(r) += weight * G_bar.row(i);
      if (out.tangent && weight_n1 != 0)
        out.G.row(r) += weight_n1 * G.row(i);
    }
    if (out.tangent)
      out.phi_t[r] = answer.phi_t[r];
  }
  if (!out.tangent)
    return;
  if (equations_->has_slope)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < M; ++j)
        if (answer.slope[i][j] != 0)
          out.k.noalias() += answer.slope[i][j] * G_bar.row(i).transpose() * G.row(j);
  for (const Term* term = equations_->terms; term != equations_->terms + equations_->term_count; ++term) {
    if (term->v == itself)
      continue;                                       // linear
    const double w = term->factor * F[term->row] / 2; // [D16]: the mean moves half as far as the end point
    for_ends(term->u, [&](int a, double sign_a) {
      for_ends(term->v, [&](int b, double sign_b) {
        out.k.block<3, 3>(3 * a, 3 * b).diagonal().array() += sign_a * sign_b * w;
        out.k.block<3, 3>(3 * b, 3 * a).diagonal().array() += sign_a * sign_b * w;
      });
    });
  }
}

NaturalPattern MeasureInteraction::natural_pattern() const {
  const auto n = static_cast<Index>(3 * variables().size());
  Pattern rows = Pattern::Zero(equations_->rows, n);
  NaturalPattern pattern{Pattern::Zero(n, n), Pattern::Zero(multipliers(), n)};
  for (const Term* term = equations_->terms; term != equations_->terms + equations_->term_count; ++term) {
    if (term->v == itself) {
      for_ends(term->u, [&](int end, double) { rows.block<3, 3>(term->row, 3 * end).diagonal().setOnes(); });
      continue;
    }
    for_ends(term->u, [&](int a, double) {
      rows.block<1, 3>(term->row, 3 * a).setOnes();
      for_ends(term->v, [&](int b, double) {
        rows.block<1, 3>(term->row, 3 * b).setOnes();
        pattern.k.block<3, 3>(3 * a, 3 * b).diagonal().setOnes();
        pattern.k.block<3, 3>(3 * b, 3 * a).diagonal().setOnes();
      });
    });
  }
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
  out.viscous += gradient(v).transpose() * Eigen::Map<const VecX>(F, equations_->rows);
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
