#pragma once
/// Last stage of algorithm K: Newton's method on the free set, those contacts that press. Every set that is tried
/// lowers the energy, so that it ends whatever the redundancy.

#include "contact/problem/normal_problem.hpp"
#include "contact/problem/pivoted_cholesky.hpp"

namespace emmy::contact {

class FreeSetNewton {
public:
  /// Contacts beyond which a dense matrix costs more than conjugate gradients.
  static constexpr std::size_t most_contacts = 256;

  /// Goes on from the impulses of the problem to the floor of rounding. Returns the number of steps. If contacts seem
  /// to press on one another without end, `jam` becomes the direction in which they do; otherwise it is empty.
  int solve(NormalProblem& problem, Numbers& jam);

private:
  void form(NormalProblem& problem);
  void renew(NormalProblem& problem) const;
  /// Free are contacts that press, and after them those that approach.
  void choose_free(const NormalProblem& problem, double floor);
  /// A travel is along impulses that move nothing, by which only approaching targets lower the energy.
  void find_step(const NormalProblem& problem, bool may_travel);
  /// Takes out contacts that do not press and would have to pull. Returns whether there were any.
  bool drop_pulling(const NormalProblem& problem);
  /// Returns how much of the step was possible; infinite if nothing bounds it.
  double go(NormalProblem& problem) const;

  Numbers A_;                ///< by columns
  std::vector<Index> free_;  ///< contacts of the free set
  std::size_t pressing_ = 0; ///< how many of them press
  double missed_ = 0;        ///< largest |w| of those
  Numbers scale_;            ///< square roots of the diagonal of A
  Numbers b_, step_, null_;  ///< of the free set
  bool travels_ = false;     ///< only a contact that opens ends the step
  Numbers P_best_;
  PivotedCholesky factors_;
};

} // namespace emmy::contact
