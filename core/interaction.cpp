#include "core/interaction.hpp"

#include "core/pull_forces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

/// Ports in the order in which the variables first name them.
std::vector<Index> distinct_ports(const std::vector<NaturalVariable>& variables) {
  std::vector<Index> ports;
  for (const NaturalVariable& v : variables)
    if (std::find(ports.begin(), ports.end(), v.port) == ports.end())
      ports.push_back(v.port);
  return ports;
}

template <int Columns>
void add_force(const NaturalVariable& v, const PortMap& P_bar, const Vec3& r, double* z) {
  using Vector = Eigen::Matrix<double, Columns, 1>;
  Eigen::Map<Vector>(z, P_bar.cols()) += v.rows<Columns>(P_bar).transpose().lazyProduct(r);
}

} // namespace

void pull_forces(const std::vector<NaturalVariable>& variables, const std::vector<PortUse>& uses,
                 const std::vector<std::size_t>& use, const PortMotions& motions, const NaturalVector& r,
                 VectorRef of_unknowns) {
  for (std::size_t a = 0; a < variables.size(); ++a) {
    const PortUse& to = uses[use[a]];
    if (!to.moves())
      continue;
    const PortMap& P_bar = motions[static_cast<std::size_t>(to.port)].P_bar;
    const Vec3 force = r.segment<3>(static_cast<Index>(3 * a));
    double* z = &of_unknowns[to.offset];
    if (to.size() == 6) // loops of known length are several times faster
      add_force<6>(variables[a], P_bar, force, z);
    else if (to.size() == 12)
      add_force<12>(variables[a], P_bar, force, z);
    else
      add_force<Eigen::Dynamic>(variables[a], P_bar, force, z);
  }
}

std::vector<Node> Interaction::nodes_of(const Ports& ports, const std::vector<NaturalVariable>& variables) {
  std::vector<Node> nodes;
  for (const Index port : distinct_ports(variables)) {
    const auto& of_port = ports.at(static_cast<std::size_t>(port))->nodes();
    nodes.insert(nodes.end(), of_port.begin(), of_port.end());
  }
  return nodes;
}

Interaction::Interaction(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> variables,
                         const InteractionFacts& facts)
    : Element(std::move(name), std::move(kind), nodes_of(ports, variables), distinct_ports(variables),
              {facts.rows, facts.history, facts.nonlinear, Rates::by_integrator}),
      variables_(std::move(variables)), acts_(facts.acts), forces_(facts.forces) {
  if (variables_.size() > max_natural_variables || this->ports().size() > max_ports ||
      multipliers() > max_multipliers || history() > max_history)
    throw std::length_error("element '" + this->name() +
                            "' has too many natural variables, ports, multipliers or numbers to remember");
  Index offset = 0;
  for (const Index port : this->ports()) {
    const Connectivity& connectivity = *ports[static_cast<std::size_t>(port)];
    uses_.emplace_back(port, connectivity, offset);
    is_grounded_ = is_grounded_ || connectivity.fixed() || connectivity.is_supported();
    offset += connectivity.unknowns();
  }
  for (const NaturalVariable& v : variables_) {
    const auto found = std::find_if(uses_.begin(), uses_.end(), [&](const PortUse& u) { return u.port == v.port; });
    use_.push_back(static_cast<std::size_t>(found - uses_.begin()));
  }
}

double Interaction::potential(const NaturalStep&) const {
  return 0;
}

NaturalStep Interaction::natural_step(const MovedStep& s) const {
  NaturalStep natural;
  natural.t = s.n.time;
  natural.h = s.h;
  natural.inv_h = s.inv_h;
  const auto n = static_cast<Index>(3 * variables_.size());
  natural.q_n.resize(n);
  natural.q_n1.resize(n);
  for (std::size_t a = 0; a < variables_.size(); ++a) {
    const PortMotion& m = s.motions[static_cast<std::size_t>(variables_[a].port)];
    natural.q_n.segment<3>(static_cast<Index>(3 * a)) = variables_[a].of(m.q_n);
    natural.q_n1.segment<3>(static_cast<Index>(3 * a)) = variables_[a].of(m.q_n1);
  }
  natural.q_m = (natural.q_n + natural.q_n1) / 2;
  natural.lambda = s.lambda.segment(first_multiplier(), multipliers());
  natural.history = s.n.history.segment(first_history(), history());
  return natural;
}

NaturalSystem Interaction::natural_system(bool tangent) const {
  const Index n = static_cast<Index>(3 * variables_.size()), m = multipliers();
  NaturalSystem out;
  out.tangent = tangent;
  out.r.setZero(n);
  out.phi.setZero(m);
  out.G_bar.setZero(m, n);
  if (tangent) {
    out.k.setZero(n, n);
    out.G.setZero(m, n);
    out.phi_t.setZero(m);
  }
  return out;
}

NaturalSystem Interaction::evaluate_total(const NaturalStep& s, bool tangent) const {
  NaturalSystem out = natural_system(tangent);
  evaluate_natural(s, out);
  if (multipliers() > 0)
    out.r += out.G_bar.transpose() * s.lambda; // [D16]: the acting force is -G_bar^T lambda
  return out;
}

void Interaction::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  NaturalStep still;
  still.t = s.from;
  still.h = no_time;
  still.q_n = still.q_n1 = still.q_m = s.q;
  still.lambda.setZero(multipliers());
  still.history = s.history;
  NaturalSystem natural = natural_system(false);
  evaluate_natural(still, natural);
  out.elastic += natural.r;
}

void Interaction::evaluate(const MovedStep& s, LocalSystem& out) const {
  const NaturalSystem natural = evaluate_total(natural_step(s), out.tangent);
  out.r.segment(unknowns(), multipliers()) += natural.phi;
  pull_forces(variables_, uses_, use_, s.motions, natural.r, out.r);
  if (!out.tangent)
    return;
  PortSystem system;
  add_to_ports(natural, system);
  pull_back(uses_, s, system, out);
}

void Interaction::add_to_ports(const NaturalSystem& natural, PortSystem& out) const {
  for (std::size_t u = 0; u < uses_.size(); ++u)
    out.f[u] = port_residual(natural.r, u);
  out.rows = out.multipliers = static_cast<int>(multipliers());
  for (std::size_t u = 0; u < uses_.size(); ++u) {
    out.G_bar[u].setZero(12, out.rows);
    out.G[u].setZero(12, out.rows);
  }
  for (std::size_t c = 0; c < variables_.size(); ++c) {
    const auto col = static_cast<Index>(3 * c);
    const Vec4& w_c = variables_[c].w;
    for (Index j = 0; j < 4; ++j) {
      out.G_bar[use_[c]].middleRows<3>(3 * j) += w_c[j] * natural.G_bar.middleCols<3>(col).transpose();
      out.G[use_[c]].middleRows<3>(3 * j) += w_c[j] * natural.G.middleCols<3>(col).transpose();
    }
    for (std::size_t a = 0; a < variables_.size(); ++a) {
      const Mat3 k = natural.k.block<3, 3>(static_cast<Index>(3 * a), col);
      if (k.isZero(0))
        continue;
      Mat12& of_ports = out.k[use_[a]][use_[c]];
      if (!std::exchange(out.has_k[use_[a]][use_[c]], true))
        of_ports.setZero();
      for (Index j = 0; j < 4; ++j)
        for (Index i = 0; i < 4; ++i)
          of_ports.block<3, 3>(3 * i, 3 * j) += (variables_[a].w[i] * w_c[j]) * k;
    }
  }
}

NaturalPattern Interaction::natural_pattern() const {
  const auto n = static_cast<Index>(3 * variables_.size());
  return {Pattern::Ones(n, n), Pattern::Ones(multipliers(), n)};
}

Pattern Interaction::pattern() const {
  const NaturalPattern natural = natural_pattern();
  const Index nz = unknowns(), m = multipliers();
  Pattern map = Pattern::Zero(natural.k.cols(), nz); // of all variables
  std::vector<PortPattern> force(uses_.size(), PortPattern::Zero());
  for (std::size_t a = 0; a < variables_.size(); ++a) {
    const PortUse& use = use_of(a);
    const MapPattern maps = use.connectivity->map_pattern();
    const Pattern of_port = maps.P_bar + maps.D;
    for (int i = 0; i < 4; ++i)
      if (variables_[a].w[i] != 0) {
        map.block(static_cast<Index>(3 * a), use.offset, 3, of_port.cols()) += of_port.middleRows<3>(3 * i);
        force[use_[a]].segment<3>(3 * i).setOnes();
      }
  }
  Pattern k = Pattern::Zero(nz + m, nz + m);
  k.topLeftCorner(nz, nz) = map.transpose() * natural.k * map;
  k.bottomLeftCorner(m, nz) = natural.G * map;
  k.topRightCorner(nz, m) = (natural.G * map).transpose();
  for (std::size_t u = 0; u < uses_.size(); ++u) {
    const Index size = uses_[u].connectivity->unknowns();
    k.block(uses_[u].offset, uses_[u].offset, size, size) += uses_[u].connectivity->geometric_pattern(force[u]);
  }
  return k;
}

void Interaction::add_magnitude(const MovedStep& s, VectorRef size) const {
  const NaturalStep step = natural_step(s);
  const NaturalSystem natural = evaluate_total(step, true);
  const std::size_t count = variables_.size();
  // Lengths of whole vectors, since a component may be small only because the vector points elsewhere. Coordinates
  // count as those of the port do: a point x + Q r near the origin has the rounding of x.
  std::array<double, max_natural_variables> q{};
  for (std::size_t a = 0; a < count; ++a) {
    const Vec12& port = s.motions[static_cast<std::size_t>(variables_[a].port)].q_n1;
    for (Index i = 0; i < 4; ++i)
      q[a] += std::abs(variables_[a].w[i]) * port.segment<3>(3 * i).norm();
  }
  for (std::size_t a = 0; a < count; ++a) {
    // A force is known to eps times its size, and to eps times stiffness times the coordinates it is computed from.
    const auto row = static_cast<Index>(3 * a);
    double r = natural.r.segment<3>(row).norm();
    for (std::size_t b = 0; b < count; ++b)
      r += natural.k.block<3, 3>(row, static_cast<Index>(3 * b)).norm() * q[b];
    const PortUse& use = use_of(a);
    const PointMap P = variables_[a].rows(s.motions[static_cast<std::size_t>(use.port)].P_bar);
    size.segment(use.offset, use.connectivity->unknowns()) += P.colwise().norm().transpose() * r;
    for (Index i = 0; i < multipliers(); ++i)
      size[unknowns() + i] += natural.G.block<1, 3>(i, row).norm() * q[a];
  }
  // A constraint may have terms that are not coordinates, such as the target of a motor: they show as long as it does
  // not hold.
  size.segment(unknowns(), multipliers()) += natural.phi.cwiseAbs();
}

void Interaction::book(const MovedStep& s, const State& n1, StepBooks& books) const {
  if (acts_ == Acts::as_constraint && !is_grounded_) { // exchanges momentum between bodies: none of it is from outside
    NaturalStep end;
    end.q_n1.resize(static_cast<Index>(3 * variables_.size()));
    for (std::size_t a = 0; a < variables_.size(); ++a)
      end.q_n1.segment<3>(static_cast<Index>(3 * a)) =
          variables_[a].of(s.motions[static_cast<std::size_t>(variables_[a].port)].q_n1);
    book_constraints(end, n1, books);
    return;
  }
  const NaturalStep step = natural_step(s);
  const NaturalSystem natural = evaluate_total(step, false);
  book_energy(step, natural.r, books);
  book_impulses(step.q_m, natural.r, s.h, books);
  book_end(step, n1, books);
}

void Interaction::book_end(const MovedStep& s, const State& n1, StepBooks& books) const {
  book_end(natural_step(s), n1, books);
}

void Interaction::book_impulses(const NaturalVector& q, const NaturalVector& r, double h, StepBooks& books) const {
  for (std::size_t a = 0; a < variables_.size(); ++a) {
    const bool fixed = use_of(a).connectivity->fixed();
    if ((acts_ == Acts::from_outside) == fixed)
      continue;
    // The acting force is -r. What the ground takes, -r on its side, the bodies receive with the opposite sign.
    const Vec3 f = (fixed ? 1 : -1) * h * r.segment<3>(static_cast<Index>(3 * a));
    books.impulse += variables_[a].w[0] * f;
    const Vec3 moment = q.segment<3>(static_cast<Index>(3 * a)).cross(f); // [F6]
    books.angular_impulse += moment;
    books.impulse_sum += std::abs(variables_[a].w[0]) * f.norm();
    books.angular_impulse_sum += moment.norm();
  }
  for (std::size_t u = 0; u < uses_.size(); ++u) {
    if (!uses_[u].connectivity->is_supported())
      continue;
    Vec3 moment = Vec3::Zero();
    for (std::size_t a = 0; a < variables_.size(); ++a)
      if (use_[a] == u)
        moment += q.segment<3>(static_cast<Index>(3 * a)).cross(r.segment<3>(static_cast<Index>(3 * a)));
    book_support(*uses_[u].connectivity, h, port_residual(r, u), moment, books);
  }
}

void Interaction::book_end(const NaturalStep& step, const State& n1, StepBooks& books) const {
  books.potential += potential(step);
  if (multipliers() > 0)
    book_constraints(step, n1, books);
}

void Interaction::book_constraints(const NaturalStep& step, const State& n1, StepBooks& books) const {
  const Index m = multipliers();
  NaturalVector q_dot(step.q_n1.size());
  for (std::size_t u = 0; u < uses_.size(); ++u) {
    Vec12 q, rate;
    uses_[u].connectivity->at(n1, q, rate);
    for (std::size_t a = 0; a < variables_.size(); ++a)
      if (use_[a] == u)
        q_dot.segment<3>(static_cast<Index>(3 * a)) = variables_[a].of(rate);
  }
  MultiplierVector phi = MultiplierVector::Zero(m), phi_dot = phi;
  end_of_constraints(step, q_dot, phi, phi_dot);
  if (is_one_sided()) { // an open gap violates nothing, at whatever rate it changes
    for (Index i = 0; i < m; ++i)
      books.penetration =
          std::max(books.penetration, constraints().bounds()[static_cast<std::size_t>(i)].beyond(phi[i]));
    return;
  }
  for (Index i = 0; i < m; ++i) {
    books.position_violation = std::max(books.position_violation, std::abs(phi[i]));
    books.velocity_violation = std::max(books.velocity_violation, std::abs(phi_dot[i]));
  }
}

void Interaction::end_of_constraints(const NaturalStep& s, const NaturalVector& q_dot, MultiplierVector& phi,
                                     MultiplierVector& phi_dot) const {
  NaturalSystem natural = natural_system(true);
  evaluate_natural(s, natural);
  phi = natural.phi;
  phi_dot = natural.G * q_dot + natural.phi_t;
}

/// Sum over the variables of one port.
Vec12 Interaction::port_residual(const NaturalVector& natural, std::size_t use) const {
  Vec12 r = Vec12::Zero();
  for (std::size_t a = 0; a < variables_.size(); ++a)
    if (use_[a] == use)
      variables_[a].add_to_port(natural.segment<3>(static_cast<Index>(3 * a)), r);
  return r;
}

Vec12 Interaction::port_residual(const MovedStep& s, Index port) const {
  const NaturalSystem natural = evaluate_total(natural_step(s), false);
  Vec12 r = Vec12::Zero();
  for (std::size_t u = 0; u < uses_.size(); ++u)
    if (uses_[u].port == port)
      r += port_residual(natural.r, u);
  return r;
}

void Interaction::begin(const MovedStep& still, State& state) const {
  if (history() == 0)
    return;
  const NaturalStep step = natural_step(still);
  HistoryVector remembered = step.history;
  begin_history(step, remembered);
  state.history.segment(first_history(), history()) = remembered;
}

void Interaction::advance(const MovedStep& s, State& n1) const {
  if (history() == 0)
    return;
  const NaturalStep step = natural_step(s);
  HistoryVector remembered = step.history;
  advance_history(step, remembered);
  n1.history.segment(first_history(), history()) = remembered;
}

void Interaction::begin_history(const NaturalStep&, HistoryVector&) const {}

void Interaction::advance_history(const NaturalStep&, HistoryVector&) const {}

void Interaction::book_energy(const NaturalStep&, const NaturalVector&, StepBooks&) const {}

Reaction Interaction::reaction(const MovedStep& s, Index port, Index reference) const {
  const NaturalStep step = natural_step(s);
  const NaturalSystem natural = evaluate_total(step, false);
  const Vec3 centre = step.q_m.segment<3>(3 * reference);
  Reaction reaction;
  for (std::size_t a = 0; a < variables_.size(); ++a) {
    if (variables_[a].port != port)
      continue;
    const auto i = static_cast<Index>(3 * a);
    const double w0 = variables_[a].w[0];
    reaction.force -= w0 * natural.r.segment<3>(i);
    reaction.moment -= (step.q_m.segment<3>(i) - w0 * centre).cross(natural.r.segment<3>(i));
  }
  return reaction;
}

} // namespace emmy
