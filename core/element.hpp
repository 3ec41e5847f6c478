#pragma once
/// An element is a term of the equations of motion: inertia of a body, a joint, a force, a limit.
///
/// It is const while a step is solved: what changes in time lives in State and Step. It adds to buffers that the caller
/// owns and has zeroed, so elements compose, run in any order, and a rejected step needs no undoing.

#include "core/connectivity.hpp"
#include "core/facts.hpp"
#include "core/ledger.hpp"
#include "core/node.hpp"
#include "core/state.hpp"

#include <string>
#include <vector>

namespace emmy {

/// Dense equations of one element, in the unknowns of its nodes followed by its own multipliers:
///   r = (force balance: + discrete gradient + G_bar^T lambda ; constraint values at n+1)
///   k = derivative of r with respect to (z, lambda)
struct LocalSystem {
  VectorRef r;
  MatrixRef k;
  bool tangent; ///< false: k is not asked for and must not be touched
};

/// Books what the ground gave to a port that is partly fixed, in a step of length h with the port residual r and its
/// moment about the origin.
void book_support(const Connectivity& port, double h, const Vec12& r, const Vec3& moment_of_r, StepBooks& books);

class Element {
public:
  /// `kind` is what a person calls it: "frame body", "revolute joint". `ports` are those that it looks at, in the order
  /// of its unknowns.
  Element(std::string name, std::string kind, std::vector<Node> nodes, std::vector<Index> ports, ElementFacts facts);
  virtual ~Element() = default;
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  const std::string& name() const { return name_; }
  const std::string& kind() const { return kind_; }
  /// Its place in Model::elements().
  Index number() const { return number_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Index>& ports() const { return ports_; }
  Index unknowns() const { return unknowns_; }
  Index multipliers() const { return facts_.rows.count(); }
  Index history() const { return facts_.history; }
  Index first_multiplier() const { return first_multiplier_; }
  Index first_history() const { return first_history_; }

  const ConstraintRows& constraints() const { return facts_.rows; }
  bool is_one_sided() const { return facts_.rows.is_one_sided(); }
  /// False if nothing but turns of bodies makes the equations nonlinear.
  bool bends() const { return facts_.nonlinear == Nonlinear::in_displacements; }
  /// True if advance() has something to do: elements that remember nothing need not be asked.
  bool advances() const { return facts_.history > 0 || facts_.rates == Rates::by_body; }

  /// Adds residual and, if asked, tangent.
  virtual void evaluate(const MovedStep& s, LocalSystem& out) const = 0;

  /// Entries of k that this element may ever write; only these get a place in the matrix. All, unless it knows better.
  virtual Pattern pattern() const;

  /// Adds for each entry of r the size of the largest terms that are summed in it. Eps times that is the rounding
  /// floor, below which no iteration can bring the residual.
  virtual void add_magnitude(const MovedStep& s, VectorRef size) const = 0;

  /// How far its natural variables, or its unknowns if it has none, must move in the step before its forces point
  /// elsewhere: the length of a spring. 0 if nobody knows. Only elements that bend are asked.
  virtual double bending_length(const MovedStep&) const { return 0; }

  // In book(), begin() and advance() ports are where they are at the ends of the step. Their maps may be those of
  // another step: who looks back at a step needs none.

  /// Enters an accepted step, which ended in `n1`, in the books.
  virtual void book(const MovedStep& s, const State& n1, StepBooks& books) const = 0;

  /// Writes what an element remembers at the start to state.history; `still` is a step that does not move.
  virtual void begin(const MovedStep& still, State& state) const;

  /// Writes what is to be remembered of an accepted step to n1.history. A body whose rates do not follow the mean rule
  /// of the integrator writes them here too.
  virtual void advance(const MovedStep& s, State& n1) const;

  /// What the i-th entry of r balances, for messages: "force along x".
  virtual std::string row_name(Index i) const = 0;

private:
  friend class Model; // numbers the element, its multipliers and history when the element joins a model
  std::string name_, kind_;
  std::vector<Node> nodes_;
  std::vector<Index> ports_;
  ElementFacts facts_;
  Index number_ = 0, unknowns_ = 0, first_multiplier_ = 0, first_history_ = 0;
};

} // namespace emmy
