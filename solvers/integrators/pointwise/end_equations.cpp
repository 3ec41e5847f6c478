#include "solvers/integrators/pointwise/end_equations.hpp"

#include <cmath>

namespace emmy {

AccelerationRule AccelerationRule::linear_acceleration() {
  return {"linear acceleration", {6, -2, 0}, {3, -1.0 / 2, 0}, {1.0 / 2, 1.0 / 2, 0}};
}

AccelerationRule AccelerationRule::high_order() { // [A8]
  return {"high order", {8, -10.0 / 3, 1.0 / 3}, {10.0 / 3, -13.0 / 18, 1.0 / 18}, {5.0 / 12, 8.0 / 12, -1.0 / 12}};
}

EndEquations::EndEquations(const Model& model, const AccelerationRule& rule, bool linearised)
    : PointwiseEquations(model, 1, rule.name), rule_(rule), linearised_(linearised), now_(VecX::Zero(model.unknowns())),
      before_(now_), v_(now_), a_(now_), a_size_(now_), v_size_(now_), inertia_(model) {
  require_inertia_at_instant(model, rule.name);
}

void EndEquations::remember(const ConstVectorRef& now, const ConstVectorRef& before) {
  now_ = now;
  before_ = before;
}

void EndEquations::move(const Step& s) {
  PointwiseEquations::move(s);
  v_ = s.z * s.inv_h - s.n.rates; // what the step adds to free motion
  a_ = rule_.a.gain * s.inv_h * v_ + rule_.a.now * now_ + rule_.a.before * before_;
  v_ = s.n.rates + rule_.v.gain * v_ + s.h * (rule_.v.now * now_ + rule_.v.before * before_);
}

void EndEquations::evaluate_body(const Step& s, const Body& body, LocalSystem& out) const {
  if (linearised_) { // [A26]: about the start, where v and a are known and those of the rule are not
    inertia_.evaluate(body, {at().values, s.n.rates, now_}, true);
    Index column = 0;
    for (const Node& node : body.nodes())
      for (Index i = node.unknown; i < node.unknown + node.unknowns(); ++i, ++column)
        out.r += (a_[i] - now_[i]) * inertia_.M().col(column) + (v_[i] - s.n.rates[i]) * inertia_.C().col(column);
  } else {
    inertia_.evaluate(body, {at().values, v_, a_}, out.tangent);
  }
  out.r += inertia_.f();
  if (out.tangent) // [A7]
    out.k += rule_.a.gain * s.inv_h * s.inv_h * inertia_.M() + rule_.v.gain * s.inv_h * inertia_.C() + inertia_.K();
}

void EndEquations::add_body_magnitude(const Step& s, const Body& body, VectorRef size) const {
  v_size_ = s.z.cwiseAbs() * s.inv_h + s.n.rates.cwiseAbs();
  a_size_ = rule_.a.gain * s.inv_h * v_size_ + std::abs(rule_.a.now) * now_.cwiseAbs() +
            std::abs(rule_.a.before) * before_.cwiseAbs();
  inertia_.add_magnitude(body, {at().values, v_, a_}, a_size_, v_, size);
}

} // namespace emmy
