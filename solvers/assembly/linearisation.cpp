#include "solvers/assembly/linearisation.hpp"

#include <algorithm>
#include <utility>

namespace emmy {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// 1/h at which masses and dampers are read off, large enough that stiffness does not spoil their last digits.
constexpr double fast = 1024;

/// Unknowns of an element in the model.
std::vector<int> places(const Element& element) {
  std::vector<int> place;
  for (const Node& node : element.nodes())
    for (Index i = 0; i < node.unknowns(); ++i)
      place.push_back(static_cast<int>(node.unknown + i));
  return place;
}

void add_block(const MatX& block, const std::vector<int>& row, const std::vector<int>& column, Triplets& entries) {
  for (std::size_t j = 0; j < column.size(); ++j)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double value = block(static_cast<Index>(i), static_cast<Index>(j));
      if (value != 0)
        entries.emplace_back(row[i], column[j], value);
    }
}

SparseMatrix sparse(Index rows, Index columns, const Triplets& entries) {
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Asks elements about a step that does not move.
class Still {
public:
  Still(const Model& model, const State& state)
      : state_(state), z_(VecX::Zero(model.unknowns())), motions_(model.port_motions()) {
    state_.rates.setZero(model.unknowns());
    model.move_ports(step(0), motions_);
  }
  Still(const Still&) = delete;
  Still& operator=(const Still&) = delete;

  MovedStep step(double inv_h) const { return {{state_, no_time, inv_h, z_, state_.multipliers}, motions_}; }

  MatX tangent(const Element& element, double inv_h) const { return evaluate(element, inv_h).second; }

  std::pair<VecX, MatX> evaluate(const Element& element, double inv_h) const {
    const Index size = element.unknowns() + element.multipliers();
    std::pair<VecX, MatX> system{VecX::Zero(size), MatX::Zero(size, size)};
    LocalSystem out{system.first, system.second, true};
    element.evaluate(step(inv_h), out);
    return system;
  }

  /// The parts of the tangent, in the unknowns of the element.
  MatX mass(const Body& body) const {
    const MatX second = tangent(body, 2 * fast) - 2 * tangent(body, fast) + tangent(body, 0); // 4 M fast²
    return second.topLeftCorner(body.unknowns(), body.unknowns()) / (4 * fast * fast);
  }
  MatX damping(const Element& element) const {
    const MatX first = tangent(element, fast) - tangent(element, 0);
    return first.topLeftCorner(element.unknowns(), element.unknowns()) / fast;
  }

private:
  State state_;
  VecX z_;
  PortMotions motions_;
};

/// What keeps a body rigid exactly, not by springs: rows x unknowns of the body.
MatX rigidity_of(const Model& model, const Still& still, const Body& body, const State& state) {
  const Index nz = body.unknowns(), nm = body.multipliers();
  const Rigidity rigidity = body.rigidity(state);
  if (rigidity.is_exact && rigidity.e.size() > 0)
    return rigidity.C;
  const MatX k = still.tangent(body, 0);
  const bool yields = model.enforcement(body).method == EnforcementMethod::penalty;
  if (nm == 0 || yields || !k.bottomRightCorner(nm, nm).isZero(0))
    return MatX(0, nz);
  return k.topRightCorner(nz, nm).transpose();
}

/// Largest eigenvalue of M^-1 C of a damper on the bodies that it acts on, as if they were alone. Those that are rigid
/// stay so.
double damping_rate(const Model& model, const Still& still, const Interaction& damper,
                    const std::vector<const Body*>& bodies, const State& state) {
  std::vector<int> all = places(damper);
  for (const Body* body : bodies)
    for (const int place : places(*body))
      if (std::find(all.begin(), all.end(), place) == all.end())
        all.push_back(place);
  const auto local = [&](const Element& element) {
    std::vector<int> found;
    for (const int place : places(element))
      found.push_back(static_cast<int>(std::find(all.begin(), all.end(), place) - all.begin()));
    return found;
  };
  const auto n = static_cast<Index>(all.size());
  MatX M = MatX::Zero(n, n), C = MatX::Zero(n, n), ways = MatX::Identity(n, n);
  const std::vector<int> of_damper = local(damper);
  C(of_damper, of_damper) = still.damping(damper);
  for (const Body* body : bodies) {
    const std::vector<int> of_body = local(*body);
    M(of_body, of_body) += still.mass(*body);
    const MatX rigidity = rigidity_of(model, still, *body, state);
    if (rigidity.rows() == 0)
      continue;
    MatX held = MatX::Zero(rigidity.rows(), n);
    held(Eigen::all, of_body) = rigidity;
    ways *= Eigen::FullPivLU<MatX>(held * ways).kernel();
  }
  M = ways.transpose() * M * ways;
  C = ways.transpose() * C * ways;
  // Where there is no mass there is no damper either: the links of a chain have more angles than ways to move.
  constexpr double negligible = 1e-12;
  M.diagonal().array() += negligible * M.trace();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> pencil((C + C.transpose()) / 2, (M + M.transpose()) / 2,
                                                              Eigen::EigenvaluesOnly | Eigen::Ax_lBx);
  return std::max(0.0, pencil.eigenvalues().maxCoeff());
}

/// Increments of the unknowns of one body, as a state.
State moved_in(const Model& model, const State& state, Index unknown, double by) {
  VecX z = VecX::Zero(model.unknowns());
  z[unknown] = by;
  State there = state;
  model.retract_nodes(still_step(state, z), there.values);
  return there;
}

/// Adds the derivative of C^T l for the exact rigidity of the bodies. Their conditions, lengths and angles of base
/// vectors, are quadratic in the unknowns, so that differences over any distance are exact.
void add_rigidity_stiffness(const Model& model, const State& state, const VecX& multipliers, Triplets& K) {
  Index first = 0;
  for (const Body* body : model.bodies()) {
    const Rigidity here = body->rigidity(state);
    if (!here.is_exact || here.e.size() == 0)
      continue;
    const VecX l = multipliers.segment(first, here.e.size());
    first += here.e.size();
    const std::vector<int> place = places(*body);
    MatX k(body->unknowns(), body->unknowns());
    for (std::size_t j = 0; j < place.size(); ++j) {
      const MatX ahead = body->rigidity(moved_in(model, state, place[j], 1)).C;
      const MatX back = body->rigidity(moved_in(model, state, place[j], -1)).C;
      k.col(static_cast<Index>(j)) = (ahead - back).transpose() * l / 2;
    }
    add_block(k, place, place, K);
  }
}

ConstraintRow::Kind kind_of_rows(const Model& model, const Element& element) {
  if (model.body(element) != nullptr)
    return ConstraintRow::Kind::body;
  return element.is_one_sided() ? ConstraintRow::Kind::limit : ConstraintRow::Kind::joint;
}

} // namespace

std::string ConstraintRow::name() const {
  const std::string of = "'" + owner->name() + "' (" + owner->kind() + "), ";
  const bool has_multiplier = kind != Kind::exact && kind != Kind::elastic;
  return of + (has_multiplier ? owner->row_name(owner->unknowns() + local) : "rigidity");
}

RigidityRows rigidity_rows(const Model& model, const State& state, bool elastic) {
  RigidityRows result;
  Triplets entries;
  std::vector<double> e;
  for (const Body* body : model.bodies()) {
    const Rigidity of_body = body->rigidity(state);
    if (!of_body.is_exact && !elastic)
      continue;
    const auto kind = of_body.is_exact ? ConstraintRow::Kind::exact : ConstraintRow::Kind::elastic;
    std::vector<int> row;
    for (Index i = 0; i < of_body.e.size(); ++i) {
      row.push_back(static_cast<int>(result.rows.size()));
      e.push_back(of_body.e[i]);
      result.rows.push_back({body, i, kind});
    }
    add_block(of_body.C, row, places(*body), entries);
  }
  result.e = Eigen::Map<const VecX>(e.data(), static_cast<Index>(e.size()));
  result.C = sparse(result.e.size(), model.unknowns(), entries);
  return result;
}

Statics linearise_statics(const Model& model, const State& state, const VecX& rigidity_multipliers, bool limits) {
  const Still still(model, state);
  const RigidityRows rigidity = rigidity_rows(model, state, /*elastic=*/false);
  const Index n = model.unknowns(), m = model.multipliers(), rows = m + rigidity.e.size();
  const VecX l = rigidity_multipliers.size() > 0 ? rigidity_multipliers : VecX::Zero(rigidity.e.size());
  Statics s;
  s.f = rigidity.C.transpose() * l;
  s.f_size = s.f.cwiseAbs();
  s.phi.setZero(rows);
  s.phi_size.setOnes(rows); // base vectors have length one
  s.phi.tail(rigidity.e.size()) = rigidity.e;
  s.rows.resize(static_cast<std::size_t>(m));
  s.rows.insert(s.rows.end(), rigidity.rows.begin(), rigidity.rows.end());
  Triplets K, G, F;
  for (const auto& element : model.elements()) {
    const Index nz = element->unknowns(), nm = element->multipliers();
    const ConstraintRow::Kind kind = kind_of_rows(model, *element);
    std::vector<int> row;
    for (Index i = 0; i < nm; ++i) {
      row.push_back(static_cast<int>(element->first_multiplier() + i));
      s.rows[static_cast<std::size_t>(row.back())] = {element.get(), i, kind};
    }
    if (kind == ConstraintRow::Kind::limit && !limits)
      continue;
    const auto [r, k] = still.evaluate(*element, 0);
    VecX size = VecX::Zero(nz + nm);
    element->add_magnitude(still.step(0), size);
    const std::vector<int> place = places(*element);
    for (std::size_t i = 0; i < place.size(); ++i) {
      s.f[place[i]] += r[static_cast<Index>(i)];
      s.f_size[place[i]] += size[static_cast<Index>(i)];
    }
    add_block(2 * k.topLeftCorner(nz, nz), place, place, K); // discrete gradients see the mean, which moves half as far
    if (nm == 0)
      continue;
    const bool is_body = kind == ConstraintRow::Kind::body;
    s.phi.segment(element->first_multiplier(), nm) = r.tail(nm);
    // bodies measure in lengths of their base vectors, which are one
    s.phi_size.segment(element->first_multiplier(), nm) = is_body ? VecX(size.tail(nm).cwiseMax(1)) : size.tail(nm);
    // The forces know the gradient in full; a row that asks for the mean over a step sees half of it.
    add_block(k.topRightCorner(nz, nm).transpose(), row, place, G);
    add_block(-k.bottomRightCorner(nm, nm), row, row, F);
  }
  add_rigidity_stiffness(model, state, l, K);
  for (Index i = 0; i < rigidity.C.outerSize(); ++i)
    for (SparseMatrix::InnerIterator it(rigidity.C, i); it; ++it)
      G.emplace_back(static_cast<int>(m + it.row()), static_cast<int>(it.col()), it.value());
  s.K = sparse(n, n, K);
  s.G = sparse(rows, n, G);
  s.F = sparse(rows, rows, F);
  return s;
}

SparseMatrix mass_matrix(const Model& model, const State& state) {
  const Still still(model, state);
  Triplets entries;
  for (const Body* body : model.bodies()) {
    const std::vector<int> place = places(*body);
    add_block(still.mass(*body), place, place, entries);
  }
  return sparse(model.unknowns(), model.unknowns(), entries);
}

SparseMatrix damping_matrix(const Model& model, const State& state) {
  const Still still(model, state);
  Triplets entries;
  for (const Interaction* interaction : model.interactions()) {
    const std::vector<int> place = places(*interaction);
    add_block(still.damping(*interaction), place, place, entries);
  }
  return sparse(model.unknowns(), model.unknowns(), entries);
}

DampingBound damping_bound(const Model& model, const State& state) {
  const Still still(model, state);
  std::vector<const Body*> body_of_port(model.ports().size(), nullptr);
  for (const Body* body : model.bodies())
    body_of_port[static_cast<std::size_t>(body->port())] = body;
  std::vector<DampingBound> on_port(model.ports().size());
  std::vector<double> largest(model.ports().size(), 0);
  for (const Interaction* damper : model.interactions()) {
    if (!damper->depends_on_rates())
      continue;
    std::vector<const Body*> bodies;
    for (const Index port : damper->ports())
      if (const Body* body = body_of_port[static_cast<std::size_t>(port)])
        bodies.push_back(body);
    const double rate = damping_rate(model, still, *damper, bodies, state);
    for (const Body* body : bodies) {
      const auto port = static_cast<std::size_t>(body->port());
      on_port[port].rate += rate; // [S18]
      if (rate > largest[port]) {
        largest[port] = rate;
        on_port[port].element = damper;
      }
    }
  }
  return *std::max_element(on_port.begin(), on_port.end(),
                           [](const DampingBound& a, const DampingBound& b) { return a.rate < b.rate; });
}

VecX constraint_time_rates(const Model& model, const State& state) {
  const Still still(model, state);
  VecX rates = VecX::Zero(model.multipliers());
  for (const Interaction* interaction : model.interactions()) {
    if (interaction->multipliers() == 0)
      continue;
    const NaturalStep step = interaction->natural_step(still.step(0));
    NaturalSystem natural = interaction->natural_system(true);
    interaction->evaluate_natural(step, natural);
    rates.segment(interaction->first_multiplier(), interaction->multipliers()) = natural.phi_t;
  }
  return rates;
}

VecX positive_mass_diagonal(const Model& model, const SparseMatrix& M) {
  constexpr double negligible = 1e-10; // of the largest entry of the body
  VecX diagonal = M.diagonal();
  double total = 0;
  for (const Body* body : model.bodies()) {
    total += body->mass();
    const std::vector<int> place = places(*body);
    double largest = 0, sum = 0;
    int count = 0;
    for (const int i : place)
      largest = std::max(largest, diagonal[i]);
    for (const int i : place)
      if (diagonal[i] > negligible * largest) {
        sum += diagonal[i];
        ++count;
      }
    for (const int i : place)
      if (count > 0 && diagonal[i] <= negligible * largest)
        diagonal[i] = sum / count;
  }
  const double mean = total > 0 ? total / static_cast<double>(model.bodies().size()) : 1;
  return (diagonal.array() > 0).select(diagonal, mean);
}

Step still_step(const State& state, const VecX& z) {
  return {state, no_time, 0, z, state.multipliers};
}

std::string name_of_unknown(const Model& model, Index unknown) {
  for (const auto& element : model.elements()) { // bodies come before what acts on them
    const std::vector<int> place = places(*element);
    const auto found = std::find(place.begin(), place.end(), static_cast<int>(unknown));
    if (found != place.end())
      return "'" + element->name() + "' (" + element->kind() + "), " + element->row_name(found - place.begin());
  }
  return {};
}

State moved(const Model& model, const State& state, const VecX& z) {
  State from = state;
  from.rates.setZero(model.unknowns());
  const Step step = still_step(from, z);
  PortMotions motions = model.port_motions();
  model.move_ports(step, motions);
  State there = from;
  model.retract_nodes(step, there.values);
  for (const auto& element : model.elements())
    element->advance({step, motions}, there);
  there.rates.setZero(model.unknowns());
  return there;
}

} // namespace emmy
