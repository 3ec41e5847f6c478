/// No heap allocation once sizes have peaked. This program replaces malloc and operator new and counts, so it cannot
/// run under a sanitizer, which replaces them too.

#define BOOST_TEST_MODULE contact_allocation
#include "problem_cases.hpp"

#include "verification/unit/solvers/counted_allocations.hpp"

#include <boost/test/unit_test.hpp>

namespace emmy::contact {

// Up to 25 bodies an island: the sparse factors above that are Eigen's, which allocates.
BOOST_AUTO_TEST_CASE(solving_allocates_nothing_once_sizes_have_peaked) {
  std::vector<Case> cases;
  for (const double friction : {0.0, 0.4}) {
    cases.push_back(heap(24, friction, 1));
    cases.push_back(tower(10, 1e3, friction));
    cases.push_back(tower(3, 1, friction));
    cases.push_back(box_on_incline(friction, 0.3));
    cases.push_back(cards(friction));
  }
  cases.push_back(heap(1000, 0, 2));
  std::vector<ContactProblem> problems;
  std::vector<VecX> start, r;
  for (const Case& c : cases) {
    problems.push_back(c.problem());
    start.push_back(VecX::Zero(3 * c.contacts()));
  }
  r = start;
  ContactSolver solver;
  const auto solve_all = [&] {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      r[i] = start[i];
      solver.solve(problems[i], r[i]);
    }
  };
  solve_all();
  BOOST_TEST(allocations_of(solve_all).own == 0);
}

} // namespace emmy::contact
