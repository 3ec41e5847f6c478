#pragma once
/// One contact alone: solvable whatever the friction [R9].

#include "contact/problem/contact_problem.hpp"

namespace emmy::contact {

/// The impulse r that obeys the law with u = W r + q. W is the contact's own block, symmetric and positive definite.
Vec3 solve_single(const ContactLaw& law, const Mat3& W, const Vec3& q);

} // namespace emmy::contact
