/// Newton's method where displacements bend the equations: it must not stop before it is done because nothing turns.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/integrators/conserving/composition.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/newton/bending.hpp"
#include "verification/unit/solvers/system.hpp"

#include <functional>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Eight units in the last place are the floor of a residual; the solution is rounded to eps of the coordinates, which
/// the condition of the matrix makes some more of.
constexpr double rounding = 100 * 8 * eps;

const Body& add_point(Model& model) {
  return PointMass::add_to(model, "point", 1);
}

/// V = c |x|^8 / 8 of a point: a steep bowl that does not say what bends its force. With s = |x|² the force is the
/// quotient of differences of V by s, times twice the mean of x.
class Bowl final : public Interaction {
public:
  Bowl(const Ports& ports, Index port, double c)
      : Interaction("bowl", "bowl", ports, {body_point(port, Vec3::Zero())},
                    {ConstraintRows::none(), no_history, Acts::between_bodies, Forces::of_configuration,
                     Nonlinear::in_displacements}),
        c_(c) {}
  void evaluate_natural(const NaturalStep& step, NaturalSystem& out) const override {
    const double s_n = step.q_n.squaredNorm(), s_n1 = step.q_n1.squaredNorm();
    const double S = c_ / 4 * (s_n * s_n + s_n1 * s_n1) * (s_n + s_n1);
    out.r += S * step.q_m;
    if (!out.tangent)
      return;
    const double dS_ds = c_ / 4 * (s_n * s_n + 2 * s_n * s_n1 + 3 * s_n1 * s_n1);
    out.k += S / 2 * Mat3::Identity() + 2 * dS_ds * step.q_m * step.q_n1.transpose();
  }
  double potential(const NaturalStep& step) const override { return c_ / 8 * std::pow(step.q_n1.squaredNorm(), 4); }
  std::string row_name(Index) const override { return "force"; }

private:
  double c_;
};

/// What swings, and how fast it starts.
struct Swing {
  std::string name;
  std::function<const Body&(Model&)> add; ///< body and forces
  Vec3 velocity;
  double spin = 0;
};

void add_spring(Model& model, const Body& body, const Vec3& arm) {
  model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                           body_point(body.port(), arm), SpringLaw{100, 0.5, 0}));
}

/// Bodies on a spring that passes close to where it is held, so that its direction changes fast for a moment; rods,
/// and a force that says nothing of itself.
std::vector<Swing> swings() {
  std::vector<Swing> list;
  for (const double v : {0.1, 0.3, 1.0}) {
    list.push_back({"point on a spring",
                    [](Model& model) -> const Body& {
                      const Body& point = add_point(model);
                      add_spring(model, point, Vec3::Zero());
                      return point;
                    },
                    {0, v, 0}});
    for (const BodyMaker& maker : body_makers())
      for (const double spin : {0.0, 1e-3, 1.0})
        if (maker.is_free)
          list.push_back({maker.name + " on a spring",
                          [&maker, spin](Model& model) -> const Body& {
                            const Body& body = maker.add(model, "body", 1, Vec3(0.1, 0.12, 0.15).asDiagonal());
                            add_spring(model, body, spin > 0 ? Vec3(0.05, 0, 0.02) : Vec3::Zero());
                            return body;
                          },
                          {0, v, 0},
                          spin});
  }
  list.push_back(
      {"row of points",
       [](Model& model) -> const Body& {
         const Body *last = nullptr, *first = nullptr;
         for (int i = 0; i < 4; ++i) {
           const Body& point = add_point(model);
           const NaturalVariable from = body_point(last != nullptr ? last->port() : Model::ground, Vec3::Zero());
           model.add(std::make_unique<SpringDamper>("spring", model.ports(), from,
                                                    body_point(point.port(), Vec3::Zero()), SpringLaw{100, 0.5, 0}));
           first = first != nullptr ? first : &point;
           last = &point;
         }
         return *first;
       },
       {0, 0.3, 0}});
  list.push_back({"point on rods",
                  [](Model& model) -> const Body& {
                    const Body &knee = add_point(model), &end = add_point(model);
                    model.add(distance_joint("upper", model.ports(), {}, {knee.port()}, 1));
                    model.add(distance_joint("lower", model.ports(), {knee.port()}, {end.port()}, 1));
                    add_spring(model, end, Vec3::Zero());
                    return knee;
                  },
                  {0, 2, 0}});
  list.push_back({"point in a bowl",
                  [](Model& model) -> const Body& {
                    const Body& point = add_point(model);
                    model.add(std::make_unique<Bowl>(model.ports(), point.port(), 100));
                    return point;
                  },
                  {0, 0.3, 0}});
  return list;
}

Mechanism start(const Swing& swing) {
  Mechanism m;
  const Body& first = swing.add(*m.model);
  m.initial = m.model->rest_state();
  m.initial.multipliers.setZero(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  Vec3 place(1, 0, 0);
  for (const Body* body : m.model->bodies()) {
    body->set_motion({place, Quaternion::Identity(), body == &first ? swing.velocity : Vec3::Zero(),
                      swing.spin * Vec3(0.3, -0.4, 1)},
                     m.initial);
    place += Vec3(0, 0, 1);
  }
  m.model->begin(m.initial);
  return m;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Bending_)

BOOST_AUTO_TEST_CASE(what_is_left_of_a_step_is_rounding) {
  for (const Swing& swing : swings())
    for (const double h : {0.01, 0.003}) {
      Mechanism m = start(swing);
      EnergyMomentum integrator(*m.model, {});
      double largest = 0;
      for (int i = 0; i < 400; ++i) {
        BOOST_REQUIRE(integrator.step(m.initial, h).converged);
        largest = std::max(largest, residual_of(*m.model, integrator));
      }
      BOOST_TEST(largest <= rounding, swing.name << ", v = " << swing.velocity.y() << ", spin " << swing.spin
                                                 << ", h = " << h << ": " << largest);
    }
}

BOOST_AUTO_TEST_CASE(energy_is_kept_at_every_order) {
  for (const Swing& swing : swings())
    for (const int order : {2, 4, 6}) {
      Mechanism m = start(swing);
      Composition integrator(*m.model, stages_of_order(order), {});
      Ledger ledger;
      ledger.open(m.model->books_at(m.initial));
      const int steps = 1200 / static_cast<int>(stages_of_order(order).size());
      for (int i = 0; i < steps; ++i) {
        BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
        ledger.add(integrator.books(m.initial));
      }
      // 1200 stages at most, each off by a few roundings of the energy, all with the same sign at worst.
      BOOST_TEST(ledger.relative_energy_imbalance() <= 1200 * 4 * eps,
                 swing.name << ", v = " << swing.velocity.y() << ", order " << order << ": "
                            << ledger.relative_energy_imbalance());
    }
}

namespace {

/// A frame of mass 3 and a point of mass 1, mean mass 2, with something between a point of the one, 2 m along the axis
/// about which J is 12, and the other, 5 m away. What is between moves by dx - dy + dtheta x (0, 0, 2), hence with
/// weights m / 2 and J / 2 of the norm by its reach at most.
struct Between {
  const double reach = std::sqrt(3 / 1.5 + 3 / 0.5 + 4 / 1.5 + 4 / 6.0);

  /// Rate of increments that are moved, in a step of the size 0.01.
  double rate(const std::function<std::unique_ptr<Interaction>(const Ports&, Index frame, Index point)>& make) const {
    Model model;
    const Body& frame = FrameBody::add_to(model, "frame", 3, Vec3(3, 12, 12).asDiagonal());
    const Body& point = PointMass::add_to(model, "point", 1);
    model.add(make(model.ports(), frame.port(), point.port()));
    State state = model.rest_state();
    point.set_motion({{0, 5, 2}, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    TwoPointEquations equations(model);
    Assembler assembler(equations);
    const StepNorm norm(model, assembler.numbering(), best_instructions());
    Bending bending(assembler, norm);
    BOOST_REQUIRE(bending.exists());
    PortMotions motions = model.port_motions();
    const VecX z = VecX::Zero(model.unknowns()), lambda = VecX::Zero(model.multipliers());
    const Step still{state, 0.01, 100, z, lambda};
    model.move_ports(still, motions);
    bending.measure({still, motions});
    return bending.rate(norm.parts() - 1, moved, 0.01); // that of the point
  }

  StepNorm::Size moved{1e-5, 3e-5, 0, 2e-5, 0}; // the largest multiplier is the fourth
};

const auto close = boost::test_tools::tolerance(20 * eps);

} // namespace

BOOST_AUTO_TEST_CASE(angles_are_those_by_which_increments_turn_an_element) {
  const Between b;
  const double spring = b.rate([](const Ports& ports, Index frame, Index point) {
    return std::make_unique<SpringDamper>("spring", ports, body_point(frame, {0, 0, 2}),
                                          body_point(point, Vec3::Zero()), SpringLaw{1, 1, 0});
  });
  BOOST_TEST(spring == 1e-5 * b.reach / 5, close);
  const double rod = b.rate([](const Ports& ports, Index frame, Index point) {
    return distance_joint("rod", ports, {frame, {0, 0, 2}}, {point}, 5);
  });
  BOOST_TEST(rod == 1e-5 * b.reach / 5 + 2e-5 * b.reach * b.reach / 5, close);
}

BOOST_AUTO_TEST_CASE(of_what_does_not_know_increments_are_compared_with_the_step) {
  const double bowl =
      Between().rate([](const Ports& ports, Index, Index point) { return std::make_unique<Bowl>(ports, point, 1); });
  BOOST_TEST(bowl == 1e-5 / 0.01, close);
}

BOOST_AUTO_TEST_CASE(what_only_turns_is_not_asked) {
  const Mechanism m = hanging_chain(4, ChainJoint::revolute);
  TwoPointEquations equations(*m.model);
  Assembler assembler(equations);
  const StepNorm norm(*m.model, assembler.numbering(), best_instructions());
  BOOST_TEST(!Bending(assembler, norm).exists());
}

BOOST_AUTO_TEST_SUITE_END()
