#pragma once
/// An element is a term of the equations of motion: inertia of a body, a joint, a force, a contact.
///
/// It is const while a step is solved: what changes in time lives in State and Step. It adds to buffers that the caller
/// owns and has zeroed, so elements compose, run in any order, and a rejected step needs no undoing.

#include "core/connectivity.hpp"
#include "core/enforcement.hpp"
#include "core/ledger.hpp"
#include "core/node.hpp"
#include "core/state.hpp"

#include <string>
#include <vector>

namespace emmy {

/// All ports of a model during one step, indexed like Model::ports().
using PortMotions = std::vector<PortMotion>;

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
  /// `kind` is what a person calls it: "frame body", "revolute joint".
  Element(std::string name, std::string kind, std::vector<Node> nodes, Index multipliers = 0, Index history = 0);
  virtual ~Element() = default;
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  const std::string& name() const { return name_; }
  const std::string& kind() const { return kind_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  Index unknowns() const { return unknowns_; }
  Index multipliers() const { return multipliers_; }
  Index history() const { return history_; }
  Index first_multiplier() const { return first_multiplier_; }
  Index first_history() const { return first_history_; }

  /// How the constraints of this element are enforced; set before time runs. Of no meaning without multipliers.
  const Enforcement& enforcement() const { return enforcement_; }
  void enforce(const Enforcement& how) { enforcement_ = how; }

  /// True if the constraints only push: phi <= 0 with lambda >= 0, phi = -gap [A1]. Otherwise phi = 0.
  virtual bool is_one_sided() const { return false; }
  /// Of a one-sided constraint: rate at which it parts relative to the rate at which it closed, 0 to 1 [A18].
  virtual double restitution() const { return 1; }
  /// How far a one-sided constraint is beyond its bound where its value is phi, in the unit of what it bounds.
  virtual double beyond(Index /*row*/, double phi) const { return phi; }

  /// Adds residual and, if asked, tangent.
  virtual void evaluate(const Step& s, const PortMotions& motions, LocalSystem& out) const = 0;

  /// Entries of k that this element may ever write; only these get a place in the matrix. All, unless it knows better.
  virtual Pattern pattern() const;

  /// Adds the size of the largest terms that are summed in each entry of r: eps times it is the rounding floor, below
  /// which no iteration can bring the residual.
  virtual void add_magnitude(const Step& s, const PortMotions& motions, VectorRef size) const = 0;

  /// False if the equations are linear but for turns of the bodies, in products with displacements, multipliers or
  /// other turns: as those of inertia, weights and most joints are. Of others Newton's method must know
  /// bending_length().
  virtual bool bends() const { return true; }
  /// Displacement of its natural variables, or its unknowns if it has none, at which the forces of the element point
  /// elsewhere, in the step: the length of a spring. 0 if nobody knows.
  virtual double bending_length(const Step& /*s*/, const PortMotions& /*motions*/) const { return 0; }

  // Ports in book(), begin() and advance() are where they are at the ends of the step, but their maps may be of another
  // one: what looks back at a step needs none.

  /// Enters an accepted step, which ended in `n1`, in the books.
  virtual void book(const Step& s, const PortMotions& motions, const State& n1, StepBooks& books) const = 0;

  /// Writes what an element remembers at the start to state.history; `still` is a step that does not move.
  virtual void begin(const Step& still, const PortMotions& motions, State& state) const;

  /// True if advance() has something to do: elements that remember nothing need not be asked.
  virtual bool advances() const { return history_ > 0; }

  /// Writes what is to be remembered of an accepted step to n1.history. A body whose rates do not follow the mean rule
  /// of the integrator writes them here too.
  virtual void advance(const Step& s, const PortMotions& motions, State& n1) const;

  /// What the i-th entry of r balances, for messages: "force along x".
  virtual std::string row_name(Index i) const = 0;

private:
  friend class Model; // numbers multipliers and history when the element joins a model
  std::string name_, kind_;
  std::vector<Node> nodes_;
  Enforcement enforcement_;
  Index unknowns_ = 0, multipliers_ = 0, history_ = 0, first_multiplier_ = 0, first_history_ = 0;
};

} // namespace emmy
