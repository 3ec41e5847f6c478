/// Targets of the laws of contact, and what follows from them for the problem that is solved.

#include "solvers/contact/targets.hpp"

#include "elements/forces/load.hpp"
#include "verification/support/free_scenes.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(ContactTargets)

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Blocks on each other, a little apart, with velocities of their own; on a floor that does not move or in free flight.
class Tower {
public:
  Tower(bool stands, double e, std::uint64_t seed)
      : h_(1e-3), step_(bodies(), RotationMap::cayley), finder_(scene(stands, e), ports(), Arms::common) {
    Random random(seed);
    for (std::size_t b = 0; b < blocks; ++b) {
      FreeMotion& m = step_.motions()[b];
      m.x = Vec3(0, 0, 0.5 + 1.0002 * static_cast<double>(b)) + Vec3(random.between(-0.1, 0.1), 0, 0);
      m.p = 0.3 * random.vector();
      m.pi = 0.1 * random.vector();
    }
    BOOST_REQUIRE(step_.begin(h_));
    step_.hold_prediction();
    for (int a = 0; a < static_cast<int>(scene_.surfaces.size()); ++a)
      for (int b = a + 1; b < static_cast<int>(scene_.surfaces.size()); ++b)
        finder_.find(step_, {a, b, 0}, 2e-3, contacts_);
    set_.enter(step_, contacts_);
  }

  const FreeStep& step() const { return step_; }
  const std::vector<FreeContact>& contacts() const { return contacts_; }
  const ContactSet& set() const { return set_; }

  /// Normal parts of G^T, at arms in the middle of the step: columns are velocities of bodies.
  Eigen::MatrixXd normal_map() const {
    contact::BodyForm form;
    set_.fill(step_, FreeStep::When::middle, contacts_, form);
    const auto n = static_cast<Index>(contacts_.size()), m = 6 * static_cast<Index>(set_.bodies().size());
    Eigen::MatrixXd map(n, m);
    VecX u(3 * n);
    for (Index k = 0; k < m; ++k) {
      contact::relative_velocities(form, VecX::Unit(m, k), u);
      map.col(k) = normal(u);
    }
    return map;
  }
  VecX normal(const VecX& u) const {
    VecX result(static_cast<Index>(contacts_.size()));
    for (std::size_t j = 0; j < contacts_.size(); ++j)
      result[static_cast<Index>(j)] = contacts_[j].normal.dot(u.segment<3>(3 * static_cast<Index>(j)));
    return result;
  }
  /// Of the step as it is flown.
  VecX mean_velocities() const {
    VecX v(6 * static_cast<Index>(set_.bodies().size()));
    for (std::size_t i = 0; i < set_.bodies().size(); ++i) {
      const Spin spin = step_.mean_spin(set_.bodies()[i]);
      v.segment<3>(6 * static_cast<Index>(i)) = spin.v;
      v.segment<3>(6 * static_cast<Index>(i) + 3) = spin.omega;
    }
    return v;
  }

private:
  static constexpr std::size_t blocks = 4;

  static std::vector<FreeBody> bodies() {
    FreeBody body;
    body.inverse_mass = 1;
    body.J = box_inertia(1, Vec3::Ones());
    body.J_inverse = body.J.inverse();
    return std::vector<FreeBody>(blocks, body);
  }
  static std::vector<Index> ports() { return {-1, 0, 1, 2, 3}; }
  /// Corners of every block above the one below, whose surface is that of a box.
  const contact::Scene& scene(bool stands, double e) {
    scene_.rules = {contact::Rule()};
    scene_.rules[0].material.restitution = e;
    scene_.rule_of = Eigen::MatrixXi::Zero(1, 1);
    const auto add = [&](Index port, contact::Geometry geometry) {
      scene_.surfaces.push_back({"", port, std::move(geometry)});
      scene_.class_of.push_back(0);
    };
    for (Index port = 1; port <= static_cast<Index>(blocks); ++port) {
      contact::NodeSet lower;
      for (const Vec3& at : corners(Vec3::Ones()).at)
        if (at.z() < 0)
          lower.at.push_back(at);
      add(port, lower);
      add(port, contact::Box{Vec3::Zero(), Vec3(0.8, 0.8, 0.5), Mat3::Identity(), false});
    }
    if (stands)
      add(0, contact::HalfSpace{Vec3::UnitZ(), 0});
    return scene_;
  }

  double h_;
  contact::Scene scene_;
  FreeStep step_;
  ContactFinder finder_;
  std::vector<FreeContact> contacts_;
  ContactSet set_;
};

/// Part of a vector that no velocity of the bodies gives, by QR: normal equations would not see what is small.
double out_of_range(const Eigen::MatrixXd& map, const VecX& q) {
  return (q - map * map.completeOrthogonalDecomposition().solve(q)).cwiseAbs().maxCoeff();
}

} // namespace

// [Q2], [Q3]: with one restitution in an island the problem q = u_free - s is met by velocities of rigid bodies, four
// corners of a face by the motion of that face.
BOOST_AUTO_TEST_CASE(targets_of_one_restitution_are_velocities_of_rigid_bodies) {
  for (const bool stands : {true, false})
    for (const double e : {0.0, 0.5})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Tower tower(stands, e, seed);
        const Eigen::MatrixXd map = tower.normal_map();
        BOOST_REQUIRE(map.rows() >= 12);
        Targets targets;
        GrowingVector s;
        targets.find(tower.step(), tower.contacts(), tower.set(), s);
        const VecX q = map * tower.mean_velocities() - tower.normal(s);
        // Sums of some ten products of velocities and arms, times the condition of the faces, which is their number.
        BOOST_TEST(out_of_range(map, q) <= 1000 * eps * q.cwiseAbs().maxCoeff());
        // The contacts are such that it would show: some approach, some leave.
        const auto leaves = [](const FreeContact& c) { return c.approach() < 0; };
        const auto leaving = std::count_if(tower.contacts().begin(), tower.contacts().end(), leaves);
        BOOST_TEST(leaving > 0);
        BOOST_TEST(leaving < static_cast<std::ptrdiff_t>(tower.contacts().size()));
      }
}

// [Q3]: a box that is pressed on a slab while both turn together. Arms of the middle of the step say that they approach
// with h/2 |Omega x (v_s - v_m)|; a target of half of it would lose F t h |Omega|² d / 4 = 3e-4 J. Invariant to a
// common velocity.
BOOST_AUTO_TEST_CASE(bodies_that_turn_together_lose_nothing) {
  const double h = 1e-3, F = 30;
  const Vec3 Omega(0.7, 0.4, 1), slab_at(0, 0, 0), box_at(0.1, 0.05, 0.6), centre = (3 * slab_at + box_at) / 4;
  const Quaternion upright(1, 0, 0, 0);
  for (const Vec3& V : {Vec3(0, 0, 0), Vec3(3, -2, 5)}) {
    FreeScene scene;
    scene.block(3, Vec3(2, 2, 0.2), {slab_at, upright, V + Omega.cross(slab_at - centre), Omega});
    scene.cornered(1, Vec3::Ones(), {box_at, upright, V + Omega.cross(box_at - centre), Omega});
    scene.restitution(0);
    for (const std::size_t b : {0, 1})
      scene.model.add(std::make_unique<AppliedForce>("press", scene.model.ports(), scene.bodies[b]->port(),
                                                     Vec3(b == 0 ? Vec3(0.1, 0.05, 0) : Vec3(Vec3::Zero())),
                                                     Vec3(0, 0, b == 0 ? F : -F), LoadAxes::body));
    const Course course = run(scene, h, 100);
    BOOST_TEST(course.contact_steps > 90);
    // The next term: F t h² |Omega|³ d.
    BOOST_TEST(std::abs(course.ledger.dissipation()) <= F * 100 * h * h * h * std::pow(Omega.norm(), 3) * 0.6);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 1e-13);
    BOOST_TEST(course.ledger.relative_angular_imbalance() <= 1e-13);
  }
}

BOOST_AUTO_TEST_SUITE_END()
