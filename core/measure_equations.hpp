#pragma once
/// The equations of measures.hpp as objects, with lists and numbers of one element that can be read at run time: for
/// ports of every kind, for books, and for whoever asks. InteractionOf<E> makes them from a type E.

#include "core/measures.hpp"

namespace emmy {

inline constexpr int most_measures = 7, most_measure_multipliers = 6;

/// Measures over a step, as in MeasureStep.
struct MeasureValues {
  double n[most_measures], n1[most_measures], d[most_measures];
  double inv_h = 0;
  const double* memory = nullptr;
};

/// Response or Constraint: forces have F and slope, joints all but F, which is g_bar^T lambda.
struct MeasureAnswer {
  double F[most_measures];
  double slope[most_measures][most_measures];
  double phi[most_measure_multipliers], phi_t[most_measure_multipliers];
  double g_bar[most_measure_multipliers][most_measures], g[most_measure_multipliers][most_measures];
};

class MeasureEquations {
public:
  virtual ~MeasureEquations() = default;
  MeasureEquations(const MeasureEquations&) = delete;
  MeasureEquations& operator=(const MeasureEquations&) = delete;

  // what the type of the element says
  const char* name;
  const On* vectors;
  int vector_count;
  const Term* terms;
  int term_count;
  int rows, multipliers, memory;
  bool has_slope; ///< F depends on the measures
  /// Of an element whose one row is a sum of two halves: the kernels of both, one between its first and second body,
  /// the other between its third and fourth. Null for all others.
  const char* const* shares;
  const double* numbers; ///< constants of this element
  int number_count;

  virtual void answer(const MeasureValues& y, const double* lambda, bool tangent, MeasureAnswer& out) const = 0;
  virtual void book(const MeasureValues& y, EnergyBooks<double>& books) const = 0;
  /// Writes the memory after the step, but for what does not change.
  virtual void remember(const MeasureValues& y, double* memory_n1) const = 0;
  /// Forces of dampers at an instant, by measures that have these values and rates.
  virtual void damp(const double* y, const double* rate, double* F) const = 0;

protected:
  MeasureEquations() = default;
};

/// True if points meet, in the first three rows.
inline bool coincides(const MeasureEquations& equations) {
  return equations.terms[0].v == itself;
}
/// True if nothing else is kept.
inline bool is_ball_joint(const MeasureEquations& equations) {
  return coincides(equations) && equations.term_count == 1;
}

/// True if a span is multiplied with itself: its force turns with it.
inline bool has_square(const MeasureEquations& equations) {
  for (int i = 0; i < equations.term_count; ++i)
    if (equations.terms[i].u == equations.terms[i].v)
      return true;
  return false;
}

template <class E>
class EquationsOf final : public MeasureEquations {
public:
  using Numbers = typename E::template Numbers<double>;

  explicit EquationsOf(const Numbers& of_element) : numbers_(of_element) {
    static_assert(E::rows <= most_measures && multipliers_of<E> <= most_measure_multipliers);
    name = E::name;
    vectors = E::vectors;
    vector_count = Shape<E>::vectors;
    terms = E::terms;
    term_count = Shape<E>::terms;
    rows = E::rows;
    multipliers = multipliers_of<E>;
    memory = memory_of<E>;
    has_slope = multipliers_of<E> == 0 || has_functions<E>;
    shares = shares_of<E>;
    numbers = reinterpret_cast<const double*>(&numbers_); // doubles alone
    number_count = std::is_empty_v<Numbers> ? 0 : static_cast<int>(sizeof(Numbers) / sizeof(double));
  }

  const Numbers& constants() const { return numbers_; }

  void answer(const MeasureValues& y, const double* lambda, bool tangent, MeasureAnswer& out) const override {
    if (tangent)
      answer_with<true>(y, lambda, out);
    else
      answer_with<false>(y, lambda, out);
  }
  void book([[maybe_unused]] const MeasureValues& y, [[maybe_unused]] EnergyBooks<double>& books) const override {
    if constexpr (multipliers_of<E> == 0)
      E::book(step_of(y), numbers_, books);
  }
  void remember([[maybe_unused]] const MeasureValues& y, [[maybe_unused]] double* memory_n1) const override {
    if constexpr (memory_of < E >> 0)
      E::remember(step_of(y), numbers_, memory_n1);
  }
  void damp([[maybe_unused]] const double* y, [[maybe_unused]] const double* rate, double* F) const override {
    if constexpr (multipliers_of<E> == 0) {
      VN<double, E::rows> at, at_rate, force;
      for (int i = 0; i < E::rows; ++i) {
        at[i] = y[i];
        at_rate[i] = rate[i];
      }
      E::damp(at, at_rate, numbers_, force);
      for (int i = 0; i < E::rows; ++i)
        F[i] = force[i];
    } else {
      for (int i = 0; i < E::rows; ++i)
        F[i] = 0;
    }
  }

private:
  static MeasureStep<double, E::rows> step_of(const MeasureValues& y) {
    MeasureStep<double, E::rows> step;
    for (int i = 0; i < E::rows; ++i) {
      step.n[i] = y.n[i];
      step.n1[i] = y.n1[i];
      step.d[i] = y.d[i];
    }
    step.inv_h = y.inv_h;
    step.memory = y.memory;
    return step;
  }

  template <bool Tangent>
  void answer_with(const MeasureValues& y, [[maybe_unused]] const double* lambda, MeasureAnswer& out) const {
    constexpr int M = E::rows, R = multipliers_of<E>;
    if constexpr (R == 0) {
      Response<double, M> response;
      E::template respond<Tangent>(step_of(y), numbers_, response);
      for (int i = 0; i < M; ++i) {
        out.F[i] = response.F[i];
        for (int j = 0; Tangent && j < M; ++j)
          out.slope[i][j] = response.slope(i, j);
      }
    } else if constexpr (has_functions<E>) {
      Constraint<double, R, M> constraint;
      E::template constrain<Tangent>(step_of(y), numbers_, lambda, constraint);
      for (int r = 0; r < R; ++r) {
        out.phi[r] = constraint.phi[r];
        out.phi_t[r] = Tangent ? constraint.phi_t[r] : 0;
        for (int i = 0; i < M; ++i) {
          out.g_bar[r][i] = constraint.g_bar[r][i];
          out.g[r][i] = Tangent ? constraint.g[r][i] : 0;
        }
      }
      for (int i = 0; Tangent && i < M; ++i)
        for (int j = 0; j < M; ++j)
          out.slope[i][j] = constraint.slope(i, j);
    } else {
      for (int r = 0; r < R; ++r) {
        out.phi[r] = y.n1[r];
        out.phi_t[r] = 0;
        for (int i = 0; i < M; ++i)
          out.g_bar[r][i] = out.g[r][i] = r == i ? 1 : 0;
      }
    }
  }

  Numbers numbers_;
};

} // namespace emmy
