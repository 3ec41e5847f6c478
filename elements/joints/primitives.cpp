#include "elements/joints/primitives.hpp"

namespace emmy {

namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

auto variable(const NaturalVector& q, int i) {
  return q.segment<3>(3 * i);
}

/// From point a to point b.
Vec3 span(const NaturalVector& q, int a, int b) {
  return variable(q, b) - variable(q, a);
}

/// Adds w to the diagonal of the block of variables (a, b), and to its mirror image.
template <class Matrix, class Number>
void add_pair(Matrix& k, int a, int b, Number w) {
  k.template block<3, 3>(3 * a, 3 * b).diagonal().array() += w;
  if (a != b)
    k.template block<3, 3>(3 * b, 3 * a).diagonal().array() += w;
}

} // namespace

Index rows(const Primitive& p) {
  return std::visit([](const auto& primitive) { return primitive.rows; }, p);
}

void add_value(const Primitive& p, double factor, const NaturalVector& q, Index first, MultiplierVector& phi) {
  std::visit(Overload{[&](const Coincidence& c) { phi.segment<3>(first) += factor * span(q, c.a, c.b); },
                      [&](const Dot& d) { phi[first] += factor * variable(q, d.a).dot(variable(q, d.b)); },
                      [&](const Slide& s) { phi[first] += factor * variable(q, s.along).dot(span(q, s.a, s.b)); },
                      [&](const Distance& d) {
                        // The difference of squares as a product: near the length it has the rounding of the distance
                        // alone.
                        const double distance = span(q, d.a, d.b).norm();
                        phi[first] += factor * (distance - d.length) * (distance + d.length) / 2;
                      }},
             p);
}

void add_rate(const Primitive& p, double factor, const NaturalVector& q, const NaturalVector& q_dot, Index first,
              MultiplierVector& phi_dot) {
  const auto add = [&](double rate) { phi_dot[first] += factor * rate; };
  std::visit(Overload{[&](const Coincidence& c) { phi_dot.segment<3>(first) += factor * span(q_dot, c.a, c.b); },
                      [&](const Dot& d) {
                        add(variable(q_dot, d.a).dot(variable(q, d.b)) + variable(q, d.a).dot(variable(q_dot, d.b)));
                      },
                      [&](const Slide& s) {
                        add(variable(q_dot, s.along).dot(span(q, s.a, s.b)) +
                            variable(q, s.along).dot(span(q_dot, s.a, s.b)));
                      },
                      [&](const Distance& d) { add(span(q, d.a, d.b).dot(span(q_dot, d.a, d.b))); }},
             p);
}

void add_gradient(const Primitive& p, double factor, const NaturalVector& q, Index first, ConstraintMatrix& G) {
  const auto add = [&](int variable, const Vec3& gradient) {
    G.block<1, 3>(first, 3 * variable) += factor * gradient.transpose();
  };
  std::visit(Overload{[&](const Coincidence& c) {
                        G.block<3, 3>(first, 3 * c.b).diagonal().array() += factor;
                        G.block<3, 3>(first, 3 * c.a).diagonal().array() -= factor;
                      },
                      [&](const Dot& d) {
                        add(d.a, variable(q, d.b));
                        add(d.b, variable(q, d.a));
                      },
                      [&](const Slide& s) {
                        add(s.along, span(q, s.a, s.b));
                        add(s.b, variable(q, s.along));
                        add(s.a, -variable(q, s.along));
                      },
                      [&](const Distance& d) {
                        add(d.b, span(q, d.a, d.b));
                        add(d.a, -span(q, d.a, d.b));
                      }},
             p);
}

void add_hessian(const Primitive& p, double factor, Index first, const MultiplierVector& lambda, NaturalMatrix& k) {
  const double w = factor * lambda[first];
  std::visit(Overload{[](const Coincidence&) {}, // linear
                      [&](const Dot& d) { add_pair(k, d.a, d.b, w); },
                      [&](const Slide& s) {
                        add_pair(k, s.along, s.b, w);
                        add_pair(k, s.along, s.a, -w);
                      },
                      [&](const Distance& d) {
                        add_pair(k, d.a, d.a, w);
                        add_pair(k, d.b, d.b, w);
                        add_pair(k, d.a, d.b, -w);
                      }},
             p);
}

void add_pattern(const Primitive& p, Index first, NaturalPattern& pattern) {
  const auto mark = [&](int variable) { pattern.G.block<1, 3>(first, 3 * variable).setOnes(); };
  std::visit(Overload{[&](const Coincidence& c) {
                        pattern.G.block<3, 3>(first, 3 * c.a).diagonal().setOnes();
                        pattern.G.block<3, 3>(first, 3 * c.b).diagonal().setOnes();
                      },
                      [&](const Dot& d) {
                        mark(d.a);
                        mark(d.b);
                        add_pair(pattern.k, d.a, d.b, 1);
                      },
                      [&](const Slide& s) {
                        for (const int point : {s.a, s.b}) {
                          mark(point);
                          add_pair(pattern.k, s.along, point, 1);
                        }
                        mark(s.along);
                      },
                      [&](const Distance& d) {
                        mark(d.a);
                        mark(d.b);
                        add_pair(pattern.k, d.a, d.a, 1);
                        add_pair(pattern.k, d.b, d.b, 1);
                        add_pair(pattern.k, d.a, d.b, 1);
                      }},
             p);
}

std::string row_name(const Primitive& p, Index i) {
  static const char* const axes[] = {"x", "y", "z"};
  return std::visit(Overload{[&](const Coincidence&) { return std::string("position along ") + axes[i] + " [m]"; },
                             [](const Dot&) { return std::string("alignment of its axes [rad]"); },
                             [](const Slide&) { return std::string("position across a direction it keeps to [m]"); },
                             [](const Distance&) { return std::string("distance [m]"); }},
                    p);
}

} // namespace emmy
