#pragma once
/// Springs and dampers between two bodies as measures with a response. Each line F . dy = change of V + dissipation is
/// exact, whatever the step.

#include "elements/forces/spring_law.hpp"
#include "elements/joints/angle_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// V = k (L - L0)²/2 along the line between two points [T8], and the force c dL/dt.
///
///   y    d . d / 2
///   l    L_n + L_n1 [m];  dL = 2 dy / l, without the cancellation of two lengths [m]
///   S    tension per length, S = 2 F / l: k (1 - 2 L0/l) [T10] and the damper [N/m]
///
/// With L0 = 0 there is no singularity, S = k. Otherwise points that coincide have no line to act along, and the spring
/// does nothing until they part.
struct SpringDamperEquations {
  static constexpr const char* name = "spring damper";
  enum { d };
  static constexpr On vectors[] = {On::span};
  static constexpr int rows = 1;
  static constexpr Term terms[] = {dot(0, d, d, 0.5)};
  template <class T>
  using Numbers = SpringLawOf<T>;

  template <class T>
  struct Stretch {
    T L_n1, l, dL;
    EMMY_INLINE explicit Stretch(const MeasureStep<T, 1>& y) {
      L_n1 = square_root(2 * y.n1[0]);
      l = square_root(2 * y.n[0]) + L_n1;
      dL = 2 * y.d[0] / (l > 0 ? l : T{} + 1);
    }
  };
  template <bool Tangent, class T>
  EMMY_INLINE static void respond(const MeasureStep<T, 1>& y, const Numbers<T>& p, Response<T, 1>& out) {
    const Stretch<T> x(y);
    const T l = x.l > 0 ? x.l : T{} + 1;
    const T S = x.l > 0 ? 2 * p.force(0.5 * x.l, x.dL, y.inv_h) / l : p.k; // [T10]
    out.F[0] = S;
    if constexpr (Tangent) { // [T12]
      const T L_n1 = x.L_n1 > 0 ? x.L_n1 : T{} + 1;
      out.slope(0, 0) = x.L_n1 > 0 ? (2 * p.slope(y.inv_h) - S) / (l * L_n1) : T{};
    }
  }
  template <class T>
  static void book(const MeasureStep<T, 1>& y, const Numbers<T>& p, EnergyBooks<T>& books) {
    const Stretch<T> x(y);
    books.potential = books.potential + p.potential(x.L_n1);
    books.dissipation = books.dissipation + p.dissipation(x.dL, y.inv_h);
  }
  /// Force of the damper at an instant, by the measure: c (d . d_dot) / L² d.
  template <class T>
  static void damp(const VN<T, 1>& y, const VN<T, 1>& rate, const Numbers<T>& p, VN<T, 1>& F) {
    F[0] = y[0] > 0 ? p.c * rate[0] / (2 * (y[0] > 0 ? y[0] : T{} + 1)) : T{};
  }
};

/// Along the axis of a sliding joint, y = n . d.
struct TranslationalSpringEquations {
  static constexpr const char* name = "translational spring damper";
  enum { d, n };
  static constexpr On vectors[] = {On::span, On::first};
  static constexpr int rows = 1;
  static constexpr Term terms[] = {dot(0, n, d)};
  template <class T>
  using Numbers = SpringLawOf<T>;

  template <bool Tangent, class T>
  EMMY_INLINE static void respond(const MeasureStep<T, 1>& y, const Numbers<T>& p, Response<T, 1>& out) {
    out.F[0] = p.force(y.n[0] + 0.5 * y.d[0], y.d[0], y.inv_h);
    if constexpr (Tangent)
      out.slope(0, 0) = p.slope(y.inv_h);
  }
  template <class T>
  static void book(const MeasureStep<T, 1>& y, const Numbers<T>& p, EnergyBooks<T>& books) {
    books.potential = books.potential + p.potential(y.n1[0]);
    books.dissipation = books.dissipation + p.dissipation(y.d[0], y.inv_h);
  }
  template <class T>
  static void damp(const VN<T, 1>&, const VN<T, 1>& rate, const Numbers<T>& p, VN<T, 1>& F) {
    F[0] = p.c * rate[0];
  }
};

/// About the axis of a joint: V = k (phi - phi0)²/2 and the moment c dphi/dt, phi the angle [D18]. The memory is phi at
/// the start of the step, which nothing but its full turns is taken from.
struct RotationalSpringEquations {
  static constexpr const char* name = "rotational spring damper";
  enum { s1, s2, t1 };
  static constexpr On vectors[] = {On::first, On::first, On::second};
  static constexpr int rows = 2, memory = 1;
  static constexpr Term terms[] = {dot(0, s1, t1), dot(1, s2, t1)};
  template <class T>
  using Numbers = SpringLawOf<T>;

  template <class T>
  EMMY_INLINE static AngleStep<T> angle(const MeasureStep<T, 2>& y) {
    return {y.n[0], y.n[1], y.n1[0], y.n1[1]};
  }
  template <bool Tangent, class T>
  EMMY_INLINE static void respond(const MeasureStep<T, 2>& y, const Numbers<T>& p, Response<T, 2>& out) {
    const AngleStep<T> phi = angle(y);
    const T M = p.force(phi.start(y.memory[0]) + 0.5 * phi.theta, phi.theta, y.inv_h);
    T g_bar[2], g[2], k[4];
    phi.gradient(g_bar);
    for (int i = 0; i < 2; ++i)
      out.F[i] = M * g_bar[i];
    if constexpr (Tangent) {
      phi.end_gradient(g);
      phi.gradient_slope(k);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          out.slope(i, j) = M * k[2 * i + j] + p.slope(y.inv_h) * g_bar[i] * g[j];
    }
  }
  template <class T>
  static void book(const MeasureStep<T, 2>& y, const Numbers<T>& p, EnergyBooks<T>& books) {
    const AngleStep<T> phi = angle(y);
    books.potential = books.potential + p.potential(phi.counted(phi.start(y.memory[0])));
    books.dissipation = books.dissipation + p.dissipation(phi.theta, y.inv_h);
  }
  template <class T>
  static void remember(const MeasureStep<T, 2>& y, const Numbers<T>&, T* memory_n1) {
    const AngleStep<T> phi = angle(y);
    memory_n1[0] = phi.counted(phi.start(y.memory[0]));
  }
  template <class T>
  static void damp(const VN<T, 2>& y, const VN<T, 2>& rate, const Numbers<T>& p, VN<T, 2>& F) {
    const T scale = 1 / dot(y, y), phi_dot = scale * (y[0] * rate[1] - y[1] * rate[0]);
    F[0] = -scale * p.c * phi_dot * y[1];
    F[1] = scale * p.c * phi_dot * y[0];
  }
};

/// Elastic support of body J on body I: V = (y - y0)^T K (y - y0)/2, damping C dy/dt. Displacements along the axes of
/// I, rotations as sines.
struct BushingEquations {
  static constexpr const char* name = "bushing";
  enum { d, s1, s2, s3, t1, t2, t3 };
  static constexpr On vectors[] = {On::span, On::first, On::first, On::first, On::second, On::second, On::second};
  static constexpr int rows = 6;
  static constexpr Term terms[] = {dot(0, s1, d),        dot(1, s2, d),        dot(2, s3, d),
                                   dot(3, s3, t2, 0.5),  dot(3, s2, t3, -0.5), dot(4, s1, t3, 0.5),
                                   dot(4, s3, t1, -0.5), dot(5, s2, t1, 0.5),  dot(5, s1, t2, -0.5)};
  template <class T>
  struct Numbers {
    MN<T, 6> K, C; ///< symmetric
    VN<T, 6> y0;   ///< where it is at ease
  };

  template <bool Tangent, class T>
  EMMY_INLINE static void respond(const MeasureStep<T, 6>& y, const Numbers<T>& p, Response<T, 6>& out) {
    out.F = p.K * (y.n + 0.5 * y.d - p.y0) + y.inv_h * (p.C * y.d);
    if constexpr (Tangent)
      out.slope = 0.5 * p.K + y.inv_h * p.C; // derivative of F by y at the end
  }
  template <class T>
  static void book(const MeasureStep<T, 6>& y, const Numbers<T>& p, EnergyBooks<T>& books) {
    const VN<T, 6> x = y.n1 - p.y0;
    books.potential = books.potential + 0.5 * dot(x, p.K * x);
    books.dissipation = books.dissipation + y.inv_h * dot(y.d, p.C * y.d);
  }
  template <class T>
  static void damp(const VN<T, 6>&, const VN<T, 6>& rate, const Numbers<T>& p, VN<T, 6>& F) {
    F = p.C * rate;
  }
};

} // namespace EMMY_ISA
} // namespace emmy
