#include "contact/problem/solver.hpp"

#include "contact/problem/island_builder.hpp"
#include "contact/problem/islands.hpp"
#include "contact/problem/ladder.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::contact {

struct ContactSolver::Work {
  std::vector<Mat3> own;                   ///< of all contacts
  std::vector<Index> movable;              ///< contacts that impulses can change
  std::vector<std::array<Index, 2>> parts; ///< of these, and islands
  std::vector<Index> island_of;
  IslandFinder finder;
  std::vector<Index> begin, order; ///< contacts by islands: those of island i start at begin[i] of the order
  std::vector<Index> contacts;     ///< of the island at hand
  IslandBuilder builder;
  Ladder ladder;
  Vectors r, jam;

  void sort_by_islands(const ContactProblem& problem, VectorRef r_all, SolveReport& report);
  void solve_island(const ContactProblem& problem, const ContactSolverOptions& options, VectorRef r_all,
                    SolveReport& report);
};

void ContactSolver::Work::sort_by_islands(const ContactProblem& problem, VectorRef r_all, SolveReport& report) {
  const Index m = problem.W.contacts();
  own.resize(static_cast<std::size_t>(m));
  movable.clear();
  parts.clear();
  for (Index j = 0; j < m; ++j) {
    Mat3& W_jj = own[static_cast<std::size_t>(j)] = problem.W.own(j);
    if (!(W_jj.trace() <= 0)) { // what is not a number is for the report
      movable.push_back(j);
      parts.push_back(problem.W.parts(j));
      continue;
    }
    const Vec3 q = problem.q.segment<3>(3 * j);
    r_all.segment<3>(3 * j).setZero();
    if (problem.laws[static_cast<std::size_t>(j)].normal.dot(q) < 0)
      report.jammed.push_back(j); // [R23] with one contact
  }
  begin.assign(static_cast<std::size_t>(finder.find(parts, island_of)) + 2, 0);
  for (const Index i : island_of)
    ++begin[static_cast<std::size_t>(i) + 2];
  for (std::size_t i = 2; i < begin.size(); ++i)
    begin[i] += begin[i - 1];
  order.resize(movable.size());
  for (std::size_t k = 0; k < movable.size(); ++k) // afterwards each begin has moved to the next
    order[static_cast<std::size_t>(begin[static_cast<std::size_t>(island_of[k]) + 1]++)] = movable[k];
  begin.pop_back();
}

void ContactSolver::Work::solve_island(const ContactProblem& problem, const ContactSolverOptions& options,
                                       VectorRef r_all, SolveReport& report) {
  Island& island = builder.build(problem, contacts, own);
  r.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    r[i] = r_all.segment<3>(3 * contacts[i]);
  Residual residual;
  report.iterations += ladder.climb(island, options, r, residual, jam);
  if (!flat(r).allFinite())
    std::fill(r.begin(), r.end(), Vec3::Zero());
  if (residual.value > report.residual || std::isnan(residual.value)) {
    report.residual = residual.value;
    report.worst = contacts[static_cast<std::size_t>(residual.worst)];
  }
  double most = 0;
  for (const Vec3& d : jam)
    most = std::max(most, d.norm());
  for (std::size_t i = 0; i < jam.size(); ++i)
    if (jam[i].norm() > 1e-6 * most)
      report.jammed.push_back(contacts[i]);
  report.applications += island.applications;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    r_all.segment<3>(3 * contacts[i]) = r[i];
}

ContactSolver::ContactSolver(const ContactSolverOptions& options)
    : options_(options), work_(std::make_unique<Work>()) {}

ContactSolver::~ContactSolver() = default;

SolveReport ContactSolver::solve(const ContactProblem& problem, VectorRef r) {
  SolveReport report;
  Work& work = *work_;
  work.sort_by_islands(problem, r, report);
  for (std::size_t i = 0; i + 1 < work.begin.size(); ++i) {
    work.contacts.assign(work.order.begin() + work.begin[i], work.order.begin() + work.begin[i + 1]);
    work.solve_island(problem, options_, r, report);
  }
  report.grade = report.jammed.empty() ? grade(report.residual, options_.tolerance) : SolveGrade::jam;
  return report;
}

} // namespace emmy::contact
