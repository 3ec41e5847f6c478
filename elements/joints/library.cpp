// The joints as compositions: each reads like its line in docs/theory/joints.md.
#include "elements/joints/joint.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

constexpr double two_pi = 6.283185307179586;

/// Columns of JointSide::axes.
enum Axis { n, s1, s2 };

/// Collects the natural variables that are needed, each once, and the rows.
class Composer {
public:
  Composer(const Ports& ports, const JointSide& I, const JointSide& J) : ports_(ports), I_(I), J_(J) {
    c_.variables = {body_point(I.port, I.at), body_point(J.port, J.at)};
    on_I_.fill(-1);
    on_J_.fill(-1);
  }

  Composer& coincidence() { return row(Coincidence{0, 1}); }
  Composer& dot(Axis on_I, Axis on_J) { return row(Dot{of_I(on_I), of_J(on_J)}); }
  Composer& slide(Axis on_I) { return row(Slide{of_I(on_I), 0, 1}); }
  Composer& distance(double length) { return row(Distance{0, 1, length}, 1 / length); }
  /// The axes n are parallel.
  Composer& parallel() { return dot(n, s1).dot(n, s2); }
  /// a_I . a_J = b_I . b_J.
  Composer& equal_dots(Axis a_I, Axis a_J, Axis b_I, Axis b_J) {
    c_.terms.push_back({Dot{of_I(b_I), of_J(b_J)}, c_.rows, -1});
    return dot(a_I, a_J);
  }
  /// Displacement along n is the pitch for every turn. Comes first, since an angle wants its variables side by side.
  Composer& screw(double pitch) {
    c_.angles.push_back({static_cast<int>(c_.variables.size()), -pitch / two_pi});
    c_.offset_row = c_.rows;
    c_.period = std::abs(pitch);
    of_I(s1);
    of_I(s2);
    of_J(s1);
    return slide(n);
  }

  Composer& angle(const char* name = "angle") {
    c_.coordinates.push_back(CoordinateMeasure::angle(name, ports_, I(s1), I(s2), J(s1)));
    return *this;
  }
  Composer& displacement(Axis along, const char* name = "displacement") {
    c_.coordinates.push_back(CoordinateMeasure::displacement(name, ports_, I(along), c_.variables[0], c_.variables[1]));
    return *this;
  }
  Composer& length() {
    c_.coordinates.push_back(CoordinateMeasure::length("length", ports_, c_.variables[0], c_.variables[1]));
    return *this;
  }
  /// Turns J = I rot(s1, angle1) rot(s2, angle2): the first carries s2 of J towards n of I, the second, seen from J,
  /// carries s1 of I towards n of J.
  Composer& cross_angles() {
    c_.coordinates.push_back(CoordinateMeasure::angle("angle1", ports_, I(s2), I(n), J(s2)));
    c_.coordinates.push_back(CoordinateMeasure::angle("angle2", ports_, J(s1), J(n), I(s1)));
    return *this;
  }

  std::unique_ptr<Joint> make(std::string name, const char* kind) {
    return std::make_unique<Joint>(std::move(name), kind, ports_, std::move(c_));
  }

private:
  NaturalVariable I(Axis axis) const { return body_direction(I_.port, I_.axes.col(axis)); }
  NaturalVariable J(Axis axis) const { return body_direction(J_.port, J_.axes.col(axis)); }

  int number(int& known, const NaturalVariable& variable) {
    if (known < 0) {
      known = static_cast<int>(c_.variables.size());
      c_.variables.push_back(variable);
    }
    return known;
  }
  int of_I(Axis axis) { return number(on_I_[axis], I(axis)); }
  int of_J(Axis axis) { return number(on_J_[axis], J(axis)); }

  Composer& row(const Primitive& primitive, double factor = 1) {
    c_.terms.push_back({primitive, c_.rows, factor});
    c_.rows += rows(primitive);
    return *this;
  }

  const Ports& ports_;
  const JointSide &I_, &J_;
  JointComposition c_;
  std::array<int, 3> on_I_, on_J_; // which variable is an axis, -1: none yet
};

} // namespace

std::unique_ptr<Joint> spherical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J).coincidence().make(std::move(name), "spherical joint");
}

std::unique_ptr<Joint> revolute_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J).coincidence().parallel().angle().make(std::move(name), "revolute joint");
}

std::unique_ptr<Joint> prismatic_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J)
      .slide(s1)
      .slide(s2)
      .parallel()
      .dot(s1, s2)
      .displacement(n)
      .make(std::move(name), "prismatic joint");
}

std::unique_ptr<Joint> cylindrical_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J)
      .slide(s1)
      .slide(s2)
      .parallel()
      .displacement(n)
      .angle()
      .make(std::move(name), "cylindrical joint");
}

std::unique_ptr<Joint> screw_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                   double pitch) {
  if (pitch == 0)
    throw std::invalid_argument("screw joint '" + name + "' has no pitch");
  return Composer(ports, I, J)
      .screw(pitch)
      .slide(s1)
      .slide(s2)
      .parallel()
      .displacement(n)
      .angle()
      .make(std::move(name), "screw joint");
}

std::unique_ptr<Joint> universal_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J).coincidence().dot(s1, s2).cross_angles().make(std::move(name), "universal joint");
}

std::unique_ptr<Joint> constant_velocity_joint(std::string name, const Ports& ports, const JointSide& I,
                                               const JointSide& J) {
  return Composer(ports, I, J)
      .coincidence()
      .equal_dots(s1, s2, s2, s1)
      .make(std::move(name), "constant velocity joint");
}

std::unique_ptr<Joint> planar_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J)
      .slide(n)
      .parallel()
      .displacement(s1, "displacement1")
      .displacement(s2, "displacement2")
      .angle()
      .make(std::move(name), "planar joint");
}

std::unique_ptr<Joint> fixed_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J) {
  return Composer(ports, I, J).coincidence().dot(n, s1).dot(s1, s2).dot(s2, n).make(std::move(name), "fixed joint");
}

std::unique_ptr<Joint> distance_joint(std::string name, const Ports& ports, const JointSide& I, const JointSide& J,
                                      double length) {
  if (!(length > 0))
    throw std::invalid_argument("distance joint '" + name + "' needs a length above zero");
  return Composer(ports, I, J).distance(length).length().make(std::move(name), "distance joint");
}

std::unique_ptr<Joint> point_on_line_joint(std::string name, const Ports& ports, const JointSide& I,
                                           const JointSide& J) {
  return Composer(ports, I, J).slide(s1).slide(s2).displacement(n).make(std::move(name), "point on line joint");
}

std::unique_ptr<Joint> point_on_plane_joint(std::string name, const Ports& ports, const JointSide& I,
                                            const JointSide& J) {
  return Composer(ports, I, J)
      .slide(n)
      .displacement(s1, "displacement1")
      .displacement(s2, "displacement2")
      .make(std::move(name), "point on plane joint");
}

std::unique_ptr<Joint> parallel_axes_joint(std::string name, const Ports& ports, const JointSide& I,
                                           const JointSide& J) {
  return Composer(ports, I, J).parallel().angle().make(std::move(name), "parallel axes joint");
}

std::unique_ptr<Joint> coupler_joint(std::string name, const Ports& ports, const CoupledCoordinate& first,
                                     const CoupledCoordinate& second) {
  JointComposition c;
  c.rows = 1;
  c.offset_row = 0;
  c.second = 2; // on J, the point if there is one
  for (const CoupledCoordinate* coordinate : {&first, &second}) {
    const auto& [kind, I, J, factor] = *coordinate;
    const auto next = static_cast<int>(c.variables.size());
    if (kind == CoupledCoordinate::Kind::angle) {
      c.angles.push_back({next, factor});
      c.variables.insert(c.variables.end(),
                         {body_direction(I.port, I.axes.col(s1)), body_direction(I.port, I.axes.col(s2)),
                          body_direction(J.port, J.axes.col(s1))});
    } else {
      c.terms.push_back({Slide{next, next + 1, next + 2}, 0, factor});
      c.variables.insert(c.variables.end(),
                         {body_direction(I.port, I.axes.col(n)), body_point(I.port, I.at), body_point(J.port, J.at)});
    }
  }
  return std::make_unique<Joint>(std::move(name), "coupler", ports, std::move(c));
}

} // namespace emmy
