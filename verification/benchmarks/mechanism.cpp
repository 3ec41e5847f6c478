#include "verification/benchmarks/mechanism.hpp"

#include <algorithm>

namespace emmy::benchmark {

int Mechanism::add(double mass, const Vec3& inertia, const Quaternion& orientation, const Vec3& at, const Vec3& X) {
  bodies.push_back({mass, inertia, {X - orientation * at, orientation, Vec3::Zero(), Vec3::Zero()}});
  return size() - 1;
}

Vec3 Mechanism::position(const Point& p) const {
  return p.body == ground ? p.at : Vec3(body(p.body).start.position + body(p.body).start.orientation * p.at);
}

Quaternion Mechanism::orientation(int i) const {
  return i == ground ? Quaternion::Identity() : body(i).start.orientation;
}

SpanningTree::SpanningTree(const Mechanism& mechanism) : parent(mechanism.bodies.size(), nullptr) {
  for (const Mechanism::Joint& joint : mechanism.joints) {
    const Mechanism::Joint*& place = parent[static_cast<std::size_t>(joint.second.body)];
    if (place == nullptr)
      place = &joint;
    else
      loops.push_back(&joint);
  }
}

Energy energy_of(const Mechanism& mechanism, const std::vector<BodyMotion>& motions) {
  Energy energy;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Mechanism::Body& body = mechanism.bodies[i];
    const Vec3 Omega = motions[i].orientation.conjugate() * motions[i].angular_velocity;
    energy.kinetic += (body.mass * motions[i].velocity.squaredNorm() + Omega.dot(body.inertia.cwiseProduct(Omega))) / 2;
    // Heights count from the start: what is far from the origin would drown the change in rounding.
    energy.potential -= body.mass * mechanism.gravity.dot(motions[i].position - body.start.position);
  }
  return energy;
}

std::vector<Vec3> centres_of(const std::vector<BodyMotion>& motions) {
  std::vector<Vec3> centres;
  for (const BodyMotion& motion : motions)
    centres.push_back(motion.position);
  return centres;
}

double largest_distance(const std::vector<Vec3>& centres, const std::vector<Vec3>& reference) {
  double largest = 0;
  for (std::size_t i = 0; i < centres.size(); ++i)
    largest = std::max(largest, (centres[i] - reference[i]).norm());
  return largest;
}

} // namespace emmy::benchmark
