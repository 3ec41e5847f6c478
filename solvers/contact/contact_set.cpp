#include "solvers/contact/contact_set.hpp"

#include <algorithm>
#include <numeric>

namespace emmy {

void ContactSet::enter(const FreeStep& step, const std::vector<FreeContact>& contacts) {
  if (number_.size() != step.size())
    number_.assign(step.size(), -1);
  bodies_.clear();
  parts_.clear();
  for (const FreeContact& c : contacts) {
    std::array<Index, 2> parts{-1, -1};
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0)
        continue;
      Index& number = number_[static_cast<std::size_t>(c.body[side])];
      if (number < 0) {
        number = static_cast<Index>(bodies_.size());
        bodies_.push_back(static_cast<std::size_t>(c.body[side]));
      }
      parts[side] = number;
    }
    parts_.push_back(parts);
  }
  for (const std::size_t b : bodies_)
    number_[b] = -1;

  finder_.find(parts_, island_);
  order_.resize(contacts.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t i, std::size_t j) { return island_[i] != island_[j] ? island_[i] < island_[j] : i < j; });
  begins_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i)
    if (i == 0 || island_[order_[i]] != island_[order_[i - 1]])
      begins_.push_back(i);
  begins_.push_back(order_.size());
}

void ContactSet::fill(const FreeStep& step, FreeStep::When when, const std::vector<FreeContact>& contacts,
                      contact::BodyForm& form) const {
  form.inverse_mass.clear();
  form.inverse_inertia.clear();
  for (const std::size_t b : bodies_) {
    const Mat3 Q = step.place(b, when, step.motions()[b].x).Q;
    form.inverse_mass.push_back(step.body(b).inverse_mass);
    form.inverse_inertia.push_back(Q * step.body(b).J_inverse * Q.transpose());
  }
  form.contacts.clear();
  for (std::size_t j = 0; j < contacts.size(); ++j)
    form.contacts.push_back({parts_[j], contacts[j].arm});
}

bool ContactSet::find_bodies(std::size_t island, std::vector<std::size_t>& bodies) const {
  bodies.clear();
  bool floats = true;
  for (const std::size_t j : contacts_of(island))
    for (const Index part : parts_[j]) {
      floats &= part >= 0;
      if (part >= 0)
        bodies.push_back(bodies_[static_cast<std::size_t>(part)]);
    }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return floats;
}

Cluster cluster(const FreeStep& step, const std::vector<std::size_t>& bodies) {
  Cluster c;
  const Vec3 origin = step.motions()[bodies.front()].x;
  double mass = 0;
  for (const std::size_t b : bodies) {
    const double M = 1 / step.body(b).inverse_mass;
    mass += M;
    c.velocity += step.motions()[b].p;
    c.centre += M * (step.motions()[b].x - origin);
  }
  c.velocity /= mass;
  c.centre = origin + c.centre / mass;
  for (const std::size_t b : bodies) {
    const FreeMotion& m = step.motions()[b];
    const Vec3 d = m.x - c.centre;
    const Mat3 Q = m.orientation().toRotationMatrix();
    c.angular_momentum += d.cross(m.p) + m.pi;
    c.inertia += Q * step.body(b).J * Q.transpose() - skew(d) * skew(d) / step.body(b).inverse_mass; // [R19]
  }
  return c;
}

} // namespace emmy
