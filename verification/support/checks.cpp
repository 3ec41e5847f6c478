#include "verification/support/checks.hpp"

#include "verification/support/differences.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

namespace emmy::test {

namespace {

/// Global index of every local unknown and multiplier of an element, for a system of its own: see DenseSystem.
std::vector<Index> scatter(const Element& element, const Model& model) {
  std::vector<Index> to;
  for (const Node& node : element.nodes())
    for (Index i = 0; i < node.unknowns(); ++i)
      to.push_back(node.unknown + i);
  for (Index i = 0; i < element.multipliers(); ++i)
    to.push_back(model.unknowns() + i);
  return to;
}

/// One metre, one radian, the largest multiplier.
VecX scales(const Element& element, const Model& model, const Trial& trial) {
  VecX scale = VecX::Ones(model.unknowns() + element.multipliers());
  if (element.multipliers() > 0)
    scale.tail(element.multipliers()).setConstant(std::max(1.0, trial.lambda.cwiseAbs().maxCoeff()));
  return scale;
}

} // namespace

DenseSystem assemble(const Element& element, const Model& model, const Trial& trial, bool tangent) {
  const std::vector<Index> to = scatter(element, model);
  const auto n = static_cast<Index>(to.size());
  const Index size = model.unknowns() + element.multipliers();
  VecX r = VecX::Zero(n);
  MatX k = MatX::Zero(n, n);
  LocalSystem local{r, k, tangent};
  const OwnedStep moved = trial.moved(model);
  element.evaluate(moved, local);

  DenseSystem system{VecX::Zero(size), tangent ? MatX(MatX::Zero(size, size)) : MatX()};
  for (Index i = 0; i < n; ++i) {
    system.r[to[static_cast<std::size_t>(i)]] += r[i];
    if (tangent)
      for (Index j = 0; j < n; ++j)
        system.k(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)]) += k(i, j);
  }
  return system;
}

VecX magnitudes(const Element& element, const Model& model, const Trial& trial) {
  const std::vector<Index> to = scatter(element, model);
  VecX local = VecX::Zero(static_cast<Index>(to.size())), size = VecX::Zero(model.unknowns() + element.multipliers());
  element.add_magnitude(trial.moved(model), local);
  for (std::size_t i = 0; i < to.size(); ++i)
    size[to[i]] += local[static_cast<Index>(i)];
  return size;
}

Verdict check_tangent(const Element& element, const Model& model, const Trial& trial) {
  // Rows are newtons, newton metres and metres, columns metres, radians and newtons: no single norm measures k. With
  // s_j the scale of variable j (one metre, one radian, the largest multiplier) and S_i the largest of |k_ij| s_j and
  // of the terms of r_i, the step d = eps^(1/3) s_j leaves a rounding of a few eps S_i/d, which is eps^(2/3) S_i/s_j,
  // and less by truncation: the rule 10 eps^(2/3) norm(k), entry by entry. The terms and not r_i itself: in the body's
  // own axes a force fixed in the body does not change at all, but its terms do.
  const DenseSystem exact = assemble(element, model, trial, true);
  const VecX terms = magnitudes(element, model, trial);
  const Index nz = model.unknowns(), size = exact.r.size();
  const VecX scale = scales(element, model, trial);
  Trial moved = trial;
  MatX k(size, size), tolerance(size, size);
  for (Index j = 0; j < size; ++j) {
    VecX& x = j < nz ? moved.z : moved.lambda;
    const Index i = j < nz ? j : element.first_multiplier() + j - nz;
    k.col(j) =
        difference(x, i, difference_step() * scale[j], [&] { return MatX(assemble(element, model, moved, false).r); });
  }
  for (Index i = 0; i < size; ++i) {
    const double row = std::max(terms[i], (exact.k.row(i).cwiseAbs() * scale.asDiagonal()).maxCoeff());
    tolerance.row(i) = difference_error() * row * scale.cwiseInverse().transpose();
  }
  return agree("tangent of " + element.kind(), exact.k, k, tolerance);
}

Verdict check_adds(const Element& element, const Model& model, const Trial& trial) {
  const Index n = element.unknowns() + element.multipliers();
  const OwnedStep moved = trial.moved(model);
  VecX r = VecX::Zero(n), r_alone = VecX::Zero(n), r_more = VecX::Ones(n);
  MatX k = MatX::Zero(n, n), k_more = MatX::Ones(n, n);
  const MatX nan = MatX::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
  MatX untouched = nan;
  LocalSystem first{r, k, true}, alone{r_alone, untouched, false}, more{r_more, k_more, true};
  element.evaluate(moved, first);
  element.evaluate(moved, alone);
  element.evaluate(moved, more);
  if (untouched.array().isNaN().count() != n * n || r != r_alone) {
    Verdict bad(false);
    bad.message() << element.kind() << ": residual without tangent touches k or differs";
    return bad;
  }
  const Pattern pattern = element.pattern();
  if (pattern.rows() != n || pattern.cols() != n || ((pattern.array() == 0) && (k.array() != 0)).any()) {
    Verdict bad(false);
    bad.message() << element.kind() << ": tangent writes outside its pattern";
    return bad;
  }
  // Up to five additions to the same entry of r, and twenty-six to one of k: all pairs of five variables of a body and
  // the turning of its port. Each is rounded with the 1 that was there and with what may cancel later.
  const double r_size = 1 + r.cwiseAbs().maxCoeff(), k_size = 1 + k.cwiseAbs().maxCoeff();
  return both(agree("sum of residuals", r_more, r + VecX::Ones(n), 5 * eps * r_size),
              agree("sum of tangents", k_more, k + MatX::Ones(n, n), 26 * eps * k_size));
}

Verdict check_magnitude(const Element& element, const Model& model, const Trial& trial) {
  const DenseSystem system = assemble(element, model, trial, true);
  const VecX size = magnitudes(element, model, trial), scale = scales(element, model, trial);
  // Both are sums of at most thirty terms, so rounding may reverse the order by that many eps.
  for (Index i = 0; i < size.size(); ++i)
    if (!(std::abs(system.r[i]) <= (1 + 30 * eps) * size[i])) {
      Verdict bad(false);
      bad.message() << element.kind() << ", row " << i << ": |r| = " << std::abs(system.r[i]) << " above its magnitude "
                    << size[i];
      return bad;
    }
  // Terms may cancel in a row, but hardly in all rows and in k as well: a hundredfold size would hide errors. Only
  // where all rows are moments about fixed points a force may pass these so closely that its lever takes another factor
  // of ten.
  const bool only_turns = std::all_of(element.nodes().begin(), element.nodes().end(),
                                      [](const Node& node) { return node.kind == NodeKind::rotation; });
  const double allowed = only_turns ? 1000 : 100;
  const double largest = std::max(system.r.cwiseAbs().maxCoeff(), (system.k.cwiseAbs() * scale).maxCoeff());
  Verdict close(size.maxCoeff() <= allowed * largest);
  if (!close)
    close.message() << element.kind() << ": magnitude " << size.maxCoeff() << " where nothing is above " << largest;
  return close;
}

Verdict check_row_names(const Element& element) {
  for (Index i = 0; i < element.unknowns() + element.multipliers(); ++i)
    if (element.row_name(i).empty()) {
      Verdict bad(false);
      bad.message() << "row " << i << " of " << element.kind() << " has no name";
      return bad;
    }
  return Verdict(!element.name().empty() && !element.kind().empty());
}

namespace {

bool inside(const MatX& m, const Pattern& pattern) {
  return m.rows() == pattern.rows() && m.cols() == pattern.cols() &&
         !((pattern.array() == 0) && (m.array() != 0)).any();
}

/// Maps and geometric terms keep to the patterns that the port declares, for forces on each of its vectors alone.
Verdict inside_patterns(const Connectivity& port, const Step& step, const PortMotion& m, const Vec12& r) {
  const MapPattern maps = port.map_pattern();
  bool kept = inside(m.P_bar, maps.P_bar) && inside(m.D, maps.D);
  for (Index i = 0; i < 12; i += 3) {
    Vec12 alone = Vec12::Zero();
    alone.segment<3>(i) = r.segment<3>(i);
    MatX k = MatX::Zero(port.unknowns(), port.unknowns());
    port.add_geometric(step, m, alone, k);
    kept = kept && inside(k, port.geometric_pattern((alone.array() != 0).cast<int>()));
  }
  Verdict verdict(kept);
  if (!kept)
    verdict.message() << "a port writes outside its pattern";
  return verdict;
}

} // namespace

namespace {

/// Entries of all unknowns that belong to the nodes of a port.
VecX part_of(const Connectivity& port, const VecX& all) {
  VecX part(port.unknowns());
  Index first = 0;
  for (const Node& node : port.nodes()) {
    part.segment(first, node.unknowns()) = all.segment(node.unknown, node.unknowns());
    first += node.unknowns();
  }
  return part;
}

/// An entry of P_bar comes from two products of 3 x 3 matrices, one of q_n1 from a product of quaternions made a
/// matrix: twenty roundings each, of the largest numbers that occur.
double rounding_of(const PortMotion& m, const VecX& z) {
  return 20 * eps * (m.q_n.cwiseAbs() + m.q_n1.cwiseAbs() + m.P_bar.cwiseAbs() * z.cwiseAbs()).maxCoeff();
}

/// place() gives the same ends as move(), and a port that says that it is not supported adds no support.
Verdict check_ends(const Connectivity& port, const Step& step, const PortMotion& moved, const Vec12& r) {
  PortMotion placed;
  placed.q_n.setConstant(std::numeric_limits<double>::quiet_NaN());
  placed.q_n1 = placed.q_n;
  port.place(step, placed);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  port.add_support(r, r.head<3>(), force, moment);
  const bool silent = force.isZero(0) && moment.isZero(0);
  Verdict verdict(placed.q_n == moved.q_n && placed.q_n1 == moved.q_n1 && (silent || port.is_supported()));
  if (!verdict)
    verdict.message() << "a port is placed where it does not move to, or supported without saying so";
  return verdict;
}

} // namespace

Verdict check_port(const Connectivity& port, const Trial& trial, Random& random) {
  const Index n = port.unknowns();
  std::vector<Index> unknown;
  for (const Node& node : port.nodes())
    for (Index i = 0; i < node.unknowns(); ++i)
      unknown.push_back(node.unknown + i);
  PortMotion m;
  port.move(trial.step(), m);

  // Directions of length one and unknowns of scale one: the rule for central differences with norm 1 for D; for
  // P_bar^T r with the size of r.
  Trial moved = trial;
  PortMotion there;
  const Vec12 r = random.numbers(12);
  MatX D(12, n), geometric(n, n), exact = MatX::Zero(n, n);
  port.add_geometric(trial.step(), m, r, exact);
  for (Index j = 0; j < n; ++j) {
    const Index i = unknown[static_cast<std::size_t>(j)];
    const auto moved_port = [&] {
      port.move(moved.step(), there);
      MatX column(12 + n, 1);
      column << there.q_n1, there.P_bar.transpose() * r;
      return column;
    };
    const MatX column = difference(moved.z, i, difference_step(), moved_port);
    D.col(j) = column.topRows(12);
    geometric.col(j) = column.bottomRows(n);
  }
  const double scale = std::max(1.0, m.P_bar.cwiseAbs().maxCoeff()) * std::max(1.0, m.q_n1.cwiseAbs().maxCoeff());
  const Verdict derivative = agree("D", m.D, D, difference_error() * scale);
  const Verdict turning = agree("derivative of P_bar^T r", exact, geometric, difference_error() * scale * r.norm());

  // at() and the end of the step are one configuration, reached by different roundings; a rate is D, at rest, times z'.
  Vec12 q, q_dot;
  port.at(trial.n1, q, q_dot);
  const VecX still = VecX::Zero(trial.z.size()), rates = part_of(port, trial.n1.rates);
  const Step at_rest{trial.n1, trial.h, 1 / trial.h, still, trial.lambda};
  port.move(at_rest, there);
  const Verdict instant = both(
      agree("q at the end", q, m.q_n1, rounding_of(m, part_of(port, trial.z))),
      agree("rate of q", q_dot, Vec12(there.D * rates), 20 * eps * (there.D.cwiseAbs() * rates.cwiseAbs()).maxCoeff()));
  return both(both(derivative, turning),
              both(both(instant, check_ends(port, trial.step(), m, r)), inside_patterns(port, trial.step(), m, r)));
}

Verdict check_secant(const Connectivity& port, const Trial& trial, Random& random) {
  PortMotion m;
  port.move(trial.step(), m);
  const VecX z = part_of(port, trial.z);
  return both(agree("q_n1 - q_n = P_bar z", Vec12(m.q_n1 - m.q_n), Vec12(m.P_bar * z), rounding_of(m, z)),
              check_port(port, trial, random));
}

Verdict check_energy(const Body& body, const Model& model, const Trial& trial) {
  Trial t = trial;
  t.lambda.setZero();
  t.n1.rates = 2 * t.z / t.h - t.n.rates;
  const OwnedStep moved = t.moved(model);
  body.advance(moved, t.n1);
  StepBooks before, after;
  body.book(moved, t.n, before);
  body.book(moved, t.n1, after);
  const DenseSystem system = assemble(body, model, t, false);
  const Index n = body.unknowns() + body.multipliers();
  VecX magnitude = VecX::Zero(n);
  body.add_magnitude(moved, magnitude);
  const double work = system.r.head(model.unknowns()).dot(t.z);
  // Twenty roundings, each of the size of r times z or of an energy.
  const double size =
      magnitude.maxCoeff() * t.z.cwiseAbs().maxCoeff() * static_cast<double>(n) + before.energy() + after.energy();
  return agree("r z = change of energy", work, after.energy() - before.energy(), 20 * eps * size);
}

void check_body(const Body& body, const Model& model, const Trial& trial, Random& random) {
  check_body_but_energy(body, model, trial, random);
  BOOST_TEST(check_energy(body, model, trial));
}

void check_body_but_energy(const Body& body, const Model& model, const Trial& trial, Random& random) {
  BOOST_TEST(check_tangent(body, model, trial));
  BOOST_TEST(check_adds(body, model, trial));
  BOOST_TEST(check_magnitude(body, model, trial));
  BOOST_TEST(check_row_names(body));
  BOOST_TEST(check_secant(*model.ports()[static_cast<std::size_t>(body.port())], trial, random));
}

} // namespace emmy::test
