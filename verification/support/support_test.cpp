#define BOOST_TEST_MODULE support
#include <boost/test/unit_test.hpp>

#include "elements/bodies/frame.hpp"
#include "verification/support/checks.hpp"

using namespace emmy;
using namespace emmy::test;

namespace {

enum class Defect {
  none,
  tangent,      // the mean moves half as far, forgotten
  gradient,     // stiffness at the mean length: no discrete gradient
  force,        // the second point feels a little more
  moment,       // not central
  frame,        // knows the x axis of space
  overwrites,   // instead of adding
  touches_k,    // though not asked for
  pattern,      // writes where it said it would not
  magnitude,    // five hundred times too large
  scaled_books, // books energy that nobody supplied
  no_name
};

/// Spring between two points, V = k (L - L0)²/2 with the discrete gradient [T10], or one of its caricatures.
class Spring final : public Interaction {
public:
  Spring(const Ports& ports, const NaturalVariable& a, const NaturalVariable& b, Defect defect)
      : Interaction("spring", "spring", ports, {a, b},
                    {ConstraintRows::none(), no_history, Acts::between_bodies, Forces::of_configuration,
                     Nonlinear::in_displacements}),
        defect_(defect) {}

  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override {
    const Vec3 d_n = span(s.q_n), d_n1 = span(s.q_n1), d_m = (d_n + d_n1) / 2;
    const double lengths = defect_ == Defect::gradient ? 2 * d_m.norm() : d_n.norm() + d_n1.norm();
    const double S = k_ * (1 - 2 * L0_ / lengths);
    Vec3 f = S * d_m;
    if (defect_ == Defect::moment)
      f += Vec3(d_m.y(), -d_m.x(), 0);
    if (defect_ == Defect::frame)
      f = S * Vec3(2 * d_m.x(), d_m.y(), d_m.z());
    out.r.head<3>() -= f;
    out.r.tail<3>() += defect_ == Defect::force ? Vec3(1.0001 * f) : f;
    if (!out.tangent)
      return;
    const Vec3 dS_dd = 2 * k_ * L0_ / (lengths * lengths) * d_n1.normalized();
    const double half = defect_ == Defect::tangent ? 1 : 0.5;
    const Mat3 k = half * S * Mat3::Identity() + d_m * dS_dd.transpose();
    out.k.block<3, 3>(0, 0) += k;
    out.k.block<3, 3>(3, 3) += k;
    out.k.block<3, 3>(0, 3) -= k;
    out.k.block<3, 3>(3, 0) -= k;
  }
  double potential(const NaturalStep& s) const override {
    const double stretch = span(s.q_n1).norm() - L0_;
    return k_ * stretch * stretch / 2;
  }
  std::string row_name(Index) const override { return defect_ == Defect::no_name ? "" : "spring force"; }

private:
  void book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const override {
    if (defect_ == Defect::scaled_books)
      books.work -= r.dot(s.q_n1 - s.q_n);
  }
  static Vec3 span(const ConstVectorRef& q) { return q.tail<3>() - q.head<3>(); }
  double k_ = 3, L0_ = 0.7;
  Defect defect_;
};

/// An element that is not polite with the buffers it is given.
class Rude final : public Element {
public:
  Rude(const Node& node, Defect defect)
      : Element("rude", "rude element", {node}, {},
                {ConstraintRows::none(), no_history, Nonlinear::in_displacements, Rates::by_integrator}),
        defect_(defect) {}
  void evaluate(const MovedStep&, LocalSystem& out) const override {
    if (defect_ == Defect::overwrites)
      out.r.setConstant(2);
    if (defect_ == Defect::magnitude)
      out.r.array() += 2;
    if (defect_ == Defect::touches_k)
      out.k(0, 0) = 0;
    if (defect_ == Defect::pattern && out.tangent)
      out.k(0, 1) += 1;
  }
  void add_magnitude(const MovedStep&, VectorRef size) const override {
    size.setConstant(defect_ == Defect::magnitude ? 1e3 : 1.9);
  }
  void book(const MovedStep&, const State&, StepBooks&) const override {}
  Pattern pattern() const override { return Pattern::Identity(3, 3); }
  std::string row_name(Index) const override { return "row"; }

private:
  Defect defect_;
};

enum class PortDefect {
  none,
  derivative_as_secant,
  no_geometric,
  secant_as_derivative,
  rate,
  map,
  geometric,
  place,
  support
};

/// The port of a frame, or one of its caricatures.
class WrongPort final : public Connectivity {
public:
  WrongPort(const Node& node, PortDefect defect)
      : Connectivity({node}, Grounding::none), right_(node), defect_(defect) {}
  void move(const Step& s, PortMotion& m) const override {
    right_.move(s, m);
    if (defect_ == PortDefect::derivative_as_secant)
      m.P_bar = m.D;
    if (defect_ == PortDefect::secant_as_derivative)
      m.D = m.P_bar;
  }
  void place(const Step& s, PortMotion& m) const override {
    right_.place(s, m);
    if (defect_ == PortDefect::place)
      m.q_n1 = m.q_n;
  }
  void add_support(const Vec12& r, const Vec3&, Vec3& force, Vec3&) const override {
    if (defect_ == PortDefect::support)
      force += r.head<3>();
  }
  void add_geometric(const Step& s, const PortMotion& m, const Vec12& r, MatrixRef k) const override {
    if (defect_ != PortDefect::no_geometric)
      right_.add_geometric(s, m, r, k);
  }
  void at(const State& state, Vec12& q, Vec12& q_dot) const override {
    right_.at(state, q, q_dot);
    if (defect_ == PortDefect::rate)
      q_dot.tail<9>() *= -1;
  }
  MapPattern map_pattern() const override {
    return defect_ == PortDefect::map ? MapPattern{Pattern::Zero(12, 6), Pattern::Zero(12, 6)} : right_.map_pattern();
  }
  Pattern geometric_pattern(const PortPattern& r) const override {
    return defect_ == PortDefect::geometric ? Pattern::Zero(6, 6) : right_.geometric_pattern(r);
  }

private:
  FrameConnectivity right_;
  PortDefect defect_;
};

struct Scene {
  explicit Scene(Defect defect) {
    const Body& a = body_makers()[0].add(model, "a", 1, random.inertia());
    const Body& b = body_makers()[1].add(model, "b", 2, random.inertia());
    const Vec3 at = random.vector();
    spring = &model.add(std::make_unique<Spring>(model.ports(), body_point(a.port(), at),
                                                 body_point(b.port(), random.vector()), defect));
    motions = {random_motion(random, step_sizes()[3]), random_motion(random, step_sizes()[3])};
    trial = make_trial(model, motions, 0.05, VecX());
  }
  Random random{11};
  Model model;
  const Spring* spring = nullptr;
  std::vector<Motion> motions;
  Trial trial;
};

} // namespace

BOOST_AUTO_TEST_SUITE(Checks)

BOOST_AUTO_TEST_CASE(a_right_element_passes_all) {
  Scene s(Defect::none);
  BOOST_TEST(check_tangent(*s.spring, s.model, s.trial));
  BOOST_TEST(check_adds(*s.spring, s.model, s.trial));
  BOOST_TEST(check_magnitude(*s.spring, s.model, s.trial));
  BOOST_TEST(check_row_names(*s.spring));
  BOOST_TEST(check_discrete_gradient(*s.spring, s.model, s.trial));
  BOOST_TEST(check_momentum(*s.spring, s.model, s.trial));
  BOOST_TEST(check_frame_indifference(*s.spring, s.model, s.motions, 0, s.random));
  BOOST_TEST(check_books(*s.spring, s.model, s.trial));
}

BOOST_AUTO_TEST_CASE(a_wrong_element_fails_the_check_of_its_fault) {
  Scene tangent(Defect::tangent), gradient(Defect::gradient), force(Defect::force), moment(Defect::moment),
      frame(Defect::frame), books(Defect::scaled_books), no_name(Defect::no_name);
  BOOST_TEST(!check_tangent(*tangent.spring, tangent.model, tangent.trial));
  BOOST_TEST(!check_discrete_gradient(*gradient.spring, gradient.model, gradient.trial));
  BOOST_TEST(!check_momentum(*force.spring, force.model, force.trial));
  BOOST_TEST(check_momentum(*moment.spring, moment.model, moment.trial, false));
  BOOST_TEST(!check_momentum(*moment.spring, moment.model, moment.trial));
  BOOST_TEST(!check_frame_indifference(*frame.spring, frame.model, frame.motions, 0, frame.random));
  BOOST_TEST(!check_books(*books.spring, books.model, books.trial));
  BOOST_TEST(!check_row_names(*no_name.spring));
}

BOOST_AUTO_TEST_CASE(an_element_that_does_not_just_add_fails) {
  Model model;
  const Node node = model.add_node(NodeKind::point);
  Random random(12);
  const Trial trial = random_trial(model, step_sizes()[2], random);
  BOOST_TEST(check_adds(Rude(node, Defect::none), model, trial));
  BOOST_TEST(!check_adds(Rude(node, Defect::overwrites), model, trial));
  BOOST_TEST(!check_adds(Rude(node, Defect::touches_k), model, trial));
  BOOST_TEST(!check_adds(Rude(node, Defect::pattern), model, trial));
  BOOST_TEST(!check_magnitude(Rude(node, Defect::overwrites), model, trial)); // |r| = 2 where it claims 1.9
  BOOST_TEST(!check_magnitude(Rude(node, Defect::magnitude), model, trial));
}

BOOST_AUTO_TEST_CASE(a_wrong_port_fails) {
  Random random(13);
  Model model;
  const Body& body = body_makers()[0].add(model, "body", 1, random.inertia());
  const Trial trial = random_trial(model, step_sizes()[2], random);
  const auto verdict = [&](PortDefect defect) {
    return check_secant(WrongPort(body.nodes().front(), defect), trial, random);
  };
  BOOST_TEST(verdict(PortDefect::none));
  BOOST_TEST(!verdict(PortDefect::derivative_as_secant));
  BOOST_TEST(!verdict(PortDefect::secant_as_derivative));
  BOOST_TEST(!verdict(PortDefect::no_geometric));
  BOOST_TEST(!verdict(PortDefect::rate));
  BOOST_TEST(!verdict(PortDefect::map));
  BOOST_TEST(!verdict(PortDefect::geometric));
  BOOST_TEST(!verdict(PortDefect::place));
  BOOST_TEST(!verdict(PortDefect::support));
}

BOOST_AUTO_TEST_CASE(not_a_number_agrees_with_nothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!agree("nan", nan, nan, 1));
  BOOST_TEST(!agree("nan", 0, 0, nan));
  BOOST_TEST(!agree("size", MatX(MatX::Zero(2, 1)), MatX(MatX::Zero(1, 2)), 1));
  BOOST_TEST(agree("equal", 1, 1, 0));
}

// Every body that generated tests use is held to the same laws as the elements under test.
BOOST_AUTO_TEST_CASE(every_kind_of_body_passes) {
  Random random(14);
  for (const BodyMaker& maker : body_makers())
    for (const StepSize& size : step_sizes())
      for (int repeat = 0; repeat < 5; ++repeat)
        BOOST_TEST_CONTEXT(maker.name << ", " << size.name << " step, repeat " << repeat) {
          Model model;
          const double mass = random.mass();
          const Body& body = maker.add(model, "body", mass, random.inertia());
          Trial trial = random_trial(model, size, random);
          const Connectivity& port = *model.ports()[static_cast<std::size_t>(body.port())];
          BOOST_TEST(check_secant(port, trial, random));
          disturb(model, size.shift, random, trial);
          BOOST_TEST(check_secant(port, trial, random));
          BOOST_TEST(check_tangent(body, model, trial));
          BOOST_TEST(check_adds(body, model, trial));
          BOOST_TEST(check_magnitude(body, model, trial));
          BOOST_TEST(check_row_names(body));
          BOOST_TEST(check_energy(body, model, trial));
        }
}

BOOST_AUTO_TEST_SUITE_END()
