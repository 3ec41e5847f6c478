#include "contact/problem/island_builder.hpp"

#include <algorithm>
#include <limits>

namespace emmy::contact {

void PartialCompliance::set(const Compliance& whole, const std::vector<Index>& contacts) {
  whole_ = &whole;
  chosen_ = &contacts;
  r_.assign(static_cast<std::size_t>(whole.contacts()), Vec3::Zero());
  u_.resize(r_.size());
}

void PartialCompliance::apply(const ConstVectorRef& r, VectorRef u) const {
  for (std::size_t i = 0; i < chosen_->size(); ++i)
    r_[static_cast<std::size_t>((*chosen_)[i])] = r.segment<3>(3 * static_cast<Index>(i));
  whole_->apply(flat(r_), flat(u_));
  for (std::size_t i = 0; i < chosen_->size(); ++i)
    u.segment<3>(3 * static_cast<Index>(i)) = u_[static_cast<std::size_t>((*chosen_)[i])];
}

void IslandBuilder::copy_bodies(const BodyForm& whole, const std::vector<Index>& contacts) {
  BodyForm& form = free_.form();
  form.contacts.clear();
  form.inverse_mass.clear();
  form.inverse_inertia.clear();
  if (number_.size() < whole.inverse_mass.size())
    number_.resize(whole.inverse_mass.size());
  for (const Index j : contacts)
    for (const Index b : whole.contacts[static_cast<std::size_t>(j)].body)
      if (b >= 0)
        number_[static_cast<std::size_t>(b)] = -1;
  for (const Index j : contacts) {
    PointContact contact = whole.contacts[static_cast<std::size_t>(j)];
    for (Index& b : contact.body) {
      if (b < 0)
        continue;
      Index& number = number_[static_cast<std::size_t>(b)];
      if (number < 0) {
        number = static_cast<Index>(form.inverse_mass.size());
        form.inverse_mass.push_back(whole.inverse_mass[static_cast<std::size_t>(b)]);
        form.inverse_inertia.push_back(whole.inverse_inertia[static_cast<std::size_t>(b)]);
      }
      b = number;
    }
    form.contacts.push_back(contact);
  }
}

Island& IslandBuilder::build(const ContactProblem& problem, const std::vector<Index>& contacts,
                             const std::vector<Mat3>& own) {
  if (const BodyForm* whole = problem.W.bodies()) {
    copy_bodies(*whole, contacts);
    island_.W = &free_;
  } else {
    partial_.set(problem.W, contacts);
    island_.W = &partial_;
  }
  const std::size_t m = contacts.size();
  island_.q.resize(m);
  island_.laws.resize(m);
  island_.own.resize(m);
  island_.D.resize(m);
  island_.v_s = std::max(problem.velocity_scale, std::numeric_limits<double>::min()); // nothing at all moves: r = 0
  island_.applications = 0;
  for (std::size_t i = 0; i < m; ++i) {
    island_.q[i] = problem.q.segment<3>(3 * contacts[i]);
    island_.laws[i] = problem.laws[static_cast<std::size_t>(contacts[i])];
    island_.own[i] = own[static_cast<std::size_t>(contacts[i])];
    island_.D[i] = island_.own[i].trace() / 3;                               // [R3]
    island_.v_s = std::max(island_.v_s, island_.q[i].cwiseAbs().maxCoeff()); // [R3]
  }
  return island_;
}

} // namespace emmy::contact
