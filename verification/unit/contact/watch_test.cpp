#include "contact/search/watch.hpp"

#include "verification/unit/contact/random_scene.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>

using namespace emmy;
using namespace emmy::contact;
using test::Kind;
using test::Random;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Bodies of half a metre that fly about at random between walls some metres away, with one surface each, and what a
/// step does with a watch.
class Flock {
public:
  /// All meet all. Body 0 is the ground.
  Flock(Random& random, double scale, const std::vector<Kind>& on_ground, const std::vector<Kind>& on_bodies,
        bool has_many_nodes = false)
      : random_(random), scale_(scale), has_many_nodes_(has_many_nodes) {
    for (const Kind kind : on_ground)
      add(kind, 0);
    for (const Kind kind : on_bodies)
      add(kind, static_cast<Index>(places_.size()));
    scene_.rule_of = Eigen::MatrixXi::Zero(1, 1);
    scene_.rules.resize(1);
    watch_ = std::make_unique<Watch>(scene_, places_.size());
  }

  Scene& scene() { return scene_; }
  std::vector<Placed>& places() { return places_; }
  Watch& watch() { return *watch_; }

  /// Moves all bodies by about `speeds` [m] and tells whether to look.
  bool move() {
    bool is_spent = false;
    for (std::size_t b = 1; b < places_.size(); ++b) {
      const Vec3 shift = velocities_[b] * random_.between(0, 2), turn = spins_[b] * random_.between(0, 2);
      places_[b].x += shift;
      places_[b].Q = rotation_of(turn) * places_[b].Q;
      travels_[b] = shift.norm() + turn.norm() * watch_->reach(static_cast<Index>(b));
      is_spent |= watch_->spend(static_cast<Index>(b), travels_[b]);
      if (random_.between(0, 1) < 0.01)
        set_off(b, speed_);
      if (places_[b].x.norm() > 5 * scale_) // turn back
        velocities_[b] = -velocities_[b].norm() * places_[b].x.normalized();
    }
    return is_spent;
  }
  const std::vector<SurfacePair>& look(double reserve) { return watch_->look(places_, travels_, reserve); }

  void set_off(double speed) {
    speed_ = speed;
    for (std::size_t b = 1; b < places_.size(); ++b)
      set_off(b, speed);
  }

  double distance(int a, int b) const {
    const Surface &of_a = scene_.surfaces[static_cast<std::size_t>(a)],
                  &of_b = scene_.surfaces[static_cast<std::size_t>(b)];
    return test::distance_of(of_a.geometry, places_[static_cast<std::size_t>(of_a.port)], of_b.geometry,
                             places_[static_cast<std::size_t>(of_b.port)]);
  }

  /// How deep bodies are in each other is left to the narrow phase.
  bool is_near(const SurfacePair& pair, double distance, double reserve) {
    const auto place = [&](int s) {
      return places_[static_cast<std::size_t>(scene_.surfaces[static_cast<std::size_t>(s)].port)];
    };
    points_.clear();
    if (distance <= reserve)
      near_points(scene_, pair, place(pair.a), place(pair.b), reserve, points_);
    return (0 < distance && distance <= reserve) || !points_.empty();
  }

  /// visit(a, b, distance) for all pairs that may meet.
  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (int a = 0; a < static_cast<int>(scene_.surfaces.size()); ++a)
      for (int b = a + 1; b < static_cast<int>(scene_.surfaces.size()); ++b)
        if (scene_.rule(a, b) >= 0 && can_meet(scene_.surfaces[static_cast<std::size_t>(a)].geometry,
                                               scene_.surfaces[static_cast<std::size_t>(b)].geometry))
          visit(a, b, distance(a, b));
  }

private:
  static Mat3 rotation_of(const Vec3& turn) {
    return turn.norm() > 0 ? Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() : Mat3::Identity();
  }

  void set_off(std::size_t b, double speed) {
    // A few rest, and some are much faster than others.
    const double own = speed * scale_ * (random_.between(0, 1) < 0.1 ? 0 : std::pow(10, random_.between(-2, 0)));
    velocities_[b] = own * random_.direction();
    spins_[b] = own / scale_ * random_.between(0, 1) * random_.direction();
  }

  void add(Kind kind, Index port) {
    const bool is_wall = kind == Kind::half_space || kind == Kind::shell || kind == Kind::room;
    Geometry geometry = test::scaled(test::random_shape(kind, random_), is_wall ? scale_ : 0.5 * scale_);
    if (auto* plane = std::get_if<HalfSpace>(&geometry))
      plane->offset -= 4 * scale_;
    if (auto* nodes = std::get_if<NodeSet>(&geometry); nodes != nullptr && has_many_nodes_)
      while (nodes->at.size() < 40) // more than are measured at any distance
        nodes->at.push_back(random_.vector(0.5 * scale_));
    scene_.surfaces.push_back({"", port, geometry});
    scene_.class_of.push_back(0);
    if (port == 0)
      return;
    places_.push_back(test::random_place(random_, 3 * scale_ * random_.between(0, 1)));
    velocities_.emplace_back(Vec3::Zero());
    spins_.emplace_back(Vec3::Zero());
    travels_.push_back(0);
  }

  std::vector<ContactPoint> points_;
  Random& random_;
  double scale_;
  bool has_many_nodes_;
  double speed_ = 0; // of set_off()
  Scene scene_;
  std::vector<Placed> places_ = std::vector<Placed>(1);
  std::vector<Vec3> velocities_ = std::vector<Vec3>(1, Vec3::Zero()), spins_ = velocities_;
  std::vector<double> travels_ = std::vector<double>(1, 0.);
  std::unique_ptr<Watch> watch_;
};

struct Tally {
  int looks = 0, near = 0, missed = 0, violated = 0;
};

/// Flies and holds all that the watch says against all pairs, measured one by one. The reserve changes now and then.
Tally fly(Flock& flock, Random& random, int steps, double scale, double largest_reserve) {
  Tally tally;
  double reserve = 0.5 * largest_reserve;
  for (int step = 0; step < steps; ++step) {
    if (random.between(0, 1) < 0.01)
      reserve = random.between(0, 1) < 0.2 ? 0 : random.between(0, largest_reserve);
    const bool is_spent = flock.move();
    std::vector<SurfacePair> close;
    if (is_spent || !flock.watch().covers(reserve)) {
      close = flock.look(reserve);
      ++tally.looks;
    }
    flock.for_each_pair([&](int a, int b, double distance) {
      const SurfacePair pair{a, b, 0};
      if (flock.is_near(pair, distance, reserve)) {
        ++tally.near;
        tally.missed += !std::binary_search(close.begin(), close.end(), pair);
      }
      const Index port_a = flock.scene().surfaces[static_cast<std::size_t>(a)].port,
                  port_b = flock.scene().surfaces[static_cast<std::size_t>(b)].port;
      const auto allowance = [&](Index port) { return port == 0 ? 0. : flock.watch().allowances()[port]; };
      // Distances of hulls are found to 1e-7 or so of their size, from above.
      if (distance > 0)
        tally.violated += allowance(port_a) + allowance(port_b) > distance - reserve + 1e-6 * scale;
    });
  }
  return tally;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Watch_)

// Spheres and sets of nodes in a room, over a floor, in a shell that flies with them; with blocks and capsules; from
// 1e-9 to 1e9 m. Nothing that comes within the reserve is ever missed, and allowances keep their promise.
BOOST_AUTO_TEST_CASE(no_pair_that_comes_close_is_missed) {
  Random random(1);
  const auto many = [](Kind kind, std::size_t count) { return std::vector<Kind>(count, kind); };
  const auto both = [](std::vector<Kind> a, const std::vector<Kind>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<Kind> no;
  int near = 0;
  const std::vector<Kind> balls = both(many(Kind::sphere, 8), many(Kind::nodes, 6));
  for (const double scale : {1e-9, 1., 1e9})
    for (const double speed : {1e-3, 3e-2, 0.5})
      for (const auto& [on_ground, on_bodies] :
           {std::pair(no, balls), std::pair(many(Kind::room, 1), balls), std::pair(many(Kind::half_space, 2), balls),
            std::pair(no, both(balls, {Kind::shell, Kind::room})),
            std::pair(many(Kind::room, 1), both(many(Kind::sphere, 3), {Kind::block, Kind::block, Kind::capsule,
                                                                        Kind::capsule, Kind::nodes}))}) {
        Flock flock(random, scale, on_ground, on_bodies);
        flock.set_off(speed);
        const Tally tally = fly(flock, random, 100, scale, 0.05 * scale);
        BOOST_TEST(tally.missed == 0);
        BOOST_TEST(tally.violated == 0);
        near += tally.near;
      }
  BOOST_TEST(near > 2500);
}

// Sets of many nodes are measured some steps ahead and no further.
BOOST_AUTO_TEST_CASE(no_pair_of_many_nodes_is_missed) {
  Random random(6);
  int near = 0;
  for (int trial = 0; trial < 5; ++trial) {
    Flock flock(random, 1, {Kind::room}, {Kind::nodes, Kind::sphere, Kind::sphere, Kind::sphere}, true);
    flock.set_off(0.03);
    const Tally tally = fly(flock, random, 400, 1, 0.05);
    BOOST_TEST(tally.missed == 0);
    BOOST_TEST(tally.violated == 0);
    near += tally.near;
  }
  BOOST_TEST(near > 100);
}

// Far out a plane that turns travels without bound: its body is looked at in each step.
BOOST_AUTO_TEST_CASE(half_spaces_may_fly) {
  Random random(2);
  Flock flock(random, 1, {}, {Kind::half_space, Kind::sphere, Kind::sphere, Kind::nodes});
  flock.set_off(0.05);
  const Tally tally = fly(flock, random, 2000, 1, 0.05);
  BOOST_TEST(tally.missed == 0);
  BOOST_TEST(tally.near > 0);
  BOOST_TEST(tally.looks == 2000);
}

// What is found depends on the places alone: one that forgets everything before each look finds no pair of the reserve
// that the other does not.
BOOST_AUTO_TEST_CASE(what_is_close_does_not_depend_on_the_past) {
  Random random(3);
  Flock flock(random, 1, {Kind::room}, std::vector<Kind>(20, Kind::sphere));
  flock.set_off(0.02);
  const double reserve = 0.1;
  Watch forgetful(flock.scene(), flock.places().size());
  const std::vector<double> other_travels(flock.places().size(), 0.3);
  std::size_t found = 0;
  for (int step = 0; step < 1000; ++step) {
    const bool is_spent = flock.move();
    std::vector<SurfacePair> close = is_spent ? flock.look(reserve) : std::vector<SurfacePair>();
    forgetful.forget();
    std::vector<SurfacePair> expected = forgetful.look(flock.places(), other_travels, reserve);
    const auto is_far = [&](const SurfacePair& pair) { return flock.distance(pair.a, pair.b) > reserve; };
    close.erase(std::remove_if(close.begin(), close.end(), is_far), close.end());
    expected.erase(std::remove_if(expected.begin(), expected.end(), is_far), expected.end());
    BOOST_TEST((close == expected));
    found += close.size();
  }
  BOOST_TEST(found > 100U);
}

BOOST_AUTO_TEST_CASE(bodies_without_surfaces_are_never_looked_at) {
  Random random(4);
  Scene scene = test::scene_of(test::random_shape(Kind::sphere, random), test::random_shape(Kind::sphere, random));
  Watch watch(scene, 5);
  BOOST_TEST(watch.allowances()[0] == infinity);
  BOOST_TEST(watch.allowances()[4] == infinity);
  BOOST_TEST(!watch.spend(4, 1e9));
  BOOST_TEST(watch.spend(1, 0));
}

// Two spheres that fly apart and are alone: the distance grows faster than they use it up.
BOOST_AUTO_TEST_CASE(allowances_share_the_distance_as_travels_suggest) {
  Scene scene = test::scene_of(Sphere{Vec3::Zero(), 1}, Sphere{Vec3::Zero(), 1});
  std::vector<Placed> places(3);
  places[2].x = Vec3(12, 0, 0);
  Watch watch(scene, 3);
  BOOST_TEST(watch.look(places, {0, 3, 1}, 0.5).empty()); // 10 apart, margins of 60 and 20
  const double apart = 10 - 1.25 * 0.5;                   // with what is kept for reserves that grow
  const double tolerance = 64 * eps * (12 + 2) + 4 * eps * 10;
  BOOST_TEST(std::abs(watch.allowances()[1] - (3 + 0.4) / 4.8 * apart) <= tolerance);
  BOOST_TEST(std::abs(watch.allowances()[1] + watch.allowances()[2] - apart) <= tolerance);
}

// A diverged body is looked at in each step, and paired with everything.
BOOST_AUTO_TEST_CASE(a_body_lost_in_nan_is_always_close) {
  Scene scene = test::scene_of(Sphere{Vec3::Zero(), 1}, Sphere{Vec3::Zero(), 1});
  std::vector<Placed> places(3);
  places[2].x = Vec3(12, 0, 0);
  Watch watch(scene, 3);
  watch.look(places, {0, 1, 1}, 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  places[2].x.setConstant(nan);
  for (int step = 0; step < 3; ++step) {
    BOOST_TEST(watch.spend(2, nan));
    BOOST_TEST(watch.look(places, {0, 1, nan}, 0).size() == 1U);
  }
}

// The rod of the paper: 1 m long, in a room of 2 m, 50 m/s and 40 rad/s, steps of 1 microsecond.
BOOST_AUTO_TEST_CASE(a_rod_in_a_box_is_looked_at_once_in_a_thousand_steps) {
  NodeSet rod;
  for (int i = 0; i < 6; ++i)
    rod.at.emplace_back(-0.5 + 0.2 * i, 0, 0);
  Box room;
  room.half.setOnes();
  room.inside = true;
  Scene scene = test::scene_of(rod, room);
  std::vector<Placed> places(3);
  Watch watch(scene, 3);
  const double h = 1e-6;
  const Vec3 omega(0, 40, 0);
  Vec3 v(50, 2, 0);
  const Mat3 turn = Eigen::AngleAxisd(h * omega.norm(), omega.normalized()).toRotationMatrix();
  std::vector<ContactPoint> points;
  int bounces = 0;
  const int steps = 200000;
  for (int step = 0; step < steps; ++step) {
    places[1].x += h * v;
    places[1].Q = turn * places[1].Q;
    const double travel = h * (v.norm() + omega.norm() * watch.reach(1));
    if (!watch.spend(1, travel))
      continue;
    for (const SurfacePair& pair : watch.look(places, {0, travel, 0}, h * v.norm())) {
      points.clear();
      near_points(scene, pair, places[1], places[2], 0, points);
      for (const ContactPoint& point : points)
        if (v.dot(point.normal) < 0) {
          v -= 2 * v.dot(point.normal) * point.normal;
          ++bounces;
        }
    }
  }
  BOOST_TEST(bounces > 5);
  BOOST_TEST(watch.effort().looks < 5e-3 * steps);
  BOOST_TEST(watch.effort().searches < 30);
}

// Searches become rare as margins grow with the room that there is.
BOOST_AUTO_TEST_CASE(spheres_that_fly_apart_are_hardly_looked_at) {
  Random random(5);
  Scene scene;
  std::vector<Placed> places(1);
  std::vector<Vec3> steps(1, Vec3::Zero());
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 10; ++k) {
        scene.surfaces.push_back({"", static_cast<Index>(places.size()), Sphere{Vec3::Zero(), 0.1}});
        scene.class_of.push_back(0);
        places.push_back({0.3 * Vec3(i - 4.5, j - 4.5, k - 4.5), Mat3::Identity()});
        steps.emplace_back(1e-3 * places.back().x + random.vector(1e-4));
      }
  scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
  scene.rules.resize(1);
  std::vector<double> travels;
  for (const Vec3& step : steps)
    travels.push_back(step.norm());
  Watch watch(scene, places.size());
  const int count = 10000;
  for (int step = 0; step < count; ++step) {
    bool is_spent = false;
    for (std::size_t b = 1; b < places.size(); ++b) {
      places[b].x += steps[b];
      is_spent |= watch.spend(static_cast<Index>(b), travels[b]);
    }
    if (is_spent)
      BOOST_TEST(watch.look(places, travels, 1e-4).empty());
  }
  BOOST_TEST(watch.effort().searches < 50);
  BOOST_TEST(watch.effort().looks < count / 10);
  BOOST_TEST(static_cast<double>(watch.effort().distances) < 0.1 * count * 1000);
}

BOOST_AUTO_TEST_SUITE_END()
