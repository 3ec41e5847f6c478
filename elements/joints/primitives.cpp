#include "elements/joints/primitives.hpp"

namespace emmy {

namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

} // namespace

Index rows(const Primitive& p) {
  return std::visit([](const auto& primitive) { return primitive.rows; }, p);
}

void add_value(const Primitive& p, const NaturalVector& q, Index first, MultiplierVector& phi) {
  std::visit(
      Overload{[&](const Coincidence& c) { phi.segment<3>(first) += q.segment<3>(3 * c.b) - q.segment<3>(3 * c.a); },
               [&](const Dot& d) { phi[first] += q.segment<3>(3 * d.a).dot(q.segment<3>(3 * d.b)); }},
      p);
}

void add_gradient(const Primitive& p, const NaturalVector& q, Index first, ConstraintMatrix& G) {
  std::visit(Overload{[&](const Coincidence& c) {
                        G.block<3, 3>(first, 3 * c.b).diagonal().array() += 1;
                        G.block<3, 3>(first, 3 * c.a).diagonal().array() -= 1;
                      },
                      [&](const Dot& d) {
                        G.block<1, 3>(first, 3 * d.a) += q.segment<3>(3 * d.b).transpose();
                        G.block<1, 3>(first, 3 * d.b) += q.segment<3>(3 * d.a).transpose();
                      }},
             p);
}

void add_hessian(const Primitive& p, double factor, Index first, const MultiplierVector& lambda, NaturalMatrix& k) {
  std::visit(Overload{[](const Coincidence&) {}, // linear
                      [&](const Dot& d) {
                        k.block<3, 3>(3 * d.a, 3 * d.b).diagonal().array() += factor * lambda[first];
                        k.block<3, 3>(3 * d.b, 3 * d.a).diagonal().array() += factor * lambda[first];
                      }},
             p);
}

void add_pattern(const Primitive& p, Index first, NaturalPattern& pattern) {
  std::visit(Overload{[&](const Coincidence& c) {
                        pattern.G.block<3, 3>(first, 3 * c.a).diagonal().setOnes();
                        pattern.G.block<3, 3>(first, 3 * c.b).diagonal().setOnes();
                      },
                      [&](const Dot& d) {
                        pattern.G.block<1, 3>(first, 3 * d.a).setOnes();
                        pattern.G.block<1, 3>(first, 3 * d.b).setOnes();
                        pattern.k.block<3, 3>(3 * d.a, 3 * d.b).diagonal().setOnes();
                        pattern.k.block<3, 3>(3 * d.b, 3 * d.a).diagonal().setOnes();
                      }},
             p);
}

std::string row_name(const Primitive& p, Index i) {
  static const char* const axes[] = {"x", "y", "z"};
  return std::visit(Overload{[&](const Coincidence&) { return std::string("position along ") + axes[i] + " [m]"; },
                             [](const Dot&) { return std::string("alignment of its axes [rad]"); }},
                    p);
}

} // namespace emmy
