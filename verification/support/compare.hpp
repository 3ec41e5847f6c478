#pragma once
/// Comparison of vectors and matrices that says where and by how much they differ. A Verdict goes into BOOST_TEST().

#include "core/types.hpp"

#include <boost/test/tools/assertion_result.hpp>

#include <limits>
#include <string>

namespace emmy::test {

using Verdict = boost::test_tools::assertion_result;

inline constexpr double eps = std::numeric_limits<double>::epsilon();

/// Entry by entry |got - expected| <= tolerance; not-a-number agrees with nothing.
Verdict agree(const std::string& what, const MatX& got, const MatX& expected, const MatX& tolerance);
Verdict agree(const std::string& what, const MatX& got, const MatX& expected, double tolerance);
Verdict agree(const std::string& what, double got, double expected, double tolerance);

/// Both verdicts; the message of the first that is bad.
Verdict both(const Verdict& a, const Verdict& b);

} // namespace emmy::test
