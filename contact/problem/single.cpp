#include "contact/problem/single.hpp"

#include <cmath>
#include <limits>

namespace emmy::contact {

namespace {

using Vec2 = Eigen::Vector2d;

/// [R9] in axes of the tangent plane in which S is diagonal. Slip is u_t = -lambda I_t, stick lambda = 0.
struct Sliding {
  double W_nn, q_n, mu;
  Vec2 W_nt, s, b;

  Vec2 tangential(double lambda) const {
    Vec2 I;
    for (Index i = 0; i < 2; ++i)
      I[i] = b[i] == 0 ? 0 : -b[i] / (s[i] + lambda); // a direction that cannot move is never pushed
    return I;
  }
  double normal(const Vec2& I) const { return -(q_n + W_nt.dot(I)) / W_nn; }
  double excess(double lambda) const {
    const Vec2 I = tangential(lambda);
    return I.norm() - mu * normal(I);
  }
  double slope(double lambda) const {
    const Vec2 I = tangential(lambda);
    const Vec2 dI = -I.cwiseQuotient(s + Vec2::Constant(lambda));
    return I.dot(dI) / I.norm() + mu * W_nt.dot(dI) / W_nn;
  }
  double root() const;
};

/// The excess is positive at 0 and negative at infinity. Newton's method, held within a bracket.
double Sliding::root() const {
  double low = 0, high = std::max({s[0], s[1], W_nn});
  while (excess(high) > 0 && high < std::numeric_limits<double>::max() / 4) {
    low = high;
    high *= 4;
  }
  double lambda = low;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  for (int i = 0; i < 200 && high - low > rounding * high; ++i) {
    double next = lambda - excess(lambda) / slope(lambda);
    if (!(next > low && next < high))
      next = low + (high - low) / 2;
    const bool done = std::abs(next - lambda) <= rounding * next;
    lambda = next;
    if (done)
      break;
    (excess(lambda) > 0 ? low : high) = lambda;
  }
  return lambda;
}

} // namespace

Vec3 solve_single(const ContactLaw& law, const Mat3& W, const Vec3& q) {
  if (law.kind == ContactLaw::Kind::both_sided)
    return -(W.ldlt().solve(q)); // [Q15]
  const Vec3& n = law.normal;
  const double q_n = n.dot(q);
  if (!(q_n < 0))
    return Vec3::Zero();
  const Vec3 W_n = W * n;
  const double W_nn = n.dot(W_n);
  if (!(law.friction > 0))
    return -q_n / W_nn * n;

  const Vec3 t_1 = n.unitOrthogonal(), t_2 = n.cross(t_1);
  Eigen::Matrix<double, 3, 2> T;
  T << t_1, t_2;
  const Vec2 W_tn = T.transpose() * W_n;
  const Eigen::Matrix2d S = T.transpose() * W * T - W_tn * W_tn.transpose() / W_nn;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes;
  axes.computeDirect(S);
  const Eigen::Matrix2d& turn = axes.eigenvectors();
  const Sliding sliding{W_nn,
                        q_n,
                        law.friction,
                        turn.transpose() * W_tn,
                        axes.eigenvalues().cwiseMax(0.0),
                        turn.transpose() * (T.transpose() * q - W_tn * (q_n / W_nn))};
  const double lambda = sliding.excess(0) <= 0 ? 0 : sliding.root();
  const Vec2 I = sliding.tangential(lambda);
  return sliding.normal(I) * n + T * (turn * I); // [R9]
}

} // namespace emmy::contact
