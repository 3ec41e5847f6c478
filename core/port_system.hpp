#pragma once
/// Equations of an element in the twelve numbers of each of its ports, and the way from there to the unknowns of
/// whatever formulation the bodies have [F7], [M4]:
///   r_z  = P_bar^T f                                                   f = sum of F_i G_bar_i
///   k_zz = P_bar^T (G_bar^T slope G + W x 1 + k) D + derivative of P_bar^T at fixed f
///   k_zλ = P_bar^T G_bar^T g_bar^T                                     k_λz = g G D
/// Rows go through the maps once, as vectors; what forces turn with are numbers W. A matrix of twelve by twelve is
/// pulled back only for elements that are no functions of rows.

#include "core/element.hpp"

#include <array>

namespace emmy {

inline constexpr int max_ports = 4;
inline constexpr int max_rows = 7;
inline constexpr int max_multipliers = 6;

using Mat4 = Eigen::Matrix4d;
using Mat12 = Eigen::Matrix<double, 12, 12>;
/// Gradients of rows by a port, one in each column.
using PortRows = Eigen::Matrix<double, 12, Eigen::Dynamic, Eigen::ColMajor, 12, max_rows>;
/// The same by all variables of an element, be they unknowns or natural.
using Gradients =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_ports * max_port_unknowns, max_rows>;
/// For each row or multiplier, numbers of all rows.
using OfRows = const double (*)[max_rows];
template <class T>
using OfPorts = std::array<T, max_ports>;

/// A port as one element uses it.
struct PortUse {
  PortUse(Index port, const Connectivity& connectivity, Index offset);

  Index port;
  const Connectivity* connectivity;
  Index offset; ///< of its unknowns among those of the element

  /// What an unknown moves: nothing else in a column of D is looked at.
  enum class Moves { any, component, number };
  struct Column {
    Moves moves;
    int at; ///< component 0 to 2 of each of the four vectors, or number 0 to 11
  };
  std::array<Column, max_port_unknowns> D;

  Index size() const { return connectivity->unknowns(); }
  bool moves() const { return size() > 0; }
};

struct PortSystem {
  OfPorts<Vec12> f; ///< with the sign of a residual

  // The rest belongs to the tangent.
  int rows = 0;
  OfPorts<PortRows> G_bar, G; ///< gradients of the rows: discrete, and at n+1
  OfRows slope = nullptr;     ///< derivative of F by the rows at n+1; none: F does not depend on them

  int multipliers = 0;
  OfRows g_bar = nullptr, g = nullptr; ///< constraints by rows; none: they are the rows themselves

  OfPorts<OfPorts<bool>> has_W{}, has_k{};
  OfPorts<OfPorts<Mat4>> W;  ///< derivative of f by the four vectors of a port at n+1: numbers times the unit matrix
  OfPorts<OfPorts<Mat12>> k; ///< what else there is of this derivative
};

/// Adds G_bar^T slope G.
void add_slope(OfRows slope, const Gradients& G_bar, const Gradients& G, MatrixRef k);

/// Gradients of constraints with the derivatives g by rows; none: they are the rows themselves.
Gradients of_constraints(OfRows g, int multipliers, const Gradients& G);

/// Adds the tangent in the unknowns of the ports; forces are pulled back by natural variables [pull_forces.hpp].
void pull_back(const std::vector<PortUse>& uses, const MovedStep& s, const PortSystem& system, LocalSystem& out);

} // namespace emmy
