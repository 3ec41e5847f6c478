#pragma once
/// How a constraint is enforced: a property of every element that has one, chosen by the person who builds the model.
/// The element itself writes its equations as for multipliers; solvers turn them into forces
/// (docs/theory/augmented_lagrangian.md).

namespace emmy {

enum class EnforcementMethod {
  lagrange,            ///< multipliers are unknowns of the system
  penalty,             ///< a stiff spring, no multipliers
  augmented_lagrangian ///< multipliers that are improved from iteration to iteration, no unknowns
};

struct Enforcement {
  EnforcementMethod method = EnforcementMethod::lagrange;
  /// r [N/m], [N m/rad]: a penalty needs it; for an augmented Lagrangian 0 leaves it to `beta`.
  double stiffness = 0;
  /// r of an augmented Lagrangian relative to the stiffness 2 m / h² of the bodies against the constraint [A14]; 0 is
  /// the default of the form that is used.
  double beta = 0;
};

} // namespace emmy
