#include "solvers/linear/block_solver.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"
#include "verification/benchmarks/timing.hpp"

#include <klu.h>

#include <limits>
#include <numeric>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

/// KLU on a matrix of PETSc's, in the order of its rows. Those are what KLU takes for columns: it factorises the
/// transpose.
class Klu {
public:
  Klu(Mat matrix, Index size) : size_(static_cast<int>(size)) {
    PetscInt rows = 0;
    PetscBool done = PETSC_FALSE;
    check(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &first_, &column_, &done));
    check(MatSeqAIJGetArrayRead(matrix, &values_));
    klu_defaults(&common_);
    common_.scale = 0; // the equations are scaled already, and KLU is faster without
    std::vector<int> order(static_cast<std::size_t>(size_));
    std::iota(order.begin(), order.end(), 0);
    symbolic_ = klu_analyze_given(size_, first(), column(), order.data(), order.data(), &common_);
    factorise_anew();
  }
  ~Klu() {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  /// With the pivots that were found before.
  void factorise() { expect(klu_refactor(first(), column(), values(), symbolic_, numeric_, &common_)); }
  /// Looks for pivots, as PETSc has it done every time.
  void factorise_anew() {
    if (numeric_ != nullptr)
      klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(first(), column(), values(), symbolic_, &common_);
    expect(numeric_ != nullptr);
  }
  void solve(const double* b, double* x) {
    std::copy(b, b + size_, x);
    expect(klu_tsolve(symbolic_, numeric_, size_, 1, x, &common_));
  }

private:
  static void expect(bool good) {
    if (!good)
      throw std::runtime_error("KLU failed");
  }
  // KLU does not write what it takes without const.
  int* first() const { return const_cast<int*>(first_); }
  int* column() const { return const_cast<int*>(column_); }
  double* values() const { return const_cast<double*>(values_); }

  int size_;
  const PetscInt *first_ = nullptr, *column_ = nullptr;
  const double* values_ = nullptr;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

/// The equations of one step, at the values from which an iteration without memory starts.
class Iterated {
public:
  Iterated(const Problem& problem, const State& state, bool packs)
      : equations_(*problem.model), assembler_(equations_, {}, options(packs)),
        blocks_(assembler_.blocks(), options(packs).instructions),
        x_(VecX::Zero(assembler_.size() + Assembler::room_behind)), f_(x_), dx_(x_), by_klu_(x_), start_(state) {
    assembler_.begin_step(start_, step_length);
    assembler_.start_freely(x_.data());
    evaluate();
    assembler_.fill_matrix();
    klu_ = std::make_unique<Klu>(assembler_.matrix(), assembler_.size());
    compare();
  }

  /// As Newton does it: bodies are eliminated as they are evaluated, where that is possible.
  void with_blocks() {
    if (!assembler_.condenses()) {
      evaluate();
      blocks_.factorise();
      blocks_.solve(f_.data(), dx_.data());
      return;
    }
    if (!assembler_.evaluate_condensed(x_.data(), f_.data(), true))
      throw std::runtime_error("the equations cannot be evaluated");
    if (assembler_.has_beside()) {
      blocks_.factorise_rest();
      blocks_.solve_rest(assembler_.has_rest() ? f_.data() : nullptr, dx_.data());
      assembler_.expand(dx_.data());
    }
    if (WrenchSystem* wrenches = assembler_.wrenches()) {
      wrenches->factorise(assembler_.epsilon(), assembler_.scale_of_rows());
      wrenches->solve(dx_.data());
    }
  }
  void with_klu() {
    evaluate();
    assembler_.fill_matrix();
    klu_->factorise();
    klu_->solve(f_.data(), by_klu_.data());
  }
  void with_klu_anew() {
    evaluate();
    assembler_.fill_matrix();
    klu_->factorise_anew();
    klu_->solve(f_.data(), by_klu_.data());
  }

private:
  static KernelOptions options(bool packs) {
    KernelOptions kernels;
    kernels.packs = packs;
    return kernels;
  }

  void evaluate() {
    if (!assembler_.evaluate(x_.data(), f_.data()))
      throw std::runtime_error("the equations cannot be evaluated");
  }

  /// Both must have solved the same system.
  void compare() {
    with_blocks();
    with_klu();
    const Index n = assembler_.size(); // there is room behind
    // Gaps are differences of coordinates, and rounded like them; multipliers take the condition number of that [S1].
    const double rounding = 3e4 * std::numeric_limits<double>::epsilon() * start_.values.norm();
    if (!((dx_ - by_klu_).head(n).norm() <= 1e-6 * dx_.head(n).norm() + rounding))
      throw std::runtime_error("KLU and the block factorisation do not agree");
  }

  TwoPointEquations equations_;
  Assembler assembler_;
  BlockSolver blocks_;
  std::unique_ptr<Klu> klu_;
  VecX x_, f_, dx_, by_klu_;
  State start_;
};

/// CPU time of one of many calls [s].
std::function<double()> timed(std::function<void()> iteration, bool quick) {
  const double start = cpu_time();
  iteration();
  const int repeats = steps_to_fill(quick ? 0.005 : 0.03, cpu_time() - start, 100000);
  return [iteration = std::move(iteration), repeats] {
    const double from = cpu_time();
    for (int i = 0; i < repeats; ++i)
      iteration();
    return (cpu_time() - from) / repeats;
  };
}

std::vector<Mechanism> mechanisms(bool quick) {
  std::vector<Mechanism> list = {chain(4), chain(32), chain(256), revolute_chain(256), tree(255)};
  if (!quick)
    for (Mechanism& m : std::vector<Mechanism>{chain(2048), net(12, 12), spring_chain(256)})
      list.push_back(std::move(m));
  return list;
}

} // namespace

void newton_iteration(bool quick, Report& report) {
  const std::string promised = chain(256).name;
  std::vector<tables::Row> rows;
  for (Mechanism& mechanism : mechanisms(quick)) {
    const Problem problem(std::move(mechanism));
    Runner runner(problem, step_length);
    runner.warm_up(untimed_steps);
    Iterated packed(problem, runner.state(), true), single(problem, runner.state(), false);
    const std::vector<double> times =
        best_times({timed([&] { packed.with_blocks(); }, quick), timed([&] { packed.with_klu(); }, quick),
                    timed([&] { packed.with_klu_anew(); }, quick), timed([&] { single.with_blocks(); }, quick),
                    timed([&] { single.with_klu(); }, quick)},
                   quick ? 3 : 6);
    rows.push_back({problem.name(), std::to_string(problem.unknowns()), microseconds(times[0]), microseconds(times[1]),
                    ratio(times[1] / times[0]), microseconds(times[3]), microseconds(times[4]),
                    ratio(times[4] / times[3]), microseconds(times[2])});
    report.figures["newton_iteration"].push_back({{"problem", problem.name()},
                                                  {"unknowns", problem.unknowns()},
                                                  {"packs", {{"emmy", times[0]}, {"klu", times[1]}}},
                                                  {"one at a time", {{"emmy", times[3]}, {"klu", times[4]}}},
                                                  {"packs, klu with new pivots", times[2]}});
    if (problem.name() != promised)
      continue;
    const std::string what = "Newton iteration (tangent, factors, solution), KLU with kept pivots : block LU, ";
    report.promises.at_least(what + "both with packs, " + problem.name(), times[1] / times[0], 5);
    report.promises.at_least(what + "both one element at a time, " + problem.name(), times[4] / times[3], 2.5);
  }
  report.add("newton_iteration", "One Newton iteration: evaluation with tangent, factorisation, solution",
             {"problem", "unknowns", "packs, µs", "with KLU, µs", "ratio", "one at a time, µs", "with KLU, µs", "ratio",
              "packs, KLU with new pivots, µs"},
             rows);
}

} // namespace emmy::benchmark
