#include "verification/tables/director_chains/chains.hpp"

#include "elements/bodies/director.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/tables/csv.hpp"
#include "verification/tables/text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace emmy::tables::directors {

const std::vector<double> Studies::shown{0, 1, 2, 3};

namespace {

const test::BodyMaker by_directors{"director",
                                   [](Model& model, std::string name, double mass, const Mat3& J) -> const Body& {
                                     return DirectorBody::add_to(model, std::move(name), mass, J);
                                   }};

Instant instant_of(const test::Mechanism& m, const StepBooks& books, const State& state) {
  Instant now;
  now.t = state.time;
  now.kinetic = books.kinetic;
  now.potential = books.potential;
  now.angular_momentum = books.angular_momentum;
  now.strain = books.rigidity_violation / 2;
  now.joints = books.position_violation;
  now.points.push_back(Vec3::Zero());
  for (const Body* body : m.bodies) {
    const auto& director = dynamic_cast<const DirectorBody&>(*body);
    now.momentum_condition = std::max(now.momentum_condition, director.momentum_condition(state).cwiseAbs().maxCoeff());
    const BodyMotion motion = body->motion(state);
    now.centres.push_back(motion.position);
    now.points.push_back(motion.position + motion.orientation * Vec3(0, 0, -1.5));
  }
  return now;
}

} // namespace

void Chain::run(double end) {
  const test::Mechanism m = test::hanging_chain(4, joint, by_directors);
  unknowns = m.model->unknowns();
  multipliers = m.model->multipliers();
  EnergyMomentum integrator(*m.model, {});
  State state = m.initial;
  Ledger ledger;
  ledger.open(m.model->books_at(state));
  trace.push_back(instant_of(m, ledger.last(), state));
  const long steps = std::lround(end / h);
  for (long i = 0; i < steps; ++i) {
    const StepReport report = integrator.step(state, h);
    if (!report.converged)
      throw std::runtime_error(std::string(title) + ": " + report.why);
    ledger.add(integrator.books(state));
    iterations += report.iterations / static_cast<double>(steps);
    trace.push_back(instant_of(m, ledger.last(), state));
  }
}

const Instant& Chain::at(double t) const {
  return trace[static_cast<std::size_t>(std::lround(t / h))];
}

double Chain::energy_error() const {
  double error = 0, scale = 0;
  for (const Instant& now : trace) {
    error = std::max(error, std::abs(now.energy() - trace.front().energy()));
    scale = std::max(scale, now.kinetic);
  }
  return error / scale;
}

double Chain::largest(double Instant::*quantity) const {
  double largest = 0;
  for (const Instant& now : trace)
    largest = std::max(largest, std::abs(now.*quantity));
  return largest;
}

double Chain::momentum_error(int axis) const {
  double error = 0;
  for (const Instant& now : trace)
    error = std::max(error, std::abs((now.angular_momentum - trace.front().angular_momentum)[axis]));
  return error;
}

void Studies::run() {
  for (Chain& chain : chains)
    chain.run(end);
}

void Studies::write_series(const std::string& directory) const {
  for (const Chain& chain : chains) {
    CsvFile history(directory + "/" + chain.name + ".csv", "t,E,T,V,l1,l2,l3,e,Cp,joints");
    for (const Instant& now : chain.trace)
      history.add({now.t, now.energy(), now.kinetic, now.potential, now.angular_momentum[0], now.angular_momentum[1],
                   now.angular_momentum[2], now.strain, now.momentum_condition, now.joints});
    for (const double t : shown) {
      CsvFile shape(directory + "/" + chain.name + "_" + short_number(t) + ".csv", "x,y,z");
      for (const Vec3& point : chain.at(t).points)
        shape.add({point.x(), point.y(), point.z()});
    }
  }
}

std::vector<Finding> Studies::findings() const {
  FindingList list;
  const Chain &revolute = chains[0], &spherical = chains[1];
  list.near("revolute joints: unknowns", static_cast<double>(revolute.unknowns + revolute.multipliers), 68, 0);
  list.near("spherical joints: unknowns", static_cast<double>(spherical.unknowns + spherical.multipliers), 60, 0);
  list.near("revolute joints: energy at release [J]", revolute.trace.front().energy(), -998.887323375365, 1e-11, 15);
  list.near("spherical joints: energy at release [J]", spherical.trace.front().energy(), -706.32, 1e-11, 15);
  for (const Chain& chain : chains) {
    // Published: 10⁻¹² for the energy, 10⁻¹⁰ for l₃, and constraints 'well below' 10⁻⁸. Here constraints are rounding:
    // some ten of base vectors of length one, times spins of 50 N m s, and of coordinates up to 12 m.
    const std::string title = std::string(chain.title) + ": ";
    list.at_most(title + "largest error of the energy, relative", chain.energy_error(), 1e-12);
    list.at_most(title + "largest change of l₃ [N m s]", chain.momentum_error(2), 1e-10);
    list.at_most(title + "internal constraints, largest e(q)", chain.largest(&Instant::strain), 1e-14);
    list.at_most(title + "momenta, largest C(q)p [N m s]", chain.largest(&Instant::momentum_condition), 5e-13);
    list.at_most(title + "joints, largest violation [m], [1]", chain.largest(&Instant::joints), 5e-14);
  }
  // motion in the plane of x₂ and x₃
  list.at_most("revolute joints: largest l₂ [N m s]", revolute.momentum_error(1), 1e-10);
  struct Place {
    const Chain* chain;
    double t;
    Vec3 centre;
    double within; ///< the last digit that was given
  };
  // By an independent program with the same steps, centre of the last body.
  for (const Place& x : {Place{&revolute, 1, {0, 6.325038834368, -6.819667865430}, 1e-11},
                         Place{&revolute, 5, {0, 4.2747913901, -7.7464219310}, 1e-9},
                         Place{&spherical, 1, {-1.287411657231, 6.448841140622, -6.219261651567}, 1e-11},
                         Place{&spherical, 5, {-2.349629972925, 3.299210877390, -7.737357647307}, 1e-10},
                         Place{&spherical, 10, {-0.0690714376, -3.3279495864, -4.1350227586}, 1e-9}})
    list.at_most(std::string(x.chain->title) + ", t = " + short_number(x.t) +
                     " s: distance of the last body from the other program's [m]",
                 (x.chain->at(x.t).centres.back() - x.centre).norm(), x.within);
  return list.take();
}

std::string Studies::table(const std::string& name) const {
  if (name != "chains")
    throw std::runtime_error("there is no table '" + name + "'");
  std::vector<Row> rows;
  for (const Chain& c : chains)
    rows.push_back({c.title, short_number(c.h), std::to_string(c.unknowns) + " + " + std::to_string(c.multipliers),
                    format("%.1f", c.iterations), short_number(c.energy_error(), 1),
                    short_number(c.momentum_error(2), 1), short_number(c.largest(&Instant::strain), 1),
                    short_number(c.largest(&Instant::momentum_condition), 1),
                    short_number(c.largest(&Instant::joints), 1)});
  return tables::table({"chain", "h [s]", "unknowns + multipliers", "iterations a step", "energy, relative",
                        "l₃ [N m s]", "e(q)", "C(q)p [N m s]", "joints [m], [1]"},
                       rows);
}

} // namespace emmy::tables::directors

std::unique_ptr<emmy::tables::Study> emmy::tables::director_chains() {
  return std::make_unique<directors::Studies>();
}
