#include "core/port_system.hpp"

#include <utility>

namespace emmy {

namespace {

using Moves = PortUse::Moves;
using Columns = std::array<PortUse::Column, max_port_unknowns>;

Columns columns_of(const Pattern& map) {
  Columns columns{};
  for (Index j = 0; j < map.cols(); ++j) {
    int count = 0, last = 0;
    bool one_component = true;
    for (int i = 0; i < 12; ++i)
      if (map(i, j) != 0) {
        one_component = one_component && (count == 0 || i % 3 == last % 3);
        last = i;
        ++count;
      }
    PortUse::Column& column = columns[static_cast<std::size_t>(j)];
    if (count <= 1)
      column = {Moves::number, last};
    else if (one_component)
      column = {Moves::component, last % 3};
    else
      column = {Moves::any, 0};
  }
  return columns;
}

/// One component of each of the four vectors of a port: twelve numbers of which eight are zero.
struct Component {
  int at;
  Vec4 x;
};

/// The secant map of a port transposed, a column for each number of the port: all that acts goes through it, in sums of
/// whole columns. N is the number of unknowns, where the compiler knows it.
template <int N>
class SecantMap {
public:
  explicit SecantMap(const PortMap& P_bar)
      : P_bar_T_(Eigen::Map<const Eigen::Matrix<double, 12, N>>(P_bar.data(), 12, P_bar.cols()).transpose()) {}

  /// Adds P_bar^T x.
  void add(const double* x, double* z) const {
    Vector sum = Eigen::Map<const Vector>(z, P_bar_T_.rows());
    for (int i = 0; i < 12; ++i)
      sum += P_bar_T_.col(i) * x[i];
    Eigen::Map<Vector>(z, P_bar_T_.rows()) = sum;
  }
  void add(const Component& c, double* z) const {
    Vector sum = Eigen::Map<const Vector>(z, P_bar_T_.rows());
    for (int i = 0; i < 4; ++i)
      sum += P_bar_T_.col(3 * i + c.at) * c.x[i];
    Eigen::Map<Vector>(z, P_bar_T_.rows()) = sum;
  }

private:
  static constexpr int most = N > 0 ? N : max_port_unknowns;
  using Vector = Eigen::Matrix<double, N, 1, Eigen::ColMajor, most, 1>;
  Eigen::Matrix<double, N, 12, Eigen::ColMajor, most, 12> P_bar_T_;
};

/// Adds D^T x.
void add_derivative(const PortMap& D, const Columns& columns, const double* x, double* z) {
  for (Index j = 0; j < D.cols(); ++j) {
    const PortUse::Column column = columns[static_cast<std::size_t>(j)];
    const double* d = D.data() + 12 * j + column.at;
    const double* v = x + column.at;
    if (column.moves == Moves::any)
      z[j] += Eigen::Map<const Vec12>(d).dot(Eigen::Map<const Vec12>(v));
    else if (column.moves == Moves::number)
      z[j] += d[0] * v[0];
    else
      z[j] += d[0] * v[0] + d[3] * v[3] + d[6] * v[6] + d[9] * v[9];
  }
}

/// y += A x, with N columns.
template <int N>
void add_columns(const Gradients& A, const Eigen::Matrix<double, N, 1>& x, double* y) {
  constexpr Index at_once = 6; // of most bodies, and in registers
  const double* a = A.data();
  Index i = 0;
  for (; i + at_once <= A.rows(); i += at_once) {
    using Part = Eigen::Matrix<double, at_once, 1>;
    Part sum = Eigen::Map<const Part>(y + i);
    for (int j = 0; j < N; ++j)
      sum += Eigen::Map<const Part>(a + i + j * A.rows()) * x[j];
    Eigen::Map<Part>(y + i) = sum;
  }
  for (; i < A.rows(); ++i)
    for (int j = 0; j < N; ++j)
      y[i] += a[i + j * A.rows()] * x[j];
}

/// k += A B^T, for N columns.
template <int N>
void add_product(const Gradients& A, const Gradients& B, MatrixRef k) {
  for (Index j = 0; j < B.rows(); ++j) {
    const Eigen::Matrix<double, N, 1> x = B.row(j).head<N>();
    add_columns<N>(A, x, &k(0, j));
  }
}
/// act(n), the number of columns as a constant; nothing if there are none.
template <class Act, int... N>
void with_columns(const Gradients& A, Act act, std::integer_sequence<int, N...>) {
  ((A.cols() == N + 1 ? act(std::integral_constant<int, N + 1>()) : void()), ...);
}
template <class Act>
void with_columns(const Gradients& A, Act act) {
  with_columns(A, act, std::make_integer_sequence<int, max_rows>());
}

/// Adds P_bar^T (W x 1) D.
template <class Secant>
void add_pair(const Mat4& W, const Secant& P_bar, const PortMap& D, const Columns& columns, double* k, Index stride) {
  using ThreeByFour = Eigen::Matrix<double, 3, 4>;
  for (Index j = 0; j < D.cols(); ++j) {
    const PortUse::Column column = columns[static_cast<std::size_t>(j)];
    const double* d = D.data() + 12 * j + column.at;
    double* to = k + stride * j;
    if (column.moves == Moves::any) {
      const ThreeByFour y = Eigen::Map<const ThreeByFour>(d).lazyProduct(W.transpose());
      P_bar.add(y.data(), to);
    } else if (column.moves == Moves::number) {
      P_bar.add(Component{column.at % 3, W.col(column.at / 3) * d[0]}, to);
    } else {
      P_bar.add(Component{column.at, W.lazyProduct(Vec4(d[0], d[3], d[6], d[9]))}, to);
    }
  }
}

/// Adds P_bar^T k D.
template <class Secant>
void add_dense(const Mat12& of_ports, const Secant& P_bar, const PortMap& D, double* k, Index stride) {
  for (Index j = 0; j < D.cols(); ++j) {
    const Vec12 y = of_ports.lazyProduct(D.col(j));
    P_bar.add(y.data(), k + stride * j);
  }
}

/// One pull-back: everything that goes through the secant map of one port after the other.
class PullBack {
public:
  PullBack(const std::vector<PortUse>& uses, const MovedStep& s, const PortSystem& system, LocalSystem& out)
      : uses_(uses), s_(s), system_(system), out_(out), unknowns_(uses.back().offset + uses.back().size()) {}

  void run() {
    if (system_.rows > 0)
      pull_end_rows();
    for (std::size_t u = 0; u < uses_.size(); ++u)
      switch (uses_[u].size()) { // loops of known length are several times faster
      case 0:
        break;
      case 3:
        through(u, SecantMap<3>(motion(uses_[u]).P_bar));
        break;
      case 6:
        through(u, SecantMap<6>(motion(uses_[u]).P_bar));
        break;
      case 12:
        through(u, SecantMap<12>(motion(uses_[u]).P_bar));
        break;
      default:
        through(u, SecantMap<Eigen::Dynamic>(motion(uses_[u]).P_bar));
      }
    if (system_.rows > 0)
      add_rows();
  }

private:
  const PortMotion& motion(const PortUse& use) const { return s_.motions[static_cast<std::size_t>(use.port)]; }

  void pull_end_rows() {
    G_bar_.setZero(unknowns_, system_.rows);
    G_.setZero(unknowns_, system_.rows);
    for (std::size_t u = 0; u < uses_.size(); ++u)
      for (int i = 0; uses_[u].moves() && i < system_.rows; ++i)
        add_derivative(motion(uses_[u]).D, uses_[u].D, system_.G[u].data() + 12 * i, &G_(uses_[u].offset, i));
  }

  template <class Secant>
  void through(std::size_t u, const Secant& P_bar) {
    const PortUse& use = uses_[u];
    for (int i = 0; i < system_.rows; ++i)
      P_bar.add(system_.G_bar[u].data() + 12 * i, &G_bar_(use.offset, i));
    for (std::size_t v = 0; v < uses_.size(); ++v) {
      const PortUse& of = uses_[v];
      if (!of.moves())
        continue;
      double* block = &out_.k(use.offset, of.offset);
      if (system_.has_W[u][v])
        add_pair(system_.W[u][v], P_bar, motion(of).D, of.D, block, out_.k.outerStride());
      if (system_.has_k[u][v])
        add_dense(system_.k[u][v], P_bar, motion(of).D, block, out_.k.outerStride());
    }
    use.connectivity->add_geometric(s_, motion(use), system_.f[u],
                                    out_.k.block(use.offset, use.offset, use.size(), use.size()));
  }

  void add_rows() {
    if (system_.slope != nullptr)
      add_slope(system_.slope, G_bar_, G_, out_.k);
    const int m = system_.multipliers;
    if (m == 0)
      return;
    out_.k.block(0, unknowns_, unknowns_, m) += of_constraints(system_.g_bar, m, G_bar_);
    out_.k.block(unknowns_, 0, m, unknowns_) += of_constraints(system_.g, m, G_).transpose();
  }

  const std::vector<PortUse>& uses_;
  const MovedStep& s_;
  const PortSystem& system_;
  LocalSystem& out_;
  Index unknowns_;
  Gradients G_bar_, G_; // in the unknowns
};

} // namespace

PortUse::PortUse(Index of_port, const Connectivity& of, Index first)
    : port(of_port), connectivity(&of), offset(first), D(columns_of(of.map_pattern().D)) {}

void add_slope(OfRows slope, const Gradients& G_bar, const Gradients& G, MatrixRef k) {
  Gradients A(G.rows(), G.cols()), B = Gradients::Zero(G.rows(), G.cols()); // of the rows on which forces depend
  Index count = 0;
  for (Index i = 0; i < G.cols(); ++i) {
    const Eigen::Map<const Eigen::Matrix<double, max_rows, 1>> of_row(slope[i]);
    if (of_row.head(G.cols()).isZero(0))
      continue;
    with_columns(G, [&](auto n) { add_columns<n>(G, of_row.head<n>(), &B(0, count)); });
    A.col(count++) = G_bar.col(i);
  }
  A.conservativeResize(Eigen::NoChange, count);
  B.conservativeResize(Eigen::NoChange, count);
  with_columns(A, [&](auto n) { add_product<n>(A, B, k); });
}

Gradients of_constraints(OfRows g, int multipliers, const Gradients& G) {
  if (g == nullptr)
    return G;
  Gradients sum = Gradients::Zero(G.rows(), multipliers);
  for (int r = 0; r < multipliers; ++r)
    for (Index i = 0; i < G.cols(); ++i)
      if (g[r][i] != 0)
        sum.col(r) += g[r][i] * G.col(i);
  return sum;
}

void pull_back(const std::vector<PortUse>& uses, const MovedStep& s, const PortSystem& system, LocalSystem& out) {
  PullBack(uses, s, system, out).run();
}

} // namespace emmy
