#pragma once
/// What every element must pass, whatever it is. Each check states a law and derives its own tolerance; it returns a
/// verdict for BOOST_TEST() that says which entry is wrong and by how much.

#include "verification/support/compare.hpp"
#include "verification/support/trial.hpp"

namespace emmy::test {

// --- any element (checks.cpp)

/// Equations of one element in all unknowns of the model followed by the element's own multipliers. A node that an
/// element names twice is summed, as in assembly.
struct DenseSystem {
  VecX r;
  MatX k; ///< empty if no tangent was asked for
};
DenseSystem assemble(const Element& element, const Model& model, const Trial& trial, bool tangent);

/// Element::add_magnitude(), in the same numbering.
VecX magnitudes(const Element& element, const Model& model, const Trial& trial);

/// k is the derivative of r with respect to z and lambda.
Verdict check_tangent(const Element& element, const Model& model, const Trial& trial);

/// The element adds to r and k, gives the same r with and without tangent, leaves k alone if it is not asked for, and
/// writes nothing outside its pattern.
Verdict check_adds(const Element& element, const Model& model, const Trial& trial);

/// The magnitude of every entry of r is at least the entry itself, and not out of all proportion.
Verdict check_magnitude(const Element& element, const Model& model, const Trial& trial);

/// Every row has a name.
Verdict check_row_names(const Element& element);

/// A port at any iterate: D is the derivative of q_n1, add_geometric() that of P_bar^T r for random r; at() agrees with
/// the end of the step and with D times the rates; place() gives the same ends to the last bit; what is not declared to
/// be supported is not; nothing is written outside the declared patterns.
Verdict check_port(const Connectivity& port, const Trial& trial, Random& random);
/// The same, and q_n1 - q_n = P_bar z. Needs a trial in which bodies that keep themselves rigid are so at both ends.
Verdict check_secant(const Connectivity& port, const Trial& trial, Random& random);

/// A body alone: whatever the step, r z is the change of its energy, if the rates follow the mean rule 2 z/h - rates or
/// what the body makes of it. Its own multipliers are set to zero.
Verdict check_energy(const Body& body, const Model& model, const Trial& trial);

/// All of these, of a body and its port, each as a check of the test that calls.
void check_body(const Body& body, const Model& model, const Trial& trial, Random& random);
/// The same for a body whose step does not conserve.
void check_body_but_energy(const Body& body, const Model& model, const Trial& trial, Random& random);

// --- elements in natural variables (natural_checks.cpp)

/// Natural variables of an element in a trial, and its equations with G_bar^T lambda included in r.
NaturalStep natural_step(const Interaction& element, const Model& model, const Trial& trial);
NaturalSystem natural_system(const Interaction& element, const NaturalStep& step);

/// Whatever the step: r (q_n1 - q_n) = V(q_n1) - V(q_n) for the part of r that comes from a potential, and
/// G_bar (q_n1 - q_n) = phi(q_n1) - phi(q_n). Work is the same in natural variables and in the unknowns. The tangent in
/// natural variables keeps to its pattern.
Verdict check_discrete_gradient(const Interaction& element, const Model& model, const Trial& trial);
/// The same for an element that does work or dissipates: only constraints and the two works are compared.
Verdict check_work(const Interaction& element, const Model& model, const Trial& trial);

/// No net force, and no net moment in the mean configuration, ground included. Joints whose points must coincide
/// balance moments only where they do; `moments` false leaves them out.
Verdict check_momentum(const Interaction& element, const Model& model, const Trial& trial, bool moments = true);

/// Turning and moving all bodies alike turns the forces on points and directions and the constraints with them. The
/// first `vector_rows` constraints are components of vectors, the others are scalars.
Verdict check_frame_indifference(const Interaction& element, const Model& model, const std::vector<Motion>& motions,
                                 Index vector_rows, Random& random);

/// What the element enters in the books: booked impulses are what it gave to the bodies; potential gained + dissipation
/// - work is the work done against it, apart from that of multipliers; the violations are those of phi and of its rate,
/// or phi > 0 alone if it is one-sided. Maps of ports are not looked at. Needs a trial in which the element balances
/// moments.
Verdict check_books(const Interaction& element, const Model& model, const Trial& trial);

} // namespace emmy::test
