#pragma once
/// Takes islands out of a contact problem.

#include "contact/problem/island.hpp"

namespace emmy::contact {

/// A compliance for some of its contacts, the others without impulses.
class PartialCompliance final : public Compliance {
public:
  void set(const Compliance& whole, const std::vector<Index>& contacts);

  Index contacts() const override { return static_cast<Index>(chosen_->size()); }
  void apply(const ConstVectorRef& r, VectorRef u) const override;
  Mat3 own(Index j) const override { return whole_->own((*chosen_)[static_cast<std::size_t>(j)]); }
  std::array<Index, 2> parts(Index j) const override { return whole_->parts((*chosen_)[static_cast<std::size_t>(j)]); }

private:
  const Compliance* whole_ = nullptr;
  const std::vector<Index>* chosen_ = nullptr;
  mutable Vectors r_, u_;
};

class IslandBuilder {
public:
  /// The island of `contacts`, which lives until the next one is built, as the list must. `own` are blocks of W of all
  /// contacts of the problem with themselves.
  Island& build(const ContactProblem& problem, const std::vector<Index>& contacts, const std::vector<Mat3>& own);

private:
  void copy_bodies(const BodyForm& whole, const std::vector<Index>& contacts);

  Island island_;
  FreeCompliance free_;
  PartialCompliance partial_;
  std::vector<Index> number_; ///< in the island, of bodies that its contacts touch
};

} // namespace emmy::contact
